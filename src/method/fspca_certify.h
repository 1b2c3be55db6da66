/*
 * method/fspca_certify.h: how good a set of k rows is for row-sparse PCA: an
 * upper bound of the best set's value by the relaxation of fspca_relax.h, the
 * rows that no better set holds or that every better one holds, and branch and
 * bound where few rows are left.
 *
 * Where F = T + sum of the k largest h bounds all sets, T + sum_J h bounds the
 * set J. So F - h_(k) + h_i bounds the sets that hold a row i outside the k
 * largest, and F - h_i + h_(k+1) those without a row i among them. Sets whose
 * bound is not above the value of the best known one, up to a share of
 * RS_CERTIFY_TIE, are left out; the largest bound of what was left out stays in
 * the certified one.
 *
 * With many rows the relaxation is solved on some of them, the core, and
 * extended to the others (fspca_extend.c) so that the eigenvalue part stays.
 */
#ifndef RS_FSPCA_CERTIFY_H
#define RS_FSPCA_CERTIFY_H

#include "data/covop.h"
#include "method/fspca_relax.h"

#define RS_CERTIFY_TIE 1e-9

typedef struct {
    double seconds; /* of processor time */
    double nodes;   /* of the branch and bound */
    int core;       /* rows of the first core */
    int most;       /* rows of the largest one */
    int few;        /* rows that are left when branching begins */
    /* progress; or NULL. Called between two steps, never inside of one. */
    void (*report)(void *state, const char *what, double bound, double value,
                   int left, double open);
    void *report_state;
} rs_certify_settings;

typedef struct {
    int *set;     /* k: the best set known; a better one where one was found */
    double value; /* its sum of m eigenvalues */
    double bound; /* no set has more; on entry a bound that is known */
    double diagonal;    /* the sum of the k largest variances */
    unsigned char *out; /* d: in no set that is better than the best known */
    unsigned char *in;  /* d: in all of these; on entry: in every set */
    int complete;       /* nothing is left */
    double nodes, evaluations, seconds;
} rs_certificate;

/* settings of the extension */
typedef struct {
    double share, weight;
} rs_extension;

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    int d, k, m;
    const rs_certify_settings *settings;
    rs_certificate *found;
    rs_clock clock;
    unsigned char *locked; /* d: in every set, as the caller has it */
    double pruned;         /* the largest bound of a set that was left out */
    double unit;           /* value of a row in the best set */
    int left;              /* rows that are not out, */
    int *list;             /* ascending */
    /* the core */
    int p;
    int *core;              /* rows */
    unsigned char *inside;  /* p: in every set */
    unsigned char *is_core; /* d */
    double *rows;           /* d x most: S[, core]; NULL where all are core */
    double *S;              /* p x p */
    double *x, *y, *metric; /* variables */
    rs_relax relax;
    rs_lbfgs lbfgs;
    double *h;            /* d */
    double *L;            /* d x r: of the other rows */
    double *work, *other; /* d, the larger of d and most^2 */
    int *index;           /* 2 d */
    double *A;            /* k x k */
    double *values;       /* k */
    rs_eigen_ws eigen;
    /* the extension */
    double *block, *rest; /* d x RS_EXTEND_BLOCK: columns of S, of E */
    double *some;         /* RS_EXTEND_BLOCK x r */
    rs_extension how;
    double *tau;                   /* most */
    double *length, *square, *own; /* d: ||L_i||^2, s_i, E_ii of T */
    double level;                  /* nu */
    double part;                   /* of the bound, by the eigenvalues */
} rs_certify;

#define RS_EXTEND_BLOCK 64

rs_status rs_fspca_certify(rs_context *ctx, rs_covop *op, int k, int m,
                           const rs_certify_settings *settings,
                           rs_certificate *found);

/* ---- steps ---------------------------------------------------------------- */

int rs_certify_is_late(const rs_certify *s);
/* what a set must exceed to be looked at */
double rs_certify_cut(const rs_certify *s);
/* a set was left out that is bounded by this */
void rs_certify_prune(double bound, rs_certify *s);
/* smoothed minimisation of x, within the time that is left */
rs_status rs_certify_minimise(double width, int evaluations, double *x,
                              rs_certify *s);
/* the value of k rows, given by their places in a p x p matrix; *sum */
rs_status rs_certify_value(const double *S, int p, const int *places,
                           double *sum, rs_certify *s);
/* the rows of the p x q part of x that are kept, in place: q < p rows */
void rs_certify_restrict(int p, int q, const int *kept, int r, const double *x,
                         double *to);
/* the sum of the k largest h of the rows that are left, rounded upwards; values
 * and marks: their h and which of them are in every set; smallest and next as
 * of rs_relax_sum() */
double rs_certify_sum(double *values, unsigned char *marks, double *smallest,
                      double *next, rs_certify *s);
/* h of the rows that are no core, into s->h, and of those of the core that gave
 * room to them, and the part of the eigenvalues; floor: the smallest of the k
 * largest h of the core; spare: by how much less than that h is to be for a row
 * to be left out */
rs_status rs_certify_extend(double floor, double spare, rs_certify *s);
/* the rows outside press on the core as the extension has them */
void rs_certify_press(rs_certify *s);
/* the listed rows join the core, their variables as the extension has them */
rs_status rs_certify_join(int count, const int *rows, rs_certify *s);
/* branch and bound on the core, which holds all rows that are left */
rs_status rs_certify_branch(rs_certify *s);

#endif
