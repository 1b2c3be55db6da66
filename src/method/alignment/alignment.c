#include "method/alignment/alignment.h"

#include <math.h>

#include "base/choose.h"
#include "base/topk.h"
#include "la/linalg.h"

/* ---- the greedy ------------------------------------------------------------ */

/* how far the selection has come, over all features or over some of them */
typedef struct {
    int d;
    const double *target, *second; /* d each */
    unsigned char *open;           /* usable and not taken */
    double *square;                /* ||x_j||^2 */
    double *overlap;               /* sum over i in J of (x_i'x_j)^2 */
    double *merit; /* the alignment with j as well; -INFINITY: closed */
    double inner;  /* <K_J, K_Y> */
    double norm;   /* ||K_J||_F^2 + ridge */
} state;

static rs_status state_room(rs_context *ctx, int d, state *s)
{
    s->d = d;
    s->open = (unsigned char *)rs_alloc(ctx, (size_t)d, 1);
    RS_ALLOC_DOUBLES(ctx, (size_t)d, &s->square, &s->overlap, &s->merit);
    return rs_allocated(ctx);
}

static rs_status find_squares(const rs_data *X, const double *S, state *s)
{
    for (size_t j = 0; S && j < (size_t)s->d; j++)
        s->square[j] = S[j + (size_t)s->d * j];
    return S ? RS_OK : rs_data_column_squares(X, s->square);
}

static rs_status state_init(rs_context *ctx, const rs_data *X, int d,
                            const rs_alignment_problem *problem, state *s)
{
    RS_TRY(state_room(ctx, d, s));
    s->target = problem->target;
    s->second = problem->second;
    s->inner = 0.0;
    s->norm = problem->ridge;
    for (int j = 0; j < d; j++)
        s->open[j] = problem->usable[j];
    rs_fill((size_t)d, 0.0, s->overlap);
    return find_squares(X, problem->S, s);
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
        s->merit[j] = s->open[j] ? alignment(s->inner + s->target[j],
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

static void take(state *s, int j, const double *products)
{
    s->inner += s->target[j];
    s->norm += growth(s, j);
    s->open[j] = 0;
    for (int i = 0; i < s->d; i++)
        s->overlap[i] += products[i] * products[i];
}

/* ---- products X'x_j ------------------------------------------------------- */

/*
 * Where products with several features are one pass over the data, the
 * features to come are predicted: the greedy goes on among a panel of the best
 * ones, whose cross-products are one pass, and another makes the products of
 * all features with those it took. They hold whether or not the prediction
 * does; a feature that was not predicted begins another panel.
 */
typedef struct {
    int most;         /* features whose products are held */
    int held;         /* of them now */
    int *feature;     /* most: whose */
    double *products; /* d x most */
    double *columns;  /* scratch */
    int size;         /* features of the panel, 0: no prediction */
    int *panel;
    double *gram, *room;     /* size x size */
    double *target, *second; /* of the panel */
    state within;
    double *merit, *work; /* d each */
} product_store;

/* numbers that the products of data that are read in passes may take, and the
 * Gram matrix of the panel; features of other data, where many products serve
 * no better than these and a wrong prediction costs them all */
#define RS_PRODUCTS_ROOM 5.0e7
#define RS_PANEL_ROOM 1.6e7
#define RS_PREDICTED 8

static int most_products(const rs_data *X, int k)
{
    return rs_data_is_read(X)
               ? (int)fmin(k, fmax(2.0, RS_PRODUCTS_ROOM / X->d))
               : rs_min_int(k, RS_PREDICTED);
}

/* of other data so many that the Gram matrix takes a quarter of the work of the
 * products */
static int panel_size(const rs_data *X, int most)
{
    const double room = rs_data_is_read(X)
                            ? RS_PANEL_ROOM
                            : fmin(RS_PANEL_ROOM, 0.25 * (double)most * X->d);
    return (int)fmin(X->d, sqrt(room) + 1.0);
}

static rs_status store_init(rs_context *ctx, const rs_data *X, int k,
                            product_store *store)
{
    store->held = store->size = 0;
    if (X == NULL)
        return RS_OK;
    store->most = 1;
    if (rs_data_shares_columns(X) && k > 1) {
        store->most = most_products(X, k);
        store->size = panel_size(X, store->most);
    }
    const size_t size = (size_t)store->size;
    store->columns = rs_alloc_double(ctx, rs_data_column_room(X));
    store->products = rs_alloc_double(ctx, (size_t)X->d * store->most);
    RS_ALLOC_DOUBLES(ctx, (size_t)X->d, &store->merit, &store->work);
    store->feature = rs_alloc_int(ctx, (size_t)store->most);
    store->panel = rs_alloc_int(ctx, size);
    RS_ALLOC_DOUBLES(ctx, size, &store->target, &store->second);
    store->gram = rs_alloc_double(ctx, size * size);
    store->room = rs_alloc_double(ctx, X->subset_room);
    return state_room(ctx, store->size, &store->within);
}

static int find(const product_store *store, int feature)
{
    for (int at = 0; at < store->held; at++)
        if (store->feature[at] == feature)
            return at;
    return -1;
}

/* the `forced` features that come next, then the best others that are open */
static int choose_panel(const state *s, const int *forced, int count,
                        product_store *store)
{
    double *merit = store->merit;
    rs_copy((size_t)s->d, s->merit, merit);
    for (int at = 0; at < count; at++) {
        store->panel[at] = forced[at];
        merit[forced[at]] = -INFINITY;
    }
    rs_topk_order(s->d, merit, store->size - count, store->panel + count,
                  store->work);
    while (count < store->size && merit[store->panel[count]] > -INFINITY)
        count++;
    return count;
}

/* the state of the `size` features of the panel */
static void enter_panel(const state *s, int size, product_store *store)
{
    state *within = &store->within;
    within->d = size;
    within->target = store->target;
    within->second = store->second;
    within->inner = s->inner;
    within->norm = s->norm;
    for (int at = 0; at < size; at++) {
        const int j = store->panel[at];
        store->target[at] = s->target[j];
        store->second[at] = s->second[j];
        within->open[at] = s->open[j];
        within->square[at] = s->square[j];
        within->overlap[at] = s->overlap[j];
    }
}

/* feature[0..held) <- those that the greedy takes from the panel, the forced
 * ones first */
static void predict(int forced, int steps, product_store *store)
{
    state *within = &store->within;
    for (store->held = 0; store->held < steps; store->held++) {
        weigh(within);
        const int at =
            store->held < forced
                ? store->held
                : rs_choose_best(within->d, within->merit, within->second);
        if (at < 0)
            break;
        take(within, at, store->gram + (size_t)within->d * at);
        store->feature[store->held] = store->panel[at];
    }
}

/* the features that come next are the `forced` ones, one at least; `steps`
 * are left */
static rs_status refill(const rs_data *X, const state *s, const int *forced,
                        int count, int steps, product_store *store)
{
    if (store->size > 1) {
        count = rs_min_int(count, store->size);
        const int size = choose_panel(s, forced, count, store);
        RS_TRY(rs_data_gram_subset(X, NULL, size, store->panel, store->room,
                                   store->gram));
        enter_panel(s, size, store);
        predict(count, rs_min_int(steps, store->most), store);
    } else {
        store->feature[0] = forced[0];
        store->held = 1;
    }
    return rs_data_column_products(X, store->held, store->feature,
                                   store->columns, store->products);
}

/* ---- the selection ---------------------------------------------------------- */

static int count_near_copies(const rs_alignment_problem *problem,
                             const state *s, int j, const double *products)
{
    int count = 0;
    for (int i = 0; i < s->d; i++)
        count += i != j && problem->usable[i] &&
                 fabs(products[i]) >=
                     RS_SUBSTITUTE * sqrt(s->square[i]) * sqrt(s->square[j]);
    return count;
}

/* of all features with j, which enters in this step */
static rs_status products_with(const rs_data *X,
                               const rs_alignment_problem *problem,
                               const state *s, int j, int step,
                               product_store *store, const double **products)
{
    if (problem->S) {
        *products = problem->S + (size_t)s->d * j;
        return RS_OK;
    }
    if (find(store, j) < 0) {
        const int given = problem->included - step;
        RS_TRY(refill(X, s, given > 0 ? problem->include + step : &j,
                      rs_max_int(given, 1), problem->k - step, store));
    }
    *products = store->products + (size_t)s->d * find(store, j);
    return RS_OK;
}

rs_status rs_alignment(rs_context *ctx, const rs_data *X, int d,
                       const rs_alignment_problem *problem,
                       rs_alignment_fit *fit)
{
    product_store store;
    state s;
    RS_TRY(state_init(ctx, X, d, problem, &s));
    RS_TRY(store_init(ctx, X, problem->k, &store));
    fit->objective[0] = 0.0;
    for (int step = 0; step < problem->k; step++) {
        const double *products;
        weigh(&s);
        int j = step < problem->included
                    ? problem->include[step]
                    : rs_choose_best(s.d, s.merit, s.second);
        if (j < 0)
            return RS_NOT_FINITE;
        RS_TRY(products_with(X, problem, &s, j, step, &store, &products));
        fit->margin[step] =
            step < problem->included ? 0.0 : margin_over_others(&s, j);
        fit->near_copies[step] = count_near_copies(problem, &s, j, products);
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
