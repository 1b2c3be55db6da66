#include "graph/graph.h"

#include <math.h>

#include "la/linalg.h"

/* degrees of the regularised graph, the factors of the kind, and the entries of B */
static void fill(double tau, rs_laplacian *L)
{
    const rs_graph *W = L->W;
    const int n = W->n, plain = L->kind == RS_LAPLACIAN_UNNORMALIZED;
    for (int i = 0; i < n; i++)
        L->degree[i] = rs_sum((int)(W->start[i + 1] - W->start[i]),
                              W->weight + W->start[i]);
    L->constant = tau * (rs_sum(n, L->degree) / n) / n;
    for (int i = 0; i < n; i++) {
        const double degree = L->degree[i] += n * L->constant;
        const int joined = degree > 0.0;
        L->isolated += !joined;
        L->diagonal[i] = plain ? degree : joined;
        L->scale[i] = plain ? 1.0 : joined ? 1.0 / sqrt(degree) : 0.0;
    }
    for (int i = 0; i < n; i++)
        for (size_t a = W->start[i]; a < W->start[i + 1]; a++)
            L->weight[a] = L->scale[i] * W->weight[a] * L->scale[W->index[a]];
}

rs_status rs_laplacian_init(rs_context *ctx, const rs_graph *W, double tau,
                            rs_laplacian_kind kind, rs_laplacian *L)
{
    const size_t n = (size_t)W->n;
    *L = (rs_laplacian){.ctx = ctx, .W = W, .kind = kind};
    RS_ALLOC_DOUBLES(ctx, n, &L->degree, &L->diagonal, &L->scale, &L->sums);
    L->weight = rs_alloc_double(ctx, W->start[n]);
    RS_TRY(rs_allocated(ctx));
    fill(tau, L);
    return RS_OK;
}

/* ---- products ---------------------------------------------------------------- */

rs_status rs_laplacian_apply_rows(void *L_, int m, const double *V, double *LV)
{
    const rs_laplacian *L = (const rs_laplacian *)L_;
    const rs_graph *W = L->W;
    const int n = W->n;
    if (m > n)
        return RS_BAD_INPUT;
    rs_gemv('N', m, n, L->constant, V, m, L->scale, 0.0, L->sums);
    for (int i = 0; i < n; i++) {
        const double *v = V + (size_t)i * m, *sums = L->sums;
        const double own = L->diagonal[i], scale = L->scale[i];
        double *y = LV + (size_t)i * m;
#pragma omp simd
        for (int c = 0; c < m; c++)
            y[c] = own * v[c] - scale * sums[c];
        for (size_t a = W->start[i]; a < W->start[i + 1]; a++) {
            const double *x = V + (size_t)W->index[a] * m, w = L->weight[a];
#pragma omp simd
            for (int c = 0; c < m; c++)
                y[c] -= w * x[c];
        }
    }
    return rs_poll(L->ctx);
}

rs_status rs_laplacian_apply(void *L_, int m, const double *V, double *LV)
{
    const size_t n = (size_t)((const rs_laplacian *)L_)->W->n;
    for (int c = 0; c < m; c++)
        RS_TRY(rs_laplacian_apply_rows(L_, 1, V + n * c, LV + n * c));
    return RS_OK;
}

rs_status rs_laplacian_matrix(rs_context *ctx, const rs_laplacian *L,
                              rs_graph *M)
{
    const rs_graph *W = L->W;
    size_t to = 0;
    if (L->constant > 0.0)
        return RS_BAD_INPUT;
    RS_TRY(rs_graph_init(ctx, W->n, W->start[W->n] + (size_t)W->n, M));
    for (int i = 0; i < W->n; i++) {
        M->start[i] = to;
        M->index[to] = i;
        M->weight[to++] = L->diagonal[i];
        for (size_t a = W->start[i]; a < W->start[i + 1]; a++, to++) {
            M->index[to] = W->index[a];
            M->weight[to] = -L->weight[a];
        }
    }
    M->start[W->n] = to;
    return RS_OK;
}

void rs_laplacian_trivial(const rs_laplacian *L, double *v)
{
    const size_t n = (size_t)L->W->n;
    for (size_t i = 0; i < n; i++)
        v[i] = L->kind == RS_LAPLACIAN_SYMMETRIC ? sqrt(L->degree[i]) : 1.0;
    const double norm = rs_norm(n, v);
    if (norm > 0.0)
        rs_scale(n, 1.0 / norm, v);
}

/* ---- roughness --------------------------------------------------------------- */

/* feature j is f, and Lf = L f */
static void add_feature(const rs_laplacian *L, int n, int j, const double *f,
                        const double *Lf, rs_roughness *r)
{
    double sum = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
        sum += L->degree[i] * f[i];
        square += L->degree[i] * f[i] * f[i];
    }
    const double spread = r->total > 0.0 ? square - sum * (sum / r->total) : 0;
    r->sum[j] = sum;
    r->square[j] = square;
    r->rough[j] = rs_dot((size_t)n, f, Lf);
    r->relative[j] =
        spread > RS_ROUNDING * square ? r->rough[j] / spread : 2.0;
}

rs_status rs_roughness_on(rs_context *ctx, const rs_data *X, rs_laplacian *L,
                          rs_roughness *r)
{
    const int n = X->n, d = X->d;
    const int step = rs_min_int(d, RS_PANEL);
    double *block, *image;
    RS_ALLOC_DOUBLES(ctx, (size_t)n * step, &block, &image);
    RS_TRY(rs_allocated(ctx));
    r->total = rs_sum(n, L->degree);
    for (int from = 0; from < d; from += step) {
        const int width = rs_min_int(step, d - from);
        RS_TRY(rs_data_columns(X, width, NULL, from, block));
        RS_TRY(rs_laplacian_apply(L, width, block, image));
        for (int c = 0; c < width; c++)
            add_feature(L, n, from + c, block + (size_t)n * c,
                        image + (size_t)n * c, r);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
