#include "solve/q_rtr.h"

#include <math.h>

#include "la/linalg.h"

#define RS_RTR_ACCEPT 0.1
#define RS_RTR_SHRINK_BELOW 0.25
#define RS_RTR_GROW_ABOVE 0.75
/* a radius below this share of the largest one has no step left */
#define RS_RTR_SMALLEST 1e-14
/* linear and superlinear stopping of the inner iteration */
#define RS_RTR_KAPPA 0.1
#define RS_RTR_THETA 1.0
#define RS_RTR_INNER 500
/* weight of the rounding guard of the ratio (Conn, Gould, Toint 2000, 17.4) */
#define RS_RTR_GUARD 1e3

typedef struct {
    const rs_q_problem *problem;
    const double *W;
    double unit; /* of the values and gradients */
    size_t size;
    rs_stiefel_ws *stiefel;
    rs_q_rtr_ws *ws;
} tr_model;

rs_status rs_q_rtr_init(rs_context *ctx, int d, int m, rs_q_rtr_ws *ws)
{
    const size_t size = (size_t)d * m;
    RS_ALLOC_DOUBLES(ctx, size, &ws->gradient, &ws->trial, &ws->Strial);
    ws->curvature = rs_alloc_double(ctx, (size_t)m * m);
    RS_TRY(rs_allocated(ctx));
    return rs_tcg_init(ctx, size, 0, &ws->tcg);
}

/* out = P_W(-2 S M - M sym(W'egrad)) */
static rs_status apply_hessian(void *state, const double *M, double *out)
{
    const tr_model *model = (const tr_model *)state;
    const rs_q_problem *q = model->problem;
    RS_TRY(rs_covop_apply(q->op, q->m, M, out));
    rs_gemm('N', 'N', q->d, q->m, q->m, -1.0, M, q->d, model->ws->curvature,
            q->m, -2.0, out, q->d);
    rs_stiefel_project(model->W, out, model->stiefel);
    return RS_OK;
}

/* gradient and the m x m curvature term at W; returns the relative norm */
static double linearise(const tr_model *model, const double *SW)
{
    double *gradient = model->ws->gradient;
    rs_q_gradient(model->problem, SW, gradient);
    double scale = rs_norm(model->size, gradient);
    rs_stiefel_sym_product(model->W, gradient, model->ws->curvature,
                           model->stiefel);
    rs_stiefel_project(model->W, gradient, model->stiefel);
    return scale > 0.0 ? rs_norm(model->size, gradient) / scale : 0.0;
}

/* the step that minimises the model within the radius, in ws->tcg.step */
static rs_status minimise_model(tr_model *model, double radius,
                                rs_tcg_info *info)
{
    rs_tcg_problem problem = {model->size, model,        apply_hessian, NULL,
                              radius,      RS_RTR_KAPPA, RS_RTR_INNER};
    double square;
    if (model->size < RS_RTR_INNER)
        problem.maxit = (int)model->size;
    RS_TRY(
        rs_tcg_begin(&problem, model->ws->gradient, &square, &model->ws->tcg));
    problem.reduction =
        fmin(pow(sqrt(square) / model->unit, RS_RTR_THETA), RS_RTR_KAPPA);
    return rs_tcg_solve(&problem, model->ws->gradient, square, info,
                        &model->ws->tcg);
}

/* trial = R_W(step), and S trial */
static rs_status retract(const tr_model *model)
{
    const rs_q_problem *q = model->problem;
    rs_q_rtr_ws *ws = model->ws;
    for (size_t i = 0; i < model->size; i++)
        ws->trial[i] = model->W[i] + ws->tcg.step[i];
    RS_TRY(rs_stiefel_qr(ws->trial, model->stiefel));
    return rs_covop_apply(q->op, q->m, ws->trial, ws->Strial);
}

/* actual over predicted decrease, regularised where both drown in rounding */
static double decrease_ratio(double value, double trial, double predicted,
                             double unit)
{
    double guard = fmax(unit, fabs(value)) * 2.220446e-16 * RS_RTR_GUARD;
    return (value - trial + guard) / (predicted + guard);
}

static double update_radius(double radius, double largest, double ratio,
                            int at_boundary)
{
    if (!(ratio >= RS_RTR_SHRINK_BELOW))
        return 0.25 * radius;
    if (ratio > RS_RTR_GROW_ABOVE && at_boundary)
        return fmin(2.0 * radius, largest);
    return radius;
}

rs_status rs_q_rtr(rs_q_run *run, rs_q_rtr_ws *ws)
{
    const rs_q_problem *problem = run->problem;
    const size_t size = (size_t)problem->d * problem->m;
    double *W = run->W, *SW = run->SW;
    double largest = sqrt((double)problem->m), radius = largest / 8.0;
    double value = rs_q_value(problem, W, SW);
    tr_model model = {
        problem, W, rs_q_unit(problem), size, &run->base->stiefel, ws};
    rs_tcg_info info;

    double residual = linearise(&model, SW);
    for (run->iterations = 0; run->iterations < run->limits.maxit;
         run->iterations++) {
        if (residual <= run->limits.tol)
            return RS_OK;
        if (radius < RS_RTR_SMALLEST * largest)
            return RS_STALLED;
        RS_TRY(minimise_model(&model, radius, &info));
        RS_TRY(retract(&model));
        double trial_value = rs_q_value(problem, ws->trial, ws->Strial);
        double ratio =
            decrease_ratio(value, trial_value, info.decrease, model.unit);
        radius = update_radius(radius, largest, ratio, info.at_boundary);
        if (ratio > RS_RTR_ACCEPT) {
            rs_copy(size, ws->trial, W);
            rs_copy(size, ws->Strial, SW);
            value = trial_value;
            residual = linearise(&model, SW);
        }
    }
    return residual <= run->limits.tol ? RS_OK : RS_MAXIT;
}
