/*
 * method/spca_psd/path.h: the optima for a row of penalties, each from those before.
 *
 * What does not depend on the penalties is kept: the data, S, its leading
 * eigenpairs, all workspaces. As a function of log(lambda) the optimum is smooth
 * while neither its rank nor its zero columns change, so that F is extrapolated
 * from the last optima, turned to fit each other.
 */
#ifndef RS_SPCA_PATH_H
#define RS_SPCA_PATH_H

#include "method/spca_psd/exact.h"
#include "solve/stiefel.h"

#define RS_TRAIL 4 /* results that are remembered */

typedef struct {
    int count, r, room;        /* results, and columns of each */
    double at[RS_TRAIL];       /* log(lambda), the latest first */
    double *factor[RS_TRAIL];  /* d x r */
    double *turned, *rotation; /* d x r, r x r */
    rs_stiefel_ws polar;
} rs_spca_trail;

typedef struct {
    rs_spca *pr;
    rs_spca_exact_settings set;
    rs_spca_point at; /* the last optimum */
    rs_spca_fit fit;
    rs_exact solver;
    rs_spca_trail trail;
    rs_spca_point cold; /* where fits begin that know no better, */
    double cold_eta;    /* for this eta */
    int begun;
} rs_spca_path;

/* loss ||R||^2 only; F (d x r) is a start, or NULL */
rs_status rs_spca_path_init(rs_spca *pr, const rs_spca_exact_settings *set,
                            int r, const double *F, rs_spca_path *path);
/* the optimum for these penalties: path->at, path->fit. RS_OK, RS_MAXIT,
 * RS_STALLED */
rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta);

/* share of ||Xc||^2 that regression on the components Xc F of a point
 * reproduces */
rs_status rs_spca_path_explained(rs_spca_path *path, const rs_spca_point *at,
                                 double *share);

#endif
