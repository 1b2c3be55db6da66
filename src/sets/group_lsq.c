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
    const int widest = rs_group_widest(groups);
    *s = (rs_group_lsq){.ctx = ctx,
                        .products = products,
                        .d = products->d,
                        .c = c,
                        .B = B,
                        .ridge = ridge,
                        .total = total};
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &s->most));
    if (products->X && ridge == 0.0)
        s->most = rs_min_int(s->most, products->X->n + widest);
    const size_t most = (size_t)s->most, wide = (size_t)widest;
    s->set = rs_alloc_int(ctx, count);
    s->first = rs_alloc_int(ctx, count + 1);
    s->asked = rs_alloc_int(ctx, count);
    s->aside = rs_alloc_int(ctx, 2 * count);
    s->column = rs_alloc_int(ctx, most);
    s->kept = rs_alloc_int(ctx, wide);
    s->inside = (unsigned char *)rs_alloc(ctx, count, 1);
    s->W = rs_alloc_double(ctx, d * most);
    s->R = rs_alloc_double(ctx, most * most);
    s->direction = rs_alloc_double(ctx, most * wide);
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

/* E_h += sign w_h w_h' for the groups outside, w a number for every feature */
static void add_squares(const rs_group_lsq *s, double sign, const double *w,
                        double *E)
{
    const rs_groups *groups = s->products->groups;
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        const int *column = rs_group_columns(groups, g);
        double *own = E + s->products->block[g];
        if (s->inside[g] || groups->barred[g])
            continue;
        for (int b = 0; b < size; b++)
            for (int a = 0; a < size; a++)
                own[a + (size_t)b * size] +=
                    sign * w[column[a]] * w[column[b]];
    }
}

/* E_h -= W_h W_h', rest -= W z for the columns from, from + 1, ... of W */
static void take_off(rs_group_lsq *s, int from)
{
    const int width = s->p - from;
    if (width == 0)
        return;
    for (int l = from; l < s->p; l++)
        add_squares(s, -1.0, s->W + (size_t)l * s->d, s->E);
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

/* the values of the first members, from member `from` on */
static void add_up(rs_group_lsq *s, int from)
{
    for (int i = from; i < s->members; i++) {
        const int count = s->first[i + 1] - s->first[i];
        double value = s->value[i];
        for (int l = 0; l < s->c; l++)
            value += rs_sum_squares((size_t)count,
                                    s->z + s->first[i] + (size_t)s->most * l);
        s->value[i + 1] = value;
    }
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
    add_up(s, s->members - 1);
    take_off(s, p);
    return RS_OK;
}

/* column j leaves R; what then stands below the diagonal is rotated away */
static void delete_column(rs_group_lsq *s, int j)
{
    const size_t d = (size_t)s->d, ld = (size_t)s->most;
    for (int l = j; l < s->p - 1; l++) {
        rs_copy((size_t)l + 2, s->R + ld * (l + 1), s->R + ld * l);
        s->column[l] = s->column[l + 1];
    }
    s->p--;
    for (int l = j; l < s->p; l++) {
        double cosine, sine;
        rs_rotate_rows(s->p, s->most, s->R, l, &cosine, &sine);
        for (int i = 0; i < s->c; i++)
            rs_rotate(1, cosine, sine, s->z + l + ld * i,
                      s->z + l + 1 + ld * i);
        rs_rotate(d, cosine, sine, s->W + d * l, s->W + d * (l + 1));
    }
}

/* the member leaves; E and rest are as before */
static void remove_member(rs_group_lsq *s, int at)
{
    const int from = s->first[at], count = s->first[at + 1] - from;
    for (int j = from + count - 1; j >= from; j--)
        delete_column(s, j);
    s->inside[s->set[at]] = 0;
    s->members--;
    for (int i = at; i < s->members; i++) {
        s->set[i] = s->set[i + 1];
        s->first[i + 1] = s->first[i + 2] - count;
    }
    add_up(s, at);
}

static int is_among(int g, int count, const int *set)
{
    for (int i = 0; i < count; i++)
        if (set[i] == g)
            return 1;
    return 0;
}

/* Members that are not in the set leave. Where columns depend on those of other
 * members, all leave but the first ones, those that the set begins with. */
static void leave(rs_group_lsq *s, int count, const int *set)
{
    int same = 0;
    const int before = s->members;
    if (s->crossed) {
        while (same < s->members && same < count && s->set[same] == set[same])
            same++;
        for (int i = same; i < s->members; i++)
            s->inside[s->set[i]] = 0;
        if (same == 0)
            s->crossed = 0;
        s->members = same;
        s->p = s->first[same];
    } else {
        for (int i = s->members - 1; i >= 0; i--)
            if (!is_among(s->set[i], count, set))
                remove_member(s, i);
    }
    if (!s->ready || s->members < before) {
        restore(s);
        take_off(s, 0);
    }
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_group_lsq *s = (rs_group_lsq *)state;
    leave(s, count, set);
    for (int i = 0; i < count; i++)
        if (!s->inside[set[i]])
            RS_TRY(add_group(s, set[i]));
    memcpy(s->asked, set, (size_t)count * sizeof *set);
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

/*
 * What the basis W loses with member number `at` of the set that was asked for:
 * `direction` (columns of that member), orthonormal, for the columns of W from
 * *from on; in `part` what z has along it. So that W direction is lost of the
 * products, and |part|^2 of the value.
 */
static rs_status lost_with(rs_group_lsq *s, int at, int *from, int *count)
{
    int i = 0;
    while (s->set[i] != s->asked[at])
        i++;
    *from = s->first[i];
    *count = s->first[i + 1] - *from;
    const int rows = s->p - *from, ld = s->most;
    if (*count == 0)
        return RS_OK;
    /* (R'R)^-1_II = M'M for M = R^-T I_I */
    for (int j = 0; j < *count; j++) {
        rs_fill((size_t)rows, 0.0, s->direction + (size_t)ld * j);
        s->direction[j + (size_t)ld * j] = 1.0;
    }
    rs_triangular_solve('L', 'T', rows, *count,
                        s->R + *from + (size_t)ld * *from, ld, s->direction,
                        ld);
    rs_gemm('T', 'N', *count, *count, rows, 1.0, s->direction, ld,
            s->direction, ld, 0.0, s->corner, *count);
    RS_TRY(rs_cholesky(*count, s->corner, *count));
    rs_triangular_solve('R', 'N', rows, *count, s->corner, *count,
                        s->direction, ld);
    rs_gemm('T', 'N', *count, s->c, rows, 1.0, s->direction, ld, s->z + *from,
            ld, 0.0, s->part, *count);
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
    const size_t d = (size_t)s->d;
    double base = s->value[s->members];
    int from, count;
    if (s->crossed)
        return exchanges_anew(s, at, value);
    RS_TRY(rs_poll(s->ctx));
    RS_TRY(lost_with(s, at, &from, &count));
    rs_copy(s->products->block[groups->count], s->E, s->E_less);
    rs_copy(d * s->c, s->rest, s->rest_less);
    if (count > 0) {
        double *U = s->columns;
        rs_gemm('N', 'N', s->d, count, s->p - from, 1.0, s->W + d * from, s->d,
                s->direction, s->most, 0.0, U, s->d);
        for (int l = 0; l < count; l++)
            add_squares(s, 1.0, U + d * l, s->E_less);
        base -= rs_sum_squares((size_t)count * s->c, s->part);
        rs_gemm('N', 'N', s->d, s->c, count, 1.0, U, s->d, s->part, count, 1.0,
                s->rest_less, s->d);
    }
    all_gains(s, s->E_less, s->rest_less, base, value);
    return RS_OK;
}

/* what is lost for sure: nothing, where other members may have the same to say */
static rs_status losses(void *state, double *loss)
{
    rs_group_lsq *s = (rs_group_lsq *)state;
    for (int at = 0; at < s->members; at++) {
        int from, count;
        const int known =
            !s->crossed && lost_with(s, at, &from, &count) == RS_OK;
        loss[at] = known ? rs_sum_squares((size_t)count * s->c, s->part) : 0.0;
    }
    return RS_OK;
}

rs_value rs_group_lsq_value(rs_group_lsq *lsq)
{
    rs_value value = {.state = lsq,
                      .total = lsq->total,
                      .move = move,
                      .gains = gains,
                      .losses = losses,
                      .exchanges = exchanges};
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
