/* Features that are copies of each other, from the data. */
#include "sets/copies.h"

#include <stdlib.h>
#include <string.h>

#include "sets/accurate.h"

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

/* z mapped so that its first value is 0 and the first other one 1 */
static void canonical(size_t n, double *z)
{
    double origin = z[0], length = 0.0;
    for (size_t i = 0; i < n; i++) {
        z[i] -= origin;
        if (length == 0.0)
            length = z[i];
        if (length != 0.0)
            z[i] /= length;
    }
}

static unsigned long long key_of(size_t n, const double *z)
{
    unsigned long long key = 14695981039346656037ULL, bits;
    for (size_t i = 0; i < n; i++) {
        double value = z[i] + 0.0; /* one kind of zero */
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
    return rs_accurate_loading(pair, 1, 1) <= RS_COPY;
}

static int is_listed(int k, const int *list, int j)
{
    for (int i = 0; i < k; i++)
        if (list[i] == j)
            return 1;
    return 0;
}

rs_status rs_bar_copies(rs_context *ctx, const rs_lsq *problem, int k,
                        const int *keep, const unsigned char **barred, int *of)
{
    const size_t n = (size_t)problem->n, d = (size_t)problem->d;
    rs_accurate pair;
    *barred = problem->barred;
    for (size_t j = 0; j < d; j++)
        of[j] = -1;
    RS_TRY(rs_accurate_init(ctx, problem, 2, &pair));
    if (!pair.able || problem->ridge > 0.0)
        return RS_OK;
    unsigned char *mask = (unsigned char *)rs_alloc(ctx, d, 1);
    keyed *list = (keyed *)rs_alloc(ctx, d, sizeof *list);
    double *z = rs_alloc_double(ctx, n);
    RS_TRY(rs_allocated(ctx));
    memcpy(mask, problem->barred, d);
    for (size_t j = 0; j < d; j++) {
        rs_lsq_raw_column(problem, (int)j, z);
        canonical(n, z);
        list[j].key = key_of(n, z);
        list[j].feature = (int)j;
        if ((j & 255) == 0)
            RS_TRY(rs_poll(ctx));
    }
    qsort(list, d, sizeof *list, by_key);
    for (size_t from = 0, to; from < d; from = to) {
        int leader = -1;
        for (to = from; to < d && list[to].key == list[from].key; to++) {
            int j = list[to].feature, kept = is_listed(k, keep, j);
            if (kept || leader < 0 ||
                (!is_listed(k, keep, leader) &&
                 problem->deviation[j] > problem->deviation[leader]))
                leader = j;
        }
        for (size_t at = from; at < to; at++) {
            int j = list[at].feature;
            if (!mask[j] && j != leader && is_copy(&pair, leader, j)) {
                mask[j] = 1;
                of[j] = leader;
            }
        }
    }
    for (int i = 0; i < k; i++)
        mask[keep[i]] = problem->barred[keep[i]];
    *barred = mask;
    return RS_OK;
}
