/* Regressions on sets of groups of features: one factor, which columns enter and
 * leave. */
#include "sets/value_lsq.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* removals after which the factor is made anew, at least, and for each member */
#define RS_LSQ_REMOVALS 64
#define RS_LSQ_REMOVALS_EACH 2
/* rounding errors of a residual may be this often what counts as none */
#define RS_UNEXPECTED 16.0
/* what products of unit columns are off by, at most, as squares go: where there
 * are no data, a column that keeps no more depends on the set */
#define RS_PRODUCT_ROUNDING 1e-12

/* ---- memory ---------------------------------------------------------------- */

static int is_self(const rs_value_lsq *s)
{
    return s->problem->c == 0;
}

static double full_square(const rs_value_lsq *s, int j)
{
    return s->problem->square[j] + s->problem->ridge;
}

static int is_single(const rs_lsq *p, const rs_groups *groups)
{
    int single = groups->count == p->d;
    for (int g = 0; single && g < groups->count; g++)
        single = groups->start[g] == g && groups->column[g] == g;
    return single;
}

static rs_status init_factor(rs_value_lsq *s, int all, int widest)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    rs_lsq_lost *lost = &s->lost;
    const size_t d = (size_t)p->d, c = (size_t)p->c, most = (size_t)f->most;
    const size_t width = (size_t)rs_max_int(widest, RS_LOST);
    const size_t self = is_self(s);
    f->column = rs_alloc_int(s->ctx, most);
    f->R = rs_alloc_double(s->ctx, most * most);
    f->C = rs_alloc_double(s->ctx, d * most);
    f->D = rs_alloc_double(s->ctx, c * most);
    f->Z = rs_alloc_double(s->ctx, self * d * most);
    f->panel = rs_alloc_double(s->ctx, p->X ? (size_t)p->n * most : 0);
    lost->T = rs_alloc_double(s->ctx, most * width);
    lost->H = rs_alloc_double(s->ctx, c * width);
    lost->G = rs_alloc_double(s->ctx, d * width);
    lost->M = rs_alloc_double(s->ctx, s->single ? d * width : 0);
    s->corner = rs_alloc_double(s->ctx, 2 * (size_t)widest * widest);
    s->part = rs_alloc_double(s->ctx, (size_t)widest * c);
    s->list = rs_alloc_int(s->ctx, (size_t)(all + widest) +
                                       2 * (size_t)s->groups->count);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(rs_accurate_init(s->ctx, p, all + widest, &s->accurate));
    return rs_columns_init(s->ctx, p, f->most, &s->columns);
}

static rs_status init_rest(rs_value_lsq *s)
{
    const rs_lsq *p = s->problem;
    const size_t d = (size_t)p->d, c = (size_t)p->c, most = (size_t)s->f.most;
    const size_t count = (size_t)s->groups->count;
    const size_t grouped = !s->single;
    s->block = (size_t *)rs_alloc(s->ctx, count + 1, sizeof *s->block);
    RS_TRY_ALLOC(s->block);
    s->block[0] = 0;
    for (size_t g = 0; g < count; g++) {
        const size_t size = (size_t)rs_group_size(s->groups, (int)g);
        s->block[g + 1] = s->block[g] + size * size;
    }
    const size_t blocks = s->block[count];
    RS_ALLOC_INTS(s->ctx, count + 1, &s->asked, &s->set, &s->first);
    RS_ALLOC_BYTES(s->ctx, count, &s->inside);
    RS_ALLOC_BYTES(s->ctx, d, &s->alone, &s->dependent);
    s->hope = rs_alloc_int(s->ctx, d);
    RS_ALLOC_DOUBLES(s->ctx, blocks, &s->E, &s->whole);
    s->E_less = rs_alloc_double(s->ctx, grouped * blocks);
    s->rest = rs_alloc_double(s->ctx, d * c);
    s->rest_less = rs_alloc_double(s->ctx, grouped * d * c);
    RS_ALLOC_DOUBLES(s->ctx, d, &s->base, &s->x);
    s->z = rs_alloc_double(s->ctx, (size_t)p->n);
    s->coef = rs_alloc_double(s->ctx, 2 * most);
    RS_TRY(rs_allocated(s->ctx));
    memset(s->inside, 0, count);
    memset(s->alone, 1, d);
    memset(s->dependent, 0, d);
    s->first[0] = 0;
    return RS_OK;
}

/* ---- residuals from the data ------------------------------------------------ */

/* the columns of the set, as they are in the data */
static void hold_panel(rs_value_lsq *s)
{
    rs_lsq_factor *f = &s->f;
    const size_t n = (size_t)s->problem->n;
    for (; f->held < f->count; f->held++)
        rs_lsq_column(s->problem, f->column[f->held], f->panel + n * f->held);
}

/*
 * z = x_j less its regression on the set, or on it without the direction t,
 * made twice; *square = ||z||^2 + ridge (1 + ||coefficients||^2)
 */
static void residual_of(rs_value_lsq *s, int j, const double *t,
                        double *square)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    const int n = p->n, k = f->count, ld = f->most;
    double *a = s->coef, *all = s->coef + ld;
    hold_panel(s);
    rs_lsq_column(p, j, s->z);
    rs_fill((size_t)k, 0.0, all);
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        rs_copy((size_t)k, all, a);
        rs_gemv('T', n, k, 1.0, f->panel, n, s->z, -p->ridge, a);
        rs_triangular_solve('L', 'T', k, 1, f->R, ld, a, ld);
        if (t)
            rs_axpy((size_t)k, -rs_dot((size_t)k, t, a), t, a);
        rs_triangular_solve('L', 'N', k, 1, f->R, ld, a, ld);
        rs_gemv('N', n, k, -1.0, f->panel, n, a, 1.0, s->z);
        rs_axpy((size_t)k, 1.0, a, all);
    }
    *square = rs_sum_squares((size_t)n, s->z);
    if (p->ridge > 0.0)
        *square += p->ridge * (1.0 + rs_sum_squares((size_t)k, all));
}

/*
 * z = the direction that j adds to the set, in twice the precision, times its
 * length, and a, what is taken off for it; returns its squared length, 0 for a
 * column that depends on the set
 */
static double accurate_direction(rs_value_lsq *s, int j, double *a)
{
    const int count = s->f.count;
    double length = sqrt(full_square(s, j));
    memcpy(s->list, s->f.column, (size_t)count * sizeof(int));
    s->list[count] = j;
    rs_accurate_explained(&s->accurate, count + 1, s->list);
    for (int l = 0; l < count; l++)
        a[l] = length * rs_accurate_loading(&s->accurate, l, count);
    length *= s->accurate.residual[count];
    rs_accurate_basis(&s->accurate, count, s->z, NULL);
    rs_scale((size_t)s->problem->n, length, s->z);
    return length * length;
}

/* ---- what the set leaves ---------------------------------------------------- */

/* E -= sign c c', of the groups outside */
static void shift_blocks(const rs_value_lsq *s, double sign, const double *c,
                         double *E)
{
    const rs_groups *groups = s->groups;
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        const int *column = rs_group_columns(groups, g);
        double *own = E + s->block[g];
        if (s->inside[g] || groups->barred[g])
            continue;
        for (int b = 0; b < size; b++)
            for (int a = 0; a < size; a++)
                own[a + (size_t)b * size] -=
                    sign * c[column[a]] * c[column[b]];
    }
}

/* the set gains (sign = 1) or loses (-1) a direction with C and D: E -= sign c c',
 * rest -= sign c h', base anew */
static void shift(rs_value_lsq *s, double sign, const double *c,
                  const double *h)
{
    const size_t d = (size_t)s->problem->d;
    double *E = s->E, *base = s->base;
    if (s->single) {
#pragma omp simd
        for (size_t j = 0; j < d; j++)
            E[j] -= sign * c[j] * c[j];
    } else {
        shift_blocks(s, sign, c, E);
    }
    if (is_self(s))
        return;
    rs_fill(d, 0.0, base);
    for (int l = 0; l < s->problem->c; l++) {
        double *rest = s->rest + d * (size_t)l;
        const double by = sign * h[l];
#pragma omp simd
        for (size_t j = 0; j < d; j++) {
            rest[j] -= by * c[j];
            base[j] += rest[j] * rest[j];
        }
    }
}

/* base += sign (2 c_j v_j + sign kappa c_j^2), Z += sign c (C'c)': Y = X */
static void shift_self(rs_value_lsq *s, double sign, const double *c,
                       const double *v, double kappa)
{
    const rs_lsq_factor *f = &s->f;
    const int d = s->problem->d, k = f->count;
    for (int j = 0; j < d; j++) {
        const double base =
            s->base[j] + sign * 2.0 * c[j] * v[j] + c[j] * c[j] * kappa;
        s->base[j] = base > 0.0 ? base : 0.0;
    }
    if (k > 0) {
        rs_gemv('T', d, k, 1.0, f->C, d, c, 0.0, s->coef);
        rs_gemm('N', 'N', d, k, 1, sign, c, d, s->coef, 1, 1.0, f->Z, d);
    }
    s->explained -= sign * kappa;
}

/* of the empty set, less the columns of the factor */
static void leave_anew(rs_value_lsq *s)
{
    const rs_lsq *p = s->problem;
    const rs_lsq_factor *f = &s->f;
    rs_copy(s->block[s->groups->count], s->whole, s->E);
    rs_copy((size_t)p->d * p->c, p->B, s->rest);
    rs_copy((size_t)p->d, p->base, s->base);
    s->explained = 0.0;
    for (int l = 0; l < f->count; l++)
        shift(s, 1.0, f->C + (size_t)p->d * l, f->D + (size_t)p->c * l);
}

/* ---- columns of the factor -------------------------------------------------- */

/* c = (S_j - C a) / r */
static rs_status loadings_from_products(rs_value_lsq *s, int j, double r,
                                        const double *a, double *c)
{
    const rs_lsq_factor *f = &s->f;
    const int d = s->problem->d;
    const double *column;
    RS_TRY(rs_columns_get(&s->columns, s->problem, j, NULL, &column));
    rs_copy((size_t)d, column, c);
    c[j] += s->problem->ridge;
    if (f->count > 0)
        rs_gemv('N', d, f->count, -1.0, f->C, d, a, 1.0, c);
    rs_scale((size_t)d, 1.0 / r, c);
    return RS_OK;
}

/* c = X'z / r, h = Y'z / r; those of the set itself are known */
static rs_status loadings_from_data(rs_value_lsq *s, int j, double r,
                                    double *c, double *h)
{
    const rs_lsq *p = s->problem;
    const rs_lsq_factor *f = &s->f;
    rs_scale((size_t)p->n, 1.0 / r, s->z);
    RS_TRY(rs_data_crossprod(p->X, 1, s->z, c));
    for (int l = 0; l < f->count; l++)
        c[f->column[l]] = 0.0;
    c[j] = r;
    if (p->Y)
        rs_gemv('T', p->n, p->c, 1.0, p->Y, p->n, s->z, 0.0, h);
    return RS_OK;
}

/* y = S x */
static rs_status times_S(rs_value_lsq *s, const double *x, double *y)
{
    const rs_lsq *p = s->problem;
    const int d = p->d, step = rs_columns_per_call(d, 1.0, d);
    if (!p->S) {
        RS_TRY(rs_data_times(p->X, 1, x, s->z));
        return rs_data_crossprod(p->X, 1, s->z, y);
    }
    for (int j = 0; j < d; j += step) {
        rs_gemv('T', d, rs_min_int(step, d - j), 1.0, p->S + (size_t)j * d, d,
                x, 0.0, y + j);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* the last column of Z, and what it changes: v = (S - C C')c */
static rs_status grow_self(rs_value_lsq *s, const double *c)
{
    rs_lsq_factor *f = &s->f;
    const int d = s->problem->d;
    double *v = f->Z + (size_t)d * f->count;
    const double kappa = rs_sum_squares((size_t)d, c);
    RS_TRY(times_S(s, c, v));
    if (f->count > 0) {
        rs_gemv('T', d, f->count, 1.0, f->C, d, c, 0.0, s->coef);
        rs_gemv('N', d, f->count, -1.0, f->C, d, s->coef, 1.0, v);
    }
    shift_self(s, -1.0, c, v, kappa);
    rs_axpy((size_t)d, -kappa, c, v);
    return RS_OK;
}

/* the squared length that a column keeps is at least this, relative: by the
 * data, or by products */
static double least_left(const rs_value_lsq *s, int by_data)
{
    if (by_data && s->accurate.able)
        return 0.0;
    return s->problem->X ? RS_LEFT_NONE : RS_LEFT_SLIGHT;
}

/* column j behind those of the factor, unless it depends on them */
static rs_status add_column(rs_value_lsq *s, int j)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    const int k = f->count;
    const size_t d = (size_t)p->d;
    const double full = full_square(s, j);
    if (k == f->most)
        return RS_OK;
    double *c = f->C + d * k, *a = f->R + (size_t)f->most * k;
    double *h = f->D + (size_t)p->c * k;
    for (int l = 0; l < k; l++)
        a[l] = f->C[j + d * l];
    double left = full - rs_sum_squares((size_t)k, a);
    const int by_data = p->X && (s->from_data || left <= RS_LEFT_PLAIN * full);
    if (by_data)
        residual_of(s, j, NULL, &left);
    if (by_data && s->accurate.able && left < s->minute * full)
        left = accurate_direction(s, j, a);
    if (!(left > least_left(s, by_data) * full)) {
        s->doubtful |= !by_data && left > RS_PRODUCT_ROUNDING * full;
        return RS_OK;
    }
    const double r = sqrt(left);
    s->work += (double)d * (k + (by_data ? p->n : 0)) +
               (is_self(s) ? d * (p->S ? (double)d : 2.0 * p->n) : 0.0);
    for (int l = 0; l < p->c; l++)
        h[l] = s->rest[j + d * l] / r;
    if (by_data)
        RS_TRY(loadings_from_data(s, j, r, c, h));
    else
        RS_TRY(loadings_from_products(s, j, r, a, c));
    a[k] = r;
    f->column[k] = j;
    if (is_self(s))
        RS_TRY(grow_self(s, c));
    f->count++;
    shift(s, 1.0, c, h);
    return RS_OK;
}

/* column number j leaves; what then stands below the diagonal is rotated away,
 * and the last direction is the one that the set loses */
static void delete_column(rs_value_lsq *s, int j)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    const size_t d = (size_t)p->d, c = (size_t)p->c, ld = (size_t)f->most;
    for (int l = j; l < f->count - 1; l++) {
        rs_copy((size_t)l + 2, f->R + ld * (l + 1), f->R + ld * l);
        f->column[l] = f->column[l + 1];
    }
    f->held = rs_min_int(f->held, j);
    f->count--;
    for (int l = j; l < f->count; l++) {
        double cosine, sine;
        rs_rotate_rows(f->count, f->most, f->R, l, &cosine, &sine);
        rs_rotate(d, cosine, sine, f->C + d * l, f->C + d * (l + 1));
        rs_rotate(c, cosine, sine, f->D + c * l, f->D + c * (l + 1));
        if (is_self(s))
            rs_rotate(d, cosine, sine, f->Z + d * l, f->Z + d * (l + 1));
    }
    const double *out = f->C + d * f->count;
    if (s->single)
        shift(s, -1.0, out, f->D + c * f->count);
    if (is_self(s))
        shift_self(s, 1.0, out, f->Z + d * f->count, rs_sum_squares(d, out));
}

/* ---- sets ------------------------------------------------------------------- */

/* columns of the group that do not depend on others of it */
static int own_columns(const rs_value_lsq *s, int g)
{
    const int *column = rs_group_columns(s->groups, g);
    int count = 0;
    for (int i = 0; i < rs_group_size(s->groups, g); i++)
        count += s->alone[column[i]];
    return count;
}

/* does a column of a member depend on those of others? */
static int is_crossed(const rs_value_lsq *s)
{
    for (int i = 0; i < s->members; i++)
        if (s->first[i + 1] - s->first[i] < own_columns(s, s->set[i]))
            return 1;
    return 0;
}

/* would rotations mix the rounding errors of long columns into short ones? */
static int is_fragile(const rs_value_lsq *s, double least)
{
    const rs_lsq_factor *f = &s->f;
    for (int l = 0; l < f->count; l++) {
        const double r = f->R[l + (size_t)l * f->most];
        if (r * r < least * full_square(s, f->column[l]))
            return 1;
    }
    return is_crossed(s);
}

static rs_status add_group(rs_value_lsq *s, int g)
{
    const int *column = rs_group_columns(s->groups, g);
    for (int i = 0; i < rs_group_size(s->groups, g); i++)
        if (s->alone[column[i]] && s->problem->square[column[i]] > 0.0)
            RS_TRY(add_column(s, column[i]));
    s->inside[g] = 1;
    s->set[s->members++] = g;
    s->first[s->members] = s->f.count;
    return RS_OK;
}

static void remove_member(rs_value_lsq *s, int at)
{
    const int from = s->first[at], count = s->first[at + 1] - from;
    s->inside[s->set[at]] = 0;
    for (int j = from + count - 1; j >= from; j--)
        delete_column(s, j);
    s->members--;
    for (int i = at; i < s->members; i++) {
        s->set[i] = s->set[i + 1];
        s->first[i + 1] = s->first[i + 2] - count;
    }
    s->removals++;
}

/* all members leave but the first ones */
static void cut(rs_value_lsq *s, int members)
{
    if (is_self(s)) /* Z is made as columns come in */
        members = 0;
    for (int i = members; i < s->members; i++)
        s->inside[s->set[i]] = 0;
    s->members = members;
    s->f.count = s->first[members];
    s->f.held = rs_min_int(s->f.held, s->f.count);
    s->removals = 0;
}

static int is_among(int g, int count, const int *set)
{
    for (int i = 0; i < count; i++)
        if (set[i] == g)
            return 1;
    return 0;
}

/* members that are not in the set leave */
static void leave(rs_value_lsq *s, int count, const int *set)
{
    int same = 0, gone = 0;
    const int most =
        rs_max_int(RS_LSQ_REMOVALS, RS_LSQ_REMOVALS_EACH * s->members);
    while (same < s->members && same < count && s->set[same] == set[same])
        same++;
    for (int i = 0; i < s->members; i++)
        gone += !is_among(s->set[i], count, set);
    if (gone == 0)
        return;
    memset(s->dependent, 0, (size_t)s->problem->d);
    const int anew = s->removals >= most;
    if (anew || is_fragile(s, s->minute) || 2 * gone > s->members)
        cut(s, anew ? 0 : same);
    else
        for (int i = s->members - 1; i >= 0; i--)
            if (!is_among(s->set[i], count, set))
                remove_member(s, i);
    if (s->removals == 0 || !s->single)
        leave_anew(s);
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_value_lsq *s = (rs_value_lsq *)state;
    const size_t c = (size_t)s->problem->c;
    leave(s, count, set);
    for (int i = 0; i < count; i++)
        if (!s->inside[set[i]])
            RS_TRY(add_group(s, set[i]));
    memcpy(s->asked, set, (size_t)count * sizeof *set);
    s->lost.from = s->lost.until = 0;
    s->lost.ahead = 2;
    s->hopes = -1;
    if (!is_self(s))
        s->explained = rs_sum_squares(c * s->f.count, s->f.D);
    *value = s->explained;
    return RS_OK;
}

/* ---- gains of features ------------------------------------------------------ */

/* value[j] = -INFINITY for members and features that are barred */
static void close_features(const rs_value_lsq *s, double *value)
{
    const int d = s->problem->d;
    const unsigned char *barred = s->groups->barred, *end = barred + d;
    const unsigned char *at = barred;
    while (at < end && (at = memchr(at, 1, (size_t)(end - at))) != NULL)
        value[at++ - barred] = -INFINITY;
    for (int i = 0; i < s->members; i++)
        value[s->set[i]] = -INFINITY;
}

/* ||Y'z||^2 */
static double explained_along(const rs_lsq *p, const double *z)
{
    double sum = 0.0;
    for (int l = 0; l < p->c; l++) {
        const double h = rs_dot((size_t)p->n, p->Y + (size_t)p->n * l, z);
        sum += h * h;
    }
    return sum;
}

/*
 * What j adds beside the set, or beside it without the direction t, from a
 * residual in double precision and Y. Does this do: is there a Y, and is the
 * residual resolved, or would rounding errors many times as large as they can be
 * expected leave the gain below `enough`?
 */
static int plain_gain(rs_value_lsq *s, const double *t, int j, double enough,
                      double *gain)
{
    const rs_lsq *p = s->problem;
    const double full = full_square(s, j);
    double left;
    residual_of(s, j, t, &left);
    left /= full;
    *gain = 0.0;
    if (left <= 0.25 * RS_RESIDUAL_NONE * RS_RESIDUAL_NONE)
        return 1;
    const double error = RS_RESIDUAL_NONE / sqrt(left) * RS_UNEXPECTED;
    if (!p->Y || (left <= RS_LEFT_SLIGHT && (t == NULL || error > 0.1)))
        return 0;
    *gain = explained_along(p, s->z) / (left * full);
    return left > RS_LEFT_SLIGHT ||
           sqrt(*gain) + error * sqrt(p->total) < sqrt(enough);
}

/* the same in any case; at: the member that leaves */
static double careful_gain(rs_value_lsq *s, int at, const double *t, int j,
                           double enough)
{
    rs_accurate *acc = &s->accurate;
    const int k = s->f.count;
    double gain;
    if (plain_gain(s, t, j, enough, &gain))
        return gain;
    memcpy(s->list, s->f.column, (size_t)k * sizeof(int));
    s->list[k] = j;
    if (t)
        return fmax(rs_accurate_exchange(acc, k, s->list, s->first[at]), 0.0);
    rs_accurate_explained(acc, k + 1, s->list);
    return acc->explained[k] - (k > 0 ? acc->explained[k - 1] : 0.0);
}

/* does rounding hide what is left of feature j beside a set? */
static int is_hidden(const rs_value_lsq *s, int j, double left)
{
    return left <= RS_UNEXPECTED * s->error * full_square(s, j);
}

/* no less than what j adds, from an estimate by products */
static double most_gain(const rs_value_lsq *s, int j, double gain, double left)
{
    const double share = s->error * full_square(s, j) / left;
    const double root =
        sqrt(fmax(gain, 0.0)) +
        s->error * sqrt(s->problem->total * full_square(s, j) / left);
    return root * root * (1.0 + 2.0 * share);
}

/* what j adds to the set, where rounding hides it; what depends on the set
 * depends on every larger one */
static double hidden_gain(rs_value_lsq *s, int j)
{
    const double gain =
        s->dependent[j] ? 0.0 : careful_gain(s, -1, NULL, j, 0.0);
    s->dependent[j] = gain == 0.0;
    return gain;
}

/*
 * Features whose residual the products do not resolve (so far INFINITY). Those
 * that may be worth more than any other are looked at with care. Those that
 * rounding hides are if the caller wants that, or there are no others; else
 * exceeds() looks at these. g, m and what the
 * member loses, kappa, are those of exchange number b; b = -1: of additions.
 */
static void resolve_doubts(rs_value_lsq *s, int at, int b, double kappa,
                           double *value)
{
    const size_t d = (size_t)s->problem->d, ld = (size_t)s->f.most;
    const double *t = b < 0 ? NULL : s->lost.T + ld * b;
    const double *g = b < 0 ? NULL : s->lost.G + d * b;
    const double *m = b < 0 ? NULL : s->lost.M + d * b;
    const double worth = s->explained - kappa;
    double most = b < 0 ? -INFINITY : s->explained;
    for (size_t j = 0; j < d; j++)
        if (value[j] != INFINITY && value[j] > most)
            most = value[j];
    const int looks = b < 0 && (s->looks || most == -INFINITY);
    for (size_t j = 0; j < d; j++) {
        if (value[j] != INFINITY)
            continue;
        const double full = full_square(s, (int)j), g_j = g ? g[j] : 0.0;
        const double left = s->E[j] + g_j * g_j;
        const double gain =
            (s->base[j] + g_j * ((m ? 2.0 * m[j] : 0.0) + g_j * kappa)) / left;
        if (!s->accurate.able) {
            s->doubtful = 1;
            value[j] = left > least_left(s, 0) * full ? worth + gain : worth;
        } else if (!is_hidden(s, (int)j, left)) {
            value[j] = worth + gain;
            if (worth + most_gain(s, (int)j, gain, left) > most)
                value[j] = worth + careful_gain(s, at, t, (int)j, kappa);
        } else {
            value[j] = looks ? worth + hidden_gain(s, (int)j) : -INFINITY;
        }
        most = fmax(most, value[j]);
    }
}

static void gains_of_features(rs_value_lsq *s, double *value)
{
    const double *E = s->E, *base = s->base, *square = s->problem->square;
    const double ridge = s->problem->ridge, worth = s->explained;
    const int d = s->problem->d;
#pragma omp simd
    for (int j = 0; j < d; j++) {
        const double gain = base[j] / E[j];
        const int sure = E[j] > RS_LEFT_DOUBTFUL * (square[j] + ridge);
        value[j] = sure ? worth + gain : INFINITY;
    }
    close_features(s, value);
    resolve_doubts(s, -1, -1, 0.0, value);
}

/* in the place of member number `at` of the factor, number b of those prepared */
static void exchanges_of_features(rs_value_lsq *s, int at, int b,
                                  double *value)
{
    const size_t d = (size_t)s->problem->d;
    const double *E = s->E, *base = s->base, *square = s->problem->square;
    const double *g = s->lost.G + d * b, *m = s->lost.M + d * b;
    const double ridge = s->problem->ridge;
    const double kappa =
        is_self(s) ? rs_sum_squares(d, g)
                   : rs_sum_squares((size_t)s->problem->c,
                                    s->lost.H + (size_t)s->problem->c * b);
    const double worth = s->explained - kappa;
#pragma omp simd
    for (size_t j = 0; j < d; j++) {
        const double left = E[j] + g[j] * g[j];
        const double gain =
            (base[j] + g[j] * (2.0 * m[j] + g[j] * kappa)) / left;
        const int sure = left > RS_LEFT_DOUBTFUL * (square[j] + ridge);
        value[j] = sure ? worth + gain : INFINITY;
    }
    close_features(s, value);
    resolve_doubts(s, at, b, kappa, value);
}

/* ---- gains of groups -------------------------------------------------------- */

/*
 * Cholesky factor of the size x size matrix A with the pivots that are left
 * largest first; list: the columns taken, in order; factor (count x count, upper)
 * of these. *doubtful: is a column that does not depend on others of the group
 * beyond what products resolve?
 */
static int pivoted(rs_value_lsq *s, int g, const double *A, double *factor,
                   int *doubtful)
{
    const int size = rs_group_size(s->groups, g);
    const int *column = rs_group_columns(s->groups, g);
    double *work = s->corner + (size_t)size * size;
    int *kept = s->list, count = 0, open = 0;
    memcpy(work, A, (size_t)size * size * sizeof *work);
    for (int i = 0; i < size; i++)
        if (s->alone[column[i]] && s->problem->square[column[i]] > 0.0)
            kept[open++] = i;
    *doubtful = 0;
    for (; count < open; count++) {
        int best = count;
        double most = 0.0;
        for (int i = count; i < open; i++) {
            const int j = kept[i];
            const double left =
                work[(size_t)j * size + j] / full_square(s, column[j]);
            if (left > most) {
                most = left;
                best = i;
            }
        }
        *doubtful |= most <= RS_LEFT_DOUBTFUL;
        if (most <= RS_LEFT_SLIGHT) {
            s->doubtful |= !s->accurate.able && most > RS_PRODUCT_ROUNDING;
            break;
        }
        const int j = kept[best];
        kept[best] = kept[count];
        kept[count] = j;
        const double root = sqrt(work[(size_t)j * size + j]);
        for (int i = 0; i < count; i++)
            factor[i + (size_t)count * size] =
                work[kept[i] + (size_t)j * size];
        factor[count + (size_t)count * size] = root;
        /* row of the factor, kept in the row of the pivot */
        for (int i = count + 1; i < open; i++)
            work[j + (size_t)kept[i] * size] /= root;
        for (int b = count + 1; b < open; b++)
            for (int a = count + 1; a < open; a++)
                work[kept[a] + (size_t)kept[b] * size] -=
                    work[j + (size_t)kept[a] * size] *
                    work[j + (size_t)kept[b] * size];
    }
    return count;
}

/* what members and then group g explain, in twice the precision; number `at` of
 * the members is left out */
static double careful_value(rs_value_lsq *s, int at, int g)
{
    int count = 0, *list = s->list;
    for (int i = 0; i <= s->members; i++) {
        const int own = i < s->members ? s->set[i] : g;
        const int *column = rs_group_columns(s->groups, own);
        for (int l = 0; i != at && l < rs_group_size(s->groups, own); l++)
            if (s->alone[column[l]] && s->problem->square[column[l]] > 0.0)
                list[count++] = column[l];
    }
    return rs_accurate_explained(&s->accurate, count, list);
}

/* tr(rest_g'E_g^+ rest_g) beside a set worth that much */
static double value_with(rs_value_lsq *s, int at, int g, double worth,
                         const double *E, const double *rest)
{
    const int size = rs_group_size(s->groups, g), c = s->problem->c;
    const int *column = rs_group_columns(s->groups, g);
    double *factor = s->corner, *part = s->part;
    int doubtful;
    const int count = pivoted(s, g, E + s->block[g], factor, &doubtful);
    if (doubtful && s->accurate.able)
        return careful_value(s, at, g);
    for (int l = 0; l < c; l++)
        for (int i = 0; i < count; i++)
            part[i + (size_t)l * count] =
                rest[column[s->list[i]] + (size_t)l * s->problem->d];
    if (count > 0)
        rs_triangular_solve('L', 'T', count, c, factor, size, part, count);
    return worth + rs_sum_squares((size_t)count * c, part);
}

static void values_with_groups(rs_value_lsq *s, int at, double worth,
                               const double *E, const double *rest,
                               double *value)
{
    for (int g = 0; g < s->groups->count; g++)
        value[g] = s->inside[g] || s->groups->barred[g]
                       ? -INFINITY
                       : value_with(s, at, g, worth, E, rest);
}

static void exchanges_of_groups(rs_value_lsq *s, int at, int b, double *value)
{
    const int d = s->problem->d, c = s->problem->c;
    const int from = s->lost.first[b], count = s->lost.first[b + 1] - from;
    const double *G = s->lost.G + (size_t)d * from;
    const double *H = s->lost.H + (size_t)c * from;
    rs_copy(s->block[s->groups->count], s->E, s->E_less);
    rs_copy((size_t)d * c, s->rest, s->rest_less);
    for (int l = 0; l < count; l++)
        shift_blocks(s, -1.0, G + (size_t)d * l, s->E_less);
    if (count > 0)
        rs_gemm('N', 'T', d, c, count, 1.0, G, d, H, c, 1.0, s->rest_less, d);
    values_with_groups(s, at,
                       s->explained - rs_sum_squares((size_t)c * count, H),
                       s->E_less, s->rest_less, value);
}

/* ---- without a member ------------------------------------------------------- */

static int place_of(const rs_value_lsq *s, int at)
{
    int i = 0;
    while (s->set[i] != s->asked[at])
        i++;
    return i;
}

/* the columns of T that belong to one member, made orthonormal */
static rs_status orthonormalise(rs_value_lsq *s, int count, double *T)
{
    const int k = s->f.count, ld = s->f.most;
    if (count == 1)
        rs_scale((size_t)k, 1.0 / rs_norm((size_t)k, T), T);
    if (count < 2)
        return RS_OK;
    rs_gemm('T', 'N', count, count, k, 1.0, T, ld, T, ld, 0.0, s->corner,
            count);
    RS_TRY(rs_cholesky(count, s->corner, count));
    rs_triangular_solve('R', 'N', k, count, s->corner, count, T, ld);
    return RS_OK;
}

/* members from number `from` on, as many as may be looked at next: T, G, H, M */
static rs_status prepare(rs_value_lsq *s, int from, int most)
{
    rs_lsq_lost *lost = &s->lost;
    const int d = s->problem->d, c = s->problem->c;
    const int k = s->f.count, ld = s->f.most;
    int columns = 0, until = from;
    for (; until < s->members && until - from < most; until++) {
        const int at = place_of(s, until);
        const int count = s->first[at + 1] - s->first[at];
        if (until > from && columns + count > RS_LOST)
            break;
        lost->first[until - from] = columns;
        for (int i = 0; i < count; i++, columns++) {
            rs_fill((size_t)k, 0.0, lost->T + (size_t)ld * columns);
            lost->T[s->first[at] + i + (size_t)ld * columns] = 1.0;
        }
        lost->first[until - from + 1] = columns;
    }
    lost->from = lost->until = from;
    s->work += (double)d * columns * (k + c);
    if (columns > 0) {
        rs_triangular_solve('L', 'T', k, columns, s->f.R, ld, lost->T, ld);
        for (int b = 0; b < until - from; b++)
            RS_TRY(orthonormalise(s, lost->first[b + 1] - lost->first[b],
                                  lost->T + (size_t)ld * lost->first[b]));
        rs_gemm('N', 'N', d, columns, k, 1.0, s->f.C, d, lost->T, ld, 0.0,
                lost->G, d);
    }
    if (columns > 0 && is_self(s))
        rs_gemm('N', 'N', d, columns, k, 1.0, s->f.Z, d, lost->T, ld, 0.0,
                lost->M, d);
    if (columns > 0 && !is_self(s))
        rs_gemm('N', 'N', c, columns, k, 1.0, s->f.D, c, lost->T, ld, 0.0,
                lost->H, c);
    if (columns > 0 && !is_self(s) && s->single)
        rs_gemm('N', 'N', d, columns, c, 1.0, s->rest, d, lost->H, c, 0.0,
                lost->M, d);
    lost->until = until;
    return rs_poll(s->ctx);
}

static rs_status gains(void *state, double *value)
{
    rs_value_lsq *s = (rs_value_lsq *)state;
    RS_TRY(rs_poll(s->ctx));
    if (s->single)
        gains_of_features(s, value);
    else
        values_with_groups(s, -1, s->explained, s->E, s->rest, value);
    return RS_OK;
}

/* the set made anew without the member, and again with it */
static rs_status exchanges_anew(rs_value_lsq *s, int at, double *value)
{
    const int members = s->members, out = s->asked[at];
    int *whole = s->list + s->listed, *less = whole + members;
    double worth;
    memcpy(whole, s->asked, (size_t)members * sizeof *whole);
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
    rs_value_lsq *s = (rs_value_lsq *)state;
    rs_lsq_lost *lost = &s->lost;
    if (is_crossed(s))
        return exchanges_anew(s, at, value);
    if (at < lost->from || at >= lost->until) {
        const rs_status status = prepare(s, at, lost->ahead);
        if (status == RS_SINGULAR)
            return exchanges_anew(s, at, value);
        RS_TRY(status);
        lost->ahead = rs_min_int(2 * lost->ahead, RS_LOST);
    }
    if (s->single)
        exchanges_of_features(s, place_of(s, at), at - lost->from, value);
    else
        exchanges_of_groups(s, place_of(s, at), at - lost->from, value);
    return RS_OK;
}

/* the features that rounding hides and that the set with them is worth more for:
 * no exchange for others can be */
static void list_hopes(rs_value_lsq *s, double least)
{
    s->hopes = 0;
    for (int j = 0; j < s->problem->d; j++)
        if (!s->inside[j] && !s->groups->barred[j] &&
            is_hidden(s, j, s->E[j]) &&
            s->explained + hidden_gain(s, j) > least)
            s->hope[s->hopes++] = j;
}

static rs_status exceeds(void *state, int at, double least, int *feature)
{
    rs_value_lsq *s = (rs_value_lsq *)state;
    const int place = place_of(s, at);
    *feature = -1;
    if (s->hopes < 0)
        list_hopes(s, least);
    if (s->hopes == 0 || is_crossed(s))
        return RS_OK;
    RS_TRY(prepare(s, at, 1));
    const double kappa = rs_sum_squares((size_t)s->problem->c, s->lost.H);
    for (int i = 0; i < s->hopes && *feature < 0; i++)
        if (s->explained - kappa +
                careful_gain(s, place, s->lost.T, s->hope[i], kappa) >
            least)
            *feature = s->hope[i];
    return RS_OK;
}

rs_value rs_value_lsq_of(rs_value_lsq *s)
{
    return (rs_value){.state = s,
                      .total = s->problem->total,
                      .move = move,
                      .gains = gains,
                      .exchanges = exchanges,
                      .work = &s->work,
                      .exceeds =
                          s->single && s->accurate.able ? exceeds : NULL};
}

/* ---- the problem ------------------------------------------------------------ */

/* S_gg and the ridge */
static rs_status fill_blocks(rs_value_lsq *s)
{
    const rs_lsq *p = s->problem;
    for (int g = 0; g < s->groups->count; g++) {
        const int size = rs_group_size(s->groups, g);
        const int *column = rs_group_columns(s->groups, g);
        double *block = s->whole + s->block[g];
        if (size == 1) {
            block[0] = full_square(s, column[0]);
            continue;
        }
        for (int b = 0; b < size; b++) {
            const double *from;
            if (p->S) {
                from = p->S + (size_t)p->d * column[b];
            } else {
                RS_TRY(rs_columns_get(&s->columns, p, column[b], NULL, &from));
            }
            for (int a = 0; a < size; a++)
                block[a + (size_t)b * size] = from[column[a]];
            block[b + (size_t)b * size] += p->ridge;
        }
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* columns that depend on others of their group never come in */
static void mark_alone(rs_value_lsq *s, int g)
{
    const int size = rs_group_size(s->groups, g);
    const int *column = rs_group_columns(s->groups, g);
    int doubtful;
    const int count =
        pivoted(s, g, s->whole + s->block[g], s->corner, &doubtful);
    if (!doubtful)
        return;
    if (s->accurate.able) {
        rs_accurate_explained(&s->accurate, size, column);
        for (int i = 0; i < size; i++)
            s->alone[column[i]] = s->accurate.residual[i] > 0.0;
        return;
    }
    for (int i = 0; i < size; i++)
        s->alone[column[i]] = is_among(i, count, s->list);
}

rs_status rs_value_lsq_init(rs_context *ctx, const rs_lsq *problem,
                            const rs_groups *groups, int k, int only_refit,
                            rs_value_lsq *s)
{
    const int widest = rs_group_widest(groups);
    *s = (rs_value_lsq){.ctx = ctx,
                        .problem = problem,
                        .groups = groups,
                        .single = is_single(problem, groups),
                        .from_data = only_refit,
                        .looks = 1,
                        .minute = RS_LEFT_NONE,
                        .error = RS_UNEXPECTED * rs_product_error(problem)};
    int all;
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &all));
    s->f.most = all;
    if (problem->ridge == 0.0)
        s->f.most = rs_min_int(all, problem->n + widest);
    s->listed = all + widest;
    RS_TRY(init_factor(s, all, widest));
    RS_TRY(init_rest(s));
    RS_TRY(fill_blocks(s));
    for (int g = 0; g < groups->count && problem->ridge == 0.0; g++)
        if (rs_group_size(groups, g) > 1 && !groups->barred[g])
            mark_alone(s, g);
    leave_anew(s);
    return RS_OK;
}

/* ---- what is told of the set ------------------------------------------------ */

/* Nearly dependent columns have large coefficients, which would bring out the
 * rounding of the columns: there Y is taken apart along the basis. */
rs_status rs_value_lsq_fit(rs_value_lsq *s, double *V, double *objective)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    const int k = f->count, n = p->n;
    /* products tell what is left of Y as long as that is much of it */
    const int given =
        p->X && p->Y &&
        !(p->S && p->total - s->explained > RS_LEFT_PLAIN * p->total);
    const int along =
        given && s->accurate.able && is_fragile(s, RS_LEFT_MINUTE);
    *objective = given ? 0.0 : fmax(p->total - s->explained, 0.0);
    if (given)
        hold_panel(s);
    if (along)
        rs_accurate_explained(&s->accurate, k, f->column);
    for (int l = 0; l < k && along; l++, f->held = 0)
        rs_accurate_basis(&s->accurate, l, f->panel + (size_t)n * l, NULL);
    for (int l = 0; l < p->c; l++) {
        double *v = V ? V + (size_t)k * l : s->coef, *h = s->coef + f->most;
        for (int i = 0; i < k; i++)
            v[i] = h[i] = f->D[l + (size_t)p->c * i];
        if (k > 0)
            rs_triangular_solve('L', 'N', k, 1, f->R, f->most, v, f->most);
        if (!given)
            continue;
        rs_copy((size_t)n, p->Y + (size_t)n * l, s->z);
        if (k > 0)
            rs_gemv('N', n, k, -1.0, f->panel, n, along ? h : v, 1.0, s->z);
        *objective += rs_sum_squares((size_t)n, s->z) +
                      p->ridge * rs_sum_squares((size_t)k, v);
    }
    return rs_poll(s->ctx);
}

void rs_value_lsq_shares(const rs_value_lsq *s, double *explained)
{
    const int c = s->problem->c;
    rs_fill((size_t)c, 0.0, explained);
    for (int i = 0; i < s->f.count; i++)
        for (int l = 0; l < c; l++) {
            const double h = s->f.D[l + (size_t)i * c];
            explained[l] += h * h;
        }
}
