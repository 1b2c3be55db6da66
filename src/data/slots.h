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

/* what is taken off the entries of a column in one level: a mean and what is
 * too small to be in it, or zeros */
typedef struct {
    double mean, fine;
} rs_base;

static inline double rs_entry_less(double value, rs_base base)
{
    return (value - base.mean) - base.fine;
}

static inline rs_base rs_level_base(const rs_centring *c, int j, int l)
{
    const rs_base base = {rs_level_means(c, j)[l], rs_level_fine(c, j, l)};
    return base;
}

#endif
