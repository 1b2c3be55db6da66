/*
 * method/spca_psd/ridge.h: systems with S_T + diag(c), S_T = Xt' diag(t/2) Xt, by
 * solve/ridge.h for the data Xt about a centre, with the samples' s = 2 / t.
 */
#ifndef RS_SPCA_RIDGE_H
#define RS_SPCA_RIDGE_H

#include "method/spca_psd/model.h"
#include "solve/ridge.h"

typedef struct {
    int dense;     /* d x d matrix, or n x n after Woodbury's formula */
    double *c, *e; /* d; e = 1 / c */
    double *s;     /* n */
    double *Y;     /* n x width, scratch */
    int width;
    rs_ridge system;
} rs_spca_ridge;

rs_status rs_spca_ridge_init(const rs_spca *pr, int dense, int width,
                             rs_spca_ridge *ridge);
/* S_T (d x d); c is the centre or NULL, half (n) and g (d) are scratch */
rs_status rs_spca_scatter(const rs_spca *pr, const double *c, const double *t,
                          double *half, double *g, double *S);
/* K (n x n) = Xt diag(e) Xt' (e = NULL: the identity); g (n) is scratch */
rs_status rs_spca_gram(const rs_spca *pr, const rs_spca_centre *centre,
                       const double *e, double *g, double *K);
/* factor for the diagonal ridge->c; `scatter` is S_T (dense form only) */
rs_status rs_spca_ridge_factor(const rs_spca *pr, const rs_spca_centre *centre,
                               const double *t, const double *scatter,
                               rs_spca_ridge *ridge);
/* Y <- Q Y, n x m, with Q = (diag(s) + Xt E Xt')^{-1}, E = diag(1/c), so that
 * Xt'Q Xt = B = S_T (I + E S_T)^{-1}; not for the dense form */
rs_status rs_spca_ridge_kernel(int m, double *Y, const rs_spca_ridge *ridge);
/* V <- (S_T + diag(c))^{-1} V, d x m, m <= width; W is d x m scratch */
rs_status rs_spca_ridge_solve(const rs_spca *pr, const rs_spca_centre *centre,
                              int m, double *V, double *W,
                              rs_spca_ridge *ridge);

#endif
