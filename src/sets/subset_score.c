/* What additions and exchanges gain, from what is left beside a factorised set. */
#include "sets/subset.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "sets/subset_inner.h"

/* rounding errors of a residual may be this often what counts as none */
#define RS_UNEXPECTED 16.0

/*
 * z <- x_j less its projection on J without u = Q t (t = NULL: on J), twice;
 * returns its squared length. No ridge.
 */
static double residual_of(rs_subset *s, int j, const double *t, double *z)
{
    const rs_lsq *p = s->problem;
    const int n = p->n, k = s->k;
    double *a = s->coef;
    rs_lsq_column(p, j, z);
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        rs_gemv('T', n, k, 1.0, s->Q, n, z, 0.0, a);
        if (t)
            rs_axpy((size_t)k, -rs_dot((size_t)k, t, a), t, a);
        rs_gemv('N', n, k, -1.0, s->Q, n, a, 1.0, z);
    }
    return rs_sum_squares((size_t)n, z);
}

/* ||Y'z||^2 */
static double explained_along(const rs_lsq *p, const double *z)
{
    double sum = 0.0;
    for (int l = 0; l < p->c; l++) {
        double h = rs_dot((size_t)p->n, p->Y + (size_t)p->n * l, z);
        sum += h * h;
    }
    return sum;
}

/*
 * What j adds to E of J without its feature number `slot` (-1: to all of J),
 * from a residual in double precision. Returns whether that will do: where the
 * residual is resolved, and where rounding errors many times as large as they
 * can be expected would leave the gain below `enough`.
 */
static int plain_gain(rs_subset *s, int slot, const double *t, int j,
                      double enough, double *gain)
{
    const rs_lsq *p = s->problem;
    const double full = p->square[j] + p->ridge;
    *gain = -1.0;
    if (p->ridge > 0.0)
        return 0;
    double *z = s->pair_n, left = residual_of(s, j, t, z) / full;
    if (left <= 0.25 * RS_RESIDUAL_NONE * RS_RESIDUAL_NONE)
        return 1;
    double error = RS_RESIDUAL_NONE / sqrt(left) * RS_UNEXPECTED;
    if (left <= RS_LEFT_SLIGHT && (slot < 0 || error > 0.1))
        return 0;
    *gain = explained_along(p, z) / (left * full);
    return left > RS_LEFT_SLIGHT ||
           sqrt(*gain) + error * sqrt(p->total) < sqrt(enough);
}

/* the same with care; -1 when j depends on them */
static double careful_gain(rs_subset *s, int slot, const double *t, int j,
                           double enough)
{
    rs_accurate *acc = s->accurate;
    const int k = s->k;
    double gain;
    if (plain_gain(s, slot, t, j, enough, &gain))
        return gain;
    memcpy(s->list, s->feature, (size_t)k * sizeof(int));
    s->list[k] = j;
    if (slot >= 0)
        return rs_accurate_exchange(acc, k, s->list, slot);
    rs_accurate_explained(acc, k + 1, s->list);
    if (acc->residual[k] <= 0.0)
        return -1.0;
    return acc->explained[k] - (k > 0 ? acc->explained[k - 1] : 0.0);
}

/* score[j] of an open feature whose numbers are beyond double precision */
static double doubtful_score(rs_subset *s, int slot, const double *t, int j,
                             double enough, double value, double left)
{
    const double full = s->problem->square[j] + s->problem->ridge;
    s->doubtful = 1;
    if (s->accurate)
        return careful_gain(s, slot, t, j, enough);
    return left > rs_subset_least_left(s) * full ? value / left : -1.0;
}

/* score[j] = -1 for what is closed */
static void close_scores(const rs_subset *s, double *score)
{
    const unsigned char *end = s->closed + s->problem->d, *at = s->closed;
    while (at < end && (at = memchr(at, 1, (size_t)(end - at))) != NULL)
        score[at++ - s->closed] = -1.0;
}

/*
 * The open features that double precision does not resolve (so far -HUGE_VAL)
 * are evaluated with care. g, m and kappa are those of the exchange of feature
 * number `slot`; g = NULL for additions.
 */
static void resolve_doubts(rs_subset *s, int slot, const double *t,
                           const double *g, const double *m, double kappa,
                           double *score)
{
    const rs_lsq *p = s->problem;
    for (int j = 0; j < p->d; j++) {
        if (score[j] != -HUGE_VAL)
            continue;
        double g_j = g ? g[j] : 0.0;
        double value = s->base[j] + g_j * g_j * kappa;
        if (g)
            value += 2.0 * g_j * m[j];
        score[j] = doubtful_score(s, slot, t, j, kappa, value,
                                  s->left[j] + g_j * g_j);
    }
}

/* score[j] = what j adds to E, -1 where it cannot be added */
static void score_additions(rs_subset *s, double *score)
{
    const rs_lsq *p = s->problem;
    const double *left = s->left, *base = s->base, *square = p->square;
    const double ridge = p->ridge;
    const int d = p->d;
#pragma omp simd
    for (int j = 0; j < d; j++) {
        double value = base[j] / left[j];
        int sure = left[j] > RS_LEFT_DOUBTFUL * (square[j] + ridge);
        score[j] = sure ? value : -HUGE_VAL;
    }
    close_scores(s, score);
    resolve_doubts(s, -1, NULL, NULL, NULL, 0.0, score);
}

/* score[j] for the exchange of feature number `slot`; see the header */
static void score_exchange(rs_subset *s, int slot, const double *t,
                           const double *g, const double *m, double kappa,
                           double *score)
{
    const rs_lsq *p = s->problem;
    const double *kept = s->left, *base = s->base, *square = p->square;
    const double ridge = p->ridge;
    const int d = p->d;
#pragma omp simd
    for (int j = 0; j < d; j++) {
        double left = kept[j] + g[j] * g[j];
        double value = (base[j] + g[j] * (2.0 * m[j] + g[j] * kappa)) / left;
        int sure = left > RS_LEFT_DOUBTFUL * (square[j] + ridge);
        score[j] = sure ? value : -HUGE_VAL;
    }
    close_scores(s, score);
    resolve_doubts(s, slot, t, g, m, kappa, score);
}

void rs_await_first(const rs_lsq *p, double *score)
{
    const unsigned char *first = p->first;
    int awaited = 0;
    for (int j = 0; first && j < p->d; j++)
        awaited |= first[j] && score[j] >= 0.0;
    for (int j = 0; awaited && j < p->d; j++)
        if (!first[j])
            score[j] = -1.0;
}

rs_candidate rs_best_candidate(const rs_lsq *p, const double *score)
{
    rs_candidate best = {-1, -1.0};
    double top = -1.0, least;
    const int d = p->d;
#pragma omp simd reduction(max : top)
    for (int j = 0; j < d; j++)
        top = score[j] > top ? score[j] : top;
    if (top < 0.0)
        return best;
    least = top * (1.0 - RS_TIE) - RS_TIE_FLOOR * p->total;
    for (int j = 0; j < p->d; j++)
        if (score[j] >= least && score[j] >= 0.0 &&
            (best.feature < 0 || p->deviation[j] > p->deviation[best.feature]))
            best.feature = j;
    best.score = score[best.feature];
    return best;
}

rs_candidate rs_subset_best_addition(rs_subset *s)
{
    score_additions(s, s->pair_d);
    rs_await_first(s->problem, s->pair_d);
    return rs_best_candidate(s->problem, s->pair_d);
}

void rs_subset_gains(rs_subset *s, double *gain)
{
    const double none = 64.0 * 2.220446049250313e-16 * s->problem->total;
    score_additions(s, gain);
    for (int j = 0; j < s->problem->d; j++)
        if (gain[j] < none)
            gain[j] = 0.0;
}

/* columns t of T for the given positions: R^{-T} e_i of unit length */
static void lost_directions(rs_subset *s, int count, const int *slots)
{
    const int k = s->k, ld = s->capacity;
    rs_fill((size_t)ld * count, 0.0, s->T);
    for (int b = 0; b < count; b++)
        s->T[slots[b] + (size_t)b * ld] = 1.0;
    rs_subset_solve(s, 'T', count, s->T, ld);
    for (int b = 0; b < count; b++) {
        double *t = rs_column(s->T, ld, b);
        rs_scale((size_t)k, 1.0 / rs_norm((size_t)k, t), t);
    }
}

/* G, M and H for the exchanges of the given features; what is lost with each */
static void prepare_exchanges(rs_subset *s, int count, const int *slots,
                              double *loss)
{
    const int d = s->problem->d, c = s->problem->c, k = s->k;
    lost_directions(s, count, slots);
    rs_gemm('N', 'N', d, count, k, 1.0, s->C, d, s->T, s->capacity, 0.0, s->G,
            d);
    if (rs_subset_is_self(s)) {
        rs_gemm('N', 'N', d, count, k, 1.0, s->Z, d, s->T, s->capacity, 0.0,
                s->M, d);
    } else {
        rs_gemm('N', 'N', c, count, k, 1.0, s->D, c, s->T, s->capacity, 0.0,
                s->H, c);
        rs_gemm('N', 'N', d, count, c, 1.0, s->rest, d, s->H, c, 0.0, s->M, d);
    }
    for (int b = 0; b < count; b++)
        loss[b] = rs_subset_is_self(s)
                      ? rs_sum_squares((size_t)d, rs_column(s->G, d, b))
                      : rs_sum_squares((size_t)c, rs_column(s->H, c, b));
}

/* the scores of exchange number b of those prepared, into pair_d */
static void score_prepared(rs_subset *s, int b, int slot, double loss)
{
    const int d = s->problem->d;
    score_exchange(s, slot, rs_column(s->T, s->capacity, b),
                   rs_column(s->G, d, b), rs_column(s->M, d, b), loss,
                   s->pair_d);
}

void rs_subset_best_exchange(rs_subset *s, int count, const int *slots,
                             rs_candidate *best, double *loss)
{
    prepare_exchanges(s, count, slots, loss);
    for (int b = 0; b < count; b++) {
        score_prepared(s, b, slots[b], loss[b]);
        best[b] = rs_best_candidate(s->problem, s->pair_d);
    }
}

void rs_subset_exchange_scores(rs_subset *s, int count, const int *slots,
                               double *score, double *loss)
{
    const size_t d = (size_t)s->problem->d;
    prepare_exchanges(s, count, slots, loss);
    for (int b = 0; b < count; b++) {
        score_prepared(s, b, slots[b], loss[b]);
        rs_copy(d, s->pair_d, score + d * b);
    }
}

rs_status rs_subset_nearest(rs_subset *s, int each, rs_choose_ws *choose,
                            unsigned char *kept, unsigned char *near)
{
    const rs_lsq *p = s->problem;
    const size_t d = (size_t)p->d;
    double loss[RS_SLOTS];
    int slots[RS_SLOTS];
    each = rs_min_int(each, p->d);
    memset(near, 0, d);
    for (int from = 0; from < s->k; from += RS_SLOTS) {
        const int count = rs_min_int(RS_SLOTS, s->k - from);
        for (int b = 0; b < count; b++)
            slots[b] = from + b;
        prepare_exchanges(s, count, slots, loss);
        for (int b = 0; b < count; b++) {
            if (p->first && p->first[s->feature[from + b]])
                continue;
            score_prepared(s, b, slots[b], loss[b]);
            RS_TRY(rs_choose_mask(d, s->pair_d, p->deviation, d, (size_t)each,
                                  kept, choose));
            for (size_t j = 0; j < d; j++)
                near[j] |= kept[j] && s->pair_d[j] >= 0.0;
        }
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}
