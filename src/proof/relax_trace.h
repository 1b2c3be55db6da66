/*
 * proof/relax_trace.h: the bound of the tree for sets of k rows of S whose m
 * leading eigenvalues have a large sum, by the relaxation of relax.h.
 *
 * With many rows the relaxation is solved on some of them, the core R, and
 * extended to the others, T, so that the eigenvalue part stays. With L_T given and E = S - LL', an entry of U and its mirror
 * image make up for 2 E_ij between them. For j in R, i in T that is u_ji as far
 * as it costs nothing, which is up to tau_j: either the (k - 1)-th largest of
 * |u_j.|, or what keeps h_j among the smaller ones; u_ij is the rest. u_il =
 * u_li = E_il inside T. What is left of the matrix outside R is the diagonal
 * E_ii - u_ii + alpha_i, which is to be nu. Of these alpha_i = sqrt(beta_i^2 +
 * s_i), beta_i = nu - E_ii, gives the least
 *
 *   h_i = ||L_i||^2 + (sqrt(beta_i^2 + s_i) - beta_i) / 2
 *
 * with s_i of the entries off the diagonal. With nu the m-th eigenvalue on R the
 * eigenvalue part does not change. L_T by ridge regression,
 * S_TR D L (L'DL + share nu I)^{-1}, D = Diag(z) + weight.
 *
 * The tree gets the eigenvalue part and the h_i. Rows whose h is too large join
 * the core; nodes are split once it holds all rows that are left.
 */
#ifndef RS_RELAX_TRACE_H
#define RS_RELAX_TRACE_H

#include "data/covop.h"
#include "proof/relax.h"
#include "proof/tree.h"
#include "solve/lbfgs.h"

typedef struct {
    int first; /* rows of the first core */
    int most;  /* rows of the largest one */
} rs_trace_sizes;

/* the rows that the relaxation is about, and its variables */
typedef struct {
    int p;
    int *row;             /* p */
    unsigned char *holds; /* d: is a row in the core? */
    unsigned char *in;    /* p: in every set of the node */
    double *S;            /* p x p */
    double *x, *y;        /* variables, and room for others */
    double *metric;       /* of the variables */
    double width;         /* of the smoothing, in units */
    double evaluations;   /* of the relaxation so far */
    int idle;             /* rounds that brought nothing */
    int gathers;          /* are all rows to join? */
    int *from;            /* p: where they come from */
    int joins, *joining;  /* rows that are to join */
    int known, *slot;     /* d: the columns of S that are known, -1: not */
    double *columns;      /* d x most */
} rs_trace_core;

/* what is outside of it */
typedef struct {
    int count, *row;               /* d */
    double *L;                     /* d x r */
    double *tau;                   /* of the core */
    double *length, *square, *own; /* d: ||L_i||^2, s_i, E_ii */
    double *h;                     /* d: those of the core, too */
    double *block, *rest;          /* d x RS_TRACE_BLOCK: columns of S, of E */
    double *some;                  /* RS_TRACE_BLOCK x r */
    double *DL, *G;                /* most x r, r x r */
    double *u;                     /* d: a row of U */
} rs_trace_outside;

#define RS_TRACE_BLOCK 64

typedef struct {
    int rows;       /* of cores that records have room for */
    int is_fixed;   /* was one made? */
    int is_resumed; /* has the present node begun with one? */
} rs_trace_records;

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    int k, m;
    rs_trace_sizes sizes;
    double unit;         /* value of a row in a good set */
    double diagonal;     /* the sum of the k largest variances */
    double error;        /* of values */
    const int *set;      /* k: a good set, to begin with */
    unsigned char *root; /* d: the marks of the root */
    rs_bound of;         /* for the tree */
    rs_tree *tree;
    rs_relax relax;
    rs_lbfgs lbfgs;
    rs_trace_core core;
    rs_trace_outside outside;
    rs_trace_records records;
    double *score; /* 2 d */
    int *order;    /* d */
} rs_relax_trace;

/* set: a good one, of k rows, with this value; s must stay where it is. The
 * operator: for products with RS_TRACE_BLOCK columns, in units of which no
 * square leaves the double range (rs_covop_use_unit()). s->error is 0 then, for
 * values that are compared with each other alone */
rs_status rs_relax_trace_init(rs_context *ctx, rs_covop *op, int k, int m,
                              const rs_trace_sizes *sizes, const int *set,
                              double value_of_set, rs_relax_trace *s);

/* what rounding of S itself, whose entries are sums over so many samples, may
 * hide of the value of a set */
double rs_trace_rounding(double samples, const rs_relax_trace *s);

/* ---- between the files of this bound ---------------------------------------- */

/* relax.A <- the upper triangle of S[set, set] */
rs_status rs_trace_square(const int *set, rs_relax_trace *s);
/* the core without rows that are out, with those that are to join; *came counts
 * these */
rs_status rs_trace_fit(const rs_node *node, int *came, rs_relax_trace *s);
/* the columns of a core that a record gave */
rs_status rs_trace_know(rs_relax_trace *s);
/* h of the rows outside, and of those of the core that gave room to them; floor:
 * the smallest of the k largest h of the core; spare: by how much less than that
 * h is to be for a row to be left out. RS_SINGULAR: there is none. */
rs_status rs_trace_extend(double floor, double spare, rs_relax_trace *s);
/* variables of rows that have joined, in the places from `first` on */
void rs_trace_fill(int first, rs_relax_trace *s);

#endif
