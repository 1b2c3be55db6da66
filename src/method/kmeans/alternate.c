#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"
#include "method/kmeans/kmeans.h"
#include "solve/lloyd.h"

/* rounds at a size above k, and rounds of Lloyd through products */
#define RS_ALTERNATE_ROUNDS 5
#define RS_PRODUCT_ROUNDS 30

typedef struct {
    const rs_alternate_problem *p;
    rs_alternate_fit *fit;
    rs_data *X;
    int clusters;
    rs_lloyd_ws lloyd;
    double *G;      /* n x clusters: indicator; then scores */
    double *M;      /* d x clusters: Z'G; then centres */
    double *halves; /* clusters: ||m_j||^2 / 2 */
    int *sizes;     /* clusters */
    rs_choose_ws choose;
    int *set; /* d: the features of the present k-means */
    unsigned char *keep,
        *next; /* d: the same as a mask, and the set after it */
} alternate_state;

/* ---- the G step: k-means on the present set ----------------------------- */

/* G = indicator of the labels, columns scaled to unit length */
static void normalised_indicator(alternate_state *s)
{
    const int n = s->X->n, *labels = s->fit->labels;
    memset(s->sizes, 0, (size_t)s->clusters * sizeof(int));
    for (int i = 0; i < n; i++)
        s->sizes[labels[i]]++;
    rs_fill((size_t)n * s->clusters, 0.0, s->G);
    for (int i = 0; i < n; i++)
        s->G[i + (size_t)labels[i] * n] =
            1.0 / sqrt((double)s->sizes[labels[i]]);
}

/* from M = Z'G: the centres on the set, zero elsewhere, and ||m_j||^2 / 2 */
static void centres_on_set(alternate_state *s)
{
    const int d = s->X->d;
    for (int j = 0; j < s->clusters; j++) {
        double *m = s->M + (size_t)j * d;
        double scale = s->sizes[j] > 0 ? 1.0 / sqrt((double)s->sizes[j]) : 0.0;
        for (int i = 0; i < d; i++)
            m[i] = s->keep[i] ? m[i] * scale : 0.0;
        s->halves[j] = 0.5 * rs_sum_squares((size_t)d, m);
    }
}

/* labels[i] = argmax_j z_i'm_j - ||m_j||^2 / 2 over clusters with members, the
 * centres m_j being those of G */
static rs_status assign_by_products(int *moved, alternate_state *s)
{
    const int n = s->X->n;
    RS_TRY(rs_data_crossprod(s->X, s->clusters, s->G, s->M));
    centres_on_set(s);
    RS_TRY(rs_data_times(s->X, s->clusters, s->M, s->G));
    *moved = 0;
    for (int i = 0; i < n; i++) {
        int best = -1;
        double top = -INFINITY;
        for (int j = 0; j < s->clusters; j++) {
            double value = s->G[i + (size_t)j * n] - s->halves[j];
            if (s->sizes[j] > 0 && value > top) {
                top = value;
                best = j;
            }
        }
        if (best < 0) /* no product is a number */
            return RS_NOT_FINITE;
        *moved += best != s->fit->labels[i];
        s->fit->labels[i] = best;
    }
    return RS_OK;
}

/* Lloyd's iteration on the set through products with Z; rows != NULL: from
 * those samples as centres */
static rs_status kmeans_by_products(const int *rows, alternate_state *s)
{
    int moved = 1;
    if (rows) {
        rs_fill((size_t)s->X->n * s->clusters, 0.0, s->G);
        for (int j = 0; j < s->clusters; j++) {
            s->G[rows[j] + (size_t)j * s->X->n] = 1.0;
            s->sizes[j] = 1;
        }
        RS_TRY(assign_by_products(&moved, s));
        moved = 1;
    }
    for (int it = 0; it < RS_PRODUCT_ROUNDS && moved > 0; it++) {
        normalised_indicator(s);
        RS_TRY(assign_by_products(&moved, s));
    }
    return RS_OK;
}

/* improve the labels on the set; rows != NULL: start from those samples */
static rs_status update_G(int size, const int *rows, alternate_state *s)
{
    if (size > s->lloyd.capacity)
        return kmeans_by_products(rows, s);
    rs_lloyd_load(s->X, size, s->set, &s->lloyd);
    if (rows)
        RS_TRY(rs_lloyd_seed(rows, s->fit->labels, &s->lloyd));
    rs_status status = rs_lloyd_run(s->p->rounds, s->fit->labels, &s->lloyd);
    return rs_is_usable(status) ? RS_OK : status;
}

/* ---- the S step: features of largest between-cluster squares ------------ */

static void take_features(alternate_state *s)
{
    int count = 0;
    memcpy(s->keep, s->next, (size_t)s->X->d);
    for (int i = 0; i < s->X->d; i++)
        if (s->keep[i])
            s->set[count++] = i;
}

/* the `size` features of largest between-cluster squares; *changed is 1 if
 * they are new */
static rs_status update_S(int size, int *changed, alternate_state *s)
{
    const size_t d = (size_t)s->X->d;
    RS_TRY(rs_choose_mask(d, s->fit->between, s->p->tie, d, (size_t)size,
                          s->next, &s->choose));
    *changed = memcmp(s->next, s->keep, d) != 0;
    if (*changed)
        take_features(s);
    return RS_OK;
}

/* ---- one start ---------------------------------------------------------- */

/*
 * Alternate the two steps on `size` features until the set stays, at most
 * `rounds` times. On k features the objective, -(7), is recorded: it never rises.
 */
static rs_status alternate_at(int size, int rounds, const int *rows,
                              alternate_state *s)
{
    int changed;
    for (int it = 0; it < rounds; it++) {
        double value = 0.0;
        RS_TRY(update_G(size, it == 0 ? rows : NULL, s));
        normalised_indicator(s);
        RS_TRY(
            rs_data_product_squares(s->X, s->clusters, s->G, s->fit->between));
        RS_TRY(update_S(size, &changed, s));
        for (int i = 0; i < size; i++)
            value -= s->fit->between[s->set[i]];
        if (size == s->p->k)
            rs_history_add(&s->fit->history, value);
        if (!changed)
            return RS_OK;
    }
    return RS_MAXIT;
}

/* half of the features while there are many, then three quarters */
static int smaller_size(int size, int k)
{
    int next = size > 8 * k ? size / 2 : (3 * size + 3) / 4;
    if (next == size)
        next--;
    return next > k ? next : k;
}

/* the features of the start; no sample has a label yet */
static rs_status begin(rs_context *ctx, const rs_alternate_problem *p,
                       rs_alternate_fit *fit, alternate_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d;
    const int columns = (int)fmin(p->room / (double)n, (double)d);
    *s = (alternate_state){
        .p = p, .fit = fit, .X = p->X, .clusters = p->clusters};
    s->G = rs_alloc_double(ctx, n * s->clusters);
    s->M = rs_alloc_double(ctx, d * s->clusters);
    s->halves = rs_alloc_double(ctx, (size_t)s->clusters);
    s->sizes = rs_alloc_int(ctx, (size_t)s->clusters);
    s->set = rs_alloc_int(ctx, d);
    RS_ALLOC_BYTES(ctx, d, &s->keep, &s->next);
    RS_TRY(rs_allocated(ctx));
    memset(s->next, 0, d);
    for (int i = 0; i < p->size; i++)
        s->next[p->features[i]] = 1;
    take_features(s);
    memset(fit->labels, -1, n * sizeof *fit->labels);
    rs_fill(d, 0.0, fit->between);
    RS_TRY(rs_history_init(ctx, p->maxit, &fit->history));
    RS_TRY(rs_choose_init(ctx, d, &s->choose));
    RS_TRY(rs_choose_first(ctx, d, p->first, &s->choose));
    return rs_lloyd_init(ctx, p->X->n, rs_max_int(columns, p->k), s->clusters,
                         &s->lloyd);
}

/*
 * The number of features shrinks from that of the start to k, each size
 * continuing with the clustering of the one before. Going straight to k would
 * keep almost any set, as a clustering made from k features alone favours
 * them.
 */
rs_status rs_alternate(rs_context *ctx, const rs_alternate_problem *p,
                       rs_alternate_fit *fit)
{
    alternate_state s;
    const int *rows = p->rows;
    int changed;
    RS_TRY(begin(ctx, p, fit, &s));
    for (int size = p->size; size > p->k;) {
        rs_status status = alternate_at(size, RS_ALTERNATE_ROUNDS, rows, &s);
        if (!rs_is_usable(status))
            return status;
        rows = NULL;
        size = smaller_size(size, p->k);
        RS_TRY(update_S(size, &changed, &s));
    }
    rs_status status = alternate_at(p->k, p->maxit, rows, &s);
    memcpy(fit->selected, s.set, (size_t)p->k * sizeof(int));
    return status;
}
