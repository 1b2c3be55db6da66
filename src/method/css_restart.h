/*
 * method/css_restart.h: better column subsets from perturbed ones. A quarter of
 * the features of the best set are replaced by others, drawn from a fixed
 * sequence; exchanges of single features follow; what ends higher is the best
 * set from there on.
 */
#ifndef RS_CSS_RESTART_H
#define RS_CSS_RESTART_H

#include "solve/exchange.h"

/*
 * set: k features, those that are locked in stay. Until `quiet` rounds in a row
 * have led to nothing, or about `work` multiplications are done. Gains of up to
 * tol of the total do not count.
 */
rs_status rs_css_restart(rs_context *ctx, const rs_lsq *problem, int k,
                         int quiet, double work, double tol, int maxit,
                         int *set);

#endif
