/* The best set of three so far: candidates evaluated from the data. */
#include "method/exact/triples_best.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/exact/triples_question.h"

rs_status rs_triple_best_init(rs_triple_features *f,
                              const rs_exact_settings *settings, int *feature,
                              double explained, rs_triple_best *best)
{
    const rs_lsq *p = f->problem;
    *best = (rs_triple_best){.features = f,
                             .tol = settings->tol,
                             .near = settings->near,
                             .feature = feature,
                             .explained = explained};
    best->image = rs_alloc_double(f->ctx, 2 * (size_t)p->d);
    best->response = rs_alloc_double(f->ctx, 3 * (size_t)p->c);
    RS_TRY(rs_allocated(f->ctx));
    RS_TRY(rs_accurate_init(f->ctx, p, 3, &best->accurate));
    if (best->accurate.able)
        best->explained =
            rs_accurate_explained(&best->accurate, 3, feature) / p->total;
    return RS_OK;
}

double rs_triple_to_beat(const rs_triple_best *best)
{
    return best->explained + best->tol;
}

/*
 * A set that may be better: `most` is what it explains at most. What it
 * explains is found from the data; where they are not at hand, `about` is what
 * rounding lets one see of it.
 */
static void consider(int j, int k, int i, double about, double most,
                     rs_triple_best *best)
{
    const rs_triple_features *f = best->features;
    const int set[3] = {f->root.list[j], f->root.list[k], f->root.list[i]};
    if (best->near) {
        best->near->meet(best->near->state, set);
        return;
    }
    if (best->accurate.able) {
        about =
            rs_accurate_explained(&best->accurate, 3, set) / f->problem->total;
        most = about;
    }
    if (about > rs_triple_to_beat(best)) {
        best->explained = about;
        memcpy(best->feature, set, sizeof set);
    }
    if (most > rs_triple_to_beat(best))
        best->unresolved = fmax(best->unresolved, fmin(most, f->ceiling));
}

/*
 * What is left of b_i and b_k beside the features before them, squared:
 * *second = ||b_k - jk b_j||^2 and *third = ||b_i - ji b_j - mixed (..)||^2.
 */
static void response_left(const rs_triple_features *f, int j, int k, int i,
                          double jk, double ji, double mixed, double *second,
                          double *third)
{
    *second = *third = 0.0;
    for (int l = 0; l < f->c; l++) {
        const double *b = f->B + (size_t)f->d * l;
        double rest_k = b[k] - jk * b[j];
        double rest_i = b[i] - ji * b[j] - mixed * rest_k;
        *second += rest_k * rest_k;
        *third += rest_i * rest_i;
    }
}

/*
 * E of three features by elimination, in double precision, and what it may be
 * at most: the inner products are off by e, so that what is left of the third
 * feature is by 4 e / left_k, and what it says of the response as well.
 */
void rs_triple_try(int j, int k, int i, const double *A, rs_triple_best *best)
{
    rs_triple_features *f = best->features;
    double jk = A[j], left_k = 1.0 - jk * jk, e, most = f->ceiling;
    double ji, mixed, left_i, explained, second, third;
    if (i == j || i == k || left_k <= RS_LEFT_MINUTE)
        return;
    e = 8.0 * f->root.error / left_k;
    ji = rs_triple_product(f, j, i);
    mixed = (A[i] - jk * ji) / left_k;
    left_i = 1.0 - ji * ji - mixed * mixed * left_k;
    response_left(f, j, k, i, jk, ji, mixed, &second, &third);
    explained = f->alone[j] + second / left_k;
    if (left_i > 2.0 * e) {
        double root = sqrt(third) + e;
        most = explained + 4.0 * e + root * root / (left_i - e);
    }
    if (most <= rs_triple_to_beat(best))
        return;
    if (left_i > RS_LEFT_SLIGHT)
        explained += third / left_i;
    consider(j, k, i, explained, most, best);
}

/* X'Q and Y'Q of the pair whose basis the accurate set holds */
static rs_status project_on_pair(rs_triple_best *best)
{
    rs_triple_features *f = best->features;
    const rs_lsq *p = f->problem;
    const size_t n = (size_t)p->n, c = (size_t)p->c;
    const double size = sqrt(p->total);
    double *h = best->response + 2 * (size_t)f->c;
    for (int b = 0; b < 2; b++) {
        rs_accurate_basis(&best->accurate, b, f->root.columns + n * b, h);
        for (int l = 0; l < f->c; l++)
            best->response[b + 2 * l] = rs_dot(c, h, f->V + c * l) / size;
    }
    return rs_data_crossprod(p->X, 2, f->root.columns, best->image);
}

/*
 * What feature k explains beside the pair, at most: the loadings come from the
 * data, so that their errors e are ordinary ones.
 */
static double most_beside(const rs_triple_best *best, int k, double e)
{
    const rs_triple_features *f = best->features;
    const size_t all = (size_t)f->problem->d;
    double first = best->image[f->root.list[k]] * f->root.unit[k];
    double second = best->image[all + f->root.list[k]] * f->root.unit[k];
    double left = 1.0 - first * first - second * second, sum = 0.0, root;
    for (int l = 0; l < f->c; l++) {
        double rest = f->B[k + (size_t)f->d * l] -
                      first * best->response[2 * l] -
                      second * best->response[1 + 2 * l];
        sum += rest * rest;
    }
    if (left <= 2.0 * e)
        return f->ceiling;
    root = sqrt(sum) + e;
    return root * root / (left - e);
}

rs_status rs_triple_try_close(int j, int i, rs_triple_best *best)
{
    const rs_triple_features *f = best->features;
    const int pair[2] = {f->root.list[j], f->root.list[i]};
    const double e = 8.0 * f->root.error;
    double base;

    if (!best->accurate.able || !f->problem->X) {
        best->unresolved = f->ceiling;
        return RS_OK;
    }
    base =
        rs_accurate_explained(&best->accurate, 2, pair) / f->problem->total +
        e;
    if (best->accurate.residual[1] <= 0.0)
        return RS_OK;
    RS_TRY(project_on_pair(best));
    for (int k = 0; k < f->d; k++) {
        double most = base + most_beside(best, k, e);
        if (k != j && k != i && most > rs_triple_to_beat(best))
            consider(j, i, k, 0.0, most, best);
    }
    return RS_OK;
}
