/*
 * base/history.h: objective values per outer iteration and the stopping tests
 * that all solvers share.
 */
#ifndef RS_HISTORY_H
#define RS_HISTORY_H

#include <math.h>

#include "base/core.h"

typedef struct {
    double *objective; /* capacity values */
    int capacity;
    int count;
    int rises; /* iterations whose objective rose beyond rounding */
} rs_history;

rs_status rs_history_init(rs_context *ctx, int capacity, rs_history *history);
/* no values, in the same room */
void rs_history_clear(rs_history *history);
/* room for one more value at least, the values kept; not for threads */
rs_status rs_history_make_room(rs_context *ctx, rs_history *history);
static inline double rs_history_last(const rs_history *history)
{
    return history->objective[history->count - 1];
}
static inline void rs_history_replace(rs_history *history, double last)
{
    history->objective[history->count - 1] = last;
}
/* append; counts a rise of more than 1e-10 relative. In a full history the
 * last value gives way, so that the last one is always the present one. */
void rs_history_add(rs_history *history, double objective);
/* |f_k - f_{k-1}| / max(|f_k|, floor); infinite before two values exist */
double rs_history_change(const rs_history *history, double floor);
/* the end of an iteration: f is added. RS_OK where its change is at most tol,
 * RS_MAXIT where not, RS_NOT_FINITE for what is no number. */
rs_status rs_history_step(double f, double floor, double tol,
                          rs_history *history);
/* each of the last `count` changes was at most tol, relative to the value, or
 * to `floor` where that is more */
int rs_history_is_flat(const rs_history *history, int count, double tol,
                       double floor);
/* the last changes were nothing but rounding: an iteration gives up */
static inline int rs_history_stands(const rs_history *history)
{
    return rs_history_is_flat(history, 20, 1e-15, 0.0);
}

/*
 * An objective that hardly changes is not yet a stationary point: iterations
 * whose change is below tol go on until the first-order residual is below
 * this limit, or the objective stands at the level of rounding.
 */
static inline double rs_residual_limit(double tol)
{
    const double most = 1e-2;
    return tol > most * most ? sqrt(tol) : most;
}

#endif
