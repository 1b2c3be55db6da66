/*
 * graph/neighbours.h: the nearest neighbours of every sample, exactly, from
 * blocked products of the data with their own rows; never n x n numbers.
 *
 * Several metrics share the inner products. These give squared distances as
 * ||a||^2 + ||b||^2 - 2 a'b, with a rounding error that is bounded but may be
 * all there is of the distance of near copies: whatever the bound leaves open
 * is computed again from the differences of the rows. Copies of a row are
 * therefore at distance 0 exactly.
 *
 * Distances that differ by no more than the rounding of these differences,
 *     eps (4 (||a|| + ||b||) + (16 + d / 4) distance),
 * count as equal and are given the same value, so that rounding orders
 * nothing. Data are expected in a unit in which their squares are ordinary
 * numbers.
 */
#ifndef RS_NEIGHBOURS_H
#define RS_NEIGHBOURS_H

#include "data/data.h"

typedef enum {
    RS_EUCLIDEAN,
    RS_COSINE_DISTANCE /* Euclidean between rows divided by their norms; a row
                        * of zeros stays zero */
} rs_metric;
/* of zeros: a norm below this share of the largest one, the rounding of the
 * means */
#define RS_ZERO_NORM 1e-14

/* what a metric makes of the rows: a_i = factor_i z_i */
typedef struct {
    double *factor; /* n; NULL: ones */
    double *square; /* n: ||a_i||^2 */
} rs_metric_rows;

/* squares (n): ||z_i||^2 */
rs_status rs_metric_rows_init(rs_context *ctx, int n, rs_metric metric,
                              const double *squares, rs_metric_rows *rows);
static inline double rs_metric_factor(const rs_metric_rows *rows, int i)
{
    return rows->factor ? rows->factor[i] : 1.0;
}

/*
 * Row i has the neighbours index[start[i]], ..., index[start[i + 1] - 1], by
 * distance, then by index, itself left out. At least k of them: exactly k
 * where ties = 0, else all at the k-th distance. Lists that come from
 * elsewhere (approximate, or given) may take the same form.
 */
typedef struct {
    int n, k;
    int ties;
    size_t *start; /* n + 1 */
    int *index;
    double *distance;
    double largest; /* distance of all pairs, not of neighbours alone */
    double mean; /* of the n x n distances, zeros of the diagonal included; NaN
                  * where it was not asked for */
} rs_neighbours;

/* what is asked for beside k neighbours: all at the k-th distance; the mean */
enum { RS_TIES = 1, RS_MEAN_DISTANCE = 2 };

/* widest product that the search asks of the data; narrower ones will do */
int rs_neighbours_block(int n, int d);
/* the same where every product reads the data again, for graphs of `joined` of
 * the n samples, and where it reads sparse columns again */
int rs_neighbours_wide_block(int n, int d, int joined);
int rs_neighbours_sparse_block(int n, int d);

/*
 * found[a] <- the k nearest neighbours (1 <= k < n) by metric[a]; lists: a sum
 * of RS_TIES and RS_MEAN_DISTANCE. With ties the order of the rows decides
 * nothing; without, ties go by index.
 * RS_TOO_MANY_TIES where more pairs tie than can be kept: 2^25, or 64 n k if
 * that is more.
 */
rs_status rs_neighbours_find(rs_context *ctx, rs_data *X, int k, int lists,
                             int metrics, const rs_metric *metric,
                             rs_neighbours *found);

/* rows (d x (q + 1)) = sample i and its q nearest, less sample i, which is 0;
 * member (q + 1): their numbers */
rs_status rs_neighbourhood(const rs_data *X, const rs_neighbours *near, int i,
                           int q, int *member, double *rows);

#endif
