/*
 * sets/trace_subset.h: trace maximisation on k features,
 *
 *   max tr(W'AW)  subject to  W'W = I_m, at most k nonzero rows,
 *
 * for a positive semidefinite A that is known by its products and by the
 * leading eigenpairs of its principal submatrices. For a set I the best W holds
 * the m leading eigenvectors of A[I, I]; iterative projection updates look for
 * I: P = A W (W'AW)^+ W'A lies below A and equals it in tr(W'AW), so that the k
 * largest diagonal entries of P are a set that is no worse.
 */
#ifndef RS_TRACE_SUBSET_H
#define RS_TRACE_SUBSET_H

#include "base/select.h"
#include "base/history.h"
#include "data/data.h"
#include "eigen/leading.h"
#include "la/linalg.h"

typedef struct {
    int d, k, m;
    const double *second; /* d: ties go to the larger one */
    void *state;
    rs_apply_fn apply; /* AW (d x m) = A W */
    /* values (m), V (k x m): leading eigenpairs of A[I, I] */
    rs_status (*leading)(void *state, const int *subset, double *values,
                         double *V);
    /* d: features that are chosen after all others, and that are chosen in any
     * case; or NULL */
    const unsigned char *last, *first;
} rs_trace_problem;

typedef struct {
    rs_trace_problem problem;
    int *subset;         /* k, ascending */
    double *V;           /* k x m */
    double *values;      /* m */
    double *scores;      /* d: those from which the subset was chosen */
    double *W, *AW;      /* d x m */
    unsigned char *keep; /* d: the subset as a mask */
    unsigned char *last; /* d */
    rs_choose_ws choose;
} rs_trace_ws;

/* the first four of these arrays are the caller's */
rs_status rs_trace_init(rs_context *ctx, const rs_trace_problem *problem,
                        int *subset, double *V, double *values, double *scores,
                        rs_trace_ws *ws);
/* subset <- the k largest scores */
rs_status rs_trace_choose(rs_trace_ws *ws);
/* subset <- the given one, in any order */
void rs_trace_set(const int *subset, rs_trace_ws *ws);
/* V and values of the subset, and -tr(W'AW) into the history */
rs_status rs_trace_solve(rs_history *history, rs_trace_ws *ws);
/* scores <- diag P at the solved subset */
rs_status rs_trace_project(rs_trace_ws *ws);
/* updates from the solved subset until it stays; RS_MAXIT after maxit */
rs_status rs_trace_climb(rs_context *ctx, int maxit, rs_history *history,
                         rs_trace_ws *ws);

/* ---- of the samples ---------------------------------------------------------- */

/*
 * The symmetric operator
 *
 *     A = shift I + X'N X,   N = diag(a) + G G' + K,
 *
 * with N of the order of the samples: scatter within and between groups,
 * Laplacians, and differences of these. Products take those with X; no d x d
 * matrix is formed where d is large.
 */
typedef struct {
    double *a; /* n, or NULL */
    int c;
    double *G; /* n x c, or NULL */
    double *K; /* n x n, both triangles, or NULL */
} rs_form_parts;

typedef struct {
    rs_context *ctx;
    rs_data *X;
    int k, m;
    double shift;
    double sign; /* of the products: -1 while the least eigenvalue is sought */
    rs_form_parts N;
    double *panel; /* n x widest: products X W, or columns of X */
    double *image; /* n x widest: N times these */
    double *inner; /* c x widest */
    double *A;     /* k x k */
    rs_leading_ws leading;
    double *whole;  /* d x d: where LAPACK tells the extreme eigenvalue */
    double *vector; /* d */
    rs_leading_ws extreme;
} rs_sample_form;

/* columns of products that X must allow for */
int rs_sample_form_block(int d, int m);
/* for subsets of k features and m components */
rs_status rs_sample_form_init(rs_context *ctx, rs_data *X, int k, int m,
                              const rs_form_parts *N, rs_sample_form *form);
/* AW = A W, as an rs_apply_fn; state is the form */
rs_status rs_sample_form_apply(void *state, int m, const double *W,
                               double *AW);
/* values (m), V (k x m): leading eigenpairs of A[I, I]; state is the form */
rs_status rs_sample_form_leading(void *state, const int *subset,
                                 double *values, double *V);
/* diagonal (d) of A */
rs_status rs_sample_form_diagonal(rs_sample_form *form, double *diagonal);
/* shift <- the least with which A is positive semidefinite, a little more, and
 * not below 0 */
rs_status rs_sample_form_make_positive(rs_sample_form *form);
/* XV (n x m) for the loadings V (k x m) of the subset */
rs_status rs_sample_form_components(const int *subset, const double *V,
                                    double *XV, rs_sample_form *form);

#endif
