#include "solve/tableau.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

rs_status rs_tableau_init(rs_context *ctx, int room, int capacity, int c,
                          rs_tableau *t)
{
    const size_t height = (size_t)room, width = (size_t)capacity;
    memset(t, 0, sizeof *t);
    t->room = room;
    t->capacity = capacity;
    t->c = c;
    t->G = rs_alloc_double(ctx, height * height);
    t->B = rs_alloc_double(ctx, height * (size_t)c);
    t->feature = rs_alloc_int(ctx, width);
    t->member = (unsigned char *)rs_alloc(ctx, height, 1);
    t->P = rs_alloc_double(ctx, height * width);
    t->V = rs_alloc_double(ctx, width * width);
    t->W = rs_alloc_double(ctx, width * (size_t)c);
    t->rest = rs_alloc_double(ctx, height * (size_t)c);
    t->left = rs_alloc_double(ctx, height);
    t->square = rs_alloc_double(ctx, height);
    t->base = rs_alloc_double(ctx, height);
    t->cross = rs_alloc_double(ctx, height * width);
    t->column = rs_alloc_double(ctx, height);
    t->row = rs_alloc_double(ctx, width + (size_t)c);
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

void rs_tableau_clear(rs_tableau *t)
{
    const size_t m = (size_t)t->m;
    t->k = 0;
    t->explained = 0.0;
    memset(t->member, 0, m);
    rs_copy(m * (size_t)t->c, t->B, t->rest);
    rs_row_norms(t->m, t->c, t->B, t->base);
    for (size_t j = 0; j < m; j++) {
        t->base[j] *= t->base[j];
        t->left[j] = t->square[j] = t->G[j + m * j];
    }
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

int rs_tableau_add(rs_tableau *t, int p)
{
    const int m = t->m, k = t->k;
    const double length = t->left[p];
    double *r = t->column, *row = t->row, *w = t->row + t->capacity;
    if (!(length > RS_TABLEAU_LEFT * t->square[p]))
        return 0;
    for (int i = 0; i < k; i++)
        row[i] = t->P[p + (size_t)m * i];
    /* r = G_p - P G_Jp: what is left of the cross-products with p */
    rs_copy((size_t)m, column_of(t->G, m, p), r);
    for (int i = 0; i < k; i++)
        rs_axpy((size_t)m, -t->G[t->feature[i] + (size_t)m * p],
                column_of(t->P, m, i), r);
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
    return 1;
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

void rs_tableau_prepare_exchanges(rs_tableau *t)
{
    rs_gemm('N', 'T', t->m, t->k, t->c, 1.0, t->rest, t->m, t->W, t->capacity,
            0.0, t->cross, t->m);
}

rs_tableau_top rs_tableau_exchange_gains(rs_tableau *t, int slot,
                                         const double *bar, double *gain)
{
    const int m = t->m, ld = t->capacity;
    const double inverse = 1.0 / t->V[slot + (size_t)slot * ld];
    const double *g = column_of(t->P, m, slot), *left = t->left;
    const double *cross = column_of(t->cross, m, slot);
    const double *base = t->base, *square = t->square;
    double kappa = 0.0, any = -HUGE_VAL, open = -HUGE_VAL;
    for (int l = 0; l < t->c; l++) {
        double w = t->W[slot + (size_t)l * ld];
        kappa += w * w * inverse;
    }
    /* with h = g / sqrt(V_ii): (base + 2 h m + h^2 kappa) / (left + h^2) */
#pragma omp simd reduction(max : any, open)
    for (int j = 0; j < m; j++) {
        double h = g[j] * inverse, rest = left[j] + g[j] * h;
        double value =
            (base[j] + h * (2.0 * cross[j] + g[j] * kappa)) / rest - kappa;
        int sure = rest > RS_TABLEAU_LEFT * square[j];
        value = sure ? value : -HUGE_VAL;
        double barred = value + bar[j];
        gain[j] = value;
        any = value > any ? value : any;
        open = barred > open ? barred : open;
    }
    return (rs_tableau_top){any, open};
}
