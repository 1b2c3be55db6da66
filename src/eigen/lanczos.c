#include "eigen/lanczos.h"

#include <math.h>

#include "base/random.h"

/* convergence is first looked at after twice the wanted vectors and so many */
#define RS_LANCZOS_EXTRA 10
/* numbers that a basis may hold beyond the least capacity (400 MB) */
#define RS_LANCZOS_ROOM 5.0e7
/* products of the cycle that confirms convergence */
#define RS_LANCZOS_CONFIRM 10
/* a new direction below this share of ||A|| is rounding */
#define RS_LANCZOS_BREAKDOWN 1e-13
/* values that differ by less than this share of the largest are the same */
#define RS_LANCZOS_SAME 1e-14

double rs_lanczos_products(int d, int wanted)
{
    return rs_min_int(d, 3 * wanted + 2 * RS_LANCZOS_EXTRA);
}

rs_status rs_lanczos_init(rs_context *ctx, int d, int wanted,
                          rs_lanczos_ws *ws)
{
    ws->d = d;
    ws->wanted = wanted;
    double fitting = RS_LANCZOS_ROOM / d;
    int least = 2 * wanted + RS_LANCZOS_EXTRA;
    int most = 4 * wanted + 6 * RS_LANCZOS_EXTRA;
    int room = fitting < most ? (int)fitting : most;
    ws->capacity = rs_min_int(d, room > least ? room : least);
    size_t square = (size_t)ws->capacity * ws->capacity;
    ws->basis = rs_alloc_double(ctx, (size_t)d * (ws->capacity + 1));
    ws->rotated = rs_alloc_double(ctx, (size_t)d * ws->capacity);
    RS_ALLOC_DOUBLES(ctx, square, &ws->T, &ws->packed, &ws->vectors);
    ws->values = rs_alloc_double(ctx, (size_t)ws->capacity);
    ws->h = rs_alloc_double(ctx, (size_t)ws->capacity + 1);
    ws->high = rs_alloc_double(ctx, (size_t)wanted);
    ws->behind = rs_alloc_double(ctx, (size_t)d);
    ws->ctx = ctx;
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, ws->capacity, &ws->eigen);
}

static double *column(rs_lanczos_ws *ws, int j)
{
    return ws->basis + (size_t)j * ws->d;
}

/* w -= Q (Q'w) for the first `size` columns Q, twice; adds Q'w to h */
static void orthogonalise(int size, double *w, double *h, rs_lanczos_ws *ws)
{
    double *once = ws->packed;
    rs_fill((size_t)size, 0.0, h);
    for (int pass = 0; pass < 2; pass++) {
        rs_gemv('T', ws->d, size, 1.0, ws->basis, ws->d, w, 0.0, once);
        rs_gemv('N', ws->d, size, -1.0, ws->basis, ws->d, once, 1.0, w);
        rs_axpy((size_t)size, 1.0, once, h);
    }
}

/* column `size` of the basis: a direction orthogonal to all before it, from
 * the fixed sequence number `draw` */
static void fresh_direction(int size, int draw, rs_lanczos_ws *ws)
{
    double *q = column(ws, size), norm = 0.0;
    for (int attempt = 0; norm < 1e-8; attempt++) {
        rs_quasi_random((size_t)ws->d, (size_t)(draw + attempt), q);
        rs_scale((size_t)ws->d, 1.0 / rs_norm((size_t)ws->d, q), q);
        if (size > 0)
            orthogonalise(size, q, ws->h, ws);
        norm = rs_norm((size_t)ws->d, q);
    }
    rs_scale((size_t)ws->d, 1.0 / norm, q);
}

/*
 * One step: T[0..j, j] = Q'A q_j and the next vector of the basis, the part of
 * A q_j outside it, whose norm is returned (0: the space is invariant and the
 * next vector a fresh direction).
 */
static rs_status extend(rs_apply_fn apply, void *state, int j, double *beta,
                        rs_lanczos_ws *ws)
{
    double *w = column(ws, j + 1);
    RS_TRY(apply(state, 1, column(ws, j), w));
    if (j == 0)
        ws->unit = rs_operator_unit((size_t)ws->d, w);
    if (ws->unit != 1.0)
        rs_scale((size_t)ws->d, 1.0 / ws->unit, w);
    if (!rs_all_finite((size_t)ws->d, w))
        return RS_NOT_FINITE;
    double size_of_Aq = rs_norm((size_t)ws->d, w);
    orthogonalise(j + 1, w, ws->h, ws);
    for (int i = 0; i <= j; i++)
        ws->T[i + (size_t)j * ws->capacity] = ws->h[i];
    *beta = rs_norm((size_t)ws->d, w);
    if (j + 1 == ws->d) {
        *beta = 0.0;
    } else if (*beta <= RS_LANCZOS_BREAKDOWN * size_of_Aq) {
        *beta = 0.0;
        fresh_direction(j + 1, j + 1, ws);
    } else {
        rs_scale((size_t)ws->d, 1.0 / *beta, w);
    }
    return rs_poll(ws->ctx);
}

/* Ritz pairs of the first `size` vectors, descending */
static rs_status ritz_pairs(int size, rs_lanczos_ws *ws)
{
    for (int j = 0; j < size; j++)
        rs_copy((size_t)j + 1, ws->T + (size_t)j * ws->capacity,
                ws->packed + (size_t)j * size);
    return rs_eigen_largest(size, ws->packed, size, ws->values, ws->vectors,
                            &ws->eigen);
}

/*
 * How many pairs are as the aim wants them, 0 for not yet. The residual of pair i is
 * |beta y_last,i|; *residual is the largest of them, relative to the largest
 * |value|.
 */
static int reached_pairs(int size, double beta, const rs_lanczos_aim *aim,
                         double *residual, rs_lanczos_ws *ws)
{
    const int pairs = rs_min_int(aim->pairs, size);
    double largest = 0.0, scale = 0.0, least = INFINITY;
    for (int i = 0; i < pairs; i++) {
        double r = beta * fabs(ws->vectors[size - 1 + (size_t)i * size]);
        largest = fmax(largest, r);
        least = fmin(least, ws->values[i] + r);
        ws->high[i] = least;
    }
    for (int i = 0; i < size; i++)
        scale = fmax(scale, fabs(ws->values[i]));
    *residual = scale > 0.0 ? largest / scale : 0.0;
    int converged = aim->converged && pairs == aim->pairs
                        ? aim->converged(pairs, ws->values, ws->high)
                        : 0;
    return converged == 0 && *residual <= aim->tol ? pairs : converged;
}

/* the first `kept` Ritz vectors become the basis, followed by the vector that
 * stood behind the old one */
static void restart(int size, int kept, rs_lanczos_ws *ws)
{
    rs_gemm('N', 'N', ws->d, kept, size, 1.0, ws->basis, ws->d, ws->vectors,
            size, 0.0, ws->rotated, ws->d);
    rs_copy((size_t)ws->d * kept, ws->rotated, ws->basis);
    if (kept < size)
        rs_copy((size_t)ws->d, column(ws, size), column(ws, kept));
    for (int j = 0; j < kept; j++) {
        rs_fill((size_t)j, 0.0, ws->T + (size_t)j * ws->capacity);
        ws->T[j + (size_t)j * ws->capacity] = ws->values[j];
    }
}

/*
 * Where to go from `size` vectors: more of them, or a restart when they fill
 * the room or have converged. The confirming cycle begins with a fresh
 * direction behind the converged vectors alone, as the others would have
 * residuals that the new basis does not hold. Returns the size to check at
 * next.
 */
static int next_cycle(int *size, int cycle, int converged, int pairs,
                      rs_lanczos_ws *ws)
{
    int kept = converged ? pairs : ws->wanted + (*size - ws->wanted) / 2;
    if (!converged && *size < ws->capacity)
        return rs_min_int(*size + ws->wanted / 2 + RS_LANCZOS_EXTRA,
                          ws->capacity);
    restart(*size, kept, ws);
    *size = kept;
    if (!converged)
        return ws->capacity;
    rs_copy((size_t)ws->d, column(ws, kept), ws->behind);
    fresh_direction(kept, ws->d + cycle, ws);
    return rs_min_int(kept + RS_LANCZOS_CONFIRM, ws->capacity);
}

/* has the confirming cycle found no value above what the pairs that matter
 * allow? Their vectors are still the first of the basis, their values in T. */
static int is_confirmed(int pairs, const double *high, const rs_lanczos_ws *ws)
{
    for (int i = 0; i < pairs; i++)
        if (ws->values[i] > high[i] + RS_LANCZOS_SAME * fabs(ws->values[0]))
            return 0;
    return 1;
}

/* back to the vectors before the confirming cycle, from which one can go on */
static void return_to_confirmed(int pairs, rs_lanczos_ws *ws)
{
    for (int i = 0; i < pairs; i++)
        ws->values[i] = ws->T[i + (size_t)i * ws->capacity];
    rs_copy((size_t)ws->d, ws->behind, column(ws, pairs));
    ws->resumable = 1;
}

/* the basis of an earlier search and its values, which T is the diagonal of */
static void resume(int known, rs_lanczos_ws *ws)
{
    ws->unit = rs_operator_unit((size_t)known, ws->values);
    for (int j = 0; j < known; j++) {
        rs_fill((size_t)j, 0.0, ws->T + (size_t)j * ws->capacity);
        ws->T[j + (size_t)j * ws->capacity] = ws->values[j] / ws->unit;
    }
}

/* the size at which convergence is first looked at */
static int first_size(int known, const rs_lanczos_ws *ws)
{
    int more = known > 0 ? known / 2 : 2 * ws->wanted;
    return rs_min_int(known + more + RS_LANCZOS_EXTRA, ws->capacity);
}

rs_status rs_lanczos_search(rs_apply_fn apply, void *state,
                            const rs_lanczos_aim *aim, int known,
                            double *residual, rs_lanczos_ws *ws)
{
    int size = known, confirming = 0, done = 0, reached = 0, same = 0;
    int end = first_size(known, ws);
    double beta = 0.0, before = 0.0;

    if (known > 0)
        resume(known, ws);
    else
        fresh_direction(0, 0, ws);
    for (int cycle = 1; !done; cycle++) {
        for (; size < end; size++)
            RS_TRY(extend(apply, state, size, &beta, ws));
        RS_TRY(ritz_pairs(size, ws));
        same = confirming > 0 && is_confirmed(confirming, ws->high, ws);
        reached = reached_pairs(size, beta, aim, residual, ws);
        *residual = fmax(*residual, same ? before : 0.0);
        done = size == ws->d || (reached && confirming) || cycle >= aim->maxit;
        confirming = reached;
        before = *residual;
        if (!done)
            end = next_cycle(&size, cycle, reached, aim->pairs, ws);
    }
    ws->resumable = 0;
    if (same && reached && size < ws->d)
        return_to_confirmed(aim->pairs, ws);
    else
        restart(size, aim->pairs, ws);
    rs_scale((size_t)aim->pairs, ws->unit, ws->values);
    return size == ws->d || reached ? RS_OK : RS_MAXIT;
}

rs_status rs_lanczos_largest(rs_apply_fn apply, void *state, double tol,
                             int maxit, double *values, double *V,
                             double *residual, rs_lanczos_ws *ws)
{
    const rs_lanczos_aim aim = {ws->wanted, tol, maxit, NULL};
    rs_status status = rs_lanczos_search(apply, state, &aim, 0, residual, ws);
    if (status != RS_OK && status != RS_MAXIT)
        return status;
    rs_copy((size_t)ws->wanted, ws->values, values);
    rs_copy((size_t)ws->d * ws->wanted, ws->basis, V);
    return status;
}
