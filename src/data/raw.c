#include "data/raw.h"

#include <math.h>

#include "la/linalg.h"

/* means this many deviations from zero are off by rounding errors that are
 * not small beside what is left of the column: it is centred twice */
#define RS_FAR 10.0
/* numbers of a loop over the data between two polls */
#define RS_NUMBERS_PER_POLL ((size_t)1 << 24)
/* numbers of the rows that are centred together, about 25 MB; such rows come
 * in multiples of the depth that products take at a time */
#define RS_STRIPE_NUMBERS ((size_t)3 << 20)

/* z = count rows of column j from row `first` on */
static void copy_part(const rs_raw *X, int j, int first, int count, double *z)
{
    const size_t from = (size_t)j * X->n + first;
    if (X->real) {
        rs_copy((size_t)count, X->real + from, z);
    } else {
        const int *value = X->whole + from;
        for (int i = 0; i < count; i++)
            z[i] = value[i];
    }
}

/* the same, centred once */
static void centre_part(const rs_raw *X, int j, int first, int count,
                        double *z)
{
    const rs_centring *c = &X->centring;
    const double weight = X->weight ? X->weight[j] : 1.0;
    if (X->real && c->levels == 1) {
        const double *x = X->real + (size_t)j * X->n + first;
        const double mean = c->mean[j];
        for (int i = 0; i < count; i++)
            z[i] = (x[i] - mean) * weight;
        return;
    }
    copy_part(X, j, first, count, z);
    rs_take_off(c, j, first, count, weight, z);
}

/* is the largest mean of any level of column j far from zero? */
static int is_far(const rs_raw *X, int j)
{
    const double *mean = rs_level_means(&X->centring, j);
    double largest = 0.0;
    if (X->deviation == NULL)
        return 0;
    for (int l = 0; l < X->centring.levels; l++)
        largest = fmax(largest, fabs(mean[l]));
    return largest > RS_FAR * X->deviation[j];
}

rs_status rs_raw_centre(rs_context *ctx, const rs_raw *X, double *Z)
{
    size_t since_poll = 0;
    for (int j = 0; j < X->d; j++) {
        double *z = Z + (size_t)j * X->n;
        centre_part(X, j, 0, X->n, z);
        if (is_far(X, j))
            rs_centre_again(&X->centring, X->n, z);
        since_poll += (size_t)X->n;
        if (since_poll > RS_NUMBERS_PER_POLL) {
            RS_TRY(rs_poll(ctx));
            since_poll = 0;
        }
    }
    return RS_OK;
}

/* ---- cross-products, a stripe of rows after another ---------------------- */

static int stripe_rows(const rs_raw *X)
{
    const size_t step = (size_t)RS_GRAM_DEPTH * X->d;
    const size_t steps = RS_STRIPE_NUMBERS / step;
    const size_t rows = RS_GRAM_DEPTH * (steps > 1 ? steps : 1);
    return rows < (size_t)X->n ? (int)rows : X->n;
}

/* the stripe, a column, and what is left of the mean of every column */
size_t rs_raw_gram_room(const rs_raw *X)
{
    return (size_t)stripe_rows(X) * X->d + (size_t)X->n +
           (size_t)rs_max_int(1, X->centring.levels) * X->d;
}

/* rest (L x d) = what the first centring of a far column left of the means of
 * its levels, 0 elsewhere; z: n */
static void find_rests(const rs_raw *X, double *z, double *rest)
{
    const rs_centring *c = &X->centring;
    rs_fill((size_t)c->levels * X->d, 0.0, rest);
    for (int j = 0; j < X->d; j++) {
        if (!is_far(X, j))
            continue;
        centre_part(X, j, 0, X->n, z);
        rs_level_rests(c, X->n, z, rest + (size_t)c->levels * j);
    }
}

/* Z (count x d) = rows from `first` on */
static void centre_stripe(const rs_raw *X, int first, int count,
                          const double *rest, double *Z)
{
    const rs_centring *c = &X->centring;
    for (int j = 0; j < X->d; j++) {
        double *z = Z + (size_t)j * count;
        const double *off = rest + (size_t)c->levels * j;
        centre_part(X, j, first, count, z);
        if (!is_far(X, j))
            continue;
        for (int i = 0; i < count; i++)
            z[i] -= off[rs_level_of(c, first + i)];
    }
}

rs_status rs_raw_add_gram(rs_context *ctx, const rs_raw *X, double *room,
                          double *G)
{
    const int step = stripe_rows(X);
    double *rest = room + (size_t)step * X->d, *column = rest;
    rest += X->n;
    find_rests(X, column, rest);
    for (int first = 0; first < X->n; first += step) {
        const int count = rs_min_int(step, X->n - first);
        centre_stripe(X, first, count, rest, room);
        RS_TRY(rs_gram_add(ctx, count, X->d, room, count, G));
    }
    return RS_OK;
}
