/*
 * method/convex/path.h: the optima for a row of penalties, each by a warm start
 * from those before.
 *
 * What does not depend on the penalties is kept: the data, S, its leading
 * eigenpairs, all workspaces. As a function of log(lambda) the optimum is smooth
 * while neither its rank nor its zero columns change, so that F is extrapolated
 * from the last optima, turned to fit each other.
 */
#ifndef RS_SPCA_PATH_H
#define RS_SPCA_PATH_H

#include "method/convex/exact.h"
#include "solve/stiefel.h"

#define RS_RECENT 4 /* optima that the extrapolation takes */

typedef struct {
    rs_spca pr; /* with the last penalties */
    rs_spca_exact_settings set;
    rs_spca_point at; /* the last optimum */
    rs_spca_fit fit;
    rs_exact solver;
    int begun;
    int count, r, room;        /* recent optima, columns of each, room */
    double where[RS_RECENT];   /* log(lambda), the latest first */
    double *factor[RS_RECENT]; /* d x r */
    double *turned, *rotation; /* d x r, r x r */
    rs_stiefel_ws polar;
} rs_spca_path;

/* loss ||R||^2 only; F (d x r) is a start, or NULL; the path must stay where it
 * is */
rs_status rs_spca_path_init(const rs_spca *pr,
                            const rs_spca_exact_settings *set, int r,
                            const double *F, rs_spca_path *path);
/* the optimum for these penalties: path->at, path->fit. RS_OK, RS_MAXIT,
 * RS_STALLED */
rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta);
/* share of ||Xc||^2 that regression on the components Xc F of the last optimum
 * reproduces */
rs_status rs_spca_path_explained(rs_spca_path *path, double *share);

#endif
