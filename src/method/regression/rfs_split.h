/*
 * method/regression/rfs_split.h: the problem of method/regression/rfs.h by splitting, for many
 * features and samples: with R = Y - X W and V = W as variables of their own,
 * the alternating direction method of multipliers needs one factorisation in
 * all, and its multipliers are dual points.
 */
#ifndef RS_RFS_SPLIT_H
#define RS_RFS_SPLIT_H

#include "method/regression/rfs_problem.h"
#include "solve/ridge.h"

typedef struct {
    const rs_rfs_problem *p;
    rs_rfs_scale scale;
    double limit;        /* the gamma from which W = 0 */
    rs_ridge *equations; /* scratch: room for order min(n, d) */
    double *panel;       /* scratch: X->subset_room */
} rs_rfs_splitting;

/*
 * Several problems that differ in gamma alone, problem->p->gamma, one run each.
 * The first one begins at problem->p->start, or W = 0, without multipliers; the
 * others where the last two have ended, extrapolated in log(gamma), with the
 * penalties that their end asks for. The factorisation is made anew where the
 * penalty of V has changed much.
 */
typedef struct rs_rfs_splitter rs_rfs_splitter;

rs_status rs_rfs_split_open(rs_context *ctx, const rs_rfs_splitting *problem,
                            rs_rfs_splitter **splitter);
/*
 * Until the relative gap is at most the tolerance, but no more than some tens of
 * steps. *best, fit->W, fit->pull, fit->bound and the history, which have been
 * set at W = 0, go on from there.
 */
rs_status rs_rfs_split_run(rs_rfs_splitter *splitter, double *best,
                           rs_rfs_fit *fit);
/* W = 0 is the solution: the next run begins there, with its multipliers */
rs_status rs_rfs_split_at_zero(rs_rfs_splitter *splitter);

#endif
