/* Candidates, their unit columns, responses and products, from the problem. */
#include "proof/root.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* eigenvalues of Y'Y, relative to the largest, that are rounding: LAPACK's
 * are off by a small multiple of 2.2e-16 c of it */
#define RS_NO_RESPONSE 1e-13

static void find_lengths(rs_root *root)
{
    const rs_lsq *p = root->problem;
    for (int i = 0; i < root->d; i++)
        root->unit[i] = 1.0 / sqrt(p->square[root->list[i]] + p->ridge);
}

rs_status rs_root_init(rs_context *ctx, const rs_lsq *problem, int width,
                       rs_root *root)
{
    const size_t all = (size_t)problem->d, panel = (size_t)width;
    memset(root, 0, sizeof *root);
    root->problem = problem;
    root->ctx = ctx;
    root->error = rs_product_error(problem);
    root->list = rs_alloc_int(ctx, all);
    root->unit = rs_alloc_double(ctx, all);
    root->columns =
        rs_alloc_double(ctx, problem->X ? (size_t)problem->n * panel : 0);
    root->raw = rs_alloc_double(ctx, problem->X ? all * panel : 0);
    root->wanted = rs_alloc_int(ctx, panel);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < problem->d; j++)
        if (!problem->barred[j])
            root->list[root->d++] = j;
    find_lengths(root);
    return RS_OK;
}

void rs_root_responses(const rs_root *root, double *C)
{
    const rs_lsq *p = root->problem;
    const size_t d = (size_t)root->d;
    const double size = 1.0 / sqrt(p->total);
    for (int l = 0; l < p->c; l++)
        for (size_t i = 0; i < d; i++)
            C[i + d * l] =
                p->B[root->list[i] + (size_t)p->d * l] * root->unit[i] * size;
}

rs_status rs_root_turn(const rs_root *root, const double *YtY, int *c,
                       double *lambda, double *V, double *C)
{
    const rs_lsq *p = root->problem;
    double *given = rs_alloc_double(root->ctx, (size_t)root->d * (size_t)p->c);
    rs_eigen_ws eigen;
    RS_TRY(rs_allocated(root->ctx));
    RS_TRY(rs_eigen_init(root->ctx, p->c, &eigen));
    RS_TRY(rs_eigen_largest(p->c, YtY, p->c, lambda, V, &eigen));
    *c = 1;
    while (*c < p->c && lambda[*c] > RS_NO_RESPONSE * lambda[0])
        (*c)++;
    rs_root_responses(root, given);
    rs_matmul(root->d, p->c, *c, given, V, C);
    for (int l = 0; l < *c; l++)
        lambda[l] /= p->total;
    return RS_OK;
}

rs_status rs_root_products(const rs_root *root, const int *at, int width,
                           double *out)
{
    const size_t d = (size_t)root->d;
    for (int b = 0; b < width; b++)
        root->wanted[b] = root->list[at[b]];
    RS_TRY(rs_ordered_products(root->problem, root->list, root->d,
                               root->wanted, width, root->columns, root->raw,
                               out));
    for (int b = 0; b < width; b++) {
        double *column = out + d * b;
        for (size_t i = 0; i < d; i++)
            column[i] *= root->unit[i] * root->unit[at[b]];
        column[at[b]] = 1.0;
    }
    return RS_OK;
}
