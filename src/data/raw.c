#include "data/raw.h"

#include "la/linalg.h"

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

/* the same, centred */
static void centre_part(const rs_raw *X, int j, int first, int count,
                        double *z)
{
    const rs_centring *c = &X->centring;
    const double weight = X->weight ? X->weight[j] : 1.0;
    if (X->real && c->levels == 1) {
        const double *x = X->real + (size_t)j * X->n + first;
        const double mean = c->mean[j], fine = rs_level_fine(c, j, 0);
        for (int i = 0; i < count; i++)
            z[i] = ((x[i] - mean) - fine) * weight;
        return;
    }
    copy_part(X, j, first, count, z);
    rs_take_off(c, j, first, count, weight, z);
}

rs_status rs_raw_centre(rs_context *ctx, const rs_raw *X, double *Z)
{
    size_t since_poll = 0;
    for (int j = 0; j < X->d; j++) {
        centre_part(X, j, 0, X->n, Z + (size_t)j * X->n);
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
    const size_t step = (size_t)RS_GRAM_DEPTH * (size_t)rs_max_int(1, X->d);
    const size_t steps = RS_STRIPE_NUMBERS / step;
    const size_t rows = RS_GRAM_DEPTH * (steps > 1 ? steps : 1);
    return rows < (size_t)X->n ? (int)rows : X->n;
}

size_t rs_raw_gram_room(const rs_raw *X)
{
    return (size_t)stripe_rows(X) * X->d;
}

rs_status rs_raw_add_gram(rs_context *ctx, const rs_raw *X, double *room,
                          double *G)
{
    const int step = stripe_rows(X);
    for (int first = 0; first < X->n; first += step) {
        const int count = rs_min_int(step, X->n - first);
        for (int j = 0; j < X->d; j++)
            centre_part(X, j, first, count, room + (size_t)j * count);
        RS_TRY(rs_gram_add(ctx, count, X->d, room, count, G));
    }
    return RS_OK;
}
