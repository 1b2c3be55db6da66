/*
 * sets/sample_form.h: the symmetric operator
 *
 *     A = shift I + X'N X,   N = diag(a) + G G' + K,
 *
 * with N of the order of the samples: scatter within and between groups,
 * Laplacians, and differences of these. Products take those with X; no d x d
 * matrix is formed where d is large.
 */
#ifndef RS_SAMPLE_FORM_H
#define RS_SAMPLE_FORM_H

#include "data/data.h"
#include "eigen/leading.h"
#include "sets/trace_subset.h"

typedef struct {
    rs_context *ctx;
    rs_data *X;
    int k, m;
    double shift;
    double sign; /* of the products: -1 while the least eigenvalue is sought */
    double *a;   /* n, or NULL */
    double *G;   /* n x c, or NULL */
    int c;
    double *K;     /* n x n, both triangles, or NULL */
    double *panel; /* n x widest: products X W, or columns of X */
    double *image; /* n x widest: N times these */
    double *inner; /* c x widest */
    double *A;     /* k x k */
    rs_leading_ws leading;
    int is_dense;   /* the extreme eigenvalue by LAPACK */
    double *whole;  /* d x d: dense only */
    double *vector; /* d: iterative only */
    double *values; /* d, or 1 */
    rs_eigen_ws dense;
    rs_ritz iterative;
} rs_sample_form;

/* columns of products that X must allow for */
int rs_sample_form_block(int d, int m);
/* for subsets of k features and m components; a, G, K are the caller's */
rs_status rs_sample_form_init(rs_context *ctx, rs_data *X, int k, int m,
                              double *a, int c, double *G, double *K,
                              rs_sample_form *form);
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
/* the trace problem of A on k features with m components */
rs_trace_problem rs_sample_form_trace(rs_sample_form *form,
                                      const double *second,
                                      const unsigned char *last,
                                      const unsigned char *first);
/* A positive semidefinite, and its leading eigenpairs on the present subset;
 * `updates` begins with that value */
rs_status rs_sample_form_solve(rs_history *updates, rs_sample_form *form,
                               rs_trace_ws *trace);
/* the same, then updates of the subset, at most maxit */
rs_status rs_sample_form_climb(int maxit, rs_history *updates,
                               rs_sample_form *form, rs_trace_ws *trace);
/* XV (n x m) for the loadings V (k x m) of the subset */
rs_status rs_sample_form_components(const int *subset, const double *V,
                                    double *XV, rs_sample_form *form);

#endif
