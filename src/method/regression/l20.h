/*
 * method/regression/l20.h: regression with exactly k nonzero rows,
 *
 *     min loss(X W - Y)  s.t.  W (d x c) has k nonzero rows,
 *
 * as the solvers beside method/cdlsr/cdlsr.h see it: projected gradient
 * (method/regression/pgd.h), the augmented Lagrangian method RPFS (method/regression/rpfs.h) and the
 * 0-1 relaxation IPFS (method/regression/ipfs.h).
 */
#ifndef RS_L20_H
#define RS_L20_H

#include "data/data.h"

typedef struct {
    rs_data *X;      /* products of c columns must be possible */
    const double *Y; /* n x c */
    int n, d, c, k;
} rs_l20_problem;

/* R (n x c) = X W - Y */
rs_status rs_l20_residual(const rs_l20_problem *problem, const double *W,
                          double *R);

#endif
