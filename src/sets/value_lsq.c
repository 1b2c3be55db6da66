/* Regressions on sets of groups of features: one factor, which columns enter and
 * leave. */
#include "sets/value_lsq.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* removals after which the factor is made anew */
#define RS_LSQ_REMOVALS 64
/* rounding errors of a residual may be this often what counts as none */
#define RS_UNEXPECTED 16.0

static int is_self(const rs_value_lsq *s)
{
    return s->problem->c == 0;
}

static double full_square(const rs_value_lsq *s, int j)
{
    return s->problem->square[j] + s->problem->ridge;
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
 * made twice; returns ||z||^2 + ridge (1 + ||coefficients||^2)
 */
static double residual_of(rs_value_lsq *s, int j, const double *t)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    const int n = p->n, k = f->count, ld = f->most;
    double *z = s->room.z, *a = s->room.coef, *all = a + ld;
    hold_panel(s);
    rs_lsq_column(p, j, z);
    rs_fill((size_t)k, 0.0, all);
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        rs_copy((size_t)k, all, a);
        rs_gemv('T', n, k, 1.0, f->panel, n, z, -p->ridge, a);
        rs_triangular_solve('L', 'T', k, 1, f->R, ld, a, ld);
        if (t)
            rs_axpy((size_t)k, -rs_dot((size_t)k, t, a), t, a);
        rs_triangular_solve('L', 'N', k, 1, f->R, ld, a, ld);
        rs_gemv('N', n, k, -1.0, f->panel, n, a, 1.0, z);
        rs_axpy((size_t)k, 1.0, a, all);
    }
    return rs_sum_squares((size_t)n, z) +
           p->ridge * (1.0 + rs_sum_squares((size_t)k, all));
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
    memcpy(s->room.list, s->f.column, (size_t)count * sizeof(int));
    s->room.list[count] = j;
    rs_accurate_explained(&s->accurate, count + 1, s->room.list);
    for (int l = 0; l < count; l++)
        a[l] = length * rs_accurate_entry(&s->accurate, l, count)->high;
    length *= s->accurate.residual[count];
    rs_accurate_basis(&s->accurate, count, s->room.z, NULL);
    rs_scale((size_t)s->problem->n, length, s->room.z);
    return length * length;
}

/* ---- what the set leaves ---------------------------------------------------- */

/* the set gains (sign = 1) or loses (-1) a direction with C and D: left -= sign
 * c c', rest -= sign c h', base anew */
static void shift(rs_value_lsq *s, double sign, const double *c,
                  const double *h)
{
    const rs_groups *groups = s->groups;
    const size_t d = (size_t)s->problem->d;
    double *base = s->now.base, *left = s->now.left;
    if (s->single) {
#pragma omp simd
        for (size_t j = 0; j < d; j++)
            left[j] -= sign * c[j] * c[j];
    }
    for (int g = 0; g < groups->count && !s->single; g++) {
        const int size = rs_group_size(groups, g);
        const int *column = rs_group_columns(groups, g);
        for (int b = 0; b < size; b++)
            for (int a = 0; a < size; a++)
                *left++ -= sign * c[column[a]] * c[column[b]];
    }
    if (is_self(s))
        return;
    rs_fill(d, 0.0, base);
    for (int l = 0; l < s->problem->c; l++) {
        double *rest = s->now.rest + d * (size_t)l;
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
    double *base = s->now.base, *coef = s->room.coef;
    for (int j = 0; j < d; j++)
        base[j] = fmax(
            base[j] + sign * 2.0 * c[j] * v[j] + c[j] * c[j] * kappa, 0.0);
    if (k > 0) {
        rs_gemv('T', d, k, 1.0, f->C, d, c, 0.0, coef);
        rs_gemm('N', 'N', d, k, 1, sign, c, d, coef, 1, 1.0, f->Z, d);
    }
    s->now.explained -= sign * kappa;
}

/* the last column of Z, and what it changes: v = (S - C C')c */
static rs_status grow_self(rs_value_lsq *s, const double *c)
{
    rs_lsq_factor *f = &s->f;
    const int d = s->problem->d;
    double *v = f->Z + (size_t)d * f->count;
    const double kappa = rs_sum_squares((size_t)d, c);
    RS_TRY(rs_covop_apply(&s->products, 1, c, v));
    if (f->count > 0) {
        rs_gemv('T', d, f->count, 1.0, f->C, d, c, 0.0, s->room.coef);
        rs_gemv('N', d, f->count, -1.0, f->C, d, s->room.coef, 1.0, v);
    }
    shift_self(s, -1.0, c, v, kappa);
    rs_axpy((size_t)d, -kappa, c, v);
    return RS_OK;
}

/* ---- columns of the factor -------------------------------------------------- */

/* c = (S_j - C a) / r */
static rs_status loadings_from_products(rs_value_lsq *s, int j, double r,
                                        const double *a, double *c)
{
    const rs_lsq_factor *f = &s->f;
    const int d = s->problem->d;
    const double *column;
    RS_TRY(rs_columns_get(s->columns, s->problem, j, &column));
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
    double *z = s->room.z;
    rs_scale((size_t)p->n, 1.0 / r, z);
    RS_TRY(rs_data_crossprod(p->X, 1, z, c));
    for (int l = 0; l < f->count; l++)
        c[f->column[l]] = 0.0;
    c[j] = r;
    if (p->Y)
        rs_gemv('T', p->n, p->c, 1.0, p->Y, p->n, z, 0.0, h);
    return RS_OK;
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
    const int by_data = p->X && left <= RS_LEFT_PLAIN * full;
    if (by_data)
        left = residual_of(s, j, NULL);
    if (by_data && s->accurate.able && left < s->minute * full)
        left = accurate_direction(s, j, a);
    if (!(left > (by_data && s->accurate.able ? 0.0 : s->least * full))) {
        s->doubtful |= !by_data;
        return RS_OK;
    }
    const double r = sqrt(left);
    s->work += (double)d * (k + (by_data ? p->n : 0)) +
               (is_self(s) ? d * (p->S ? (double)d : 2.0 * p->n) : 0.0);
    for (int l = 0; l < p->c; l++)
        h[l] = s->now.rest[j + d * l] / r;
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
    rs_lsq_factor *f = &s->f;
    const size_t d = (size_t)s->problem->d, c = (size_t)s->problem->c;
    const size_t ld = (size_t)f->most;
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
    shift(s, -1.0, out, f->D + c * f->count);
    if (is_self(s))
        shift_self(s, 1.0, out, f->Z + d * f->count, rs_sum_squares(d, out));
}

/* ---- sets ------------------------------------------------------------------- */

/* the columns of the group that do not depend on others of it; *count grows by
 * their number */
static void list_columns(const rs_value_lsq *s, int g, int *list, int *count)
{
    const int *column = rs_group_columns(s->groups, g);
    for (int i = 0; i < rs_group_size(s->groups, g); i++)
        if (s->alone[column[i]])
            list[(*count)++] = column[i];
}

/* does a column of a member depend on those of others? */
static int is_crossed(const rs_value_lsq *s)
{
    int count = 0;
    for (int i = 0; i < s->set.count; i++)
        list_columns(s, s->set.set[i], s->room.list, &count);
    return count > s->f.count;
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

/* all members leave but the first ones, and what these leave is made of what the
 * empty set does */
static void begin_anew(rs_value_lsq *s, int members)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    while (s->set.count > (is_self(s) ? 0 : members)) /* Z grows with C */
        rs_members_remove(&s->set, s->set.count - 1);
    f->count = s->set.first[s->set.count];
    f->held = rs_min_int(f->held, f->count);
    s->f.removals = 0;
    rs_copy(s->block[s->groups->count], s->now.whole, s->now.left);
    rs_copy((size_t)p->d * p->c, p->B, s->now.rest);
    rs_copy((size_t)p->d, p->base, s->now.base);
    s->now.explained = 0.0;
    for (int l = 0; l < f->count; l++)
        shift(s, 1.0, f->C + (size_t)p->d * l, f->D + (size_t)p->c * l);
}

/* members that are not in the set leave */
static void leave(rs_value_lsq *s, int count, const int *set)
{
    rs_members *m = &s->set;
    int same = 0, gone = m->count, out;
    while (same < m->count && same < count && m->set[same] == set[same])
        same++;
    for (int i = 0; i < count; i++)
        gone -= m->inside[set[i]];
    const int anew = s->f.removals >= RS_LSQ_REMOVALS;
    if (gone > 0 && (anew || 2 * gone > m->count || is_fragile(s, s->minute)))
        begin_anew(s, anew ? 0 : same);
    while ((out = rs_members_leaving(m, count, set)) >= 0) {
        for (int j = m->first[out + 1] - 1; j >= m->first[out]; j--)
            delete_column(s, j);
        rs_members_remove(m, out);
        s->f.removals++;
    }
}

static rs_status move(void *state, int count, const int *set, double *value)
{
    rs_value_lsq *s = (rs_value_lsq *)state;
    int *column = s->room.own;
    leave(s, count, set);
    for (int i = 0; i < count; i++) {
        const int before = s->f.count;
        int own = 0;
        if (s->set.inside[set[i]])
            continue;
        list_columns(s, set[i], column, &own);
        for (int l = 0; l < own; l++)
            RS_TRY(add_column(s, column[l]));
        rs_members_join(&s->set, set[i], s->f.count - before);
    }
    memcpy(s->set.asked, set, (size_t)count * sizeof *set);
    if (!is_self(s))
        s->now.explained =
            rs_sum_squares((size_t)s->problem->c * s->f.count, s->f.D);
    *value = s->now.explained;
    return RS_OK;
}

/* ---- groups beside the set, or beside it without a member -------------------- */

typedef struct {
    int at, count; /* place of the member, or -1; directions that it takes */
    const double *T, *G, *H, *M; /* along; features: 0, also for additions */
    double kappa, worth; /* ||H||^2, and what is explained without them */
} beside;

/*
 * What feature j adds, from a residual in double precision and Y. Does this do: is the
 * residual resolved, or would rounding errors many times as large as they can be
 * expected leave the gain below that of the member?
 */
static int plain_gain(rs_value_lsq *s, const beside *b, int j, double *gain)
{
    const rs_lsq *p = s->problem;
    const double full = full_square(s, j);
    const double left = residual_of(s, j, b->at < 0 ? NULL : b->T) / full;
    *gain = 0.0;
    if (left <= 0.25 * RS_RESIDUAL_NONE * RS_RESIDUAL_NONE)
        return 1;
    const double error = RS_RESIDUAL_NONE / sqrt(left) * RS_UNEXPECTED;
    if (!p->Y || (left <= RS_LEFT_SLIGHT && (b->at < 0 || error > 0.1)))
        return 0;
    rs_gemv('T', p->n, p->c, 1.0, p->Y, p->n, s->room.z, 0.0, s->room.part);
    *gain = rs_sum_squares((size_t)p->c, s->room.part) / (left * full);
    return left > RS_LEFT_SLIGHT ||
           sqrt(*gain) + error * sqrt(p->total) < sqrt(b->kappa);
}

/* what a group adds, from residuals, in twice the precision where these ask for that */
static double careful_gain(rs_value_lsq *s, const beside *b, int g)
{
    int *list = s->room.list, before = 0;
    double gain;
    if (s->single && plain_gain(s, b, g, &gain))
        return gain;
    for (int i = 0; i < s->set.count; i++)
        if (i != b->at)
            list_columns(s, s->set.set[i], list, &before);
    int count = before;
    list_columns(s, g, list, &count);
    gain = rs_accurate_explained(&s->accurate, count, list);
    return before > 0 ? gain - s->accurate.explained[before - 1] : gain;
}

/* value[j] of those that products resolve; INFINITY: of the others */
static void values_of_features(const rs_value_lsq *s, const beside *b,
                               double *value)
{
    const double *left = s->now.left, *base = s->now.base, *g = b->G;
    const double *square = s->problem->square, *m = b->M;
    const double ridge = s->problem->ridge, kappa = b->kappa;
#pragma omp simd
    for (int j = 0; j < s->problem->d; j++) {
        const double own = left[j] + g[j] * g[j];
        const double gain =
            (base[j] + g[j] * (2.0 * m[j] + g[j] * kappa)) / own;
        const int sure = own > RS_LEFT_DOUBTFUL * (square[j] + ridge);
        value[j] = sure ? b->worth + gain : INFINITY;
    }
}

/* y += a x, of so few numbers that a call of BLAS takes longer */
static inline void add_few(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}

/*
 * tr(rest_g' left_g^+ rest_g) by elimination, the column that keeps most of its
 * square first; *least is what the last one keeps, and those that keep too little
 * stand in room.list, *open of them.
 */
static double gain_of_group(rs_value_lsq *s, const beside *b, int g, int *open,
                            double *least)
{
    const int d = s->problem->d, c = s->problem->c;
    const int size = rs_group_size(s->groups, g);
    const int *column = rs_group_columns(s->groups, g);
    double *A = s->room.block, *part = s->room.part, gain = 0.0;
    int *list = s->room.list;
    rs_copy((size_t)size * size, s->now.left + s->block[g], A);
    *open = 0;
    *least = 1.0;
    for (int i = 0; i < size; i++) {
        if (s->alone[column[i]])
            list[(*open)++] = i;
        for (int l = 0; l < c; l++)
            part[l + (size_t)c * i] = s->now.rest[column[i] + (size_t)d * l];
        for (int q = 0; q < b->count; q++) {
            const double *along = b->G + (size_t)d * q;
            add_few(c, along[column[i]], b->H + (size_t)c * q,
                    part + (size_t)c * i);
            for (int a = 0; a < size; a++)
                A[a + (size_t)size * i] += along[column[a]] * along[column[i]];
        }
    }
    for (; *open > 0; (*open)--) {
        int best = 0;
        double most = -1.0;
        for (int i = 0; i < *open; i++) {
            const double kept = A[list[i] * ((size_t)size + 1)] /
                                full_square(s, column[list[i]]);
            if (kept > most) {
                most = kept;
                best = i;
            }
        }
        *least = most;
        if (most <= RS_LEFT_SLIGHT) {
            s->doubtful |= !s->accurate.able;
            break;
        }
        const int p = list[best];
        const double pivot = A[p * ((size_t)size + 1)];
        list[best] = list[*open - 1];
        list[*open - 1] = p;
        const double *row = part + (size_t)c * p;
        gain += rs_sum_squares((size_t)c, row) / pivot;
        for (int i = 0; i < *open - 1; i++) {
            double *own = A + (size_t)size * list[i];
            const double by = own[p] / pivot;
            add_few(c, -by, row, part + (size_t)c * list[i]);
            add_few(size, -by, A + (size_t)size * p, own);
        }
    }
    return gain;
}

/* the gain of a group that products do not resolve, as exactly as tells whether it
 * is above `enough` */
static double doubtful_gain(rs_value_lsq *s, const beside *b, int j,
                            double enough)
{
    double left, gain;
    int open = 0;
    if (s->single) {
        const double g = b->G[j], own = s->now.left[j] + g * g;
        left = own / full_square(s, j);
        gain = (s->now.base[j] + g * (2.0 * b->M[j] + g * b->kappa)) / own;
    } else {
        gain = gain_of_group(s, b, j, &open, &left);
    }
    if (!s->accurate.able) {
        s->doubtful = 1;
        return left > s->least ? gain : 0.0;
    }
    /* no less than what it adds */
    const double root =
        sqrt(fmax(gain, 0.0)) + s->error * sqrt(s->problem->total / left);
    if (open > 0 || left <= RS_UNEXPECTED * s->error ||
        root * root * (1.0 + 2.0 * s->error / left) > enough)
        return careful_gain(s, b, j);
    return gain;
}

static void values_of_groups(rs_value_lsq *s, const beside *b, double *value)
{
    for (int g = 0; g < s->groups->count; g++) {
        int open;
        double least;
        if (s->set.inside[g] || s->groups->barred[g])
            continue;
        value[g] = b->worth + gain_of_group(s, b, g, &open, &least);
        if (least <= RS_LEFT_DOUBTFUL && s->accurate.able)
            value[g] = INFINITY;
    }
}

static rs_status values_beside(rs_value_lsq *s, const beside *b, double *value)
{
    double best = b->at < 0 ? -INFINITY : s->now.explained;
    if (s->single)
        values_of_features(s, b, value);
    else
        values_of_groups(s, b, value);
    for (int g = 0; g < s->groups->count; g++) {
        if (s->set.inside[g] || s->groups->barred[g])
            value[g] = -INFINITY;
        if (value[g] > best && value[g] < INFINITY)
            best = value[g];
    }
    for (int g = 0; g < s->groups->count; g++) {
        if (value[g] < INFINITY)
            continue;
        value[g] = b->worth + doubtful_gain(s, b, g, best - b->worth);
        best = fmax(best, value[g]);
    }
    return rs_poll(s->ctx);
}

static rs_status gains(void *state, double *value)
{
    rs_value_lsq *s = (rs_value_lsq *)state;
    const beside all = {.at = -1,
                        .G = s->room.zero,
                        .M = s->room.zero,
                        .worth = s->now.explained};
    return values_beside(s, &all, value);
}

/* ---- without a member ------------------------------------------------------- */

/* orthonormal T of the columns from ... to - 1 of the factor, G, H, M */
static rs_status lose(rs_value_lsq *s, int from, int to)
{
    rs_lsq_room *lost = &s->room;
    const int d = s->problem->d, c = s->problem->c, own = to - from;
    const int k = s->f.count, ld = s->f.most;
    double *A = s->room.block;
    s->work += (double)d * own * (k + c);
    if (own == 0)
        return RS_OK;
    rs_fill((size_t)ld * own, 0.0, lost->T);
    for (int i = 0; i < own; i++)
        lost->T[from + i + (size_t)ld * i] = 1.0;
    rs_triangular_solve('L', 'T', k, own, s->f.R, ld, lost->T, ld);
    rs_gemm('T', 'N', own, own, k, 1.0, lost->T, ld, lost->T, ld, 0.0, A, own);
    RS_TRY(rs_cholesky(own, A, own));
    rs_triangular_solve('R', 'N', k, own, A, own, lost->T, ld);
    rs_gemm('N', 'N', d, own, k, 1.0, s->f.C, d, lost->T, ld, 0.0, lost->G, d);
    if (is_self(s)) {
        rs_gemm('N', 'N', d, own, k, 1.0, s->f.Z, d, lost->T, ld, 0.0, lost->M,
                d);
        return RS_OK;
    }
    rs_gemm('N', 'N', c, own, k, 1.0, s->f.D, c, lost->T, ld, 0.0, lost->H, c);
    if (s->single)
        rs_gemm('N', 'N', d, own, c, 1.0, s->now.rest, d, lost->H, c, 0.0,
                lost->M, d);
    return RS_OK;
}

/* the set made anew without the member, and again with it */
static rs_status exchanges_anew(rs_value_lsq *s, int at, double *value)
{
    const int members = s->set.count, out = s->set.asked[at];
    int *whole = s->room.sets, *less = whole + members;
    double worth;
    memcpy(whole, s->set.asked, (size_t)members * sizeof *whole);
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
    const rs_lsq_room *lost = &s->room;
    const size_t d = (size_t)s->problem->d, c = (size_t)s->problem->c;
    const int place = rs_members_place(&s->set, at);
    const int *first = s->set.first + place;
    const size_t count = (size_t)(first[1] - first[0]);
    const rs_status status =
        is_crossed(s) ? RS_SINGULAR : lose(s, first[0], first[1]);
    if (status == RS_SINGULAR)
        return exchanges_anew(s, at, value);
    RS_TRY(status);
    beside less = {.at = place,
                   .count = (int)count,
                   .T = lost->T,
                   .G = lost->G,
                   .H = lost->H,
                   .M = lost->M};
    less.kappa = is_self(s) ? rs_sum_squares(d * count, less.G)
                            : rs_sum_squares(c * count, less.H);
    less.worth = s->now.explained - less.kappa;
    return values_beside(s, &less, value);
}

/* e k (1 + 2 tr(C^-1)) / left_j, where products of unit columns are off by e and
 * those of the set are C: (1 + tr(C^-1)) / left_j is what j adds to the trace */
static void errors_of_features(void *state, double *error)
{
    rs_value_lsq *s = (rs_value_lsq *)state;
    const rs_lsq_factor *f = &s->f;
    const size_t d = (size_t)s->problem->d, k = (size_t)f->count;
    double *t = s->room.coef, trace = 0.0;
    rs_fill(d, INFINITY, error);
    if (is_crossed(s))
        return;
    for (size_t i = 0; i < k; i++) {
        rs_fill(k, 0.0, t);
        t[i] = sqrt(full_square(s, f->column[i]));
        rs_triangular_solve('L', 'T', f->count, 1, f->R, f->most, t, f->most);
        trace += rs_sum_squares(k, t);
    }
    const double *G = s->room.G; /* of the exchanges told last */
    const double e = rs_product_error(s->problem) * (double)k;
    for (size_t j = 0; j < d; j++) {
        const double left = s->now.left[j] + G[j] * G[j];
        if (left > s->least * full_square(s, (int)j))
            error[j] = e * (1.0 + 2.0 * trace) * full_square(s, (int)j) / left;
    }
}

/* ---- the problem ------------------------------------------------------------ */

static rs_status init_memory(rs_value_lsq *s, int widest)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    rs_lsq_room *room = &s->room;
    const size_t d = (size_t)p->d, c = (size_t)p->c, most = (size_t)f->most;
    const size_t own = (size_t)widest;
    f->column = rs_alloc_int(s->ctx, most);
    f->R = rs_alloc_double(s->ctx, most * most);
    f->C = rs_alloc_double(s->ctx, d * most);
    f->D = rs_alloc_double(s->ctx, c * most);
    f->Z = rs_alloc_double(s->ctx, is_self(s) ? d * most : 0);
    f->panel = rs_alloc_double(s->ctx, p->X ? (size_t)p->n * most : 0);
    room->T = rs_alloc_double(s->ctx, most * own);
    room->H = rs_alloc_double(s->ctx, c * own);
    room->G = rs_alloc_double(s->ctx, d * own);
    room->M = rs_alloc_double(s->ctx, s->single ? d * own : 0);
    s->now.left = rs_alloc_double(s->ctx, s->block[s->groups->count]);
    s->now.rest = rs_alloc_double(s->ctx, d * c);
    RS_ALLOC_DOUBLES(s->ctx, d, &s->now.base, &room->zero);
    room->z = rs_alloc_double(s->ctx, (size_t)p->n);
    room->coef = rs_alloc_double(s->ctx, 2 * most);
    room->block = rs_alloc_double(s->ctx, own * own);
    room->part = rs_alloc_double(s->ctx, own * c);
    room->list = rs_alloc_int(s->ctx, (size_t)s->accurate.capacity);
    room->own = rs_alloc_int(s->ctx, own);
    room->sets = rs_alloc_int(s->ctx, 2 * (size_t)s->groups->count);
    s->alone = (unsigned char *)rs_alloc(s->ctx, d, 1);
    RS_TRY(rs_allocated(s->ctx));
    rs_fill(d, 0.0, room->zero);
    for (size_t j = 0; j < d; j++)
        s->alone[j] = p->square[j] > 0.0;
    RS_TRY(rs_members_init(s->ctx, s->groups->count, &s->set));
    if ((s->columns = p->shared) != NULL)
        return RS_OK;
    s->columns = (rs_columns *)rs_alloc(s->ctx, 1, sizeof *s->columns);
    RS_TRY_ALLOC(s->columns);
    return rs_columns_init(s->ctx, p, f->most, s->columns);
}

/* columns that depend on others of their group never come in */
static void mark_alone(rs_value_lsq *s, int g)
{
    const int size = rs_group_size(s->groups, g);
    const int *column = rs_group_columns(s->groups, g);
    const beside none = {.at = -1};
    int open;
    double least;
    gain_of_group(s, &none, g, &open, &least);
    if (least > RS_LEFT_DOUBTFUL)
        return;
    if (s->accurate.able)
        rs_accurate_explained(&s->accurate, size, column);
    for (int i = 0; i < size && s->accurate.able; i++)
        s->alone[column[i]] &= s->accurate.residual[i] > 0.0;
    for (int i = 0; i < open && !s->accurate.able; i++)
        s->alone[column[s->room.list[i]]] = 0;
}

rs_status rs_value_lsq_init(rs_context *ctx, const rs_lsq *problem,
                            const rs_groups *groups, int k, rs_value_lsq *s)
{
    const int widest = rs_group_widest(groups);
    *s = (rs_value_lsq){.ctx = ctx,
                        .problem = problem,
                        .groups = groups,
                        .single = groups->count == problem->d,
                        .minute = RS_LEFT_NONE,
                        .least = problem->X ? RS_LEFT_NONE : RS_LEFT_SLIGHT,
                        .error = RS_UNEXPECTED * rs_product_error(problem),
                        .as_value = {.state = s,
                                     .total = problem->total,
                                     .move = move,
                                     .gains = gains,
                                     .exchanges = exchanges,
                                     .errors = errors_of_features,
                                     .work = &s->work},
                        .products = {.ctx = ctx,
                                     .d = problem->d,
                                     .factor = 1.0,
                                     .S = problem->S,
                                     .X = problem->X,
                                     .block = 1,
                                     .diagonal = (double *)problem->square}};
    for (int g = 0; s->single && g < groups->count; g++)
        s->single = groups->start[g] == g && groups->column[g] == g;
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &s->f.most));
    RS_TRY(rs_accurate_init(ctx, problem, s->f.most + widest, &s->accurate));
    if (problem->ridge == 0.0)
        s->f.most = rs_min_int(s->f.most, problem->n + widest);
    RS_TRY(
        rs_group_blocks(ctx, &s->products, groups, &s->block, &s->now.whole));
    RS_TRY(init_memory(s, widest));
    s->products.XW = s->room.z;
    for (int g = 0; g < groups->count; g++)
        for (size_t i = 0, p = (size_t)rs_group_size(groups, g); i < p; i++)
            s->now.whole[s->block[g] + i * (p + 1)] += problem->ridge;
    begin_anew(s, 0);
    for (int g = 0; g < groups->count && problem->ridge == 0.0; g++)
        if (rs_group_size(groups, g) > 1 && !groups->barred[g])
            mark_alone(s, g);
    return RS_OK;
}

/* ---- what is told of the set ------------------------------------------------ */

static double share_kept(const rs_value_lsq *s, int j)
{
    const unsigned char *first = s->problem->first;
    return (first && first[j] ? 2.0 : 0.0) +
           s->now.left[j] / full_square(s, j);
}

rs_status rs_value_lsq_unfold(rs_value_lsq *s, int count, int *set)
{
    double value;
    for (int i = 0; i < count; i++) {
        int best = i;
        RS_TRY(move(s, i, set, &value));
        for (int a = i + 1; a < count; a++)
            if (share_kept(s, set[a]) > share_kept(s, set[best]))
                best = a;
        const int next = set[best];
        set[best] = set[i];
        set[i] = next;
    }
    return move(s, count, set, &value);
}

/* Nearly dependent columns have large coefficients, which would bring out the
 * rounding of the columns: there Y is taken apart along the basis. */
rs_status rs_value_lsq_fit(rs_value_lsq *s, double *V, double *objective)
{
    const rs_lsq *p = s->problem;
    rs_lsq_factor *f = &s->f;
    const int k = f->count, n = p->n;
    const double rest = p->total - s->now.explained;
    /* products tell what is left of Y as long as that is much of it */
    const int given =
        p->X && p->Y && !(p->S && rest > RS_LEFT_PLAIN * p->total);
    const int along =
        given && s->accurate.able && is_fragile(s, RS_LEFT_MINUTE);
    *objective = given ? 0.0 : fmax(rest, 0.0);
    if (given)
        hold_panel(s);
    if (along)
        rs_accurate_explained(&s->accurate, k, f->column);
    for (int l = 0; l < k && along; l++, f->held = 0)
        rs_accurate_basis(&s->accurate, l, f->panel + (size_t)n * l, NULL);
    for (int l = 0; l < p->c; l++) {
        double *v = V ? V + (size_t)k * l : s->room.coef;
        double *h = s->room.coef + f->most, *z = s->room.z;
        for (int i = 0; i < k; i++)
            h[i] = f->D[l + (size_t)p->c * i];
        if (along && k > 0)
            rs_gemv('T', n, k, 1.0, f->panel, n, p->Y + (size_t)n * l, 0.0, h);
        if (k > 0) {
            rs_copy((size_t)k, h, v);
            rs_triangular_solve('L', 'N', k, 1, f->R, f->most, v, f->most);
        }
        if (!given)
            continue;
        rs_copy((size_t)n, p->Y + (size_t)n * l, z);
        if (k > 0)
            rs_gemv('N', n, k, -1.0, f->panel, n, along ? h : v, 1.0, z);
        *objective += rs_sum_squares((size_t)n, z) +
                      p->ridge * rs_sum_squares((size_t)k, v);
    }
    return rs_poll(s->ctx);
}
