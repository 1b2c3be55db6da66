/*
 * solve/em_normal.h: means and covariance of normal data with missing entries,
 * by EM. With P the precision matrix, the missing entries of a pattern g given
 * the others are normal with
 *
 *     mean        mu_g - (P_gg)^{-1} P_go (z_o - mu_o),
 *     covariance  (P_gg)^{-1},
 *
 * so that one inverse of the covariance serves all patterns, each of which
 * factors a block as large as its gaps; patterns with more gaps than values
 * factor the block of their values instead.
 *
 * The prior of the covariance is inverse Wishart: `ridge` samples whose
 * cross-products are the identity. The steps raise
 *
 *     log likelihood of what is seen - ridge/2 (log |Sigma| + trace Sigma^{-1})
 */
#ifndef RS_EM_NORMAL_H
#define RS_EM_NORMAL_H

#include "solve/em.h"

typedef struct {
    double *mean;   /* d: where to start, and the estimate */
    double *sigma;  /* d x d: the same */
    double *spread; /* d x d: summed covariances of what is missing */
    rs_em_course course;
} rs_em_normal_fit;

/* Z (n x d): zeros where entries are missing, in whose place come their
 * expectations. RS_OK, RS_MAXIT. */
rs_status rs_em_normal(rs_context *ctx, const rs_gaps *gaps, double *Z,
                       const rs_em_settings *set, rs_em_normal_fit *fit);

#endif
