#include "solve/lloyd.h"

#include <math.h>

#include "la/linalg.h"

/* points between two polls */
#define RS_LLOYD_BLOCK 64

rs_status rs_lloyd_init(rs_context *ctx, int n, int capacity, int clusters,
                        rs_lloyd_ws *ws)
{
    *ws = (rs_lloyd_ws){
        .ctx = ctx, .n = n, .clusters = clusters, .capacity = capacity};
    ws->points = rs_alloc_double(ctx, (size_t)capacity * n);
    ws->centres = rs_alloc_double(ctx, (size_t)capacity * clusters);
    ws->column = rs_alloc_double(ctx, (size_t)n);
    ws->sizes = rs_alloc_int(ctx, (size_t)clusters);
    return rs_allocated(ctx);
}

void rs_lloyd_load(const rs_data *X, int p, const int *columns,
                   rs_lloyd_ws *ws)
{
    ws->p = p;
    for (int j = 0; j < p; j++) {
        rs_data_column_range(X, columns[j], 1, ws->column);
        for (int i = 0; i < ws->n; i++)
            ws->points[j + (size_t)i * p] = ws->column[i];
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

/* m_j = mean of the points with label j; 0 for an empty cluster */
static void update_centres(const int *labels, rs_lloyd_ws *ws)
{
    const int p = ws->p;
    rs_fill((size_t)p * ws->clusters, 0.0, ws->centres);
    for (int j = 0; j < ws->clusters; j++)
        ws->sizes[j] = 0;
    for (int i = 0; i < ws->n; i++) {
        const double *y = point(ws, i);
        double *m = centre(ws, labels[i]);
        for (int f = 0; f < p; f++)
            m[f] += y[f];
        ws->sizes[labels[i]]++;
    }
    for (int j = 0; j < ws->clusters; j++)
        if (ws->sizes[j] > 0)
            rs_scale((size_t)p, 1.0 / ws->sizes[j], centre(ws, j));
}

/* ||y_i - m_j||^2 */
static double square_to(const rs_lloyd_ws *ws, int i, int j)
{
    const double distance =
        rs_distance((size_t)ws->p, point(ws, i), centre(ws, j));
    return distance * distance;
}

/* every point to the nearest centre of a cluster with members; it stays where
 * that is as near. *moved counts the changes */
static rs_status assign(int *labels, int *moved, rs_lloyd_ws *ws)
{
    *moved = 0;
    for (int i = 0; i < ws->n; i++) {
        int best = labels[i];
        double least = best < 0 ? INFINITY : square_to(ws, i, best);
        for (int j = 0; j < ws->clusters; j++) {
            const double square =
                ws->sizes[j] > 0 ? square_to(ws, i, j) : INFINITY;
            if (square < least) {
                least = square;
                best = j;
            }
        }
        if (best < 0)
            return RS_NOT_FINITE;
        *moved += best != labels[i];
        labels[i] = best;
        RS_TRY(i % RS_LLOYD_BLOCK == 0 ? rs_poll(ws->ctx) : RS_OK);
    }
    return RS_OK;
}

rs_status rs_lloyd_seed(const int *rows, int *labels, rs_lloyd_ws *ws)
{
    int moved;
    for (int j = 0; j < ws->clusters; j++) {
        rs_copy((size_t)ws->p, point(ws, rows[j]), centre(ws, j));
        ws->sizes[j] = 1;
    }
    for (int i = 0; i < ws->n; i++)
        labels[i] = -1;
    return assign(labels, &moved, ws);
}

/* what the sum of squares loses when a point at that square distance leaves
 * its cluster, and what it gains when one enters */
static double leaving(double square, int size)
{
    return square * size / (size - 1.0);
}

static double entering(double square, int size)
{
    return square * size / (size + 1.0);
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
}

/* Move point i to the cheapest cluster where that lowers the sum of squares.
 * Empty clusters take the first point that is not at its own centre. */
static int exchange_point(int i, int *labels, rs_lloyd_ws *ws)
{
    const int present = labels[i];
    int best = present;
    if (ws->sizes[present] < 2)
        return 0;
    const double loss = leaving(square_to(ws, i, present), ws->sizes[present]);
    double cost = loss;
    for (int j = 0; j < ws->clusters; j++) {
        const double here = j == present
                                ? INFINITY
                                : entering(square_to(ws, i, j), ws->sizes[j]);
        if (here < cost) {
            cost = here;
            best = j;
        }
    }
    const double own = rs_sum_squares((size_t)ws->p, point(ws, i));
    if (loss - cost <= RS_TIE * (loss + RS_TIE * own))
        return 0;
    shift_centre(ws, i, present, -1);
    shift_centre(ws, i, best, 1);
    labels[i] = best;
    return 1;
}

rs_status rs_lloyd_run(int maxit, int *labels, rs_lloyd_ws *ws)
{
    int moved = 1;
    for (int it = 0; it < maxit && moved > 0; it++) {
        update_centres(labels, ws);
        RS_TRY(assign(labels, &moved, ws));
    }
    moved = 1;
    for (int it = 0; it < maxit && moved > 0; it++) {
        update_centres(labels, ws); /* without rounding of the exchanges */
        moved = 0;
        for (int i = 0; i < ws->n; i++) {
            moved += exchange_point(i, labels, ws);
            RS_TRY(i % RS_LLOYD_BLOCK == 0 ? rs_poll(ws->ctx) : RS_OK);
        }
    }
    return moved > 0 ? RS_MAXIT : RS_OK;
}
