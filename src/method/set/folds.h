/*
 * method/set/folds.h: regressions on sets of k features, for several ridges, on all
 * samples but those of each fold, and their errors on these. All of them grow together:
 * a step of all is one product of the data with a column for each. Without fold f the
 * data are
 *
 *     Z_f = P_f Z diag(w_f),
 *
 * P_f the projection that leaves out the samples of the fold and takes off the means of
 * the others, and w_f what brings the features to equal length. Where there are few
 * features all follows from cross-products, which add up over folds:
 *
 *     Z_f'Z_f = diag(w_f) (Z'Z - sum_{i in f} z_i z_i' - sum_l g_l g_l' / m_l) diag(w_f),
 *
 * g_l = Z'u_l, u_l the roots of the weights of the samples left of level l, m_l = u_l'u_l.
 */
#ifndef RS_FOLDS_H
#define RS_FOLDS_H

#include "sets/search.h"
#include "sets/value_lsq.h"

typedef struct {
    const rs_lsq *all;         /* with X and Y */
    const rs_groups *groups;   /* NULL: single features */
    rs_search_settings search; /* of one size */
    int folds, ridges;
    const int *fold;     /* n, from 0 */
    const double *share; /* ridges, as shares of the weight of the samples */
    int scaled;          /* features of equal length in all folds? */
} rs_folds_settings;

/* errors ((ridges + 1) x folds): sums of squares on the samples of a fold of the means of
 * the others, and of the fits with each ridge; zeros where nothing varies without them */
rs_status rs_folds(rs_context *ctx, const rs_folds_settings *settings,
                   double *errors);

#endif
