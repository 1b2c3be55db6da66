/*
 * proof/closing.h: sets of a few columns by what is left of eigenvalues, and
 * the last two or three of them at once. A set J explains
 *
 *     f(J) = tr(K P_J) = tr(C_JJ^{-1} H_JJ),   C = X'X + ridge, H = X'K X,
 *
 * P_J the projector on its span; X has columns of unit length, K = YY' for a
 * response and XX' without one, and everything is a share of tr K. With the
 * leading eigenvectors E of K, and all of them for a response,
 *
 *     K <= E A E' + rest I,     Z = A^{1/2} E'X  (q x d).
 *
 * A node is a set T and the candidates of which m more are to be added. With
 * C_TT = L L', what T leaves of the candidates is
 *
 *     P = L^{-1} C_T.,  V = Z_T L^{-T},  Z - V P,  A - V V',  R = C - P'P,
 *     H - P'M - M'P,    M = L^{-1} H_T. - N P / 2,  N = L^{-1} H_TT L^{-T},
 *
 * the last of which is (Z - V P)'(Z - V P) for a response. A set with T and j
 * has at most
 *
 *     f(T) + H_jj / R_jj + (m - 1) rest
 *          + the m - 1 largest eigenvalues of K that j leaves.
 *
 * Rounding. An entry of C that is off by e makes one of R off by no more than
 * e (1 + b)^2, b the largest sum of |coefficients| of a candidate regressed on
 * T. Bounds and tests are raised by such errors, so that what they do not tell
 * passes, and is evaluated. Of a response whose data are at hand, L is made
 * from these in twice the precision where T is nearly dependent: b is 0 then.
 */
#ifndef RS_CLOSING_H
#define RS_CLOSING_H

#include "la/linalg.h"
#include "proof/root.h"
#include "proof/tree.h"
#include "sets/accurate.h"

/* candidates that inner loops take at a time: a constant length lets the
 * compiler vectorise */
#define RS_CLOSING_STRIP 32
/* most features that are chosen at once */
#define RS_CLOSING_LAST 3
/* levels at which eigenvalues are told apart */
#define RS_CLOSING_LEVELS 24

/* bases from the data, of sets of a response */
typedef struct {
    rs_accurate accurate;
    double *turn;                 /* c x q: the response's own axes */
    double *axis, *image, *moved; /* n, all columns, c */
} rs_closing_axes;

/* what is known of all candidates */
typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    rs_root root;
    int k;           /* of the largest sets */
    int count;       /* candidates */
    const double *C; /* count x count, or NULL: some columns at a time */
    double *H;       /* count x count: without a response */
    int q;
    double *Z; /* q x count */
    double *A; /* q x q */
    double rest;
    double least;          /* share of its square that a feature must keep when
                            * the others of its set are projected out */
    double product_error;  /* of entries of C, at most */
    double response_error; /* of entries of H and A, at most */
    double *panel;         /* count x RS_PANEL: columns of C */
    rs_closing_axes axes;
} rs_closing_kernel;

/* the eigenvalues that a node leaves: K <= F diag(mu) F' + rest I */
typedef struct {
    int most; /* that are kept, at most */
    int q;    /* that are */
    int rows; /* of W: a multiple of 8 */
    double *mu;
    double rest;
    double error; /* of entries of R, and of what follows from W */
    double *W;    /* rows x count: diag(mu)^{1/2} F'(I - P_T) X */
    int levels;   /* 0: none can be told apart */
    double low, step;
    double level[RS_CLOSING_LEVELS];
    double spread[RS_CLOSING_LEVELS]; /* error of entries of S */
    int above[RS_CLOSING_LEVELS];     /* mu beyond the level */
    double *weight;                   /* rows x levels: 1 / (mu - x) */
    double *A, *Y, *value;            /* scratch */
    rs_eigen_ws eigen;
} rs_closing_spectrum;

/* T, and what it explains */
typedef struct {
    int t, *set;
    int dependent;                        /* no set with T counts */
    int unresolved;                       /* rounding hides whether one does */
    double value;                         /* f(T), at most */
    double product_error, response_error; /* of what T leaves */
    double *L, *N, *V;                    /* t x t, t x t, q x t */
} rs_closing_set;

/* the node in memory */
typedef struct {
    rs_closing_set in;
    int m;
    int count;      /* candidates, best first, */
    int *list;      /* and where they are */
    double *g;      /* what sets with T and the candidate have at most */
    double dropped; /* the same for those that may not do */
    double *r, *h;  /* diagonals of what T leaves; a strip more */
    double *P, *M;  /* t x count */
    int q;
    double beyond; /* K <= A + beyond I in the q coordinates of */
    double *Z;     /* q x count */
    rs_closing_spectrum spectrum;
    const double
        *weight; /* of the candidates, falling, or NULL: a set has no */
    double base; /* more than base + its weights */
    int *order;
    double *score, *work; /* scratch */
} rs_closing_node;

/* rows of R and H, stride numbers each, from the diagonal on */
typedef struct {
    int stride;
    size_t room;
    double *R, *H;
} rs_closing_rows;

/* the sets of a node with two to four features to choose */
typedef struct {
    rs_closing_rows rows, whole; /* of the node; of the one before the child */
    size_t room;
    unsigned char *joined; /* pairs that may be in a better set */
    double *own;           /* stride x levels: diagonals of S */
    double *cap; /* the largest eigenvalue that is left without each */
    double *excess, *weighted;
    int weighed[RS_CLOSING_LEVELS]; /* for which row */
    /* a row, and what its feature leaves of those it is joined with */
    int near, *at;
    double *p, *m, *r, *h, *near_r, *near_h;
    double polled;
} rs_closing_pairs;

typedef struct {
    rs_closing_kernel kernel;
    rs_closing_node node;  /* the one that was opened, */
    rs_closing_node child; /* one more feature in T, */
    rs_closing_node *now;  /* and whose sets are looked at */
    rs_closing_pairs pairs;
    /* what k columns of the problem have: see rs_bound */
    rs_status (*value)(void *state, int k, const int *columns, double cut,
                       double *least, double *most);
    void *state;
    int *place;      /* of columns of the problem among the candidates, */
    const int *unit; /* and of these in the tree */
    rs_tree *tree;   /* that is searched, */
    int *set;        /* and a set of it */
} rs_closing_search;

/* most features whose products are held */
#define RS_CLOSING_MOST 6000
/*
 * For sets of up to k features that are not barred. YtY: c x c, of a response.
 * keep: are all products held, where they can be? least: see the kernel; 0
 * where dependent features count.
 */
rs_status rs_closing_open(rs_context *ctx, const rs_lsq *problem, int k,
                          const double *YtY, int keep, double least,
                          rs_closing_search *c);
/* of products that were made, for rs_closing_enumerate() alone: C (d x d) and B
 * (d x q) of the unit columns of a root, whose columns are the tree's units */
rs_status rs_closing_given(rs_context *ctx, const rs_root *root, int q, int k,
                           const double *C, const double *B,
                           rs_closing_search *c);
/* room for nodes and pairs, after either of these */
rs_status rs_closing_parts(rs_closing_search *c);
/* the bound that proof/tree.h asks for, but for the value of a set; units are
 * the columns of the problem, of which those that are barred are excluded */
rs_bound rs_closing_bound(rs_closing_search *c);
/* a node of features with weights: no set has more than base + its weights */
typedef struct {
    int N, m;
    const int *id;           /* N: candidates */
    const unsigned char *in; /* N: those in every set; m <= 3 are to choose */
    double base;
    const double *weight; /* N */
} rs_closing_weights;
/* all sets that may have more than the tree's cut are offered; *done = 0 where
 * the weights allow more than `most`, or rounding would hide too much */
rs_status rs_closing_enumerate(const rs_closing_weights *node, double most,
                               rs_tree *tree, int *done, rs_closing_search *c);

/* ---- parts ------------------------------------------------------------------ */

rs_status rs_closing_node_init(const rs_closing_kernel *kernel,
                               rs_closing_node *node);
/* columns of C, count numbers each, of at most RS_PANEL candidates */
rs_status rs_closing_columns(rs_closing_kernel *kernel, int width,
                             const int *at, const double **column);
/* T = set and m of the listed candidates, as far as they may be in a set with
 * more than `cut`; without a spectrum where there are weights */
rs_status rs_closing_node_open(int t, const int *set, int m, int count,
                               const int *list, double cut,
                               rs_closing_kernel *kernel,
                               rs_closing_node *node);
/* the spectrum, whose A is at hand */
rs_status rs_closing_spectrum_of(rs_closing_node *node);
/* levels from the eigenvalue number `lowest` up */
void rs_closing_levels(int lowest, rs_closing_spectrum *f);
/* W_a' diag(weight) W_b */
static inline double rs_closing_form(const rs_closing_spectrum *f,
                                     const double *restrict weighted, int b)
{
    const double *restrict w = f->W + (size_t)f->rows * b;
    double sum = 0.0;
    for (int i = 0; i < f->rows; i += 8) {
#pragma omp simd reduction(+ : sum)
        for (int l = 0; l < 8; l++)
            sum += weighted[i + l] * w[i + l];
    }
    return sum;
}
rs_status rs_closing_pairs_init(const rs_closing_kernel *kernel,
                                rs_closing_pairs *pairs);
/* all sets of the open node, m <= RS_CLOSING_LAST, are offered; where it is late,
 * those that were not have no more than *left */
rs_status rs_closing_try_all(double *left, rs_closing_search *c);

#endif
