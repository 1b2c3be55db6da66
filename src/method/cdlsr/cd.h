/*
 * method/cdlsr/cd.h: the sweeps of Xu, Wang, Nie and Li (2023): coordinate
 * descent over the features of a set, one position after the other, with the
 * coefficients of the others held.
 */
#ifndef RS_CDLSR_CD_H
#define RS_CDLSR_CD_H

#include "base/history.h"
#include "sets/columns.h"

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    int k;
    int *feature;          /* k: the set of a run */
    unsigned char *member; /* d */
    rs_columns *cache;
    const double **pointer; /* k: columns of the set */
    double *A, *factor;     /* k x k */
    double *V, *B;          /* k x c */
    double *U;              /* k x k */
    double *score;          /* d */
} rs_cd;

/* columns come from the cache */
rs_status rs_cd_init(rs_context *ctx, const rs_lsq *problem, int k,
                     rs_columns *cache, rs_cd *cd);
/* from a set of k distinct features to one that a sweep no longer changes: at
 * least five sweeps, the last three within tol */
rs_status rs_cd_run(rs_cd *cd, double tol, int maxit, int *set,
                    rs_history *history);

#endif
