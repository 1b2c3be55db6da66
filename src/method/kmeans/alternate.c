#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"
#include "solve/lloyd.h"
#include "method/kmeans/alternate.h"

/* rounds at a size above k, and rounds of Lloyd through products */
#define RS_ALTERNATE_ROUNDS 5
#define RS_PRODUCT_ROUNDS 30
#define RS_LLOYD_ROUNDS 100

struct rs_alternate_ws {
    rs_data *X;
    int clusters, k, maxit;
    rs_lloyd_ws lloyd;
    double *G;         /* n x clusters: indicator; then scores */
    double *M;         /* d x clusters: Z'G; then centres */
    double *halves;    /* clusters: ||m_j||^2 / 2 */
    int *sizes;        /* clusters */
    double *order;     /* d: room for a partial sort */
    const double *tie; /* d: the features' order among equals */
    rs_choose_ws choose;
    int *set;            /* d: the features of the present k-means */
    unsigned char *keep; /* d: the same as a mask */
    unsigned char *next; /* d */
};

static rs_status init_products(rs_context *ctx, rs_alternate_ws *ws)
{
    ws->G = rs_alloc_double(ctx, (size_t)ws->X->n * ws->clusters);
    ws->M = rs_alloc_double(ctx, (size_t)ws->X->d * ws->clusters);
    ws->halves = rs_alloc_double(ctx, (size_t)ws->clusters);
    ws->sizes = rs_alloc_int(ctx, (size_t)ws->clusters);
    return rs_allocated(ctx);
}

rs_status rs_alternate_init(rs_context *ctx, rs_data *X, int clusters, int k,
                            int maxit, double room, const double *tie,
                            const unsigned char *first, rs_alternate_ws **out)
{
    const size_t d = (size_t)X->d;
    rs_alternate_ws *ws = (rs_alternate_ws *)rs_alloc(ctx, 1, sizeof *ws);
    RS_TRY_ALLOC(ws);
    ws->X = X;
    ws->clusters = clusters;
    ws->k = k;
    ws->maxit = maxit;
    ws->order = rs_alloc_double(ctx, d);
    ws->set = rs_alloc_int(ctx, d);
    RS_ALLOC_BYTES(ctx, d, &ws->keep, &ws->next);
    RS_TRY(rs_allocated(ctx));
    ws->tie = tie;
    RS_TRY(rs_choose_init(ctx, d, &ws->choose));
    RS_TRY(rs_choose_first(ctx, d, first, &ws->choose));
    RS_TRY(init_products(ctx, ws));
    double fitting = room / X->n;
    int columns = fitting < X->d ? (int)fitting : X->d;
    RS_TRY(rs_lloyd_init(ctx, X->n, columns > k ? columns : k, clusters,
                         &ws->lloyd));
    *out = ws;
    return RS_OK;
}

/* ---- the G step: k-means on the present set ----------------------------- */

/* G = indicator of the labels, columns scaled to unit length */
static void normalised_indicator(int n, int clusters, const int *labels,
                                 int *sizes, double *G)
{
    for (int j = 0; j < clusters; j++)
        sizes[j] = 0;
    for (int i = 0; i < n; i++)
        sizes[labels[i]]++;
    rs_fill((size_t)n * clusters, 0.0, G);
    for (int i = 0; i < n; i++)
        G[i + (size_t)labels[i] * n] = 1.0 / sqrt((double)sizes[labels[i]]);
}

/* from M = Z'G: the centres on the set, zero elsewhere, and ||m_j||^2 / 2 */
static void centres_on_set(rs_alternate_ws *ws)
{
    const int d = ws->X->d;
    for (int j = 0; j < ws->clusters; j++) {
        double *m = ws->M + (size_t)j * d;
        double scale =
            ws->sizes[j] > 0 ? 1.0 / sqrt((double)ws->sizes[j]) : 0.0;
        for (int i = 0; i < d; i++)
            m[i] = ws->keep[i] ? m[i] * scale : 0.0;
        ws->halves[j] = 0.5 * rs_sum_squares((size_t)d, m);
    }
}

/* labels[i] = argmax_j z_i'm_j - ||m_j||^2 / 2 over clusters with members */
static rs_status assign_by_products(int *labels, int *moved,
                                    rs_alternate_ws *ws)
{
    const int n = ws->X->n;
    RS_TRY(rs_data_times(ws->X, ws->clusters, ws->M, ws->G));
    *moved = 0;
    for (int i = 0; i < n; i++) {
        int best = -1;
        double top = -INFINITY;
        for (int j = 0; j < ws->clusters; j++) {
            double value = ws->G[i + (size_t)j * n] - ws->halves[j];
            if (ws->sizes[j] > 0 && value > top) {
                top = value;
                best = j;
            }
        }
        if (best < 0) /* no product is a number */
            return RS_NOT_FINITE;
        *moved += best != labels[i];
        labels[i] = best;
    }
    return RS_OK;
}

/* Lloyd's iteration on the set through products with Z */
static rs_status kmeans_by_products(int *labels, rs_alternate_ws *ws)
{
    int moved = 1;
    for (int it = 0; it < RS_PRODUCT_ROUNDS && moved > 0; it++) {
        normalised_indicator(ws->X->n, ws->clusters, labels, ws->sizes, ws->G);
        RS_TRY(rs_data_crossprod(ws->X, ws->clusters, ws->G, ws->M));
        centres_on_set(ws);
        RS_TRY(assign_by_products(labels, &moved, ws));
    }
    return RS_OK;
}

/* the samples `rows` as first centres */
static rs_status seed_by_products(const int *rows, int *labels,
                                  rs_alternate_ws *ws)
{
    const int n = ws->X->n;
    int moved;
    rs_fill((size_t)n * ws->clusters, 0.0, ws->G);
    for (int j = 0; j < ws->clusters; j++) {
        ws->G[rows[j] + (size_t)j * n] = 1.0;
        ws->sizes[j] = 1;
    }
    RS_TRY(rs_data_crossprod(ws->X, ws->clusters, ws->G, ws->M));
    centres_on_set(ws);
    return assign_by_products(labels, &moved, ws);
}

/* improve the labels on the set; rows != NULL: start from those samples */
static rs_status update_G(int size, const int *rows, int *labels,
                          rs_alternate_ws *ws)
{
    if (size > ws->lloyd.capacity) {
        if (rows)
            RS_TRY(seed_by_products(rows, labels, ws));
        return kmeans_by_products(labels, ws);
    }
    rs_lloyd_load(ws->X, size, ws->set, &ws->lloyd);
    if (rows)
        RS_TRY(rs_lloyd_seed(rows, labels, &ws->lloyd));
    rs_status status = rs_lloyd_run(RS_LLOYD_ROUNDS, labels, &ws->lloyd);
    return rs_is_usable(status) ? RS_OK : status;
}

/* ---- the S step: features of largest between-cluster squares ------------ */

/* between[i] = ||Z_i'G||^2 */
static rs_status between_squares(const rs_data *X, int clusters,
                                 const int *labels, int *sizes, double *G,
                                 double *M, double *between)
{
    normalised_indicator(X->n, clusters, labels, sizes, G);
    RS_TRY(rs_data_crossprod(X, clusters, G, M));
    rs_fill((size_t)X->d, 0.0, between);
    for (int j = 0; j < clusters; j++) {
        const double *m = M + (size_t)j * X->d;
        for (int i = 0; i < X->d; i++)
            between[i] += m[i] * m[i];
    }
    return RS_OK;
}

rs_status rs_between_squares(rs_context *ctx, const rs_data *X, int clusters,
                             const int *labels, double *between)
{
    double *G = rs_alloc_double(ctx, (size_t)X->n * clusters);
    double *M = rs_alloc_double(ctx, (size_t)X->d * clusters);
    int *sizes = rs_alloc_int(ctx, (size_t)clusters);
    RS_TRY(rs_allocated(ctx));
    return between_squares(X, clusters, labels, sizes, G, M, between);
}

static void take_features(const unsigned char *keep, rs_alternate_ws *ws)
{
    int count = 0;
    memcpy(ws->keep, keep, (size_t)ws->X->d);
    for (int i = 0; i < ws->X->d; i++)
        if (keep[i])
            ws->set[count++] = i;
}

/* the `size` features of largest between-cluster squares; *changed is 1 if
 * they are new */
static rs_status update_S(int size, const double *between, int *changed,
                          rs_alternate_ws *ws)
{
    const size_t d = (size_t)ws->X->d;
    RS_TRY(rs_choose_mask(d, between, ws->tie, d, (size_t)size, ws->next,
                          &ws->choose));
    *changed = memcmp(ws->next, ws->keep, d) != 0;
    if (*changed)
        take_features(ws->next, ws);
    return RS_OK;
}

/* -(7) for the present set */
static double objective(const double *between, const rs_alternate_ws *ws)
{
    double sum = 0.0;
    for (int i = 0; i < ws->X->d; i++)
        if (ws->keep[i])
            sum += between[i];
    return -sum;
}

/* ---- one start ---------------------------------------------------------- */

/*
 * Alternate the two steps on `size` features until the set stays, at most
 * `rounds` times. On k features the objective is recorded: it never rises.
 */
static rs_status alternate_at(int size, int rounds, const int *rows,
                              rs_alternate_fit *fit, rs_alternate_ws *ws)
{
    int changed;
    for (int it = 0; it < rounds; it++) {
        RS_TRY(update_G(size, it == 0 ? rows : NULL, fit->labels, ws));
        RS_TRY(between_squares(ws->X, ws->clusters, fit->labels, ws->sizes,
                               ws->G, ws->M, fit->between));
        RS_TRY(update_S(size, fit->between, &changed, ws));
        if (size == ws->k)
            rs_history_add(&fit->history, objective(fit->between, ws));
        if (!changed)
            return RS_OK;
    }
    return RS_MAXIT;
}

/* the features of the start; no sample has a label yet */
static void first_set(const rs_alternate_start *start, int *labels,
                      rs_alternate_ws *ws)
{
    memset(ws->next, 0, (size_t)ws->X->d);
    for (int i = 0; i < start->size; i++)
        ws->next[start->features[i]] = 1;
    take_features(ws->next, ws);
    for (int i = 0; i < ws->X->n; i++)
        labels[i] = -1;
}

/* half of the features while there are many, then three quarters */
static int smaller_size(int size, int k)
{
    int next = size > 8 * k ? size / 2 : (3 * size + 3) / 4;
    if (next == size)
        next--;
    return next > k ? next : k;
}

/*
 * The number of features shrinks from that of the start to k, each size
 * continuing with the clustering of the one before. Going straight to k would
 * keep almost any set, as a clustering made from k features alone favours
 * them.
 */
rs_status rs_alternate(const rs_alternate_start *start, rs_alternate_fit *fit,
                       rs_alternate_ws *ws)
{
    const int k = ws->k;
    const int *rows = start->rows;
    int changed;
    first_set(start, fit->labels, ws);
    for (int size = start->size; size > k;) {
        rs_status status =
            alternate_at(size, RS_ALTERNATE_ROUNDS, rows, fit, ws);
        if (!rs_is_usable(status))
            return status;
        rows = NULL;
        size = smaller_size(size, k);
        RS_TRY(update_S(size, fit->between, &changed, ws));
    }
    rs_status status = alternate_at(k, ws->maxit, rows, fit, ws);
    if (rs_is_usable(status) && ws->choose.first)
        memcpy(fit->selected, ws->set, (size_t)k * sizeof(int));
    else if (rs_is_usable(status))
        rs_topk_order(ws->X->d, fit->between, k, fit->selected, ws->order);
    return status;
}
