/* The scores of all candidates as the last feature of a set, from the residual
 * problem of the node. */
#include "method/exact/branch_last.h"

#include <math.h>

#include "la/linalg.h"
#include "method/exact/branch_products.h"
#include "method/exact/branch_sets.h"
#include "method/exact/branch_strip.h"

/*
 * value = base - 2 a M + a^2 ||h||^2 with M = rest h, left = left - a^2:
 * what the candidates add is value / left.
 */
static inline void strip_scores(const rs_branch *s, const rs_branch_level *at,
                                int q, int length, double kappa,
                                const double *restrict a,
                                double *restrict value, double *restrict left)
{
    const double *restrict base = at->base + q;
    const double *restrict before = at->left + q;
    for (int b = 0; b < length; b++)
        value[b] = 0.0;
    for (int l = 0; l < s->c; l++) {
        const double *restrict rest = at->rest + q + (size_t)s->d * l;
        double h = s->h[l];
        for (int b = 0; b < length; b++)
            value[b] += h * rest[b];
    }
    for (int b = 0; b < length; b++) {
        value[b] = base[b] + a[b] * (a[b] * kappa - 2.0 * value[b]);
        left[b] = before[b] - a[b] * a[b];
    }
}

/*
 * The last feature after p. A candidate leaves left - a^2 and adds
 * value / (left - a^2), both off by at most the error e of inner products:
 * with w what has to be added, only those with
 * value + 2 e + e^2 + w e > w left can win.
 */
rs_status rs_branch_scan_last(rs_branch *s, int depth, int p,
                              const rs_branch_step *to)
{
    const rs_branch_level *at = &s->at[depth];
    const double *g = NULL, e = to->error;
    const double kappa = rs_sum_squares((size_t)s->c, s->h);
    double a[RS_BRANCH_STRIP], value[RS_BRANCH_STRIP], left[RS_BRANCH_STRIP];
    int length;

    if (!to->loading)
        RS_TRY(rs_branch_products(s, p, &g));
    for (int q = p + 1; q < s->d; q += length) {
        double base = to->explained + to->slack;
        double least = rs_bnb_cut(&s->search) - base;
        double room = 2.0 * e + e * e + fmax(least, 0.0) * e;
        length = rs_min_int(RS_BRANCH_STRIP, s->d - q);
        if (to->loading)
            rs_copy((size_t)length, to->loading + q, a);
        else if (length == RS_BRANCH_STRIP)
            rs_strip_loading(s, depth, p, q, RS_BRANCH_STRIP, 1.0 / to->r,
                             g + q, a);
        else
            rs_strip_loading(s, depth, p, q, length, 1.0 / to->r, g + q, a);
        if (length == RS_BRANCH_STRIP)
            strip_scores(s, at, q, RS_BRANCH_STRIP, kappa, a, value, left);
        else
            strip_scores(s, at, q, length, kappa, a, value, left);
        for (int b = 0; b < length; b++) {
            double root, most = 1.0, about = 0.0;
            if (value[b] + room <= least * left[b])
                continue;
            root = sqrt(fmax(value[b], 0.0)) + e;
            if (left[b] > 2.0 * e) {
                most = base + root * root / (left[b] - e);
                about = to->explained + value[b] / left[b];
            }
            if (left[b] <= RS_LEFT_SLIGHT)
                about = 0.0;
            if (!rs_cannot_win(s, fmin(most, 1.0)))
                rs_branch_try(s, depth, p, q + b, about, most);
        }
    }
    return RS_OK;
}
