/*
 * glue/graph.c: neighbours, graphs and embeddings of the samples.
 *
 * In R a list of neighbours has the elements n, k, ties, start (numbers from
 * 0, n + 1 of them), index (from 1), distance, largest and mean; a graph n,
 * start, index and weight.
 */
#include <string.h>

#include "graph/graph.h"
#include "glue/entries.h"
#include "glue/glue.h"

static const char *const metrics[] = {"euclidean", "cosine", NULL};
static const char *const weight_names[] = {"binary", "heat", "self_tuning",
                                           "can", NULL};
static const char *const laplacians[] = {"symmetric", "unnormalized", NULL};

/* ---- compressed rows to and from R ------------------------------------------- */

static void add_rows(r_result *out, int n, const size_t *start,
                     const int *index)
{
    double *to = r_add_vector(out, "start", (R_xlen_t)n + 1);
    for (int i = 0; i <= n; i++)
        to[i] = (double)start[i];
    r_add_indices(out, "index", start[n], index);
}

static void refuse_rows(int sound)
{
    r_expect(sound, "graph");
}

size_t *r_rows(SEXP list, int n, int loops, int **index, rs_context *ctx)
{
    SEXP start_ = r_required(list, "start"),
         index_ = r_required(list, "index");
    refuse_rows(TYPEOF(start_) == REALSXP && TYPEOF(index_) == INTSXP &&
                Rf_xlength(start_) == (R_xlen_t)n + 1);
    const double *from = REAL_RO(start_);
    size_t *start = r_need(rs_alloc(ctx, (size_t)n + 1, sizeof(size_t)));
    refuse_rows(from[0] == 0.0 && from[n] == (double)Rf_xlength(index_));
    for (int i = 0; i <= n; i++) {
        refuse_rows(i == 0 || from[i] >= from[i - 1]);
        start[i] = (size_t)from[i];
    }
    *index = r_zero_based(index_, n, ctx);
    for (int i = 0; i < n && !loops; i++)
        for (size_t a = start[i]; a < start[i + 1]; a++)
            refuse_rows((*index)[a] != i);
    return start;
}

static double *read_numbers(SEXP list, const char *name, size_t count,
                            rs_context *ctx)
{
    const double *from = r_doubles(list, name);
    refuse_rows((size_t)Rf_xlength(r_element(list, name)) == count);
    double *to = r_room(ctx, count);
    for (size_t a = 0; a < count; a++) {
        refuse_rows(from[a] >= 0.0);
        to[a] = from[a];
    }
    return to;
}

rs_neighbours r_neighbours(SEXP list, rs_context *ctx)
{
    rs_neighbours near;
    near.n = r_integer(list, "n");
    near.k = r_integer(list, "k");
    near.ties = r_integer(list, "ties");
    near.largest = r_number(list, "largest");
    near.mean = r_number(list, "mean");
    refuse_rows(near.n >= 1 && near.k >= 1);
    near.start = r_rows(list, near.n, 0, &near.index, ctx);
    for (int i = 0; i < near.n; i++)
        refuse_rows(near.start[i + 1] - near.start[i] >= (size_t)near.k);
    near.distance = read_numbers(list, "distance", near.start[near.n], ctx);
    return near;
}

/* a graph as a list, as read_graph() reads it */
static SEXP graph_list(const rs_graph *graph)
{
    r_result out = r_open();
    r_add_integer(&out, "n", graph->n);
    add_rows(&out, graph->n, graph->start, graph->index);
    r_add_doubles(&out, "weight", graph->start[graph->n], graph->weight);
    return r_close(&out);
}

/* the list that C_graph() returns, checked */
static rs_graph read_graph(SEXP list, rs_context *ctx)
{
    rs_graph graph;
    graph.n = r_integer(list, "n");
    refuse_rows(graph.n >= 1);
    graph.start = r_rows(list, graph.n, 0, &graph.index, ctx);
    graph.weight = read_numbers(list, "weight", graph.start[graph.n], ctx);
    return graph;
}

/* blocks are read for each of these products */
int r_neighbours_block(SEXP data, int joined)
{
    const int n = r_integer(data, "n"), d = r_integer(data, "d");
    if (r_is(data, "kind", "blocks"))
        return rs_neighbours_wide_block(n, d, joined);
    return r_is(data, "kind", "sparse")
               ? rs_neighbours_wide_block(n, d, rs_min_int(256, n / 16))
               : rs_neighbours_block(n, d);
}

/* ---- neighbours ------------------------------------------------------------------ */

static void add_neighbours(r_result *out, const rs_neighbours *f)
{
    R_ADD_INTEGERS(out, f->n, f->k, f->ties);
    add_rows(out, f->n, f->start, f->index);
    r_add_doubles(out, "distance", f->start[f->n], f->distance);
    R_ADD_NUMBERS(out, f->largest, f->mean);
}

/* k, ties, metric: words; a list for each metric. landmarks: NULL, or ascending rows
 * that the lists are of, beside `nearest` and `apart` (n x k): which landmarks are
 * nearest to every sample, and how far */
SEXP C_neighbours(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    SEXP words = r_required(settings, "metric");
    SEXP rows = r_element(settings, "landmarks");
    const int count = (int)Rf_xlength(words), n = r_integer(data, "n");
    const int k = r_integer(settings, "k"), some = rows != R_NilValue;
    rs_metric *metric = r_need(rs_alloc(&ctx, (size_t)count, sizeof *metric));
    rs_neighbours *found =
        r_need(rs_alloc(&ctx, (size_t)count, sizeof *found));
    rs_nearest_landmarks *nearest =
        r_need(rs_alloc(&ctx, (size_t)count, sizeof *nearest));
    for (int a = 0; a < count; a++)
        metric[a] = (rs_metric)r_word_choice(words, a, metrics);
    const int joined = some ? (int)Rf_xlength(rows) : n;
    rs_data *X = r_data(data, r_neighbours_block(data, joined), &ctx);
    r_check_status(
        some ? rs_landmarks_find(X, joined, r_zero_based(rows, n, &ctx), k,
                                 count, metric, found, nearest)
             : rs_neighbours_find(&ctx, X, k, r_integer(settings, "ties"),
                                  count, metric, found),
        "neighbours");
    r_result out = r_open();
    for (int a = 0; a < count; a++) {
        r_result one = r_open();
        add_neighbours(&one, found + a);
        if (some) {
            int *index = r_add_integer_matrix(&one, "nearest", n, k);
            memcpy(index, nearest[a].index, (size_t)n * k * sizeof *index);
            r_to_one_based((size_t)n * k, index);
            r_add_values(&one, "apart", n, k, nearest[a].distance);
        }
        r_add(&out, metrics[metric[a]], r_close(&one));
    }
    return r_close(&out);
}

/* ---- graphs ---------------------------------------------------------------------- */

/* settings: weights, neighbours, mutual, t (0: the mean distance) */
SEXP C_graph(SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_graph_settings set = {
        (rs_graph_weights)r_choice(settings, "weights", weight_names),
        r_integer(settings, "neighbours"), r_integer(settings, "mutual"),
        r_number(settings, "t")};
    rs_graph graph;
    r_check_status(rs_graph_build(&ctx, &near, &set, &graph), "graph");
    return graph_list(&graph);
}

/* settings: neighbours, t (0: reconstruction), ridge */
SEXP C_local_weights(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_, &ctx);
    rs_graph R;
    rs_data *X = r_data(data, 1, &ctx);
    r_check_status(rs_graph_local(&ctx, X, &near,
                                  r_integer(settings, "neighbours"),
                                  r_number(settings, "t"),
                                  r_number(settings, "ridge"), &R),
                   "graph");
    return graph_list(&R);
}

/* ---- Laplacians and embeddings ------------------------------------------------------ */

rs_laplacian *r_symmetric_laplacian(SEXP list, int n, rs_context *ctx)
{
    rs_graph *W = r_need(rs_alloc(ctx, 1, sizeof *W));
    rs_laplacian *L = r_need(rs_alloc(ctx, 1, sizeof *L));
    *W = read_graph(list, ctx);
    refuse_rows(W->n == n);
    r_check_status(rs_laplacian_init(ctx, W, 0.0, RS_LAPLACIAN_SYMMETRIC, L),
                   "graph");
    return L;
}

/* settings: laplacian, regularization, m, tol and maxit */
SEXP C_embedding(SEXP graph_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_graph graph = read_graph(graph_, &ctx);
    const int n = graph.n, m = r_integer(settings, "m");
    rs_laplacian L;
    r_expect(m >= 1 && m < n, "embedding");
    r_check_status(
        rs_laplacian_init(
            &ctx, &graph, r_number(settings, "regularization"),
            (rs_laplacian_kind)r_choice(settings, "laplacian", laplacians),
            &L),
        "graph");
    int *queue = r_int_room(&ctx, (size_t)n);
    r_result out = r_open();
    double *values = r_add_vector(&out, "values", m);
    double *vectors = r_add_matrix(&out, "vectors", n, m);
    double *residuals = r_add_vector(&out, "residuals", m);
    r_add_ending(&out, "embedding",
                 rs_embedding(&ctx, &L, m, r_number(settings, "tol"),
                              r_integer(settings, "maxit"), values, vectors,
                              residuals));
    int *label = r_add_integers(&out, "label", n);
    r_add_integer(&out, "components",
                  rs_graph_components(&graph, label, queue));
    r_to_one_based((size_t)n, label);
    r_add_doubles(&out, "degree", (size_t)n, L.degree);
    r_add_integer(&out, "isolated", L.isolated);
    return r_close(&out);
}

/* how features vary on a graph, as C_graph() makes it */
SEXP C_roughness(SEXP data, SEXP graph_)
{
    rs_context ctx = r_context();
    rs_graph graph = read_graph(graph_, &ctx);
    rs_data *X = r_data(data, RS_PANEL, &ctx);
    rs_laplacian L;
    rs_roughness r;
    refuse_rows(graph.n == X->n);
    r_check_status(
        rs_laplacian_init(&ctx, &graph, 0.0, RS_LAPLACIAN_UNNORMALIZED, &L),
        "graph");
    r_result out = r_open();
    r.sum = r_add_vector(&out, "sum", X->d);
    r.square = r_add_vector(&out, "square", X->d);
    r.rough = r_add_vector(&out, "rough", X->d);
    r.relative = r_add_vector(&out, "relative", X->d);
    r_check_status(rs_roughness_on(&ctx, X, &L, &r), "graph");
    R_ADD_NUMBERS(&out, r.total);
    R_ADD_INTEGERS(&out, L.isolated);
    return r_close(&out);
}
