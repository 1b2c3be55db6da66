/* Tests of sets of three, a strip at a time in single precision, from the lists
 * of an apex. */
#include "method/exact/triples_tests.h"

#include <math.h>

#include "method/exact/proof.h"

/* the tests in single precision add up terms of at most 20 t in all, each with a relative error of a few times 6e-8 */
#define RS_TEST_SLACK 2e-5

rs_status rs_triple_tests_init(const rs_triple_features *f,
                               const rs_triple_question *q,
                               const rs_triple_index *index,
                               rs_triple_best *best, rs_triple_tests *tests)
{
    const size_t d = (size_t)f->d;
    *tests = (rs_triple_tests){
        .features = f, .question = q, .index = index, .best = best};
    tests->cells = (rs_triple_cell *)rs_alloc(f->ctx, d * RS_EXACT_PANEL,
                                              sizeof *tests->cells);
    return rs_allocated(f->ctx);
}

void rs_triple_set_seconds(int width, const double *A, const double *C,
                           rs_triple_tests *tests)
{
    const size_t cells = (size_t)tests->features->d * width;
    tests->A = A;
    tests->C = C;
    for (size_t at = 0; at < cells; at++) {
        tests->cells[at].rho = (float)A[at];
        tests->cells[at].joint = (float)C[at];
    }
}

/* a pair {j, k} in the tests of a third feature: its numbers, and the columns of
 * k */
typedef struct {
    int j, k;
    const double *A;
    const rs_triple_cell *second;
    float x, left, fixed, mixed, y2, z2;
} pair;

/*
 * With t = what must be beaten, x = A_jk, y = A_ji and z = A_ki, a set is
 * better if and only if
 *   det(A_S) (E(S) - t) = e_j (1 - z^2) + e_k (1 - y^2) + e_i (1 - x^2)
 *       + 2 C_jk (y z - x) + 2 C_ji (x z - y) + 2 C_ki (x y - z)
 *       - t (1 + 2 x y z - x^2 - y^2 - z^2) > 0.
 */
static pair pair_numbers(const rs_triple_tests *tests, int j, int k, int b)
{
    const double *alone = tests->features->alone;
    const size_t column = (size_t)tests->features->d * b;
    const double x = tests->A[j + column], joint = tests->C[j + column];
    const double t = rs_triple_to_beat(tests->best), left = 1.0 - x * x;
    pair p;
    p.j = j;
    p.k = k;
    p.A = tests->A + column;
    p.second = tests->cells + column;
    p.x = (float)x;
    p.left = (float)left;
    p.fixed = (float)(alone[j] + alone[k] - 2.0 * joint * x - t * left +
                      RS_TEST_SLACK * t);
    p.mixed = (float)(2.0 * (joint - t * x));
    p.y2 = (float)(t - alone[k]);
    p.z2 = (float)(t - alone[j]);
    return p;
}

/* value = the above for a strip of third features; how many are positive? */
static inline int count_better(const pair p, const rs_triple_list *list,
                               size_t at,
                               const rs_triple_cell *restrict second,
                               float *restrict value)
{
    const float *restrict rho = list->rho + at;
    const float *restrict joint = list->joint + at;
    const float *restrict alone = list->alone + at;
    const int *restrict feature = list->feature + at;
    float z[RS_TRIPLE_STRIP], third[RS_TRIPLE_STRIP];
    int positive = 0;
    for (int b = 0; b < RS_TRIPLE_STRIP; b++) {
        z[b] = second[feature[b]].rho;
        third[b] = second[feature[b]].joint;
    }
    for (int b = 0; b < RS_TRIPLE_STRIP; b++) {
        float y = rho[b];
        value[b] =
            p.fixed + alone[b] * p.left + y * (y * p.y2 + p.mixed * z[b]) +
            z[b] * z[b] * p.z2 +
            2.0F * (joint[b] * (p.x * z[b] - y) + third[b] * (p.x * y - z[b]));
    }
    for (int b = 0; b < RS_TRIPLE_STRIP; b++)
        positive += value[b] > 0.0F;
    return positive;
}

/* neighbours number from..to - 1 of the apex as third features */
static void test_stretch(rs_triple_tests *tests, const pair *p, size_t from,
                         size_t to)
{
    const rs_triple_list *list = &tests->index->list;
    float value[RS_TRIPLE_STRIP];
    for (size_t at = from; at < to; at += RS_TRIPLE_STRIP)
        if (count_better(*p, list, at, p->second, value) > 0)
            for (int b = 0; b < RS_TRIPLE_STRIP; b++)
                if (value[b] > 0.0F)
                    rs_triple_try(p->j, p->k, list->feature[at + b], p->A,
                                  tests->best);
}

double rs_triple_test(int a, int k, int b, rs_triple_tests *tests)
{
    const rs_triple_index *index = tests->index;
    const size_t column = (size_t)tests->features->d * b;
    const int j = index->first + a;
    rs_triple_thirds thirds;
    double x;
    if (j == k)
        return 0.0;
    x = rs_triple_entry(tests->features, tests->question, j, k,
                        tests->A[j + column], tests->C[j + column]);
    if (x < 0.0)
        return 0.0;
    rs_triple_find_thirds(index, a, k, x, &thirds);
    if (thirds.count > 0.0) {
        const pair p = pair_numbers(tests, j, k, b);
        for (int band = 0; band < thirds.bands; band++)
            if (thirds.to[band] > thirds.from[band])
                test_stretch(tests, &p,
                             index->start[a] + (size_t)thirds.from[band],
                             index->start[a] + (size_t)thirds.to[band]);
    }
    return thirds.count;
}
