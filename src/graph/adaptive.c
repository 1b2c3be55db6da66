#include "graph/graph.h"

#include <math.h>
#include <string.h>

#include "base/softtop.h"
#include "data/dense.h"
#include "la/linalg.h"

static int list_length(const rs_neighbours *near, int i)
{
    return (int)(near->start[i + 1] - near->start[i]);
}

/* ---- the start ----------------------------------------------------------------- */

rs_status rs_adaptive_start(rs_context *ctx, const rs_neighbours *near, int k,
                            rs_adaptive *A)
{
    const size_t n = (size_t)near->n;
    double sum = 0.0, square = 0.0;
    size_t rows = 0, entries = 0;
    if (k < 1)
        return RS_BAD_INPUT;
    *A = (rs_adaptive){.n = near->n, .k = k};
    A->count = rs_alloc_int(ctx, n);
    A->index = rs_alloc_int(ctx, n * k);
    A->weight = rs_alloc_double(ctx, n * k);
    A->cost = rs_alloc_double(ctx, (size_t)k);
    RS_TRY(rs_allocated(ctx));
    for (size_t i = 0; i < n; i++) {
        const int length = list_length(near, (int)i);
        const int count = A->count[i] = rs_min_int(k, length);
        const double *distance = near->distance + near->start[i];
        double *weight = A->weight + i * k;
        memcpy(A->index + i * k, near->index + near->start[i],
               (size_t)count * sizeof *A->index);
        rs_copy((size_t)count, distance, weight);
        square += rs_sum_squares((size_t)count, distance);
        entries += (size_t)count;
        if (length == count) {
            rs_fill((size_t)count, 1.0 / count, weight);
            continue;
        }
        sum += 0.5 * rs_can_weights(k, (size_t)k, distance[k], weight);
        rows++;
    }
    const double mean = entries > 0 ? square / (double)entries : 0.0;
    A->alpha = rows > 0 ? sum / (double)rows : 0.5 * mean;
    A->alpha = fmax(A->alpha, RS_NOTHING * mean);
    if (!(A->alpha > 0.0))
        A->alpha = 1.0;
    return RS_OK;
}

/* ---- costs ----------------------------------------------------------------------- */

static double gap_square(int n, int m, const double *Z, int i, int j)
{
    double sum = 0.0;
    for (int c = 0; c < m; c++) {
        const double gap = Z[i + (size_t)c * n] - Z[j + (size_t)c * n];
        sum += gap * gap;
    }
    return sum;
}

static double cost_of(const rs_adaptive_space *space, int n, int i, int j)
{
    double cost = gap_square(n, space->m, space->Z, i, j);
    if (space->F)
        cost += space->lambda * gap_square(n, space->c, space->F, i, j);
    return cost;
}

static rs_status update_row(const rs_adaptive_space *space, const int *listed,
                            int count, int i, rs_adaptive *A)
{
    const size_t from = (size_t)i * A->k;
    double least = INFINITY, v = -INFINITY;
    A->count[i] = count;
    for (int a = 0; a < count; a++) {
        A->index[from + a] = listed[a];
        A->cost[a] = cost_of(space, A->n, i, listed[a]);
        least = fmin(least, A->cost[a]);
    }
    for (int a = 0; a < count; a++) {
        A->cost[a] = (least - A->cost[a]) / (2.0 * A->alpha) +
                     (A->centre ? A->centre[from + a] : 0.0);
        v = fmax(v, A->cost[a] - 1.0);
    }
    if (!rs_all_finite((size_t)count, A->cost))
        return RS_NOT_FINITE;
    /* the nearest point of the simplex: their excess above a threshold v, which
     * no weight is above by more than 1 */
    rs_softtop_square((size_t)count, A->cost, 1.0, 1.0, A->weight + from, &v);
    return RS_OK;
}

rs_status rs_adaptive_update(const rs_adaptive_space *space,
                             const rs_neighbours *near, rs_adaptive *A)
{
    for (int i = 0; i < A->n; i++) {
        const int count = rs_min_int(A->k, list_length(near, i));
        if (count > 0)
            RS_TRY(
                update_row(space, near->index + near->start[i], count, i, A));
    }
    return RS_OK;
}

double rs_adaptive_cost(const rs_adaptive_space *space, const rs_adaptive *A)
{
    double sum = 0.0;
    for (int i = 0; i < A->n; i++)
        for (int a = 0; a < A->count[i]; a++) {
            const size_t at = a + (size_t)i * A->k;
            if (A->weight[at] > 0.0)
                sum += A->weight[at] * cost_of(space, A->n, i, A->index[at]);
        }
    return sum;
}

double rs_adaptive_square(const rs_adaptive *A)
{
    double sum = 0.0;
    for (int i = 0; i < A->n; i++) {
        const size_t from = (size_t)i * A->k, count = (size_t)A->count[i];
        for (size_t at = from; at < from + count; at++) {
            const double gap =
                A->weight[at] - (A->centre ? A->centre[at] : 0.0);
            sum += gap * gap;
        }
    }
    return sum;
}

/* ---- graphs ---------------------------------------------------------------------- */

rs_status rs_adaptive_graph(rs_context *ctx, const rs_adaptive *A,
                            rs_graph *graph)
{
    const size_t n = (size_t)A->n;
    rs_graph rows;
    RS_TRY(rs_graph_init(ctx, A->n, n * A->k, &rows));
    rows.start[0] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t to = rows.start[i];
        for (int a = 0; a < A->count[i]; a++) {
            const size_t at = a + i * A->k;
            if (A->weight[at] > 0.0) {
                rows.index[to] = A->index[at];
                rows.weight[to++] = A->weight[at];
            }
        }
        rows.start[i + 1] = to;
    }
    return rs_graph_symmetrised(ctx, &rows, graph);
}

void rs_adaptive_laplacian(const rs_adaptive *A, double *L)
{
    const size_t n = (size_t)A->n;
    rs_fill(n * n, 0.0, L);
    for (size_t i = 0; i < n; i++)
        for (int a = 0; a < A->count[i]; a++) {
            const size_t at = a + i * A->k, j = (size_t)A->index[at];
            const double half = 0.5 * A->weight[at];
            L[i + n * i] += half;
            L[j + n * j] += half;
            L[i + n * j] -= half;
            L[j + n * i] -= half;
        }
}

/* ---- neighbours ------------------------------------------------------------------- */

/* the lists of the samples `row` of one label, into those of all */
static rs_status find_among(rs_context *ctx, int count, const int *row, int m,
                            const double *Z, rs_neighbours *near)
{
    const size_t n = (size_t)near->n;
    const int k = rs_min_int(near->k, count - 1);
    const rs_metric metric = RS_EUCLIDEAN;
    double *part = rs_alloc_double(ctx, (size_t)count * m);
    rs_data X;
    rs_neighbours own;
    RS_TRY_ALLOC(part);
    for (int c = 0; c < m; c++)
        for (int a = 0; a < count; a++)
            part[a + (size_t)c * count] = Z[row[a] + c * n];
    RS_TRY(
        rs_data_dense(ctx, count, m, part, rs_neighbours_block(count, m), &X));
    RS_TRY(rs_neighbours_find(ctx, &X, k, 0, 1, &metric, &own));
    for (int a = 0; a < count; a++)
        for (size_t b = 0; b < (size_t)k; b++) {
            const size_t to = near->start[row[a]] + b;
            near->index[to] = row[own.index[own.start[a] + b]];
            near->distance[to] = own.distance[own.start[a] + b];
        }
    return RS_OK;
}

rs_status rs_adaptive_near(rs_context *ctx, int n, int m, const double *Z,
                           int k, const int *label, rs_neighbours *near)
{
    const size_t size = (size_t)n;
    int *row, *count; /* of a label */
    *near = (rs_neighbours){.n = n, .k = k};
    RS_ALLOC_INTS(ctx, size + 1, &row, &count);
    near->start = (size_t *)rs_alloc(ctx, size + 1, sizeof(size_t));
    near->index = rs_alloc_int(ctx, size * k);
    near->distance = rs_alloc_double(ctx, size * k);
    RS_TRY(rs_allocated(ctx));
    memset(count, 0, (size + 1) * sizeof *count);
    for (int i = 0; i < n; i++)
        count[label ? label[i] : 0]++;
    near->start[0] = 0;
    for (int i = 0; i < n; i++)
        near->start[i + 1] =
            near->start[i] +
            (size_t)rs_min_int(k, count[label ? label[i] : 0] - 1);
    for (int g = 0; g <= n; g++) {
        if (count[g] < 2)
            continue;
        for (int i = 0, at = 0; i < n; i++)
            if (!label || label[i] == g)
                row[at++] = i;
        RS_TRY(find_among(ctx, count[g], row, m, Z, near));
    }
    return RS_OK;
}
