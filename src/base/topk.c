#include "base/topk.h"

#include <math.h>
#include <string.h>

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* move the median of three probes to v[low]; guards against sorted input */
static double pivot(double *v, size_t low, size_t high)
{
    size_t middle = low + (high - low) / 2;
    if (v[middle] < v[low])
        swap(&v[middle], &v[low]);
    if (v[high] < v[low])
        swap(&v[high], &v[low]);
    if (v[high] < v[middle])
        swap(&v[high], &v[middle]);
    return v[middle];
}

/*
 * Quickselect: the element that would stand at `rank` (0 = largest) after a
 * descending sort. Hoare's three-way split, so runs of equal values are
 * passed in one step. `v` is reordered.
 */
static double kth_largest(double *v, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        double at = pivot(v, low, high);
        size_t i = low, above = low, below = high + 1;
        while (i < below) { /* [low, above) > at, [below, high] < at */
            if (v[i] > at)
                swap(&v[i++], &v[above++]);
            else if (v[i] < at)
                swap(&v[i], &v[--below]);
            else
                i++;
        }
        if (rank < above)
            high = above - 1;
        else if (rank >= below)
            low = below;
        else
            return at;
    }
    return v[low];
}

/* values at hand for each one wanted, and for which share of all that pays */
#define RS_AT_HAND 4
#define RS_FEW 8

/* the same for few of many: only what is above the k-th of those before is
 * looked at again */
static double cut_off_few(size_t count, const double *value, size_t k,
                          double *work)
{
    size_t found = 0;
    double bound = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!(value[i] > bound))
            continue;
        work[found++] = value[i];
        if (found == RS_AT_HAND * k) {
            /* the k largest now come first */
            bound = kth_largest(work, found, k - 1);
            found = k;
        }
    }
    return k <= found ? kth_largest(work, found, k - 1) : -INFINITY;
}

/*
 * The k-th largest number of value[0..count), or -Inf when fewer than k are
 * numbers: NaN ranks after every number.
 */
static double cut_off(size_t count, const double *value, size_t k,
                      double *work)
{
    size_t found = 0;
    if (RS_FEW * k < count)
        return cut_off_few(count, value, k, work);
    for (size_t i = 0; i < count; i++)
        if (!isnan(value[i]))
            work[found++] = value[i];
    return k <= found ? kth_largest(work, found, k - 1) : -INFINITY;
}

void rs_topk_mask(size_t count, const double *value, size_t k,
                  unsigned char *keep, double *work)
{
    size_t kept = 0;
    memset(keep, 0, count);
    if (k == 0)
        return;
    if (k >= count) {
        memset(keep, 1, count);
        return;
    }
    double cut = cut_off(count, value, k, work);
    for (size_t i = 0; i < count; i++)
        if (value[i] > cut) {
            keep[i] = 1;
            kept++;
        }
    for (size_t i = 0; i < count && kept < k; i++)
        if (value[i] == cut) {
            keep[i] = 1;
            kept++;
        }
    for (size_t i = 0; i < count && kept < k; i++)
        if (isnan(value[i])) {
            keep[i] = 1;
            kept++;
        }
}

/* does a stand before b: larger value, or equal value and smaller index; NaN
 * equals NaN and is smaller than every number */
static int before(const double *value, int a, int b)
{
    if (value[a] > value[b] || value[a] < value[b])
        return value[a] > value[b];
    int a_nan = isnan(value[a]) != 0, b_nan = isnan(value[b]) != 0;
    return a_nan == b_nan ? a < b : b_nan;
}

/* push index[at] down a heap whose root is the last in order */
static void sift_down(const double *value, int *index, int size, int at)
{
    for (;;) {
        int child = 2 * at + 1;
        if (child >= size)
            return;
        if (child + 1 < size && before(value, index[child], index[child + 1]))
            child++;
        if (!before(value, index[at], index[child]))
            return;
        int t = index[at];
        index[at] = index[child];
        index[child] = t;
        at = child;
    }
}

void rs_sort_indices(const double *value, int k, int *index)
{
    for (int at = k / 2 - 1; at >= 0; at--)
        sift_down(value, index, k, at);
    for (int size = k - 1; size > 0; size--) {
        int t = index[0];
        index[0] = index[size];
        index[size] = t;
        sift_down(value, index, size, 0);
    }
}

void rs_topk_order(int count, const double *value, int k, int *index,
                   double *work)
{
    int found = 0;
    if (k > count)
        k = count;
    if (k < 1)
        return;
    double cut = cut_off((size_t)count, value, (size_t)k, work);
    for (int i = 0; i < count; i++)
        if (value[i] > cut)
            index[found++] = i;
    for (int i = 0; i < count && found < k; i++)
        if (value[i] == cut)
            index[found++] = i;
    for (int i = 0; i < count && found < k; i++)
        if (isnan(value[i]))
            index[found++] = i;
    rs_sort_indices(value, k, index);
}
