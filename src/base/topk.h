/*
 * base/topk.h: the k largest of a vector in linear time, ties to the smaller
 * index, so that a selection never depends on the platform. NaN ranks last:
 * the indices are always k different ones.
 */
#ifndef RS_TOPK_H
#define RS_TOPK_H

#include <stddef.h>

/*
 * keep[i] = 1 for the k largest of value[0..count), 0 otherwise. `work` has
 * room for `count` doubles.
 */
void rs_topk_mask(size_t count, const double *value, size_t k,
                  unsigned char *keep, double *work);
/* index[0..k) = the k largest, best first, ties by index; work: count
 * doubles */
void rs_topk_order(int count, const double *value, int k, int *index,
                   double *work);
/* the same order of the k features that index lists: a heap sort */
void rs_sort_indices(const double *value, int k, int *index);

#endif
