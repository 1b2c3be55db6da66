#include "method/spca_sharpen.h"

#include <math.h>

/* work of the steps, in units of that of the iteration: the whole fit then
 * takes at most five times as long as without a bound */
#define RS_WORK 4.0
/* and no more flops than so many times the least, some ten seconds */
#define RS_MOST_WORK 4.0
/* most conjugate gradient steps, and Newton steps; where these do not do, the
 * point is too far off for a bound at this price */
#define RS_MOST_INNER 1000
#define RS_MOST_STEPS 50
/* so many where a step is cheap and the point is to be finished */
#define RS_FINISH_STEPS 400
/* factorisations of one Newton step */
#define RS_FACTORS 4.0

static int most_steps(const rs_spca *pr, double flops, int finish)
{
    double n = pr->n, d = pr->d;
    double factor = fmin(d * d * d / 3.0, n * n * d + n * n * n / 3.0);
    double steps = flops / (RS_FACTORS * factor);
    if (!finish || !(steps > RS_MOST_STEPS))
        return RS_MOST_STEPS;
    return steps < RS_FINISH_STEPS ? (int)steps : RS_FINISH_STEPS;
}

/* the end of the steps instead of the point, as an iteration of the fit */
static rs_status finish_there(rs_spca *pr, const rs_spca_point *end,
                              const rs_spca_fit *steps, rs_spca_point *at,
                              rs_spca_fit *fit)
{
    *at = *end;
    fit->objective = steps->objective;
    fit->lowest = steps->lowest;
    fit->kkt = steps->kkt;
    fit->iterations++;
    fit->inner_iterations += steps->inner_iterations;
    RS_TRY(rs_spca_centre_point(pr, at, fit));
    RS_TRY(rs_history_make_room(pr->ctx, &fit->history));
    rs_history_add(&fit->history, fit->objective);
    return RS_OK;
}

rs_spca_exact_settings rs_spca_bound_settings(double gap, double flops)
{
    const rs_spca_exact_settings set = {.gap = gap,
                                        .maxit = RS_MOST_STEPS,
                                        .inner_maxit = RS_MOST_INNER,
                                        .inner_total = RS_MOST_INNER,
                                        .flops = flops};
    return set;
}

rs_status rs_spca_sharpen(rs_spca *pr, rs_spca_point *at, double gap,
                          double least_flops, int finish, rs_spca_fit *fit)
{
    const double flops = fmax(
        least_flops, fmin(RS_WORK * fit->flops, RS_MOST_WORK * least_flops));
    const double steps = flops / rs_spca_step_flops(pr, at->r);
    rs_spca_exact_settings set = rs_spca_bound_settings(gap, flops);
    rs_spca_point copy;
    rs_spca_fit other;
    const int most = finish ? 4 * RS_MOST_INNER : RS_MOST_INNER;
    set.inner_total = steps < most ? (int)steps : most;
    set.inner_maxit = set.inner_total;
    set.maxit = most_steps(pr, flops, finish);
    if (set.inner_total == 0 || at->r == 0)
        return RS_OK;
    RS_TRY(rs_spca_point_copy(pr, at->r, at->F, &copy));
    rs_status status = rs_spca_exact(pr, &set, &copy, &other);
    if (status == RS_INTERRUPTED || status == RS_NO_MEMORY)
        return status;
    if (!rs_is_usable(status))
        return RS_OK;
    if (other.bound > fit->bound) {
        fit->bound = other.bound;
        fit->margin = other.margin;
    }
    if (finish && other.objective < fit->objective)
        return finish_there(pr, &copy, &other, at, fit);
    return RS_OK;
}
