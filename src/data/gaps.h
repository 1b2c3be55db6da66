/*
 * data/gaps.h: which entries of a dense matrix are missing. Rows with the same
 * missing columns have one pattern; who works pattern by pattern factors once
 * for all of them.
 */
#ifndef RS_GAPS_H
#define RS_GAPS_H

#include "base/core.h"

typedef struct {
    int n, d, patterns;
    int *row;      /* n: the rows, those of a pattern together, in order */
    int *first;    /* patterns + 1: where the rows of each begin */
    size_t *start; /* patterns + 1: where the columns of each begin in gap */
    int *gap;      /* the missing columns of each, ascending */
    int widest;    /* most missing columns of a pattern */
    int tallest;   /* most rows of a pattern */
} rs_gaps;

/* of X (n x d), whose missing entries are NaN */
rs_status rs_gaps_find(rs_context *ctx, int n, int d, const double *X,
                       rs_gaps *gaps);

static inline int rs_gaps_rows(const rs_gaps *gaps, int p)
{
    return gaps->first[p + 1] - gaps->first[p];
}

static inline int rs_gaps_columns(const rs_gaps *gaps, int p)
{
    return (int)(gaps->start[p + 1] - gaps->start[p]);
}

#endif
