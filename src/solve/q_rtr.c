/*
 * Riemannian trust region for (Q) on the Stiefel manifold, after Absil, Baker
 * and Gallivan (2007): the outer loop knows radius, ratio and acceptance, the
 * inner one is the truncated conjugate-gradient method of Steihaug and Toint.
 */
#include <math.h>

#include "solve/qsolve.h"

#define RS_RTR_ACCEPT 0.1
#define RS_RTR_SHRINK_BELOW 0.25
#define RS_RTR_GROW_ABOVE 0.75
/* linear and superlinear stopping of the inner iteration */
#define RS_TCG_KAPPA 0.1
#define RS_TCG_THETA 1.0
/* weight of the rounding guard of the ratio (Conn, Gould, Toint 2000, 17.4) */
#define RS_RTR_GUARD 1e3

typedef struct {
    const rs_q_problem *problem;
    const double *W;
    double unit;       /* of the values and gradients */
    double *grad;      /* Riemannian gradient at W */
    double *curvature; /* m x m: sym(W' egrad) */
    double *step, *Hstep;
    double *residual, *direction, *Hdirection;
    rs_stiefel_ws *stiefel;
    size_t size;
} tr_model;

typedef enum { TCG_INTERIOR, TCG_BOUNDARY } tcg_end;

/* out = P_W(-2 S M - M sym(W'egrad)) */
static rs_status apply_hessian(tr_model *model, const double *M, double *out)
{
    const rs_q_problem *q = model->problem;
    RS_TRY(rs_covop_apply(q->op, q->m, M, out));
    rs_gemm('N', 'N', q->d, q->m, q->m, -1.0, M, q->d, model->curvature, q->m,
            -2.0, out, q->d);
    rs_stiefel_project(model->W, out, model->stiefel);
    return RS_OK;
}

/* tau >= 0 with ||step + tau direction|| = radius */
static double to_boundary(double step_square, double along, double square,
                          double radius)
{
    double slack = radius * radius - step_square;
    return (-along + sqrt(along * along + square * slack)) / square;
}

static void advance(tr_model *model, double tau)
{
    rs_axpy(model->size, tau, model->direction, model->step);
    rs_axpy(model->size, tau, model->Hdirection, model->Hstep);
}

/*
 * Minimise <grad, M> + <M, H M> / 2 over ||M|| <= radius: model->step and
 * model->Hstep, the Hessian along it.
 */
static rs_status truncated_cg(tr_model *model, double radius, int maxit,
                              tcg_end *end)
{
    const size_t size = model->size;
    rs_fill(size, 0.0, model->step);
    rs_fill(size, 0.0, model->Hstep);
    rs_copy(size, model->grad, model->residual);
    for (size_t i = 0; i < size; i++)
        model->direction[i] = -model->grad[i];

    double rr = rs_sum_squares(size, model->residual);
    double r0 = sqrt(rr);
    double target =
        r0 * fmin(pow(r0 / model->unit, RS_TCG_THETA), RS_TCG_KAPPA);
    *end = TCG_INTERIOR;
    for (int j = 0; j < maxit && sqrt(rr) > target; j++) {
        RS_TRY(apply_hessian(model, model->direction, model->Hdirection));
        double bend = rs_dot(size, model->direction, model->Hdirection);
        double ss = rs_sum_squares(size, model->step);
        double sd = rs_dot(size, model->step, model->direction);
        double dd = rs_sum_squares(size, model->direction);
        double alpha = rr / bend;
        double reached = ss + 2.0 * alpha * sd + alpha * alpha * dd;
        if (bend <= 0.0 || reached >= radius * radius) {
            advance(model, to_boundary(ss, sd, dd, radius));
            *end = TCG_BOUNDARY;
            return RS_OK;
        }
        advance(model, alpha);
        rs_axpy(size, alpha, model->Hdirection, model->residual);
        double rr_next = rs_sum_squares(size, model->residual);
        double beta = rr_next / rr;
        for (size_t i = 0; i < size; i++)
            model->direction[i] =
                beta * model->direction[i] - model->residual[i];
        rr = rr_next;
    }
    return RS_OK;
}

/* gradient and the m x m curvature term at W; returns the relative norm */
static double linearise(tr_model *model, const double *SW)
{
    rs_q_gradient(model->problem, SW, model->grad);
    double scale = rs_norm(model->size, model->grad);
    rs_stiefel_sym_product(model->W, model->grad, model->curvature,
                           model->stiefel);
    rs_stiefel_project(model->W, model->grad, model->stiefel);
    return scale > 0.0 ? rs_norm(model->size, model->grad) / scale : 0.0;
}

/* actual over predicted decrease, regularised where both drown in rounding */
static double decrease_ratio(double value, double trial, double predicted,
                             double unit)
{
    double guard = fmax(unit, fabs(value)) * 2.220446e-16 * RS_RTR_GUARD;
    return (value - trial + guard) / (predicted + guard);
}

static double update_radius(double radius, double largest, double ratio,
                            tcg_end end)
{
    if (!(ratio >= RS_RTR_SHRINK_BELOW))
        return 0.25 * radius;
    if (ratio > RS_RTR_GROW_ABOVE && end == TCG_BOUNDARY)
        return fmin(2.0 * radius, largest);
    return radius;
}

static void bind_model(const rs_q_problem *problem, const double *W,
                       rs_q_ws *ws, tr_model *model)
{
    model->problem = problem;
    model->W = W;
    model->unit = rs_q_unit(problem);
    model->size = (size_t)problem->d * problem->m;
    model->grad = ws->blocks[1];
    model->step = ws->blocks[2];
    model->Hstep = ws->blocks[3];
    model->residual = ws->blocks[4];
    model->direction = ws->blocks[5];
    model->Hdirection = ws->blocks[6];
    model->curvature = ws->small[0];
    model->stiefel = &ws->stiefel;
}

rs_status rs_q_rtr(const rs_q_problem *problem, const rs_q_control *control,
                   double *W, double *SW, rs_q_info *info, rs_q_ws *ws)
{
    double *trial = ws->blocks[7], *Strial = ws->blocks[8];
    double largest = sqrt((double)problem->m), radius = largest / 8.0;
    double value = rs_q_value(problem, W, SW);
    tr_model model;
    tcg_end end;

    bind_model(problem, W, ws, &model);
    const size_t size = model.size;
    double residual = linearise(&model, SW);
    info->iterations = 0;
    while (info->iterations < control->maxit) {
        if (residual <= control->tol)
            return RS_OK;
        if (radius < 1e-14 * largest)
            return RS_STALLED;
        RS_TRY(truncated_cg(&model, radius, (int)fmin((double)size, 500.0),
                            &end));
        double predicted = -rs_dot(size, model.grad, model.step) -
                           0.5 * rs_dot(size, model.step, model.Hstep);
        /* trial = R_W(step) */
        for (size_t i = 0; i < size; i++)
            trial[i] = W[i] + model.step[i];
        RS_TRY(rs_stiefel_qr(trial, &ws->stiefel));
        RS_TRY(rs_covop_apply(problem->op, problem->m, trial, Strial));
        double trial_value = rs_q_value(problem, trial, Strial);
        double ratio =
            decrease_ratio(value, trial_value, predicted, model.unit);
        radius = update_radius(radius, largest, ratio, end);
        if (ratio > RS_RTR_ACCEPT) {
            rs_copy(size, trial, W);
            rs_copy(size, Strial, SW);
            value = trial_value;
            residual = linearise(&model, SW);
        }
        info->iterations++;
    }
    return residual <= control->tol ? RS_OK : RS_MAXIT;
}
