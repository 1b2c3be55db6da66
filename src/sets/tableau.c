/* A set as a tableau of its regressions on all features, from their
 * cross-products. */
#include "sets/tableau.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

rs_status rs_tableau_init(rs_context *ctx, int room, int capacity, int c,
                          int width, rs_tableau *t)
{
    const size_t height = (size_t)room, places = (size_t)capacity;
    *t = (rs_tableau){
        .room = room, .capacity = capacity, .c = c, .width = width};
    t->feature = rs_alloc_int(ctx, places);
    t->member = (unsigned char *)rs_alloc(ctx, height, 1);
    t->P = rs_alloc_double(ctx, height * places);
    t->V = rs_alloc_double(ctx, places * places);
    t->W = rs_alloc_double(ctx, places * (size_t)c);
    t->rest = rs_alloc_double(ctx, height * (size_t)c);
    RS_ALLOC_DOUBLES(ctx, height, &t->left, &t->square, &t->base, &t->column);
    t->cross = rs_alloc_double(ctx, height * (size_t)width);
    t->chosen = rs_alloc_double(ctx, (size_t)width * (size_t)c);
    t->row = rs_alloc_double(ctx, 2 * places + (size_t)c);
    return rs_allocated(ctx);
}

static double *column_of(double *M, int rows, int l)
{
    return M + (size_t)rows * l;
}

/* rest -= a w', base anew */
static void shift_rest(rs_tableau *t, const double *a, const double *w)
{
    const int m = t->m;
    double *base = t->base;
    rs_fill((size_t)m, 0.0, base);
    for (int l = 0; l < t->c; l++) {
        double *rest = column_of(t->rest, m, l), by = w[l];
#pragma omp simd
        for (int j = 0; j < m; j++) {
            rest[j] -= by * a[j];
            base[j] += rest[j] * rest[j];
        }
    }
}

/* left -= factor a^2 */
static void shift_left(rs_tableau *t, const double *a, double factor)
{
    const int m = t->m;
    double *left = t->left;
#pragma omp simd
    for (int j = 0; j < m; j++)
        left[j] -= factor * a[j] * a[j];
}

void rs_tableau_give(rs_tableau *t, int m, const double *G, const double *B)
{
    t->m = m;
    t->G = G;
    t->B = B;
    for (size_t j = 0; j < (size_t)m; j++)
        t->square[j] = G[j + (size_t)m * j];
    rs_tableau_clear(t);
}

void rs_tableau_give_problem(rs_tableau *t, const rs_lsq *problem,
                             rs_columns *columns)
{
    t->m = problem->d;
    t->problem = problem;
    t->columns = columns;
    t->B = problem->B;
    for (int j = 0; j < t->m; j++)
        t->square[j] = problem->square[j] + problem->ridge;
    rs_tableau_clear(t);
}

void rs_tableau_clear(rs_tableau *t)
{
    const size_t m = (size_t)t->m;
    t->k = 0;
    t->explained = 0.0;
    memset(t->member, 0, m);
    rs_copy(m * (size_t)t->c, t->B, t->rest);
    rs_row_norms(t->m, t->c, t->B, t->base);
    for (size_t j = 0; j < m; j++)
        t->base[j] *= t->base[j];
    rs_copy(m, t->square, t->left);
}

/* V and W of the larger set: p = row of P, w the new coefficients */
static void extend(rs_tableau *t, const double *p, const double *w,
                   double inverse)
{
    const int k = t->k, ld = t->capacity;
    for (int i = 0; i < k; i++) {
        for (int l = 0; l < k; l++)
            t->V[l + (size_t)i * ld] += p[l] * p[i] * inverse;
        t->V[i + (size_t)k * ld] = t->V[k + (size_t)i * ld] = -p[i] * inverse;
    }
    t->V[k + (size_t)k * ld] = inverse;
    for (int l = 0; l < t->c; l++) {
        double *W = column_of(t->W, ld, l);
        for (int i = 0; i < k; i++)
            W[i] -= p[i] * w[l];
        W[k] = w[l];
    }
}

/* r = G_p - P G_Jp: what is left of the cross-products with p */
static rs_status take_column(rs_tableau *t, int p, double *r)
{
    const int m = t->m, k = t->k;
    double *inside = t->row + t->capacity + t->c;
    const double *g = t->G ? t->G + (size_t)m * p : NULL;
    if (!g)
        RS_TRY(rs_columns_get(t->columns, t->problem, p, NULL, &g));
    rs_copy((size_t)m, g, r);
    if (!t->G)
        r[p] += t->problem->ridge;
    for (int i = 0; i < k; i++)
        inside[i] = g[t->feature[i]];
    if (k > 0)
        rs_gemv('N', m, k, -1.0, t->P, m, inside, 1.0, r);
    return RS_OK;
}

rs_status rs_tableau_add(rs_tableau *t, int p)
{
    const int m = t->m, k = t->k;
    const double length = t->left[p];
    double *r = t->column, *row = t->row, *w = t->row + t->capacity;
    if (!(length > RS_LEFT_DOUBTFUL * t->square[p]))
        return RS_SINGULAR;
    for (int i = 0; i < k; i++)
        row[i] = t->P[p + (size_t)m * i];
    RS_TRY(take_column(t, p, r));
    for (int l = 0; l < t->c; l++) {
        w[l] = t->rest[p + (size_t)m * l] / length;
        t->explained += w[l] * w[l] * length;
    }
    for (int i = 0; i < k; i++)
        rs_axpy((size_t)m, -row[i] / length, r, column_of(t->P, m, i));
    rs_copy((size_t)m, r, column_of(t->P, m, k));
    rs_scale((size_t)m, 1.0 / length, column_of(t->P, m, k));
    shift_left(t, r, 1.0 / length);
    shift_rest(t, r, w);
    extend(t, row, w, 1.0 / length);
    t->feature[k] = p;
    t->member[p] = 1;
    t->k++;
    return RS_OK;
}

/* the last feature takes the place of number `slot` */
static void close_gap(rs_tableau *t, int slot)
{
    const int m = t->m, ld = t->capacity, last = t->k - 1;
    if (slot != last) {
        t->feature[slot] = t->feature[last];
        rs_copy((size_t)m, column_of(t->P, m, last), column_of(t->P, m, slot));
        for (int l = 0; l < t->c; l++)
            t->W[slot + (size_t)l * ld] = t->W[last + (size_t)l * ld];
        for (int i = 0; i <= last; i++)
            t->V[i + (size_t)slot * ld] = t->V[i + (size_t)last * ld];
        for (int i = 0; i <= last; i++)
            t->V[slot + (size_t)i * ld] = t->V[last + (size_t)i * ld];
    }
    t->k = last;
}

void rs_tableau_remove(rs_tableau *t, int slot)
{
    const int m = t->m, k = t->k, ld = t->capacity;
    const double v = t->V[slot + (size_t)slot * ld];
    const double *g = column_of(t->P, m, slot);
    double *row = t->row, *w = t->row + ld;
    for (int i = 0; i < k; i++)
        row[i] = t->V[i + (size_t)slot * ld];
    for (int l = 0; l < t->c; l++) {
        double old = t->W[slot + (size_t)l * ld];
        w[l] = -old / v;
        t->explained -= old * old / v;
        for (int i = 0; i < k; i++)
            if (i != slot)
                t->W[i + (size_t)l * ld] += row[i] * w[l];
    }
    for (int i = 0; i < k; i++)
        if (i != slot)
            rs_axpy((size_t)m, -row[i] / v, g, column_of(t->P, m, i));
    shift_left(t, g, -1.0 / v);
    shift_rest(t, g, w);
    for (int i = 0; i < k; i++)
        for (int l = 0; l < k; l++)
            t->V[l + (size_t)i * ld] -= row[l] * row[i] / v;
    t->member[t->feature[slot]] = 0;
    close_gap(t, slot);
}

void rs_tableau_prepare_exchanges(rs_tableau *t, int count, const int *slots)
{
    const int ld = t->capacity;
    for (int l = 0; l < t->c; l++)
        for (int b = 0; b < count; b++)
            t->chosen[b + (size_t)count * l] =
                t->W[(slots ? slots[b] : b) + (size_t)l * ld];
    rs_gemm('N', 'T', t->m, count, t->c, 1.0, t->rest, t->m, t->chosen, count,
            0.0, t->cross, t->m);
}

double rs_tableau_loss(const rs_tableau *t, int slot)
{
    const int ld = t->capacity;
    double sum = 0.0;
    for (int l = 0; l < t->c; l++) {
        double w = t->W[slot + (size_t)l * ld];
        sum += w * w;
    }
    return sum / t->V[slot + (size_t)slot * ld];
}

/* with h = g / sqrt(V_ii), kappa the loss and m = cross:
 * (base + 2 h m + h^2 kappa) / (left + h^2) - kappa */
rs_tableau_top rs_tableau_exchange_gains(rs_tableau *t, int b, int slot,
                                         const double *bar, double *gain)
{
    const int m = t->m;
    const double inverse = 1.0 / t->V[slot + (size_t)slot * t->capacity];
    const double kappa = rs_tableau_loss(t, slot);
    const double *g = column_of(t->P, m, slot), *left = t->left;
    const double *cross = column_of(t->cross, m, b);
    const double *base = t->base, *square = t->square;
    double any = -HUGE_VAL, open = -HUGE_VAL;
#pragma omp simd reduction(max : any, open)
    for (int j = 0; j < m; j++) {
        double h = g[j] * inverse, rest = left[j] + g[j] * h;
        double value =
            (base[j] + h * (2.0 * cross[j] + g[j] * kappa)) / rest - kappa;
        int sure = rest > RS_LEFT_DOUBTFUL * square[j];
        value = sure ? value : -HUGE_VAL;
        double barred = value + bar[j];
        gain[j] = value;
        any = value > any ? value : any;
        open = barred > open ? barred : open;
    }
    return (rs_tableau_top){any, open};
}

int rs_tableau_exchange_pays(const rs_tableau *t, int b, int slot,
                             const double *bar, double open, double any)
{
    const int m = t->m;
    const double inverse = 1.0 / t->V[slot + (size_t)slot * t->capacity];
    const double kappa = rs_tableau_loss(t, slot);
    const double first = kappa + open, more = any - open;
    const double *g = column_of(t->P, m, slot), *left = t->left;
    const double *cross = column_of(t->cross, m, b);
    const double *base = t->base, *square = t->square;
    double most = -HUGE_VAL;
    /* base + 2 h m + h^2 kappa > (kappa + open) (left + h^2) */
#pragma omp simd reduction(max : most)
    for (int j = 0; j < m; j++) {
        double h = g[j] * inverse, rest = left[j] + g[j] * h;
        double over =
            base[j] + h * (2.0 * cross[j] + g[j] * kappa) - first * rest;
        double barred = over - more * rest;
        over = bar[j] < 0.0 ? barred : over;
        over = rest > RS_LEFT_DOUBTFUL * square[j] ? over : -HUGE_VAL;
        most = over > most ? over : most;
    }
    return most > 0.0;
}
