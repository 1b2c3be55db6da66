/*
 * data/centring.h: what is taken off the columns before anything else, their
 * mean over all rows, or over the rows of one level of a factor:
 *     Z = (X - E M) diag(w),
 * E (n x L) the indicators of the levels and M (L x d) the means of each. With
 * one level E is a column of ones; with none nothing is taken off.
 */
#ifndef RS_CENTRING_H
#define RS_CENTRING_H

#include "base/core.h"

typedef struct {
    int levels;         /* L */
    const double *mean; /* L x d */
    const double *fine; /* L x d: the means less `mean`, which are too small to
                         * be in it; NULL: zeros */
    const int *code;    /* n: the level of each row, from 0; NULL: L = 1 */
    const int *row;     /* n: the rows, level by level; NULL: L = 1 */
    const int *start;   /* L + 1: where each level begins there, or NULL */
    double reach;       /* L = 0: the rows came centred, and `mean`, one for
                         * each column, added reach |mean| to its length */
} rs_centring;

static inline int rs_level_of(const rs_centring *c, int row)
{
    return c->code ? c->code[row] : 0;
}

/* the L means of column j */
static inline const double *rs_level_means(const rs_centring *c, int j)
{
    return c->mean + (size_t)c->levels * (size_t)j;
}

/* what to add to the mean of level l of column j */
static inline double rs_level_fine(const rs_centring *c, int j, int l)
{
    return c->fine ? c->fine[(size_t)c->levels * (size_t)j + (size_t)l] : 0.0;
}

/* code (n): the level of each row, from 0; kept by reference, as the means */
rs_status rs_centre_levels(rs_context *ctx, int n, int levels, const int *code,
                           const double *mean, const double *fine,
                           rs_centring *c);
/* rows of level l among the n */
int rs_level_size(const rs_centring *c, int n, int l);
/* row number `at` of level l */
static inline int rs_level_row(const rs_centring *c, int l, int at)
{
    return c->row ? c->row[c->start[l] + at] : at;
}

/* z (count), from row `first` on, less the means of column j, times weight */
void rs_take_off(const rs_centring *c, int j, int first, int count,
                 double weight, double *z);
/* z (n) less its means once more: those taken off before were rounded */
void rs_centre_again(const rs_centring *c, int n, double *z);

#endif
