/*
 * solve/prox.h: proximal operators of lambda |x|^q and lambda ||row||^p for every
 * exponent in [0, 1], and the penalties themselves, of numbers whose squares are in the
 * double range.
 */
#ifndef RS_PROX_H
#define RS_PROX_H

#include <stddef.h>

#include "solve/reweight.h"

/* out[i] = argmin_x lambda |x|^q + (x - a[i])^2 / 2, 0 at the threshold
 * itself; in place allowed. Returns rs_penalty_lq() of the result. */
double rs_prox_lq(size_t count, const double *a, double lambda, double q,
                  double *out);
/* the same for the norms of the rows of A (d x m), or of the groups of rows where
 * groups is not NULL, in place: every row is shrunk as its group. norms and
 * shrunk have d (scratch). Returns rs_penalty_rows() of the result. */
double rs_prox_rows(const rs_row_groups *groups, int d, int m, double *A,
                    double lambda, double p, double *norms, double *shrunk);
/* the sum of these norms to the power p; norms has d: those of the rows, or
 * of the groups they belong to */
double rs_penalty_rows(const rs_row_groups *groups, int d, int m,
                       const double *A, double p, double *norms);

/* sum_i |a_i|^q, nonzeros counted for q = 0 */
double rs_penalty_lq(size_t count, const double *a, double q);

#endif
