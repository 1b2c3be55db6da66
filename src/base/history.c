#include "base/history.h"

#include <string.h>

rs_status rs_history_init(rs_context *ctx, int capacity, rs_history *history)
{
    history->capacity = capacity > 0 ? capacity : 1;
    history->objective = rs_alloc_double(ctx, (size_t)history->capacity);
    rs_history_clear(history);
    return rs_allocated(ctx);
}

void rs_history_clear(rs_history *history)
{
    history->count = 0;
    history->rises = 0;
}

rs_status rs_history_make_room(rs_context *ctx, rs_history *history)
{
    const int capacity = 2 * history->capacity + 1;
    if (history->count < history->capacity)
        return RS_OK;
    double *more = rs_alloc_double(ctx, (size_t)capacity);
    RS_TRY(rs_allocated(ctx));
    memcpy(more, history->objective, (size_t)history->count * sizeof *more);
    history->objective = more;
    history->capacity = capacity;
    return RS_OK;
}

void rs_history_add(rs_history *history, double objective)
{
    if (history->count > 0) {
        double last = rs_history_last(history);
        double rise = (objective - last) / fmax(1e-300, fabs(last));
        history->rises += rise > RS_TIE;
    }
    if (history->count == history->capacity)
        history->count--;
    history->objective[history->count++] = objective;
}

double rs_history_change(const rs_history *history, double floor)
{
    if (history->count < 2)
        return INFINITY;
    double now = rs_history_last(history);
    double last = history->objective[history->count - 2];
    return fabs(now - last) / fmax(fabs(now), floor);
}

rs_status rs_history_step(double f, double floor, double tol,
                          rs_history *history)
{
    if (!isfinite(f))
        return RS_NOT_FINITE;
    rs_history_add(history, f);
    return rs_history_change(history, floor) <= tol ? RS_OK : RS_MAXIT;
}

int rs_history_is_flat(const rs_history *history, int count, double tol,
                       double floor)
{
    const double *last = history->objective + history->count - 1;
    int flat = history->count > count;
    for (int k = 0; flat && k < count; k++)
        flat = fabs(last[-k] - last[-k - 1]) <= tol * fmax(floor, fabs(*last));
    return flat;
}
