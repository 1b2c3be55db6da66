#include "method/alignment/alignment.h"

#include <math.h>

#include "base/choose.h"
#include "base/topk.h"
#include "la/linalg.h"

/* ---- products X'x_j ------------------------------------------------------- */

/*
 * The product with the feature that is taken is made together with those of
 * the next best ones, as one pass over the data serves several columns. How
 * many follows from how many of the last ones were of use.
 */
typedef struct {
    int d;
    int width, used; /* columns of the last product; those asked for */
    int next_width;
    int feature[RS_ALIGNMENT_BLOCK];
    double *columns;  /* n x RS_ALIGNMENT_BLOCK */
    double *products; /* d x RS_ALIGNMENT_BLOCK */
    double *work;     /* d */
} product_store;

#define RS_FIRST_WIDTH 4
#define RS_MOST_WIDTH 16

static rs_status store_init(rs_context *ctx, const rs_data *X, int d,
                            product_store *store)
{
    store->d = d;
    store->width = store->used = 0;
    if (X == NULL)
        return RS_OK;
    store->next_width = RS_FIRST_WIDTH;
    store->columns = rs_alloc_double(ctx, (size_t)X->n * RS_MOST_WIDTH);
    store->products = rs_alloc_double(ctx, (size_t)X->d * RS_MOST_WIDTH);
    store->work = rs_alloc_double(ctx, (size_t)X->d);
    return rs_allocated(ctx);
}

static int find(const product_store *store, int feature)
{
    for (int at = 0; at < store->width; at++)
        if (store->feature[at] == feature)
            return at;
    return -1;
}

static void adapt_width(product_store *store)
{
    if (store->width == 0)
        return;
    store->next_width = 2 * store->used > store->width
                            ? rs_min_int(2 * store->width, RS_MOST_WIDTH)
                            : rs_max_int(store->width / 2, 1);
}

/* `feature`, and the best others by `merit` (-INFINITY: never) */
static rs_status refill(const rs_data *X, int feature, const double *merit,
                        product_store *store)
{
    int best[RS_MOST_WIDTH], count = 1;
    adapt_width(store);
    const int wanted =
        rs_data_shares_columns(X) ? rs_min_int(store->next_width, X->d) : 1;
    store->feature[0] = feature;
    if (wanted > 1)
        rs_topk_order(X->d, merit, wanted, best, store->work);
    for (int at = 0; wanted > 1 && at < wanted && count < wanted; at++)
        if (best[at] != feature && merit[best[at]] > -INFINITY)
            store->feature[count++] = best[at];
    store->width = count;
    store->used = 0;
    return rs_data_column_products(X, count, store->feature, store->columns,
                                   store->products);
}

static rs_status products_with(const rs_data *X, const double *S, int feature,
                               const double *merit, product_store *store,
                               const double **products)
{
    if (S) {
        *products = S + (size_t)store->d * feature;
        return RS_OK;
    }
    int at = find(store, feature);
    if (at < 0) {
        RS_TRY(refill(X, feature, merit, store));
        at = 0;
    }
    store->used++;
    *products = store->products + (size_t)X->d * at;
    return RS_OK;
}

/* ---- the greedy ------------------------------------------------------------ */

typedef struct {
    const rs_alignment_problem *problem;
    int d;
    unsigned char *open; /* usable and not taken */
    double *square;      /* ||x_j||^2 */
    double *overlap;     /* sum over i in J of (x_i'x_j)^2 */
    double *merit;       /* the alignment with j as well; -INFINITY: closed */
    double inner;        /* <K_J, K_Y> */
    double norm;         /* ||K_J||_F^2 + ridge */
} state;

static rs_status find_squares(const rs_data *X, state *s)
{
    const double *S = s->problem->S;
    for (size_t j = 0; S && j < (size_t)s->d; j++)
        s->square[j] = S[j + (size_t)s->d * j];
    return S ? RS_OK : rs_data_column_squares(X, s->square);
}

static rs_status state_init(rs_context *ctx, const rs_data *X, int features,
                            const rs_alignment_problem *problem, state *s)
{
    const size_t d = (size_t)features;
    *s = (state){.problem = problem, .d = features, .norm = problem->ridge};
    s->open = (unsigned char *)rs_alloc(ctx, d, 1);
    RS_ALLOC_DOUBLES(ctx, d, &s->square, &s->overlap, &s->merit);
    RS_TRY(rs_allocated(ctx));
    for (size_t j = 0; j < d; j++)
        s->open[j] = problem->usable[j];
    rs_fill(d, 0.0, s->overlap);
    return find_squares(X, s);
}

static double alignment(double inner, double norm)
{
    return norm > 0.0 ? inner / sqrt(norm) : 0.0;
}

/* what ||K_J||_F^2 grows by when j enters */
static double growth(const state *s, int j)
{
    return 2.0 * s->overlap[j] + s->square[j] * s->square[j];
}

static void weigh(state *s)
{
    for (int j = 0; j < s->d; j++)
        s->merit[j] = s->open[j] ? alignment(s->inner + s->problem->target[j],
                                             s->norm + growth(s, j))
                                 : -INFINITY;
}

/* how far the best of the others is behind j */
static double margin_over_others(const state *s, int j)
{
    double others = -INFINITY;
    for (int i = 0; i < s->d; i++)
        if (i != j)
            others = fmax(others, s->merit[i]);
    return others > -INFINITY ? s->merit[j] - others : 0.0;
}

static int count_near_copies(const state *s, int j, const double *products)
{
    int count = 0;
    for (int i = 0; i < s->d; i++)
        count += i != j && s->problem->usable[i] &&
                 fabs(products[i]) >=
                     RS_SUBSTITUTE * sqrt(s->square[i]) * sqrt(s->square[j]);
    return count;
}

static void take(state *s, int j, const double *products)
{
    s->inner += s->problem->target[j];
    s->norm += growth(s, j);
    s->open[j] = 0;
    for (int i = 0; i < s->d; i++)
        s->overlap[i] += products[i] * products[i];
}

rs_status rs_alignment(rs_context *ctx, const rs_data *X, int d,
                       const rs_alignment_problem *problem,
                       rs_alignment_fit *fit)
{
    product_store store;
    state s;
    RS_TRY(state_init(ctx, X, d, problem, &s));
    RS_TRY(store_init(ctx, X, d, &store));
    fit->objective[0] = 0.0;
    for (int step = 0; step < problem->k; step++) {
        const double *products;
        weigh(&s);
        int j = step < problem->included
                    ? problem->include[step]
                    : rs_choose_best(s.d, s.merit, problem->second);
        if (j < 0)
            return RS_NOT_FINITE;
        RS_TRY(products_with(X, problem->S, j, s.merit, &store, &products));
        fit->margin[step] =
            step < problem->included ? 0.0 : margin_over_others(&s, j);
        fit->near_copies[step] = count_near_copies(&s, j, products);
        take(&s, j, products);
        fit->order[step] = j;
        fit->objective[step + 1] = alignment(s.inner, s.norm);
        RS_TRY(rs_poll(ctx));
    }
    weigh(&s);
    for (int j = 0; j < s.d; j++)
        fit->next[j] = s.open[j] ? s.merit[j] : 0.0;
    return RS_OK;
}
