/*
 * solve/em.h: data with missing entries, fitted by EM. The steps never lower
 *
 *     log likelihood of what is seen - ridge/2 (log |C| + trace C^{-1})
 *
 * for a prior of the covariance C that is as good as `ridge` samples whose
 * cross-products are the identity.
 */
#ifndef RS_EM_H
#define RS_EM_H

#include "base/history.h"
#include "data/gaps.h"

#define RS_LOG_TWO_PI 1.8378770664093454836

typedef struct {
    double ridge; /* above 0, in samples */
    double tol;   /* on the relative change of the objective */
    int maxit;    /* 0: only the missing entries, at the parameters given */
} rs_em_settings;

typedef struct {
    rs_history loss;   /* minus the objective */
    rs_history loglik; /* of what is seen */
    rs_status status;  /* RS_OK, RS_MAXIT */
    int ends;          /* changes were below the tolerance several times in a
                        * row, or there is no step left */
} rs_em_course;

rs_status rs_em_begin(rs_context *ctx, const rs_em_settings *set,
                      rs_em_course *course);
/* after an E-step; RS_NOT_FINITE */
rs_status rs_em_record(double loglik, double penalty,
                       const rs_em_settings *set, rs_em_course *course);

/*
 * Means and covariance C = Sigma of normal data. With P = Sigma^{-1}, the missing
 * entries of a pattern g given the others are normal with
 *
 *     mean        mu_g - (P_gg)^{-1} P_go (z_o - mu_o),
 *     covariance  (P_gg)^{-1},
 *
 * so that one inverse of the covariance serves all patterns, each of which
 * factors a block as large as its gaps.
 */
typedef struct {
    double *Z;      /* n x d: zeros where entries are missing, in whose place
                     * come their expectations */
    double *mean;   /* d: where to start, and the estimate */
    double *sigma;  /* d x d: the same */
    double *spread; /* d x d: summed covariances of what is missing */
    rs_em_course course;
} rs_em_normal_fit;

/* RS_OK, RS_MAXIT */
rs_status rs_em_normal(rs_context *ctx, const rs_gaps *gaps,
                       const rs_em_settings *set, rs_em_normal_fit *fit);

/*
 * Probabilistic principal components (Tipping and Bishop, 1999; Ilin and Raiko,
 * 2010): z = mu + W e + noise, e normal with r components, noise of variance s in
 * every feature, C = WW' + s I. Where W_o has the rows of what is seen of a
 * sample, e given that is normal with
 *
 *     covariance  s M^{-1},  M = s I + W_o'W_o,
 *     mean        M^{-1} W_o'(z_o - mu_o);
 *
 * samples with the same gaps share M. Every row of W and its entry of mu are
 * then regressed on these, over the samples in which the feature is seen. Of
 * W_o'W_o and of the sums over samples the smaller side is summed: what is
 * seen, or all less what is missing. The samples of the prior are d more ones,
 * sqrt(d) times the unit vectors, of weight ridge/d, and their part in all sums
 * has a closed form.
 */
typedef struct {
    int r;
    double *Z;      /* as that of rs_em_normal_fit */
    double *W;      /* d x (r + 1), mu the last column: the same as mean */
    double noise;   /* the same: s */
    double *square; /* d: summed variances of what is missing */
    double *spread; /* d x d: zeros, where their summed covariances come; or
                     * NULL */
    rs_em_course course;
} rs_em_factors_fit;

/* as rs_em_normal() */
rs_status rs_em_factors(rs_context *ctx, const rs_gaps *gaps,
                        const rs_em_settings *set, rs_em_factors_fit *fit);

#endif
