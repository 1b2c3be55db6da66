/*
 * solve/reweight.h: powers of row norms, smoothed, and the weights that
 * majorise them. With x = ||w||^2 and eps >= 0,
 *
 *     (x + eps)^{p/2}  <=  q x + const,   q = (p/2) (x_0 + eps)^{p/2 - 1},
 *
 * with equality at x = x_0, since the power is concave in x for 0 < p <= 2:
 * minimising sum_i q_i ||w_i||^2 in its place cannot raise the sum of powers.
 */
#ifndef RS_REWEIGHT_H
#define RS_REWEIGHT_H

#include <stddef.h>

/* (square + eps)^{p/2} */
double rs_smoothed_power(double square, double eps, double p);
/* (p/2) (square + eps)^{p/2 - 1}; infinite where square + eps = 0, p < 2 */
double rs_reweight(double square, double eps, double p);

/* Groups of rows that are penalised together, each with one norm: the root of the sum
 * of their squares. NULL in the place of such a map: every row is by itself. */
typedef struct {
    int count;
    const int *of; /* by row: its group, 0, 1, ... */
    double *norm;  /* count: room */
} rs_row_groups;

/* weight[i] of the squares of the rows, and the sum of the powers */
void rs_reweight_rows(const rs_row_groups *groups, size_t rows,
                      const double *square, double eps, double p,
                      double *weight);
double rs_smoothed_rows(const rs_row_groups *groups, size_t rows,
                        const double *square, double eps, double p);
/* norm[i] = that of the group of row i, from those of the rows */
void rs_join_norms(const rs_row_groups *groups, size_t rows, double *norm);

#endif
