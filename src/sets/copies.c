/* Features that are copies of each other, from the data. */
#include "sets/accurate.h"

#include <stdlib.h>
#include <string.h>

/* residual of a unit column that only an exact image leaves */
#define RS_COPY 1e-26

typedef struct {
    unsigned long long key;
    int feature;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = (const keyed *)a, *y = (const keyed *)b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->feature - y->feature;
}

/* of z mapped so that its first value is 0 and the first other one 1 */
static unsigned long long key_of(size_t n, const double *z)
{
    unsigned long long key = 14695981039346656037ULL, bits;
    double length = 0.0;
    for (size_t i = 0; i < n; i++) {
        double value = z[i] - z[0];
        if (length == 0.0)
            length = value;
        if (length != 0.0)
            value /= length;
        value += 0.0; /* one kind of zero */
        memcpy(&bits, &value, sizeof bits);
        key = (key ^ bits) * 1099511628211ULL;
        key ^= key >> 29;
    }
    return key;
}

/* is feature `other` an exact affine image of `leader`? */
static int is_copy(rs_accurate *pair, int leader, int other)
{
    const int both[2] = {leader, other};
    rs_accurate_explained(pair, 1, both);
    rs_accurate_explained(pair, 2, both);
    return rs_accurate_entry(pair, 1, 1)->high <= RS_COPY;
}

rs_status rs_bar_copies(rs_context *ctx, const rs_lsq *problem, int k,
                        const int *keep, const unsigned char **barred, int *of)
{
    const size_t n = (size_t)problem->n, d = (size_t)problem->d;
    unsigned char *mask, *kept;
    rs_accurate pair;
    *barred = problem->barred;
    memset(of, -1, d * sizeof *of);
    RS_TRY(rs_accurate_init(ctx, problem, 2, &pair));
    if (!pair.able || problem->ridge > 0.0)
        return RS_OK;
    RS_ALLOC_BYTES(ctx, d, &mask, &kept);
    keyed *list = (keyed *)rs_alloc(ctx, d, sizeof *list);
    double *z = rs_alloc_double(ctx, n);
    RS_TRY(rs_allocated(ctx));
    memcpy(mask, problem->barred, d);
    memset(kept, 0, d);
    for (int i = 0; i < k; i++)
        kept[keep[i]] = 1;
    for (int j = 0; j < problem->d; j++) {
        rs_lsq_raw_column(problem, j, z);
        list[j] = (keyed){key_of(n, z), j};
        if ((j & 255) == 0)
            RS_TRY(rs_poll(ctx));
    }
    qsort(list, d, sizeof *list, by_key);
    for (size_t from = 0, to; from < d; from = to) {
        int leader = list[from].feature;
        for (to = from; to < d && list[to].key == list[from].key; to++) {
            const int j = list[to].feature;
            if (kept[j] || (!kept[leader] && problem->deviation[j] >
                                                 problem->deviation[leader]))
                leader = j;
        }
        for (size_t at = from; at < to; at++) {
            const int j = list[at].feature;
            if (!mask[j] && j != leader && is_copy(&pair, leader, j)) {
                mask[j] = !kept[j];
                of[j] = leader;
            }
        }
    }
    *barred = mask;
    return RS_OK;
}
