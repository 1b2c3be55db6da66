#include "solve/lloyd.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* multiplications of one block of scores */
#define RS_LLOYD_BLOCK 1.0e7

static int block_rows(int n, int p, int clusters)
{
    const double rows = RS_LLOYD_BLOCK / ((double)p * clusters);
    return rs_min_int(n, (int)fmin(fmax(rows, 64.0), 2048.0));
}

rs_status rs_lloyd_init(rs_context *ctx, int n, int capacity, int clusters,
                        rs_lloyd_ws *ws)
{
    *ws = (rs_lloyd_ws){
        .n = n, .clusters = clusters, .capacity = capacity, .ctx = ctx};
    ws->points = rs_alloc_double(ctx, (size_t)capacity * n);
    ws->centres = rs_alloc_double(ctx, (size_t)capacity * clusters);
    ws->halves = rs_alloc_double(ctx, (size_t)clusters);
    RS_ALLOC_DOUBLES(ctx, (size_t)n, &ws->squares, &ws->column);
    ws->scores =
        rs_alloc_double(ctx, (size_t)block_rows(n, 1, clusters) * clusters);
    ws->sizes = rs_alloc_int(ctx, (size_t)clusters);
    return rs_allocated(ctx);
}

void rs_lloyd_load(const rs_data *X, int p, const int *columns,
                   rs_lloyd_ws *ws)
{
    ws->p = p;
    ws->rows_per_block = block_rows(ws->n, p, ws->clusters);
    rs_fill((size_t)ws->n, 0.0, ws->squares);
    for (int j = 0; j < p; j++) {
        rs_data_columns(X, 1, NULL, columns[j], ws->column);
        for (int i = 0; i < ws->n; i++) {
            double value = ws->column[i];
            ws->points[j + (size_t)i * p] = value;
            ws->squares[i] += value * value;
        }
    }
}

static const double *point(const rs_lloyd_ws *ws, int i)
{
    return ws->points + (size_t)i * ws->p;
}

static double *centre(const rs_lloyd_ws *ws, int j)
{
    return ws->centres + (size_t)j * ws->p;
}

static void update_half(rs_lloyd_ws *ws, int j)
{
    ws->halves[j] = 0.5 * rs_sum_squares((size_t)ws->p, centre(ws, j));
}

/* m_j = mean of the points with label j; 0 for an empty cluster */
static void update_centres(const int *labels, rs_lloyd_ws *ws)
{
    const int p = ws->p;
    rs_fill((size_t)p * ws->clusters, 0.0, ws->centres);
    memset(ws->sizes, 0, (size_t)ws->clusters * sizeof *ws->sizes);
    for (int i = 0; i < ws->n; i++) {
        const double *y = point(ws, i);
        double *m = centre(ws, labels[i]);
        for (int f = 0; f < p; f++)
            m[f] += y[f];
        ws->sizes[labels[i]]++;
    }
    for (int j = 0; j < ws->clusters; j++) {
        if (ws->sizes[j] > 0)
            rs_scale((size_t)p, 1.0 / ws->sizes[j], centre(ws, j));
        update_half(ws, j);
    }
}

/* scores[j, r] = m_j' y_{from + r} */
static rs_status score_block(int from, int rows, rs_lloyd_ws *ws)
{
    rs_gemm('T', 'N', ws->clusters, rows, ws->p, 1.0, ws->centres, ws->p,
            point(ws, from), ws->p, 0.0, ws->scores, ws->clusters);
    return rs_poll(ws->ctx);
}

static double score(const rs_lloyd_ws *ws, int r, int j)
{
    return ws->scores[j + (size_t)r * ws->clusters];
}

/* nearest cluster with members: the largest y'm_j - ||m_j||^2 / 2; the
 * present one where it is as good; -1 where none is a number */
static int nearest(const rs_lloyd_ws *ws, int r, int present)
{
    int best = present;
    double top =
        present < 0 ? -INFINITY : score(ws, r, present) - ws->halves[present];
    for (int j = 0; j < ws->clusters; j++) {
        if (ws->sizes[j] == 0)
            continue;
        double value = score(ws, r, j) - ws->halves[j];
        if (value > top) {
            top = value;
            best = j;
        }
    }
    return best;
}

/* every point to its nearest centre; *moved counts the changes */
static rs_status assign(int *labels, int *moved, rs_lloyd_ws *ws)
{
    *moved = 0;
    for (int from = 0; from < ws->n; from += ws->rows_per_block) {
        const int rows = rs_min_int(ws->n - from, ws->rows_per_block);
        RS_TRY(score_block(from, rows, ws));
        for (int r = 0; r < rows; r++) {
            const int best = nearest(ws, r, labels[from + r]);
            if (best < 0)
                return RS_NOT_FINITE;
            *moved += best != labels[from + r];
            labels[from + r] = best;
        }
    }
    return RS_OK;
}

rs_status rs_lloyd_seed(const int *rows, int *labels, rs_lloyd_ws *ws)
{
    int moved;
    for (int j = 0; j < ws->clusters; j++) {
        rs_copy((size_t)ws->p, point(ws, rows[j]), centre(ws, j));
        ws->sizes[j] = 1;
        update_half(ws, j);
    }
    memset(labels, -1, (size_t)ws->n * sizeof *labels);
    return assign(labels, &moved, ws);
}

/* ---- single exchanges --------------------------------------------------- */

/* ||y_i - m_j||^2 without cancellation */
static double square_to(const rs_lloyd_ws *ws, int i, int j)
{
    const double distance =
        rs_distance((size_t)ws->p, point(ws, i), centre(ws, j));
    return distance * distance;
}

/* by what the sum of squares changes when a point at that square distance enters
 * a cluster (sign = 1) or leaves it (sign = -1) */
static double change(double square, int size, double sign)
{
    return square * size / (size + sign);
}

/* the cheapest other cluster for point `from + r`, by the block's scores */
static int cheapest(const rs_lloyd_ws *ws, int i, int r, int present,
                    double *cost)
{
    int best = -1;
    *cost = INFINITY;
    for (int j = 0; j < ws->clusters; j++) {
        if (j == present)
            continue;
        double square =
            ws->squares[i] - 2.0 * (score(ws, r, j) - ws->halves[j]);
        double here = change(square, ws->sizes[j], 1.0);
        if (here < *cost) {
            *cost = here;
            best = j;
        }
    }
    return best;
}

/* m_j after point i enters (sign = 1) or leaves (sign = -1) */
static void shift_centre(rs_lloyd_ws *ws, int i, int j, int sign)
{
    const double *y = point(ws, i);
    double *m = centre(ws, j);
    ws->sizes[j] += sign;
    double step = (double)sign / ws->sizes[j];
    for (int f = 0; f < ws->p; f++)
        m[f] += step * (y[f] - m[f]);
    update_half(ws, j);
}

/*
 * Move point i where that lowers the sum of squares. The scores may be older than the
 * last exchanges of the block, so a promising move is checked against the present
 * centres. Empty clusters take the first point that is not at its own centre.
 */
static int exchange_point(int i, int r, int *labels, rs_lloyd_ws *ws)
{
    int present = labels[i];
    if (ws->sizes[present] < 2)
        return 0;
    double cost, square = ws->squares[i] -
                          2.0 * (score(ws, r, present) - ws->halves[present]);
    int best = cheapest(ws, i, r, present, &cost);
    if (best < 0 || cost >= change(square, ws->sizes[present], -1.0))
        return 0;
    double loss = change(square_to(ws, i, present), ws->sizes[present], -1.0);
    double gain = loss - change(square_to(ws, i, best), ws->sizes[best], 1.0);
    if (gain <= RS_TIE * (loss + RS_TIE * ws->squares[i]))
        return 0;
    shift_centre(ws, i, present, -1);
    shift_centre(ws, i, best, 1);
    labels[i] = best;
    return 1;
}

static rs_status exchange_all(int *labels, int *moved, rs_lloyd_ws *ws)
{
    *moved = 0;
    for (int from = 0; from < ws->n; from += ws->rows_per_block) {
        const int rows = rs_min_int(ws->n - from, ws->rows_per_block);
        RS_TRY(score_block(from, rows, ws));
        for (int r = 0; r < rows; r++)
            *moved += exchange_point(from + r, r, labels, ws);
    }
    return RS_OK;
}

rs_status rs_lloyd_run(int maxit, int *labels, rs_lloyd_ws *ws)
{
    int moved = 1;
    for (int it = 0; it < maxit && moved > 0; it++) {
        update_centres(labels, ws);
        RS_TRY(assign(labels, &moved, ws));
    }
    update_centres(labels, ws);
    moved = 1;
    for (int it = 0; it < maxit && moved > 0; it++)
        RS_TRY(exchange_all(labels, &moved, ws));
    return moved > 0 ? RS_MAXIT : RS_OK;
}
