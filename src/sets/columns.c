/* A cache of columns of the cross-products, from the data. */
#include "sets/columns.h"

/* columns kept beyond k: as many as these numbers have room for, within bounds
 */
#define RS_SPARE_NUMBERS ((size_t)1 << 20)
#define RS_SPARE_LEAST 32
#define RS_SPARE_MOST 128

static int spare_columns(int d)
{
    size_t spare = RS_SPARE_NUMBERS / (size_t)(d > 1 ? d : 1);
    if (spare < RS_SPARE_LEAST)
        return RS_SPARE_LEAST;
    return spare < RS_SPARE_MOST ? (int)spare : RS_SPARE_MOST;
}

rs_status rs_columns_init(rs_context *ctx, const rs_lsq *problem, int k,
                          rs_columns *cache)
{
    const size_t d = (size_t)problem->d;
    const int stored = problem->S == NULL;
    const int slots = k + spare_columns(problem->d);
    cache->d = problem->d;
    cache->slots = slots;
    cache->clock = 0;
    cache->columns = rs_alloc_double(ctx, stored ? d * slots : 0);
    cache->z = rs_alloc_double(ctx, stored ? (size_t)problem->n : 0);
    cache->owner = rs_alloc_int(ctx, (size_t)slots);
    cache->slot_of = rs_alloc_int(ctx, d);
    cache->stamp = (long *)rs_alloc(ctx, (size_t)slots, sizeof(long));
    RS_TRY(rs_allocated(ctx));
    for (int i = 0; i < slots; i++) {
        cache->owner[i] = -1;
        cache->stamp[i] = 0;
    }
    for (size_t j = 0; j < d; j++)
        cache->slot_of[j] = -1;
    return RS_OK;
}

/* the slot used longest ago whose owner is no member */
static int slot_to_free(const rs_columns *cache, const unsigned char *member)
{
    int oldest = -1;
    for (int i = 0; i < cache->slots; i++) {
        if (cache->owner[i] < 0)
            return i;
        if (!(member && member[cache->owner[i]]) &&
            (oldest < 0 || cache->stamp[i] < cache->stamp[oldest]))
            oldest = i;
    }
    return oldest;
}

rs_status rs_columns_get(rs_columns *cache, const rs_lsq *problem, int j,
                         const unsigned char *member, const double **at)
{
    if (problem->S) {
        *at = problem->S + (size_t)j * problem->d;
        return RS_OK;
    }
    int slot = cache->slot_of[j];
    if (slot < 0) {
        slot = slot_to_free(cache, member);
        if (cache->owner[slot] >= 0)
            cache->slot_of[cache->owner[slot]] = -1;
        cache->owner[slot] = -1;
        rs_lsq_column(problem, j, cache->z);
        RS_TRY(rs_data_crossprod(problem->X, 1, cache->z,
                                 cache->columns + (size_t)slot * cache->d));
        cache->owner[slot] = j;
        cache->slot_of[j] = slot;
    }
    cache->stamp[slot] = ++cache->clock;
    *at = cache->columns + (size_t)slot * cache->d;
    return RS_OK;
}
