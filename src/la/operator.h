/*
 * la/operator.h: a symmetric matrix that is known by its products only.
 */
#ifndef RS_OPERATOR_H
#define RS_OPERATOR_H

#include "base/core.h"

/* AV (d x m) = A V */
typedef rs_status (*rs_apply_fn)(void *state, int m, const double *V,
                                 double *AV);

typedef struct {
    rs_apply_fn apply;
    void *state;
} rs_operator;

/* images within these need no unit */
#define RS_ORDINARY_LEAST 1e-100
#define RS_ORDINARY_LARGEST 1e100

/* the power of two next to the largest modulus of an image of unit vectors
 * where its squares may leave the double range, 1 elsewhere */
double rs_operator_unit(size_t count, const double *image);

#endif
