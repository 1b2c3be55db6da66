/*
 * data/checks.h: are given matrices what they are said to be?
 */
#ifndef RS_CHECKS_H
#define RS_CHECKS_H

#include "base/core.h"

typedef enum {
    RS_SLOTS_SOUND,
    RS_SLOTS_UNORDERED,
    RS_SLOTS_BROKEN
} rs_slots_state;

/*
 * Slots of a matrix of compressed columns, n x d: column pointers p and rows, as
 * many of them as `count` says. Unordered: the rows of a column are out of order
 * or repeated; broken: they, or the pointers, point outside.
 */
rs_slots_state rs_check_slots(int n, int d, size_t pointers, const int *p,
                              size_t count, const int *row);

/*
 * Can S (d x d) be cross-products? *column is the first one (from 1) with an
 * entry that is not finite, not the same in both triangles, or larger than
 * (S_ii S_jj)^{1/2}; 0 when there is none.
 */
rs_status rs_check_cross_products(rs_context *ctx, int d, const double *S,
                                  int *column);

#endif
