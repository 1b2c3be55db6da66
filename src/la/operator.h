/*
 * la/operator.h: a symmetric matrix that is known by its products only.
 */
#ifndef RS_OPERATOR_H
#define RS_OPERATOR_H

#include "base/core.h"

/* AV (d x m) = A V */
typedef rs_status (*rs_apply_fn)(void *state, int m, const double *V,
                                 double *AV);

#endif
