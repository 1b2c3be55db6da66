/* Objective and coefficients of a factorised set. */
#include "sets/subset.h"

#include "la/linalg.h"
#include "sets/subset_inner.h"

/* ||Y - QD'||^2 + ridge ||V||^2, one response at a time */
static double sum_of_squares(rs_subset *s)
{
    const rs_lsq *p = s->problem;
    const size_t n = (size_t)p->n, k = (size_t)s->k;
    double sum = 0.0;
    for (int l = 0; l < p->c; l++) {
        for (size_t i = 0; i < k; i++)
            s->coef[i] = s->D[l + i * p->c];
        rs_copy(n, p->Y + n * l, s->pair_n);
        if (k > 0)
            rs_gemv('N', p->n, s->k, -1.0, s->Q, p->n, s->coef, 1.0,
                    s->pair_n);
        sum += rs_sum_squares(n, s->pair_n);
        if (p->ridge > 0.0) {
            rs_subset_solve(s, 'N', 1, s->coef, s->capacity);
            sum += p->ridge * rs_sum_squares(k, s->coef);
        }
    }
    return sum;
}

double rs_subset_objective(rs_subset *s)
{
    double left = s->problem->total - s->explained;
    if (s->problem->X && s->problem->Y)
        return sum_of_squares(s);
    return left > 0.0 ? left : 0.0;
}

/* V = R^{-1} D' */
void rs_subset_coefficients(const rs_subset *s, double *V)
{
    const int k = s->k, c = s->problem->c;
    for (int l = 0; l < c; l++)
        for (int i = 0; i < k; i++)
            V[i + (size_t)l * k] = s->D[l + (size_t)i * c];
    if (c > 0)
        rs_subset_solve(s, 'N', c, V, k);
}

void rs_subset_response_shares(const rs_subset *s, double *explained)
{
    const int c = s->problem->c;
    rs_fill((size_t)c, 0.0, explained);
    for (int i = 0; i < s->k; i++)
        for (int l = 0; l < c; l++) {
            double h = s->D[l + (size_t)i * c];
            explained[l] += h * h;
        }
}
