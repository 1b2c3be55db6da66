/*
 * method/css/restart.h: better column subsets from perturbed ones. A quarter of
 * the features of the best set are replaced by others, drawn from a fixed
 * sequence; exchanges of single features follow; what ends higher is the best
 * set from there on.
 */
#ifndef RS_CSS_RESTART_H
#define RS_CSS_RESTART_H

#include "sets/exchange.h"

/* how much is done for a good set; nothing depends on a clock */
typedef struct {
    double restarts; /* multiplications of the restarts, about */
    int quiet;       /* rounds in a row without a better set, at most */
    int maxit;       /* sweeps of exchanges */
} rs_css_effort;

/*
 * set: k features, those that are locked in stay; it always holds the best one.
 * Gains of up to tol of the total do not count.
 */
rs_status rs_css_restart(rs_context *ctx, const rs_lsq *problem, int k,
                         const rs_css_effort *effort, double tol, int *set);

#endif
