/* The greedy order of the features within a factorised set. */
#include "sets/subset.h"

#include "la/linalg.h"
#include "sets/subset_inner.h"

/* does one of those from `at` on come before all others? */
static int is_awaited(const rs_subset *s, int at, const int *order)
{
    const unsigned char *first = s->problem->first;
    for (int l = at; first && l < s->k; l++)
        if (first[s->feature[order[l]]])
            return 1;
    return 0;
}

/* the position from `at` on whose v'F v / ||v||^2 is largest */
static int best_in_order(const rs_subset *s, int at, const int *order,
                         const double *V, const double *FV, double *score)
{
    const int k = s->k, awaited = is_awaited(s, at, order);
    int best = at;
    *score = -1.0;
    for (int l = at; l < k; l++) {
        if (awaited && !s->problem->first[s->feature[order[l]]])
            continue;
        const double *v = V + (size_t)k * order[l];
        double norm2 = rs_sum_squares((size_t)k, v);
        double value = rs_dot((size_t)k, v, FV + (size_t)k * order[l]);
        value = norm2 > 0.0 ? value / norm2 : 0.0;
        if (value > *score) {
            best = l;
            *score = value;
        }
    }
    return best;
}

/*
 * In the basis Q the features of J are the columns v of R and the response is
 * known by F = Q'YY'Q (C'C for Y = X). Greedy Gram-Schmidt on the v, whose
 * images F v are carried along.
 */
void rs_subset_order(const rs_subset *s, int *order, double *explained,
                     double *work)
{
    const int k = s->k, ld = s->capacity;
    const size_t square = (size_t)k * k;
    double *F = work, *V = F + square, *FV = V + square, sum = 0.0, score;

    if (rs_subset_is_self(s))
        rs_gram(s->problem->d, k, s->C, F);
    else
        rs_gram(s->problem->c, k, s->D, F);
    rs_fill(square, 0.0, V);
    for (int l = 0; l < k; l++) {
        rs_copy((size_t)l + 1, rs_column(s->R, ld, l), rs_column(V, k, l));
        order[l] = l;
    }
    rs_matmul(k, k, k, F, V, FV);
    for (int at = 0; at < k; at++) {
        int best = best_in_order(s, at, order, V, FV, &score);
        int chosen = order[best];
        order[best] = order[at];
        order[at] = chosen;
        sum += score;
        explained[at] = sum;
        double *q = rs_column(V, k, chosen), *Fq = rs_column(FV, k, chosen);
        double norm = rs_norm((size_t)k, q);
        double inverse = norm > 0.0 ? 1.0 / norm : 0.0;
        rs_scale((size_t)k, inverse, q);
        rs_scale((size_t)k, inverse, Fq);
        for (int l = at + 1; l < k; l++) {
            double *v = rs_column(V, k, order[l]);
            double a = -rs_dot((size_t)k, q, v);
            rs_axpy((size_t)k, a, q, v);
            rs_axpy((size_t)k, a, Fq, rs_column(FV, k, order[l]));
        }
    }
}
