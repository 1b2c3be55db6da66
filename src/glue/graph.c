/*
 * glue/graph.c: neighbours, graphs and embeddings of the samples.
 *
 * In R a list of neighbours has the elements n, k, ties, start (numbers from
 * 0, n + 1 of them), index (from 1), distance, largest and mean; a graph n,
 * start, index and weight.
 */
#include <string.h>

#include "graph/graph.h"
#include "glue/glue.h"
#include "la/linalg.h"

enum { METRICS = 2 };
static const char *const metrics[METRICS + 1] = {"euclidean", "cosine", NULL};
static const char *const weight_names[] = {"binary", "heat", "self_tuning",
                                           "can", NULL};
static const char *const laplacians[] = {"symmetric", "unnormalized", NULL};

/* ---- compressed rows to and from R ------------------------------------------- */

static void add_rows(r_result *out, int n, const size_t *start,
                     const int *index, const char *name, const double *values)
{
    double *to = r_add_vector(out, "start", (R_xlen_t)n + 1);
    for (int i = 0; i <= n; i++)
        to[i] = (double)start[i];
    r_add_indices(out, "index", start[n], index);
    r_add_doubles(out, name, start[n], values);
}

rs_graph r_graph(SEXP list, int n, const char *name, int is_matrix)
{
    SEXP index = r_required(list, "index");
    const double *from = r_doubles(list, "start");
    const double *value = r_doubles(list, name);
    const size_t count = (size_t)Rf_xlength(index);
    r_expect(n >= 1 && TYPEOF(index) == INTSXP &&
                 Rf_xlength(r_element(list, "start")) == (R_xlen_t)n + 1 &&
                 (size_t)Rf_xlength(r_element(list, name)) == count &&
                 from[0] == 0.0 && from[n] == (double)count,
             "graph");
    rs_graph rows = {.n = n,
                     .start = r_memory((size_t)n + 1, sizeof *rows.start),
                     .index = r_zero_based(index, n),
                     .weight = r_room(count)};
    for (int i = 0; i <= n; i++) {
        r_expect(i == 0 || from[i] >= from[i - 1], "graph");
        rows.start[i] = (size_t)from[i];
    }
    for (int i = 0; i < n && !is_matrix; i++)
        for (size_t a = rows.start[i]; a < rows.start[i + 1]; a++)
            r_expect(rows.index[a] != i && value[a] >= 0.0, "graph");
    rs_copy(count, value, rows.weight);
    return rows;
}

rs_neighbours r_neighbours(SEXP list)
{
    const rs_graph rows = r_graph(list, r_integer(list, "n"), "distance", 0);
    rs_neighbours near = {.n = rows.n,
                          .start = rows.start,
                          .index = rows.index,
                          .distance = rows.weight};
    R_INTEGERS(list, &near.k, &near.ties);
    R_NUMBERS(list, &near.largest, &near.mean);
    for (int i = 0; i < near.n; i++)
        r_expect(near.k >= 1 &&
                     near.start[i + 1] - near.start[i] >= (size_t)near.k,
                 "graph");
    return near;
}

/* a graph as a list, as r_graph() reads it */
static SEXP graph_list(const rs_graph *graph)
{
    r_result out = r_open();
    r_add_integer(&out, "n", graph->n);
    add_rows(&out, graph->n, graph->start, graph->index, "weight",
             graph->weight);
    return r_close(&out);
}

/* blocks are read for each of these products */
static int neighbours_block(SEXP data, int joined)
{
    const int n = r_integer(data, "n"), d = r_integer(data, "d");
    if (r_is(data, "kind", "blocks"))
        return rs_neighbours_wide_block(n, d, joined);
    return r_is(data, "kind", "sparse")
               ? rs_neighbours_wide_block(n, d, rs_min_int(256, n / 16))
               : rs_neighbours_block(n, d);
}

/* ---- neighbours ------------------------------------------------------------------ */

/* k, ties, metric: words; a list for each metric. landmarks: NULL, or ascending rows
 * that the lists are of, beside `nearest` and `apart` (n x k): which landmarks are
 * nearest to every sample, and how far */
SEXP C_neighbours(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    SEXP rows = r_element(settings, "landmarks");
    const int count = Rf_length(r_required(settings, "metric")),
              n = r_integer(data, "n");
    const int k = r_integer(settings, "k"), some = rows != R_NilValue;
    rs_metric metric[METRICS];
    rs_neighbours found[METRICS];
    rs_nearest_landmarks nearest[METRICS];
    r_expect(count <= METRICS, "metric");
    for (int a = 0; a < count; a++)
        metric[a] = (rs_metric)r_choice_at(settings, "metric", a, metrics);
    const int joined = some ? (int)Rf_xlength(rows) : n;
    rs_data *X = r_data(data, neighbours_block(data, joined), &ctx);
    r_check_status(some ? rs_landmarks_find(X, joined, r_zero_based(rows, n),
                                            k, count, metric, found, nearest)
                        : rs_neighbours_find(&ctx, X, k,
                                             r_integer(settings, "ties"),
                                             count, metric, found),
                   "neighbours");
    r_result out = r_open();
    for (int a = 0; a < count; a++) {
        const rs_neighbours *f = found + a;
        r_result one = r_open();
        R_ADD_INTEGERS(&one, f->n, f->k, f->ties);
        add_rows(&one, f->n, f->start, f->index, "distance", f->distance);
        R_ADD_NUMBERS(&one, f->largest, f->mean);
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
    rs_neighbours near = r_neighbours(near_);
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
    rs_neighbours near = r_neighbours(near_);
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
    rs_graph *W = r_memory(1, sizeof *W);
    rs_laplacian *L = r_memory(1, sizeof *L);
    *W = r_graph(list, n, "weight", 0);
    r_check_status(rs_laplacian_init(ctx, W, 0.0, RS_LAPLACIAN_SYMMETRIC, L),
                   "graph");
    return L;
}

/* settings: laplacian, regularization, m, tol and maxit */
SEXP C_embedding(SEXP graph_, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = r_integer(graph_, "n"), m = r_integer(settings, "m");
    const rs_graph graph = r_graph(graph_, n, "weight", 0);
    rs_laplacian L;
    r_expect(m >= 1 && m < n, "embedding");
    r_check_status(
        rs_laplacian_init(
            &ctx, &graph, r_number(settings, "regularization"),
            (rs_laplacian_kind)r_choice(settings, "laplacian", laplacians),
            &L),
        "graph");
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
                  rs_graph_components(&graph, label, r_int_room((size_t)n)));
    r_to_one_based((size_t)n, label);
    r_add_doubles(&out, "degree", (size_t)n, L.degree);
    r_add_integer(&out, "isolated", L.isolated);
    return r_close(&out);
}

/* how features vary on a graph, as C_graph() makes it */
SEXP C_roughness(SEXP data, SEXP graph_)
{
    rs_context ctx = r_context();
    rs_data *X = r_data(data, RS_PANEL, &ctx);
    const rs_graph graph = r_graph(graph_, X->n, "weight", 0);
    rs_laplacian L;
    rs_roughness r;
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
