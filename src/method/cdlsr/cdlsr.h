/*
 * method/cdlsr/cdlsr.h: exactly k features for multi-response least squares,
 *
 *     min ||Y - X W||^2 + ridge ||W||^2   s.t.  W has k nonzero rows,
 *
 * by the coordinate descent of Xu, Wang, Nie and Li (2023), or by exchanges
 * with exact refit from a forward selection, from given sets, or both.
 */
#ifndef RS_CDLSR_H
#define RS_CDLSR_H

#include "method/cdlsr/fit.h"
#include "sets/subset.h"

typedef struct {
    rs_cdlsr_end *end; /* forward + starts of them */
    int best;          /* the winner among them */
    int *order;        /* k: greedy order of the winner's features */
    double *explained; /* k: E of the first l of them */
    /* the sets of the sizes 1..reached, when asked for */
    int reached;
    rs_cdlsr_size *path;
    double *forward_explained; /* k; forward selection alone */
    double *forward_objective; /* k */
    int doubtful; /* candidates were beyond what cross-products resolve */
} rs_cdlsr_fit;

/*
 * `set` is an initialised subset of capacity settings->k; on return it holds
 * the winner.
 */
rs_status rs_cdlsr(rs_context *ctx, const rs_cdlsr_settings *settings,
                   rs_subset *set, rs_cdlsr_fit *fit);

#endif
