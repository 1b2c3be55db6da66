/* Regression on sets of groups: one Cholesky factor, extended group by group. */
#include "sets/group_lsq.h"

#include <math.h>
#include <string.h>

#include "base/near.h"
#include "la/linalg.h"

/* what products of unit columns are off by, at most, as squares go */
#define RS_GROUP_ROUNDING 1e-12

rs_status rs_group_lsq_init(rs_context *ctx, const rs_group_products *products,
                            int k, int c, const double *B, double ridge,
                            double total, rs_group_lsq *s)
{
    const rs_groups *groups = products->groups;
    const size_t d = (size_t)products->d, count = (size_t)groups->count;
    const size_t blocks = products->block[count];
    int widest;
    *s = (rs_group_lsq){.ctx = ctx,
                        .products = products,
                        .d = products->d,
                        .c = c,
                        .B = B,
                        .ridge = ridge,
                        .total = total};
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &s->most, &widest));
    if (products->X && ridge == 0.0)
        s->most = rs_min_int(s->most, products->X->n + widest);
    const size_t most = (size_t)s->most, wide = (size_t)widest;
    s->set = rs_alloc_int(ctx, count);
    s->first = rs_alloc_int(ctx, count + 1);
    s->aside = rs_alloc_int(ctx, 2 * count);
    s->column = rs_alloc_int(ctx, most);
    s->kept = rs_alloc_int(ctx, wide);
    s->inside = (unsigned char *)rs_alloc(ctx, count, 1);
    RS_ALLOC_DOUBLES(ctx, d * most, &s->W, &s->V);
    RS_ALLOC_DOUBLES(ctx, most * most, &s->R, &s->inverse);
    s->z = rs_alloc_double(ctx, most * c);
    s->value = rs_alloc_double(ctx, count + 1);
    double *diagonal;
    RS_ALLOC_DOUBLES(ctx, blocks, &s->E, &s->E_less, &diagonal);
    RS_ALLOC_DOUBLES(ctx, d * c, &s->rest, &s->rest_less);
    s->columns = rs_alloc_double(ctx, d * wide);
    RS_ALLOC_DOUBLES(ctx, wide * wide, &s->corner, &s->factor);
    s->part = rs_alloc_double(ctx, wide * (size_t)rs_max_int(c, widest));
    RS_TRY(rs_allocated(ctx));
    memset(s->inside, 0, count);
    s->first[0] = 0;
    s->value[0] = 0.0;
    RS_TRY(rs_group_product_blocks(ctx, products, diagonal));
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        for (int i = 0; i < size; i++)
            diagonal[products->block[g] + (size_t)i * size + i] += ridge;
    }
    s->diagonal = diagonal;
    return RS_OK;
}

/*
 * Cholesky factor of the size x size matrix A with the pivots that are left
 * largest first; a column of which no more than the rounding of products is
 * left depends on those before it. kept: the columns taken, in order; factor
 * (count x count, upper) of these.
 */
static int pivoted(rs_group_lsq *s, int size, const double *A,
                   const double *original, double *factor)
{
    double *work = s->corner;
    int count = 0;
    memcpy(work, A, (size_t)size * size * sizeof *work);
    for (int i = 0; i < size; i++)
        s->kept[i] = i;
    for (; count < size; count++) {
        int best = -1;
        double most = RS_LEFT_SLIGHT;
        for (int i = count; i < size; i++) {
            const int j = s->kept[i];
            const double whole = original[(size_t)j * size + j];
            const double left = work[(size_t)j * size + j];
            if (!(whole > 0.0))
                continue;
            if (left / whole > most) {
                most = left / whole;
                best = i;
            } else if (left / whole > RS_GROUP_ROUNDING &&
                       left / whole <= RS_LEFT_SLIGHT) {
                s->doubtful = 1;
            }
        }
        if (best < 0)
            break;
        const int j = s->kept[best];
        s->kept[best] = s->kept[count];
        s->kept[count] = j;
        const double root = sqrt(work[(size_t)j * size + j]);
        for (int i = 0; i < count; i++)
            factor[i + (size_t)count * size] =
                work[s->kept[i] + (size_t)j * size];
        factor[count + (size_t)count * size] = root;
        /* row of the factor, kept in the row of the pivot */
        for (int i = count + 1; i < size; i++)
            work[j + (size_t)s->kept[i] * size] /= root;
        for (int b = count + 1; b < size; b++) {
            const int at = s->kept[b];
            const double own = work[j + (size_t)at * size];
            for (int a = count + 1; a < size; a++)
                work[s->kept[a] + (size_t)at * size] -=
                    work[j + (size_t)s->kept[a] * size] * own;
        }
    }
    return count;
}

/* tr(R_g' E_g^+ R_g) */
static double gain_of(rs_group_lsq *s, int g, const double *E,
                      const double *rest)
{
    const rs_groups *groups = s->products->groups;
    const int size = rs_group_size(groups, g);
    const int *column = rs_group_columns(groups, g);
    const size_t at = s->products->block[g];
    const int count = pivoted(s, size, E + at, s->diagonal + at, s->factor);
    for (int l = 0; l < s->c; l++)
        for (int i = 0; i < count; i++)
            s->part[i + (size_t)l * count] =
                rest[column[s->kept[i]] + (size_t)l * s->d];
    if (count > 0)
        rs_triangular_solve('L', 'T', count, s->c, s->factor, size, s->part,
                            count);
    return rs_sum_squares((size_t)count * s->c, s->part);
}

/* ---- the set ---------------------------------------------------------------- */

/* E_h -= W_h W_h', rest -= W z for the columns from, from + 1, ... of W */
static void take_off(rs_group_lsq *s, int from)
{
    const rs_groups *groups = s->products->groups;
    const int width = s->p - from;
    if (width == 0)
        return;
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        const int *column = rs_group_columns(groups, g);
        double *E = s->E + s->products->block[g];
        if (s->inside[g] || groups->barred[g])
            continue;
        for (int l = from; l < s->p; l++) {
            const double *w = s->W + (size_t)l * s->d;
            for (int b = 0; b < size; b++) {
                const double own = w[column[b]];
                for (int a = 0; a < size; a++)
                    E[a + (size_t)b * size] -= w[column[a]] * own;
            }
        }
    }
    if (s->c > 0)
        rs_gemm('N', 'N', s->d, s->c, width, -1.0, s->W + (size_t)from * s->d,
                s->d, s->z + from, s->most, 1.0, s->rest, s->d);
}

static void restore(rs_group_lsq *s)
{
    const size_t blocks = s->products->block[s->products->groups->count];
    rs_copy(blocks, s->diagonal, s->E);
    rs_copy((size_t)s->d * s->c, s->B, s->rest);
    s->ready = 1;
}

/* the group's columns that are independent enter the factor */
static rs_status add_group(rs_group_lsq *s, int g)
{
    const rs_groups *groups = s->products->groups;
    const int size = rs_group_size(groups, g), p = s->p;
    const int *column = rs_group_columns(groups, g);
    const size_t at = s->products->block[g], d = (size_t)s->d;
    const int alone =
        pivoted(s, size, s->diagonal + at, s->diagonal + at, s->factor);
    int count = pivoted(s, size, s->E + at, s->diagonal + at, s->factor);
    if (count < alone)
        s->crossed = 1;
    count = rs_min_int(count, s->most - p);
    RS_TRY(rs_group_product_columns(s->products, g, s->columns));
    double *W = s->W + d * p;
    for (int i = 0; i < count; i++) {
        const int own = s->kept[i];
        s->column[p + i] = column[own];
        rs_copy(d, s->columns + d * own, W + d * i);
        for (int l = 0; l < p; l++)
            s->R[l + (size_t)s->most * (p + i)] =
                s->W[column[own] + d * (size_t)l];
        for (int l = 0; l < count; l++)
            s->R[p + l + (size_t)s->most * (p + i)] =
                l <= i ? s->factor[l + (size_t)size * i] : 0.0;
    }
    if (count > 0) {
        if (p > 0)
            rs_gemm('N', 'N', s->d, count, p, -1.0, s->W, s->d,
                    s->R + (size_t)s->most * p, s->most, 1.0, W, s->d);
        rs_triangular_solve('R', 'N', s->d, count,
                            s->R + p + (size_t)s->most * p, s->most, W, s->d);
        for (int l = 0; l < s->c; l++)
            for (int i = 0; i < count; i++)
                s->z[p + i + (size_t)s->most * l] =
                    s->rest[s->column[p + i] + d * (size_t)l];
        rs_triangular_solve('L', 'T', count, s->c,
                            s->R + p + (size_t)s->most * p, s->most, s->z + p,
                            s->most);
    }
    s->p += count;
    s->inside[g] = 1;
    s->set[s->members++] = g;
    s->first[s->members] = s->p;
    double value = s->value[s->members - 1];
    for (int l = 0; l < s->c; l++)
        value += rs_sum_squares((size_t)count, s->z + p + (size_t)s->most * l);
    s->value[s->members] = value;
    take_off(s, p);
    return RS_OK;
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_group_lsq *s = (rs_group_lsq *)state;
    int same = 0;
    while (same < s->members && same < count && s->set[same] == set[same])
        same++;
    s->has_V = 0;
    if (!s->ready || same < s->members) {
        for (int i = same; i < s->members; i++)
            s->inside[s->set[i]] = 0;
        /* what the members that stay leave, from the start */
        if (same == 0)
            s->crossed = 0;
        s->members = same;
        s->p = s->first[same];
        restore(s);
        take_off(s, 0);
    }
    for (int i = same; i < count; i++)
        RS_TRY(add_group(s, set[i]));
    *value = s->value[count];
    return RS_OK;
}

static void all_gains(rs_group_lsq *s, const double *E, const double *rest,
                      double base, double *value)
{
    const rs_groups *groups = s->products->groups;
    for (int g = 0; g < groups->count; g++)
        value[g] = s->inside[g] || groups->barred[g]
                       ? -INFINITY
                       : base + gain_of(s, g, E, rest);
}

static rs_status gains(void *state, double *value)
{
    rs_group_lsq *s = (rs_group_lsq *)state;
    RS_TRY(rs_poll(s->ctx));
    all_gains(s, s->E, s->rest, s->value[s->members], value);
    return RS_OK;
}

/* ---- without a member --------------------------------------------------------- */

/* V = S_{., J} (R'R)^-1 and (R'R)^-1 */
static rs_status inverse_of_set(rs_group_lsq *s)
{
    const int p = s->p;
    if (s->has_V)
        return RS_OK;
    rs_copy((size_t)s->d * p, s->W, s->V);
    rs_triangular_solve('R', 'T', s->d, p, s->R, s->most, s->V, s->d);
    for (int l = 0; l < p; l++)
        rs_copy((size_t)p, s->R + (size_t)s->most * l,
                s->inverse + (size_t)p * l);
    RS_TRY(rs_cholesky_inverse(p, s->inverse));
    s->has_V = 1;
    return RS_OK;
}

/* some columns depend on those of other members: the set is made anew */
static rs_status exchanges_anew(rs_group_lsq *s, int at, double *value)
{
    const int members = s->members;
    double worth;
    const int out = s->set[at];
    int *whole = s->aside, *less = s->aside + members;
    memcpy(whole, s->set, (size_t)members * sizeof *whole);
    for (int i = 0, to = 0; i < members; i++)
        if (i != at)
            less[to++] = whole[i];
    RS_TRY(move(s, members - 1, less, &worth));
    RS_TRY(gains(s, value));
    value[out] = -INFINITY;
    return move(s, members, whole, &worth);
}

static rs_status exchanges(void *state, int at, double *value)
{
    rs_group_lsq *s = (rs_group_lsq *)state;
    const rs_groups *groups = s->products->groups;
    const int p = s->p, from = s->first[at], count = s->first[at + 1] - from;
    if (s->crossed)
        return exchanges_anew(s, at, value);
    RS_TRY(rs_poll(s->ctx));
    double base = s->value[s->members];
    rs_copy(s->products->block[groups->count], s->E, s->E_less);
    rs_copy((size_t)s->d * s->c, s->rest, s->rest_less);
    if (count > 0) {
        RS_TRY(inverse_of_set(s));
        /* U = V_I T^-1 with (R'R)^-1_II = T'T, in `columns` */
        double *U = s->columns;
        rs_copy((size_t)s->d * count, s->V + (size_t)s->d * from, U);
        for (int l = 0; l < count; l++)
            rs_copy((size_t)count, s->inverse + from + (size_t)p * (from + l),
                    s->corner + (size_t)count * l);
        RS_TRY(rs_cholesky(count, s->corner, count));
        rs_triangular_solve('R', 'N', s->d, count, s->corner, count, U, s->d);
        /* T^-T beta_I, beta = (R'R)^-1 B_J */
        for (int l = 0; l < s->c; l++)
            for (int i = 0; i < count; i++) {
                double beta = 0.0;
                const double *row = s->inverse + (size_t)p * (from + i);
                for (int j = 0; j < p; j++)
                    beta += row[j] * s->B[s->column[j] + (size_t)s->d * l];
                s->part[i + (size_t)count * l] = beta;
            }
        rs_triangular_solve('L', 'T', count, s->c, s->corner, count, s->part,
                            count);
        base -= rs_sum_squares((size_t)count * s->c, s->part);
        rs_gemm('N', 'N', s->d, s->c, count, 1.0, U, s->d, s->part, count, 1.0,
                s->rest_less, s->d);
        for (int g = 0; g < groups->count; g++) {
            const int size = rs_group_size(groups, g);
            const int *column = rs_group_columns(groups, g);
            double *E = s->E_less + s->products->block[g];
            if (s->inside[g] || groups->barred[g])
                continue;
            for (int l = 0; l < count; l++) {
                const double *u = U + (size_t)l * s->d;
                for (int b = 0; b < size; b++) {
                    const double own = u[column[b]];
                    for (int a = 0; a < size; a++)
                        E[a + (size_t)b * size] += u[column[a]] * own;
                }
            }
        }
    }
    all_gains(s, s->E_less, s->rest_less, base, value);
    return RS_OK;
}

rs_group_value rs_group_lsq_value(rs_group_lsq *lsq)
{
    rs_group_value value = {lsq, lsq->total, move, gains, exchanges, NULL};
    return value;
}

void rs_group_lsq_residual(const rs_group_lsq *s, const double *YtY,
                           double *residual)
{
    const int c = s->c;
    rs_copy((size_t)c * c, YtY, residual);
    if (s->p > 0)
        rs_gemm('T', 'N', c, c, s->p, -1.0, s->z, s->most, s->z, s->most, 1.0,
                residual, c);
}
