/* The features as the search for triples sees them, and their products, from
 * the root. */
#include "method/exact/triples_features.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/exact/proof.h"

/* halvings of an interval within [0, 1], down to 1e-12 of its length */
#define RS_BISECTIONS 40

/* ---- the features ------------------------------------------------------- */

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
    for (int halving = 0; halving < RS_BISECTIONS; halving++) {
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

static rs_status make_room(rs_context *ctx, rs_triple_features *f)
{
    const size_t d = (size_t)f->d, c = (size_t)f->problem->c;
    const size_t width = RS_EXACT_PANEL;
    f->lambda = rs_alloc_double(ctx, c);
    f->V = rs_alloc_double(ctx, c * c);
    f->B = rs_alloc_double(ctx, d * c);
    RS_ALLOC_DOUBLES(ctx, d, &f->alone, &f->beside);
    RS_ALLOC_DOUBLES(ctx, d * width, &f->A, &f->C);
    f->few = rs_alloc_double(ctx, width * c);
    return rs_allocated(ctx);
}

rs_status rs_triple_features_init(rs_context *ctx, const rs_lsq *problem,
                                  const double *YtY, rs_triple_features *f)
{
    double *score = rs_alloc_double(ctx, (size_t)problem->d);
    RS_TRY(rs_allocated(ctx));
    memset(f, 0, sizeof *f);
    f->problem = problem;
    f->ctx = ctx;
    RS_TRY(rs_root_init(ctx, problem, RS_EXACT_PANEL, &f->root));
    f->d = f->root.d;
    RS_TRY(make_room(ctx, f));
    rs_explained_alone(problem, score);
    RS_TRY(rs_root_sort(score, &f->root));
    RS_TRY(rs_root_turn(&f->root, YtY, &f->c, f->lambda, f->V, f->B));
    for (int l = 0; l < rs_min_int(f->c, 3); l++)
        f->ceiling += f->lambda[l];
    rs_row_norms(f->d, f->c, f->B, f->alone);
    for (int i = 0; i < f->d; i++) {
        f->alone[i] *= f->alone[i];
        f->beside[i] = largest_beside(f, i);
    }
    return RS_OK;
}

/* ---- their products ----------------------------------------------------- */

rs_status rs_triple_columns(rs_triple_features *f, const int *k, int width)
{
    const int d = f->d, c = f->c;
    for (int b = 0; b < width; b++)
        for (int l = 0; l < c; l++)
            f->few[b + (size_t)width * l] = f->B[k[b] + (size_t)d * l];
    RS_TRY(rs_root_products(&f->root, k, width, f->A));
    rs_gemm('N', 'T', d, width, c, 1.0, f->B, d, f->few, width, 0.0, f->C, d);
    return rs_poll(f->ctx);
}

double rs_triple_product(rs_triple_features *f, int j, int i)
{
    const rs_lsq *p = f->problem;
    const size_t n = (size_t)p->n;
    double product;
    if (p->X) {
        rs_lsq_column(p, f->root.list[j], f->root.columns);
        rs_lsq_column(p, f->root.list[i], f->root.columns + n);
        product = rs_dot(n, f->root.columns, f->root.columns + n);
    } else {
        product = p->S[f->root.list[j] + (size_t)p->d * f->root.list[i]];
    }
    return product * f->root.unit[j] * f->root.unit[i];
}
