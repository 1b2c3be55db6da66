#include "graph/graph.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* ---- compressed rows ------------------------------------------------------- */

rs_status rs_graph_init(rs_context *ctx, int n, size_t entries, rs_graph *rows)
{
    rows->n = n;
    rows->start = (size_t *)rs_alloc(ctx, (size_t)n + 1, sizeof(size_t));
    rows->index = rs_alloc_int(ctx, entries);
    rows->weight = rs_alloc_double(ctx, entries);
    return rs_allocated(ctx);
}

/* T = A', columns ascending in every row */
static rs_status transpose(rs_context *ctx, const rs_graph *A, rs_graph *T)
{
    const int n = A->n;
    RS_TRY(rs_graph_init(ctx, n, A->start[n], T));
    memset(T->start, 0, ((size_t)n + 1) * sizeof *T->start);
    for (size_t at = 0; at < A->start[n]; at++)
        T->start[A->index[at] + 1]++;
    for (int i = 0; i < n; i++)
        T->start[i + 1] += T->start[i];
    for (int i = 0; i < n; i++)
        for (size_t at = A->start[i]; at < A->start[i + 1]; at++) {
            size_t to = T->start[A->index[at]]++;
            T->index[to] = i;
            T->weight[to] = A->weight[at];
        }
    for (int i = n; i > 0; i--)
        T->start[i] = T->start[i - 1];
    T->start[0] = 0;
    return RS_OK;
}

/* ---- from lists to edges ----------------------------------------------------- */

/* how many neighbours of i are among the q nearest */
static size_t reach(const rs_neighbours *near, int i, int q)
{
    const double *distance = near->distance + near->start[i];
    const size_t all = near->start[i + 1] - near->start[i];
    size_t count = (size_t)q;
    while (near->ties && count < all && distance[count] <= distance[q - 1])
        count++;
    return count;
}

double rs_can_weights(int q, size_t count, double next, double *row)
{
    double total = 0.0;
    for (size_t a = 0; a < count; a++) {
        row[a] = (next - row[a]) * (next + row[a]);
        total += a < (size_t)q ? row[a] : 0.0;
    }
    for (size_t a = 0; a < count; a++)
        row[a] = total > 0.0 ? row[a] / total : 1.0 / (double)count;
    return total;
}

/* rows of the distances of the q nearest, or of their CAN weights */
static rs_status directed(rs_context *ctx, const rs_neighbours *near,
                          const rs_graph_settings *set, rs_graph *A)
{
    const int n = near->n, q = set->neighbours;
    RS_TRY(rs_graph_init(ctx, n, near->start[n], A));
    A->start[0] = 0;
    for (int i = 0; i < n; i++) {
        const size_t from = A->start[i], first = near->start[i];
        const size_t count = reach(near, i, q), next = first + (size_t)q;
        memcpy(A->index + from, near->index + first, count * sizeof *A->index);
        rs_copy(count, near->distance + first, A->weight + from);
        if (set->weights == RS_WEIGHTS_CAN)
            rs_can_weights(
                q, count,
                near->distance[next < near->start[i + 1] ? next : next - 1],
                A->weight + from);
        A->start[i + 1] = from + count;
    }
    return RS_OK;
}

/* ---- weights -------------------------------------------------------------------- */

typedef struct {
    const rs_graph_settings *set;
    double t;            /* of the heat */
    const double *scale; /* n: s_i */
} weigher;

/* what row i of A and of A' say of the edge ij; absent: below 0 */
static double weigh(const weigher *by, int i, int j, double out, double in)
{
    const double length = out < 0.0 ? in : in < 0.0 ? out : fmin(out, in);
    double ratio = 0.0;
    switch (by->set->weights) {
    case RS_WEIGHTS_BINARY:
        return 1.0;
    case RS_WEIGHTS_CAN:
        return 0.5 * (fmax(out, 0.0) + fmax(in, 0.0));
    case RS_WEIGHTS_HEAT:
        ratio = by->t > 0.0 ? length / by->t : 0.0;
        return exp(-0.5 * ratio * ratio);
    case RS_WEIGHTS_SELF_TUNING:
        if (length > 0.0)
            ratio = (length / by->scale[i]) * (length / by->scale[j]);
        return exp(-ratio);
    }
    return 0.0;
}

/* one row of the graph: the rows of A and A', both ascending, merged; returns
 * its length */
static size_t merge_row(const weigher *by, int i, const rs_graph *A,
                        const rs_graph *T, int *index, double *weight)
{
    size_t a = A->start[i], b = T->start[i], count = 0;
    const size_t last_a = A->start[i + 1], last_b = T->start[i + 1];
    while (a < last_a || b < last_b) {
        const int from_a = a < last_a ? A->index[a] : A->n;
        const int from_b = b < last_b ? T->index[b] : A->n;
        const int j = rs_min_int(from_a, from_b);
        const double out = from_a == j ? A->weight[a++] : -1.0;
        const double in = from_b == j ? T->weight[b++] : -1.0;
        if (by->set->mutual && (out < 0.0 || in < 0.0))
            continue;
        const double w = weigh(by, i, j, out, in);
        if (w > 0.0) {
            index[count] = j;
            weight[count++] = w;
        }
    }
    return count;
}

/* the graph of the rows `listed`, in any order */
static rs_status merge(rs_context *ctx, const weigher *by,
                       const rs_graph *listed, rs_graph *graph)
{
    rs_graph T, A;
    RS_TRY(transpose(ctx, listed, &T));
    RS_TRY(transpose(ctx, &T, &A));
    RS_TRY(rs_graph_init(ctx, A.n, 2 * A.start[A.n], graph));
    graph->start[0] = 0;
    for (int i = 0; i < A.n; i++) {
        const size_t from = graph->start[i];
        graph->start[i + 1] =
            from + merge_row(by, i, &A, &T, graph->index + from,
                             graph->weight + from);
    }
    return rs_poll(ctx);
}

rs_status rs_graph_build(rs_context *ctx, const rs_neighbours *near,
                         const rs_graph_settings *settings, rs_graph *graph)
{
    const int q = settings->neighbours;
    const int further = settings->weights == RS_WEIGHTS_CAN && q < near->n - 1;
    double *scale = rs_alloc_double(ctx, (size_t)near->n);
    const weigher by = {settings, settings->t > 0.0 ? settings->t : near->mean,
                        scale};
    rs_graph listed;
    RS_TRY_ALLOC(scale);
    if (q < 1 || q + further > near->k)
        return RS_BAD_INPUT;
    for (int i = 0; i < near->n; i++)
        scale[i] = fmax(near->distance[near->start[i] + (size_t)q - 1],
                        RS_LEAST_SCALE * near->largest);
    RS_TRY(directed(ctx, near, settings, &listed));
    return merge(ctx, &by, &listed, graph);
}

rs_status rs_graph_symmetrised(rs_context *ctx, const rs_graph *A,
                               rs_graph *graph)
{
    static const rs_graph_settings halves = {RS_WEIGHTS_CAN, 1, 0, 0.0};
    const weigher by = {&halves, 0.0, NULL};
    return merge(ctx, &by, A, graph);
}

/* ---- weights of neighbourhoods ------------------------------------------------------ */

/* weight (q): the row that reconstructs a sample, from the Gram matrix G of the
 * differences */
static rs_status reconstruct(int q, double ridge, double *G, double *weight)
{
    double trace = 0.0;
    for (int a = 0; a < q; a++)
        trace += G[a + (size_t)a * q];
    rs_fill((size_t)q, 1.0 / q, weight);
    if (!(trace > 0.0)) /* copies: any weights will do */
        return RS_OK;
    for (int a = 0; a < q; a++)
        G[a + (size_t)a * q] += ridge * trace;
    RS_TRY(rs_cholesky(q, G, q));
    rs_fill((size_t)q, 1.0, weight);
    RS_TRY(rs_cholesky_solve(q, 1, G, q, weight, q));
    rs_scale((size_t)q, 1.0 / rs_sum(q, weight), weight);
    return RS_OK;
}

static double heat(double square, double t)
{
    return exp(-0.5 * (fmax(square, 0.0) / t / t));
}

/* the row that predicts it; square: q numbers */
static rs_status predict(int q, double t, double ridge, double *G,
                         double *square, double *weight)
{
    for (int a = 0; a < q; a++) {
        square[a] = G[a + (size_t)a * q];
        weight[a] = heat(square[a], t);
    }
    for (int b = 0; b < q; b++)
        for (int a = 0; a < q; a++) {
            double *at = G + a + (size_t)b * q;
            *at = a == b ? 1.0 + ridge
                         : heat(square[a] + square[b] - 2.0 * *at, t);
        }
    RS_TRY(rs_cholesky(q, G, q));
    return rs_cholesky_solve(q, 1, G, q, weight, q);
}

rs_status rs_graph_local(rs_context *ctx, rs_data *X,
                         const rs_neighbours *near, int q, double t,
                         double ridge, rs_graph *R)
{
    const int n = near->n, d = X->d;
    rs_graph listed, T;
    if (q < 1 || q > near->k || !(ridge > 0.0) || n != X->n)
        return RS_BAD_INPUT;
    double *rows = rs_alloc_double(ctx, (size_t)d * ((size_t)q + 1));
    double *G = rs_alloc_double(ctx, (size_t)q * q);
    double *square = rs_alloc_double(ctx, (size_t)q);
    int *member = rs_alloc_int(ctx, (size_t)q + 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_graph_init(ctx, n, (size_t)n * q, &listed));
    for (int i = 0; i <= n; i++)
        listed.start[i] = (size_t)i * q;
    for (int i = 0; i < n; i++) {
        double *weight = listed.weight + listed.start[i];
        RS_TRY(rs_neighbourhood(X, near, i, q, member, rows));
        for (int a = 0; a < q; a++)
            listed.index[listed.start[i] + a] = member[a + 1];
        rs_gram(d, q, rows + d, G);
        RS_TRY(t > 0.0 ? predict(q, t, ridge, G, square, weight)
                       : reconstruct(q, ridge, G, weight));
    }
    RS_TRY(transpose(ctx, &listed, &T));
    return transpose(ctx, &T, R);
}

/* ---- components -------------------------------------------------------------------- */

int rs_graph_components(const rs_graph *graph, int *label, int *queue)
{
    int components = 0;
    memset(label, -1, (size_t)graph->n * sizeof *label);
    for (int first = 0; first < graph->n; first++) {
        if (label[first] >= 0)
            continue;
        label[first] = components;
        queue[0] = first;
        for (int head = 0, tail = 1; head < tail; head++)
            for (size_t a = graph->start[queue[head]];
                 a < graph->start[queue[head] + 1]; a++) {
                const int j = graph->index[a];
                if (label[j] >= 0)
                    continue;
                label[j] = components;
                queue[tail++] = j;
            }
        components++;
    }
    return components;
}
