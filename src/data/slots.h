/*
 * data/slots.h: a matrix of compressed columns, as it is given.
 */
#ifndef RS_SLOTS_H
#define RS_SLOTS_H

#include "data/centring.h"

/* the slots of an n x d matrix: entries p[j] .. p[j+1]-1 of `row` and `value`
 * are those of column j, rows ascending */
typedef struct {
    const int *p, *row;
    const double *value;
    rs_centring centring;
    const double *weight; /* d, 1/scale, or NULL for 1 */
} rs_sparse_slots;

#endif
