#include "solve/turn.h"

#include "la/linalg.h"
#include "solve/momentum.h"

int rs_turn_matters(const rs_palm_copy *copies)
{
    for (int i = 0; i < RS_PALM_COPIES; i++)
        if (!rs_palm_copy_follows(copies + i))
            return 1;
    return 0;
}

rs_status rs_turn_init(rs_context *ctx, int d, int m,
                       const rs_palm_copy *copies, rs_turn_ws *ws)
{
    const size_t square = (size_t)m * m;
    *ws = (rs_turn_ws){.d = d, .m = m, .size = (size_t)d * m, .ctx = ctx};
    ws->frame = rs_alloc_double(ctx, ws->size);
    for (int i = 0; i < RS_PALM_COPIES; i++)
        ws->kept[i] = rs_palm_copy_follows(copies + i)
                          ? NULL
                          : rs_alloc_double(ctx, ws->size);
    RS_ALLOC_DOUBLES(ctx, square, &ws->R, &ws->argument, &ws->last_argument);
    RS_TRY(rs_allocated(ctx));
    return rs_stiefel_init(ctx, m, m, &ws->polar);
}

/* the sum over the copies that see single entries */
static double entries_value(const rs_palm_copy *copies, const double *W,
                            const rs_turn_ws *ws)
{
    double value = 0.0;
    for (int i = 0; i < RS_PALM_COPIES; i++)
        if (!rs_palm_copy_follows(copies + i))
            value += rs_palm_copy_value(copies + i, ws->size, W);
    return value;
}

/* argument = sum_i beta_i W_0'U_i + tau R; the copies are kept */
static void linearise(const rs_palm_copy *copies, double tau, rs_turn_ws *ws)
{
    const int m = ws->m;
    for (size_t j = 0; j < (size_t)m * m; j++)
        ws->argument[j] = tau * ws->R[j];
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        if (rs_palm_copy_follows(copies + i))
            continue;
        rs_gemm('T', 'N', m, m, ws->d, copies[i].beta, ws->frame, ws->d,
                copies[i].U, ws->d, 1.0, ws->argument, m);
        rs_copy(ws->size, copies[i].U, ws->kept[i]);
    }
}

/* R = polar(argument + weight (argument - last_argument)), W = W_0 R, and the
 * proximal points that belong to it; returns the sum */
static rs_status turn_once(const rs_palm_copy *copies, double weight,
                           double *W, double *value, rs_turn_ws *ws)
{
    const int m = ws->m;
    for (size_t j = 0; j < (size_t)m * m; j++)
        ws->R[j] = ws->argument[j] +
                   weight * (ws->argument[j] - ws->last_argument[j]);
    RS_TRY(rs_stiefel_polar(ws->R, &ws->polar));
    rs_matmul(ws->d, m, m, ws->frame, ws->R, W);
    *value = 0.0;
    for (int i = 0; i < RS_PALM_COPIES; i++) {
        double part;
        if (rs_palm_copy_follows(copies + i))
            continue;
        RS_TRY(rs_palm_copy_step(copies + i, ws->size, W, copies[i].inertia,
                                 &part));
        *value += part;
    }
    return rs_poll(ws->ctx);
}

static void return_to_kept(const rs_palm_copy *copies, const rs_turn_ws *ws)
{
    for (int i = 0; i < RS_PALM_COPIES; i++)
        if (!rs_palm_copy_follows(copies + i))
            rs_copy(ws->size, ws->kept[i], copies[i].U);
}

static void begin_at(const double *W, rs_turn_ws *ws)
{
    const int m = ws->m;
    rs_copy(ws->size, W, ws->frame);
    rs_fill((size_t)m * m, 0.0, ws->last_argument);
    rs_fill((size_t)m * m, 0.0, ws->R);
    for (int j = 0; j < m; j++)
        ws->R[j + (size_t)j * m] = 1.0;
}

rs_status rs_turn(const rs_turn_limits *limits, const rs_palm_copy *copies,
                  double *W, double *gain, rs_turn_ws *ws)
{
    const double first = entries_value(copies, W, ws);
    double value = first, t = 1.0;
    begin_at(W, ws);
    for (int k = 0; k < limits->maxit; k++) {
        const double last = value;
        double weight = k > 0 ? rs_momentum_weight_at(t) : 0.0;
        linearise(copies, limits->tau, ws);
        RS_TRY(turn_once(copies, weight, W, &value, ws));
        t = rs_momentum_next(t);
        if (weight > 0.0 && !(value <= last)) {
            return_to_kept(copies, ws);
            RS_TRY(turn_once(copies, 0.0, W, &value, ws));
            t = 1.0;
        }
        double *swap = ws->last_argument;
        ws->last_argument = ws->argument;
        ws->argument = swap;
        if (!(last - value >= limits->enough))
            break;
    }
    *gain = first - value;
    return RS_OK;
}

void rs_turn_along(double *A, rs_turn_ws *ws)
{
    rs_matmul(ws->d, ws->m, ws->m, A, ws->R, ws->frame);
    rs_copy(ws->size, ws->frame, A);
}
