/*
 * base/simplex.h: the nearest point of a simplex.
 */
#ifndef RS_SIMPLEX_H
#define RS_SIMPLEX_H

#include "base/core.h"

/*
 * x = argmin ||x - v|| over x >= 0, sum x = total >= 0 (Michelot 1986): the
 * entries of v above a threshold, less the threshold, which rises until no
 * entry is below it. x may be v; work: `count` numbers. RS_NOT_FINITE where v
 * is not, RS_BAD_INPUT for an empty v or a negative total.
 */
rs_status rs_project_simplex(size_t count, double total, const double *v,
                             double *x, double *work);

#endif
