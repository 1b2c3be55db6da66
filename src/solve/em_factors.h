/*
 * solve/em_factors.h: probabilistic principal components of data with missing
 * entries, by EM: z = mu + W e + noise, e normal with r components, noise of
 * variance s in every feature. Where W_o has the rows of what is seen of a
 * sample, e given that is normal with
 *
 *     covariance  s M^{-1},  M = s I + W_o'W_o,
 *     mean        M^{-1} W_o'(z_o - mu_o);
 *
 * samples with the same gaps share M. Every row of W and its entry of mu are
 * then regressed on these, over the samples in which the feature is seen. Of
 * W_o'W_o and of the sums over samples the smaller side is summed: what is
 * seen, or all less what is missing.
 *
 * The prior of the covariance C = WW' + s I is that of em_normal.h: `ridge`
 * samples whose cross-products are the identity. They are as good as d more
 * samples, sqrt(d) times the unit vectors, of weight ridge/d, and their part in
 * all sums has a closed form. The steps raise
 *
 *     log likelihood of what is seen - ridge/2 (log |C| + trace C^{-1})
 *
 * Tipping and Bishop (1999), Ilin and Raiko (2010).
 */
#ifndef RS_EM_FACTORS_H
#define RS_EM_FACTORS_H

#include "solve/em.h"

typedef struct {
    int r;
    double *mean;   /* d: where to start, and the estimate */
    double *W;      /* d x r: the same */
    double noise;   /* the same: s */
    double *E;      /* n x r: expected components */
    double *square; /* d: summed variances of what is missing */
    double rss;     /* squares of what is seen less its fit */
    double freedom; /* of the components: the trace of what takes the seen
                        * entries to their fit, mu and W given */
    rs_em_course course;
} rs_em_factors_fit;

/* Z (n x d): zeros where entries are missing, in whose place come their
 * expectations. RS_OK, RS_MAXIT. */
rs_status rs_em_factors(rs_context *ctx, const rs_gaps *gaps, double *Z,
                        const rs_em_settings *set, rs_em_factors_fit *fit);

/* S (d x d) += summed covariances of what is missing, diagonals included */
rs_status rs_em_factors_spread(rs_context *ctx, const rs_gaps *gaps, int r,
                               const double *W, double noise, double *S);

#endif
