/*
 * solve/penalty.h: powers of the norms of rows, smoothed, with the weights that
 * majorise them, and their proximal operators.
 *
 * With x = ||w||^2 and eps >= 0,
 *
 *     (x + eps)^{p/2}  <=  q x + const,   q = (p/2) (x_0 + eps)^{p/2 - 1},
 *
 * with equality at x = x_0, since the power is concave in x for 0 < p <= 2:
 * minimising sum_i q_i ||w_i||^2 in its place cannot raise the sum of powers.
 */
#ifndef RS_PENALTY_H
#define RS_PENALTY_H

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

/* ---- proximal operators: exponents in [0, 1], squares in the double range ----- */

/* out[i] = argmin_x lambda |x|^q + (x - a[i])^2 / 2, 0 at the threshold
 * itself; in place allowed. Returns sum_i |out[i]|^q, nonzeros counted for q = 0. */
double rs_prox_lq(size_t count, const double *a, double lambda, double q,
                  double *out);
/* the same for the norms of the rows of A (d x m), or of the groups of rows where
 * groups is not NULL, in place: every row is shrunk as its group. norms and
 * shrunk have d (scratch). Returns the sum of the norms of the result to the power
 * p. */
double rs_prox_rows(const rs_row_groups *groups, int d, int m, double *A,
                    double lambda, double p, double *norms, double *shrunk);

#endif
