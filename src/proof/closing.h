/*
 * proof/closing.h: sets of a few columns by what is left of eigenvalues, and
 * the last three of them at once. A set J explains
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
#include "proof/tree.h"
#include "sets/accurate.h"

/* most features whose products are held */
#define RS_CLOSING_MOST 6000
/* most features that are chosen at once */
#define RS_CLOSING_LAST 3
/* candidates that inner loops take at a time: a constant length lets the
 * compiler vectorise */
#define RS_CLOSING_STRIP 32

/* bases from the data, of sets of a response */
typedef struct {
    rs_accurate accurate;
    double *turn;                 /* c x q: the response's own axes */
    double *axis, *image, *moved; /* n, all columns, c */
} rs_closing_axes;

/* what products of RS_PANEL candidates are made in */
typedef struct {
    double *columns, *raw; /* n and all columns, each x RS_PANEL */
    double *panel;         /* count x RS_PANEL: columns of C */
    int *wanted;           /* RS_PANEL */
} rs_closing_scratch;

/* the candidates: columns that are not barred */
typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    int k;        /* of the largest sets */
    int count;    /* candidates, */
    int *list;    /* the columns that they are, */
    int *place;   /* and the candidates that columns are, or -1 */
    double *unit; /* count: 1 / sqrt(||x||^2 + ridge) */
    double least; /* share of its square that a feature must keep when the
                   * others of its set are projected out */
    double product_error;  /* of entries of C, at most */
    double response_error; /* of entries of H and A, at most */
    double *C;             /* count x count, or NULL: some columns at a time */
    double *H;             /* count x count: without a response */
    int q;
    double *Z; /* q x count */
    double *A; /* q x q */
    double rest;
    rs_closing_axes axes;
    rs_closing_scratch scratch;
} rs_closing_kernel;

/* the eigenvalues that a node leaves: K <= F diag(mu) F' + rest I */
typedef struct {
    int q;
    double *mu;
    double rest;
    double *W;               /* q x count: diag(mu)^{1/2} F'(I - P_T) X */
    double *A, *Y, *squares; /* scratch */
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

/* Diagonals of R and H, and the largest eigenvalue that is left without each
 * candidate. One more feature a in T takes p p' off R and p m' + m p' off H. All
 * of them have zeros, or r = 1, behind the last candidate. */
typedef struct {
    double *p, *m, *r, *h, *cap;
} rs_closing_left;

/* the node in memory */
typedef struct {
    rs_closing_set in;
    int m;
    int count; /* candidates that may do, best first, */
    int *list; /* and where they are */
    double *g; /* what sets with T and the candidate have at most */
    rs_closing_left left;
    double *P, *M; /* t x count */
    double *Z;     /* q x count */
    rs_closing_spectrum spectrum;
    int *order;
    double *score, *work; /* scratch; score: g of all candidates */
} rs_closing_node;

/* rows of R and H, stride numbers each, from the diagonal on */
typedef struct {
    int stride;
    size_t room;
    double *R, *H;
    unsigned char *joined; /* pairs that may be in a better set */
} rs_closing_rows;

/* Those after a feature that it is joined with, and what it leaves of them. */
typedef struct {
    int count, *at;
    rs_closing_left left;
    double *R, *H; /* a row, as it was before */
} rs_closing_near;

typedef struct {
    rs_bound
        of; /* of columns, but for the value of a set; barred ones are excluded */
    rs_closing_kernel kernel;
    rs_closing_node node; /* the one that was opened */
    rs_closing_rows rows;
    rs_closing_near near;
    double *excess; /* count */
    double polled;
    rs_tree *tree; /* that is searched, */
    int *set;      /* and a set of it */
} rs_closing_search;

/*
 * For sets of up to k features that are not barred. YtY: c x c, of a response.
 * keep: are all products held, where they can be? least: see the kernel; 0
 * where dependent features count.
 */
rs_status rs_closing_open(rs_context *ctx, const rs_lsq *problem, int k,
                          const double *YtY, int keep, double least,
                          rs_closing_search *c);
/* all sets of a node of that tree with m <= RS_CLOSING_LAST are offered, where
 * rounding allows it */
rs_status rs_closing_close(const rs_node *node, int *done,
                           rs_closing_search *c);

/* ---- parts ------------------------------------------------------------------ */

rs_status rs_closing_kernel_open(rs_context *ctx, const rs_lsq *problem, int k,
                                 const double *YtY, int keep, double least,
                                 rs_closing_kernel *kernel);
/* out (count x width): columns of C of at most RS_PANEL candidates */
rs_status rs_closing_products(rs_closing_kernel *kernel, int width,
                              const int *at, double *out);
/* where these are, whether or not C is held */
rs_status rs_closing_columns(rs_closing_kernel *kernel, int width,
                             const int *at, const double **column);

#endif
