/* A feature comes into a factorised set: one more column of Q, R, C and D. */
#include "sets/subset.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "sets/subset_inner.h"

/*
 * z = x_p - Q a, a = Q'x_p, by Gram-Schmidt done twice; the appended rows
 * count in every inner product: those of Q are sqrt(ridge) R^{-1}, those of z
 * are sqrt(ridge) (e_p - R^{-1} a). Returns ||[z; .]||^2.
 */
static double orthogonalise(rs_subset *s, int p, double *z)
{
    const rs_lsq *problem = s->problem;
    const int n = problem->n, k = s->k;
    double *a = s->coef, *t = s->shift, extra = 0.0;

    rs_lsq_column(problem, p, z);
    rs_fill((size_t)k, 0.0, a);
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        rs_copy((size_t)k, a, t); /* t = ridge R^{-T} R^{-1} a */
        rs_subset_solve(s, 'N', 1, t, s->capacity);
        rs_subset_solve(s, 'T', 1, t, s->capacity);
        rs_gemv('T', n, k, 1.0, s->Q, n, z, -problem->ridge, t);
        rs_gemv('N', n, k, -1.0, s->Q, n, t, 1.0, z);
        rs_axpy((size_t)k, 1.0, t, a);
    }
    if (problem->ridge > 0.0) {
        rs_copy((size_t)k, a, t);
        rs_subset_solve(s, 'N', 1, t, s->capacity);
        extra = problem->ridge * (1.0 + rs_sum_squares((size_t)k, t));
    }
    return rs_sum_squares((size_t)n, z) + extra;
}

/* a = row p of C; returns ||x_p||^2 + ridge - ||a||^2 */
static double left_from_loadings(rs_subset *s, int p)
{
    const rs_lsq *problem = s->problem;
    for (int l = 0; l < s->k; l++)
        s->coef[l] = s->C[p + (size_t)l * problem->d];
    return problem->square[p] + problem->ridge -
           rs_sum_squares((size_t)s->k, s->coef);
}

/* y = S x, S symmetric, in pieces with polls between them */
static rs_status times_S(const rs_subset *s, const double *x, double *y)
{
    const int d = s->problem->d;
    const int step = rs_columns_per_call(d, 1.0, d);
    for (int j = 0; j < d; j += step) {
        int width = step < d - j ? step : d - j;
        rs_gemv('T', d, width, 1.0, s->problem->S + (size_t)j * d, d, x, 0.0,
                y + j);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* w = (I - QQ') K q, the second column of the pair whose first one is q */
static void residual_image(rs_subset *s)
{
    const int n = s->problem->n, k = s->k;
    double *q = s->pair_n, *w = s->pair_n + n;
    rs_gemv('N', n, n, 1.0, s->problem->K, n, q, 0.0, w);
    if (k == 0)
        return;
    rs_gemv('T', n, k, 1.0, s->Q, n, w, 0.0, s->shift);
    rs_gemv('N', n, k, -1.0, s->Q, n, s->shift, 1.0, w);
}

/* c = (S_p - C a) / r */
static rs_status loadings_from_products(rs_subset *s, int p, double r)
{
    const rs_lsq *problem = s->problem;
    const int d = problem->d;
    const double *column = NULL;
    if (s->columns)
        RS_TRY(rs_columns_get(s->columns, problem, p, NULL, &column));
    else
        column = problem->S + (size_t)p * d;
    rs_copy((size_t)d, column, s->pair_d);
    if (s->k > 0)
        rs_gemv('N', d, s->k, -1.0, s->C, d, s->coef, 1.0, s->pair_d);
    rs_scale((size_t)d, 1.0 / r, s->pair_d);
    return RS_OK;
}

/*
 * c = X'q, first column of pair_d; for Y = X also v = X'(I - QQ')XX'q with
 * the basis before q, second column. From X: with the vector q itself, unless
 * much of x_p is left; from S: v = (S - CC') c.
 */
static rs_status new_loadings(rs_subset *s, int p, double r)
{
    const rs_lsq *problem = s->problem;
    const int d = problem->d;
    double *c = s->pair_d, *v = s->pair_d + d;

    if (problem->X) {
        if (s->columns &&
            r * r > RS_LEFT_PLAIN * (problem->square[p] + problem->ridge))
            return loadings_from_products(s, p, r);
        if (rs_subset_is_self(s))
            residual_image(s);
        return rs_data_crossprod(problem->X, rs_subset_is_self(s) ? 2 : 1,
                                 s->pair_n, c);
    }
    RS_TRY(loadings_from_products(s, p, r));
    if (!rs_subset_is_self(s))
        return RS_OK;
    RS_TRY(times_S(s, c, v));
    if (s->k > 0) {
        rs_gemv('T', d, s->k, 1.0, s->C, d, c, 0.0, s->shift);
        rs_gemv('N', d, s->k, -1.0, s->C, d, s->shift, 1.0, v);
    }
    return RS_OK;
}

/* D column = Y'q; without Y: (B_p - D a) / r */
static void new_response(rs_subset *s, int p, double r)
{
    const rs_lsq *problem = s->problem;
    const int c = problem->c;
    double *h = rs_column(s->D, c, s->k);

    if (problem->Y) {
        rs_gemv('T', problem->n, c, 1.0, problem->Y, problem->n, s->pair_n,
                0.0, h);
        return;
    }
    for (int l = 0; l < c; l++)
        h[l] = problem->B[p + (size_t)l * problem->d];
    if (s->k > 0)
        rs_gemv('N', c, s->k, -1.0, s->D, c, s->coef, 1.0, h);
    rs_scale((size_t)c, 1.0 / r, h);
}

/*
 * The direction that p adds to J from the data in twice the precision, times
 * its length, into pair_n, and what is taken off for it, into coef; returns its
 * squared length, 0 for a p that depends on J.
 */
static double accurate_direction(rs_subset *s, int p)
{
    const rs_lsq *problem = s->problem;
    rs_accurate *acc = s->accurate;
    double length = sqrt(problem->square[p] + problem->ridge);
    memcpy(s->list, s->feature, (size_t)s->k * sizeof(int));
    s->list[s->k] = p;
    rs_accurate_explained(acc, s->k + 1, s->list);
    for (int l = 0; l < s->k; l++)
        s->coef[l] = length * rs_accurate_loading(acc, l, s->k);
    length *= acc->residual[s->k];
    rs_accurate_basis(acc, s->k, s->pair_n, NULL);
    rs_scale((size_t)problem->n, length, s->pair_n);
    return length * length;
}

rs_status rs_subset_add(rs_subset *s, int p)
{
    const rs_lsq *problem = s->problem;
    const int d = problem->d, k = s->k;

    if (k == s->capacity)
        return RS_BAD_INPUT;
    double left =
        problem->X ? orthogonalise(s, p, s->pair_n) : left_from_loadings(s, p);
    double full = problem->square[p] + problem->ridge;
    if (s->accurate && left < RS_LEFT_MINUTE * full) {
        left = accurate_direction(s, p);
        s->untidy = 1;
    }
    if (!(left > (s->accurate ? 0.0 : rs_subset_least_left(s) * full)))
        return RS_SINGULAR;
    double r = sqrt(left), gain;
    if (problem->X)
        rs_scale((size_t)problem->n, 1.0 / r, s->pair_n);
    RS_TRY(new_loadings(s, p, r));
    if (rs_subset_is_self(s)) {
        gain = rs_sum_squares((size_t)d, s->pair_d);
        rs_subset_grow_self(s, gain);
    } else {
        new_response(s, p, r);
        gain =
            rs_sum_squares((size_t)problem->c, rs_column(s->D, problem->c, k));
    }
    rs_subset_shift_rest(s, 1.0, s->pair_d, rs_column(s->D, problem->c, k));
    rs_copy((size_t)k, s->coef, rs_column(s->R, s->capacity, k));
    s->R[k + (size_t)k * s->capacity] = r;
    if (s->C)
        rs_copy((size_t)d, s->pair_d, rs_column(s->C, d, k));
    if (problem->X)
        rs_copy((size_t)problem->n, s->pair_n, rs_column(s->Q, problem->n, k));
    s->explained += gain;
    s->feature[k] = p;
    s->closed[p] = 1;
    s->k++;
    return RS_OK;
}
