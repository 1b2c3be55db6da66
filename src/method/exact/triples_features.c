#include "method/exact/triples_features.h"

#include <math.h>
#include <string.h>

#include "base/topk.h"
#include "la/linalg.h"
#include "method/exact/proof.h"

/* eigenvalues of Y'Y, relative to the largest, that are rounding: LAPACK's
 * are off by a small multiple of 2.2e-16 c of it */
#define RS_NO_RESPONSE 1e-13
/* halvings of an interval within [0, 1], down to 1e-12 of its length */
#define RS_HALVINGS 40

/* ---- the features ------------------------------------------------------- */

/* columns by what each explains alone; the barred ones, at the end, are left
 * out. score, work: all columns each. */
static void order_features(rs_triple_features *f, double *score, double *work)
{
    const rs_lsq *p = f->problem;
    f->d = 0;
    for (int j = 0; j < p->d; j++)
        f->d += !p->barred[j];
    rs_explained_alone(p, score);
    rs_topk_order(p->d, score, f->d, f->order, work);
    for (int i = 0; i < f->d; i++)
        f->unit[i] = 1.0 / sqrt(p->square[f->order[i]] + p->ridge);
}

/* lambda and V, divided by ||Y||^2; work: d x all responses */
static rs_status turn_response(rs_triple_features *f, const double *YtY,
                               double *work)
{
    const rs_lsq *p = f->problem;
    const size_t d = (size_t)f->d;
    const double size = 1.0 / sqrt(p->total);
    rs_eigen_ws eigen;
    RS_TRY(rs_eigen_init(f->ctx, p->c, &eigen));
    RS_TRY(rs_eigen_largest(p->c, YtY, p->c, f->lambda, f->V, &eigen));
    f->c = 0;
    while (f->c < p->c && f->lambda[f->c] > RS_NO_RESPONSE * f->lambda[0])
        f->c++;
    for (int l = 0; l < p->c; l++)
        for (int i = 0; i < f->d; i++)
            work[i + d * l] =
                p->B[f->order[i] + (size_t)p->d * l] * f->unit[i] * size;
    rs_matmul(f->d, p->c, f->c, work, f->V, f->B);
    f->ceiling = 0.0;
    for (int l = 0; l < f->c; l++) {
        f->lambda[l] /= p->total;
        f->ceiling += l < 3 ? f->lambda[l] : 0.0;
    }
    return RS_OK;
}

/*
 * The largest eigenvalue of diag(lambda) - b_i b_i', from above: it lies
 * between the two largest lambda, where 1 - sum b_l^2 / (lambda_l - mu) falls
 * through zero.
 */
static double largest_beside(const rs_triple_features *f, int i)
{
    double low = f->c > 1 ? f->lambda[1] : 0.0, high = f->lambda[0];
    if (f->c == 1)
        return fmax(high - f->alone[i], 0.0);
    for (int halving = 0; halving < RS_HALVINGS; halving++) {
        double mu = 0.5 * (low + high), value = 1.0;
        for (int l = 0; l < f->c; l++) {
            double b = f->B[i + (size_t)f->d * l];
            value -= b * b / (f->lambda[l] - mu);
        }
        if (value > 0.0)
            low = mu;
        else
            high = mu;
    }
    return high;
}

static rs_status alloc_features(rs_context *ctx, rs_triple_features *f)
{
    const rs_lsq *p = f->problem;
    const size_t all = (size_t)p->d, c = (size_t)p->c;
    f->order = rs_alloc_int(ctx, all);
    f->unit = rs_alloc_double(ctx, all);
    f->lambda = rs_alloc_double(ctx, c);
    f->V = rs_alloc_double(ctx, c * c);
    f->B = rs_alloc_double(ctx, all * c);
    f->alone = rs_alloc_double(ctx, all);
    f->beside = rs_alloc_double(ctx, all);
    return rs_allocated(ctx);
}

static rs_status alloc_columns(rs_context *ctx, rs_triple_features *f)
{
    const rs_lsq *p = f->problem;
    const size_t d = (size_t)f->d, width = RS_EXACT_PANEL;
    f->A = rs_alloc_double(ctx, d * width);
    f->C = rs_alloc_double(ctx, d * width);
    f->samples = rs_alloc_double(ctx, p->X ? (size_t)p->n * width : 0);
    f->products = rs_alloc_double(ctx, p->X ? (size_t)p->d * width : 0);
    f->few = rs_alloc_double(ctx, width * (size_t)f->c);
    return rs_allocated(ctx);
}

rs_status rs_triple_features_init(rs_context *ctx, const rs_lsq *problem,
                                  const double *YtY, rs_triple_features *f)
{
    const size_t all = (size_t)problem->d, c = (size_t)problem->c;
    double *work = rs_alloc_double(ctx, all * (c > 2 ? c : 2));
    memset(f, 0, sizeof *f);
    f->problem = problem;
    f->ctx = ctx;
    f->error = rs_product_error(problem);
    RS_TRY(alloc_features(ctx, f));
    order_features(f, work, work + all);
    RS_TRY(turn_response(f, YtY, work));
    for (int i = 0; i < f->d; i++) {
        f->alone[i] = 0.0;
        for (int l = 0; l < f->c; l++) {
            double b = f->B[i + (size_t)f->d * l];
            f->alone[i] += b * b;
        }
        f->beside[i] = largest_beside(f, i);
    }
    return alloc_columns(ctx, f);
}

/* ---- their products ----------------------------------------------------- */

rs_status rs_triple_columns(rs_triple_features *f, const int *k, int width)
{
    const int d = f->d, c = f->c;
    int wanted[RS_EXACT_PANEL] = {0};
    for (int b = 0; b < width; b++) {
        wanted[b] = f->order[k[b]];
        for (int l = 0; l < c; l++)
            f->few[b + (size_t)width * l] = f->B[k[b] + (size_t)d * l];
    }
    RS_TRY(rs_ordered_products(f->problem, f->order, d, wanted, width,
                               f->samples, f->products, f->A));
    for (int b = 0; b < width; b++) {
        double *a = f->A + (size_t)d * b;
        for (int i = 0; i < d; i++)
            a[i] *= f->unit[i] * f->unit[k[b]];
    }
    rs_gemm('N', 'T', d, width, c, 1.0, f->B, d, f->few, width, 0.0, f->C, d);
    return rs_poll(f->ctx);
}

double rs_triple_product(rs_triple_features *f, int j, int i)
{
    const rs_lsq *p = f->problem;
    const size_t n = (size_t)p->n;
    double product;
    if (p->X) {
        rs_lsq_column(p, f->order[j], f->samples);
        rs_lsq_column(p, f->order[i], f->samples + n);
        product = rs_dot(n, f->samples, f->samples + n);
    } else {
        product = p->S[f->order[j] + (size_t)p->d * f->order[i]];
    }
    return product * f->unit[j] * f->unit[i];
}
