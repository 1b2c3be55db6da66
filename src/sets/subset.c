/* Memory of a factorised set, and sets that are given whole. */
#include "sets/subset.h"

#include <string.h>

#include "la/linalg.h"

static rs_status init_exchange(rs_context *ctx, rs_subset *s)
{
    const rs_lsq *p = s->problem;
    size_t width = (size_t)s->capacity;
    s->T = rs_alloc_double(ctx, width * RS_SLOTS);
    s->H = rs_alloc_double(ctx, (size_t)p->c * RS_SLOTS);
    RS_ALLOC_DOUBLES(ctx, (size_t)p->d * RS_SLOTS, &s->G, &s->M);
    if (p->c == 0) {
        s->Z = rs_alloc_double(ctx, p->d * width);
        return rs_allocated(ctx);
    }
    s->columns = (rs_columns *)rs_alloc(ctx, 1, sizeof *s->columns);
    RS_TRY(rs_allocated(ctx));
    return rs_columns_init(ctx, p, s->capacity, s->columns);
}

/* the data in twice the precision, where Y and X are at hand */
static rs_status init_accurate(rs_context *ctx, rs_subset *s)
{
    const rs_lsq *p = s->problem;
    rs_accurate *accurate;
    s->accurate = NULL;
    s->list = rs_alloc_int(ctx, (size_t)s->capacity + 1);
    s->position = rs_alloc_int(ctx, (size_t)s->capacity);
    RS_TRY(rs_allocated(ctx));
    if (!p->X || !p->Y)
        return RS_OK;
    accurate = (rs_accurate *)rs_alloc(ctx, 1, sizeof *accurate);
    RS_TRY_ALLOC(accurate);
    RS_TRY(rs_accurate_init(ctx, p, s->capacity + 1, accurate));
    if (accurate->able)
        s->accurate = accurate;
    return RS_OK;
}

rs_status rs_subset_init(rs_context *ctx, const rs_lsq *problem, int capacity,
                         int exchange, rs_subset *s)
{
    const size_t n = (size_t)problem->n, d = (size_t)problem->d;
    const size_t c = (size_t)problem->c, width = (size_t)capacity;
    int lean = problem->c == 0 && !exchange && problem->X;

    memset(s, 0, sizeof *s);
    s->problem = problem;
    s->ctx = ctx;
    s->capacity = capacity;
    s->feature = rs_alloc_int(ctx, width);
    s->closed = (unsigned char *)rs_alloc(ctx, d, 1);
    s->R = rs_alloc_double(ctx, width * width);
    s->Q = rs_alloc_double(ctx, problem->X ? n * width : 0);
    s->C = lean ? NULL : rs_alloc_double(ctx, d * width);
    s->D = rs_alloc_double(ctx, c * width);
    s->rest = rs_alloc_double(ctx, c * d);
    RS_ALLOC_DOUBLES(ctx, d, &s->left, &s->base);
    s->pair_n = rs_alloc_double(ctx, problem->X ? 2 * n : 0);
    s->pair_d = rs_alloc_double(ctx, 2 * d);
    RS_ALLOC_DOUBLES(ctx, width, &s->coef, &s->shift);
    if (!s->feature || !s->closed || !s->R || !s->Q || (!lean && !s->C) ||
        !s->D || !s->rest || !s->left || !s->base || !s->pair_n ||
        !s->pair_d || !s->coef || !s->shift)
        return RS_NO_MEMORY;
    RS_TRY(init_accurate(ctx, s));
    if (exchange)
        RS_TRY(init_exchange(ctx, s));
    rs_subset_clear(s);
    return RS_OK;
}

void rs_subset_reopen(rs_subset *s)
{
    memcpy(s->closed, s->problem->barred, (size_t)s->problem->d);
    for (int l = 0; l < s->k; l++)
        s->closed[s->feature[l]] = 1;
}

void rs_subset_clear(rs_subset *s)
{
    const rs_lsq *p = s->problem;
    s->k = 0;
    s->explained = 0.0;
    s->updates = 0;
    s->untidy = 0;
    memcpy(s->closed, p->barred, (size_t)p->d);
    rs_copy((size_t)p->d * p->c, p->B, s->rest);
    rs_copy((size_t)p->d, p->base, s->base);
    for (int j = 0; j < p->d; j++)
        s->left[j] = p->square[j] + p->ridge;
}

rs_status rs_subset_assign(rs_subset *s, int count, const int *features)
{
    rs_subset_clear(s);
    for (int l = 0; l < count; l++) {
        if (s->closed[features[l]])
            continue;
        rs_status status = rs_subset_add(s, features[l]);
        if (status != RS_SINGULAR)
            RS_TRY(status);
    }
    return RS_OK;
}

rs_status rs_subset_take(rs_subset *s, int count, const int *features)
{
    int same = count == s->k;
    for (int l = 0; same && l < count; l++)
        same = features[l] == s->feature[l];
    return same ? RS_OK : rs_subset_assign(s, count, features);
}

int rs_position_among(int count, const int *features, int p)
{
    int at = 0;
    while (at < count && features[at] != p)
        at++;
    return at;
}

static int is_among(int count, const int *features, int p)
{
    return rs_position_among(count, features, p) < count;
}

rs_status rs_subset_change_to(rs_subset *s, int count, const int *features)
{
    for (int l = s->k - 1; l >= 0; l--)
        if (!is_among(count, features, s->feature[l]))
            RS_TRY(rs_subset_remove(s, l));
    for (int l = 0; l < count; l++) {
        if (is_among(s->k, s->feature, features[l]))
            continue;
        rs_status status = rs_subset_add(s, features[l]);
        if (status == RS_SINGULAR)
            return rs_subset_assign(s, count, features);
        RS_TRY(status);
    }
    return RS_OK;
}

int rs_same_features(int k, const int *a, const int *b)
{
    for (int i = 0; i < k; i++)
        if (!is_among(k, b, a[i]))
            return 0;
    return 1;
}
