/*
 * base/select.h: the k largest of a vector, in linear time: in their order, with
 * ties to the smaller index, so that a selection never depends on the platform,
 * or so that rounding decides nothing.
 */
#ifndef RS_SELECT_H
#define RS_SELECT_H

#include "base/core.h"

/* The k-th largest number of value[0..count), k >= 1, or -INFINITY where fewer
 * than k are numbers; work: `count` numbers. */
double rs_kth_largest(size_t count, const double *value, size_t k,
                      double *work);
/* index[0..k) = the k largest, best first, ties by index, NaN last; work:
 * `count` numbers */
void rs_topk_order(int count, const double *value, int k, int *index,
                   double *work);
/* the same order of the k features that index lists: a heap sort */
void rs_sort_indices(const double *value, int k, int *index);

/*
 * Values within RS_CHOOSE_TIE of the k-th largest, relative to the largest
 * modulus, tie with it. Of the tied ones those with the larger second value
 * are taken, compared in the same way, and then the smaller index.
 */
#define RS_CHOOSE_TIE 1e-11

typedef struct {
    double *work, *tied; /* room for the longest vector */
    /* places that are taken before all others (NULL: none), and room for the
     * values of the others */
    const unsigned char *first;
    double *value;
} rs_choose_ws;

rs_status rs_choose_init(rs_context *ctx, size_t longest, rs_choose_ws *ws);
/* From here on the marked ones of `count` places are kept in any case, and
 * count among the k; first = NULL: none. */
rs_status rs_choose_first(rs_context *ctx, size_t count,
                          const unsigned char *first, rs_choose_ws *ws);
/*
 * keep[i] = 1 for k of value[0..count), 0 for the others. The second value of
 * i is second[i % period]; second = NULL leaves ties to the index.
 * RS_NOT_FINITE where a value is not finite: nothing is chosen then.
 */
rs_status rs_choose_mask(size_t count, const double *value,
                         const double *second, size_t period, size_t k,
                         unsigned char *keep, rs_choose_ws *ws);
/* The place of the largest value by the same rule, where values of -INFINITY
 * are never chosen; -1 where there is no other, or a value is not a number. */
int rs_choose_best(int count, const double *value, const double *second);

#endif
