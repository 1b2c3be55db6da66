#include "solve/palm.h"

#include <math.h>

#include "la/linalg.h"

rs_status rs_q_init(rs_context *ctx, rs_covop *op, int m, rs_q_method method,
                    rs_q *q)
{
    const size_t size = (size_t)op->d * m;
    *q = (rs_q){.op = op, .d = op->d, .m = m, .size = size};
    q->gradient = rs_alloc_double(ctx, size);
    if (method != RS_Q_MM) {
        RS_ALLOC_DOUBLES(ctx, size, &q->start, &q->Sstart, &q->other,
                         &q->direction);
        q->small = rs_alloc_double(ctx, (size_t)m * m);
    }
    if (method == RS_Q_RTR)
        RS_TRY(rs_tcg_init(ctx, size, 0, &q->tcg));
    RS_TRY(rs_allocated(ctx));
    return rs_stiefel_init(ctx, q->d, m, &q->stiefel);
}

double rs_q_value(const rs_q *q, const double *W, const double *SW)
{
    return -rs_dot(q->size, W, SW) - rs_dot(q->size, W, q->C);
}

/* gradient <- egrad g(W) = -2 S W - C; returns its norm */
static double take_gradient(const double *SW, rs_q *q)
{
    for (size_t i = 0; i < q->size; i++)
        q->gradient[i] = -2.0 * SW[i] - q->C[i];
    return rs_norm(q->size, q->gradient);
}

/* gradient <- P_W(gradient); returns its norm relative to `scale` */
static double project_gradient(const double *W, double scale, rs_q *q)
{
    rs_stiefel_project(W, q->gradient, &q->stiefel);
    return scale > 0.0 ? rs_norm(q->size, q->gradient) / scale : 0.0;
}

double rs_q_residual(const double *C, const double *W, const double *SW,
                     rs_q *q)
{
    q->C = C;
    const double scale = take_gradient(SW, q);
    return project_gradient(W, scale, q);
}

/* the unit of g: the mean of the diagonal of S; without S the size of C */
static double unit_of(const rs_q *q)
{
    if (q->op->trace > 0.0)
        return q->op->trace / q->d;
    const double norm = rs_norm(q->size, q->C);
    return norm > 0.0 ? norm / sqrt((double)q->m) : 1.0;
}

/* W <- polar(W), and S W */
static rs_status pull_back(double *W, double *SW, rs_q *q)
{
    RS_TRY(rs_stiefel_polar(W, &q->stiefel));
    return rs_covop_apply(q->op, q->m, W, SW);
}

/* ---- generalised power iteration ----------------------------------------- */

static rs_status mm_step(double *W, double *SW, rs_q *q)
{
    for (size_t i = 0; i < q->size; i++)
        W[i] = 2.0 * SW[i] + q->C[i];
    return pull_back(W, SW, q);
}

static rs_status power(const rs_q_control *control, double *W, double *SW,
                       rs_q *q)
{
    for (; q->iterations < control->maxit; q->iterations++) {
        if (control->maxit > 1 &&
            rs_q_residual(q->C, W, SW, q) <= control->tol)
            return RS_OK;
        RS_TRY(mm_step(W, SW, q));
    }
    return RS_MAXIT;
}

/* ---- Riemannian trust region ---------------------------------------------- */

/* steps of the inner iteration */
#define RS_RTR_INNER 500

/* out = P_W(-2 S M - M sym(W'egrad)) */
static rs_status apply_hessian(void *state, const double *M, double *out)
{
    rs_q *q = (rs_q *)state;
    RS_TRY(rs_covop_apply(q->op, q->m, M, out));
    rs_gemm('N', 'N', q->d, q->m, q->m, -1.0, M, q->d, q->small, q->m, -2.0,
            out, q->d);
    rs_stiefel_project(q->W, out, &q->stiefel);
    return RS_OK;
}

/* the Riemannian gradient and sym(W'egrad) at W; returns the residual */
static double linearise(const double *W, const double *SW, rs_q *q)
{
    const double scale = take_gradient(SW, q);
    q->W = W;
    rs_stiefel_sym_product(W, q->gradient, q->small, &q->stiefel);
    return project_gradient(W, scale, q);
}

/* other = the retraction of the step that minimises the model within the
 * radius, and S other */
static rs_status try_step(double radius, double unit, rs_tcg_info *info,
                          rs_q *q)
{
    rs_tcg_problem problem = {.size = q->size,
                              .state = q,
                              .hessian = apply_hessian,
                              .radius = radius,
                              .maxit = (int)fmin(q->size, RS_RTR_INNER)};
    double square;
    RS_TRY(rs_tcg_begin(&problem, q->gradient, &square, &q->tcg));
    problem.reduction = fmin(sqrt(square) / unit, RS_TCG_REDUCTION);
    RS_TRY(rs_tcg_solve(&problem, q->gradient, square, info, &q->tcg));
    for (size_t i = 0; i < q->size; i++)
        q->other[i] = q->W[i] + q->tcg.step[i];
    RS_TRY(rs_qr_orthonormal(q->d, q->m, q->other, &q->stiefel.qr));
    return rs_covop_apply(q->op, q->m, q->other, q->direction);
}

static rs_status trust_region(const rs_q_control *control, double *W,
                              double *SW, rs_q *q)
{
    const double largest = sqrt((double)q->m), unit = unit_of(q);
    double radius = largest / 8.0, value = rs_q_value(q, W, SW);
    double residual = linearise(W, SW, q);
    rs_tcg_info info;
    for (; q->iterations < control->maxit; q->iterations++) {
        if (residual <= control->tol)
            return RS_OK;
        if (radius < RS_ROUNDING * largest)
            return RS_STALLED;
        RS_TRY(try_step(radius, unit, &info, q));
        const double next = rs_q_value(q, q->other, q->direction);
        /* a guard against rounding (Conn, Gould, Toint 2000, 17.4) */
        const double guard = fmax(unit, fabs(value)) * RS_ROUNDING;
        const double ratio = (value - next + guard) / (info.decrease + guard);
        radius = fmin(rs_tcg_radius(ratio, &info, radius), largest);
        if (ratio > RS_TCG_ACCEPT) {
            rs_copy(q->size, q->other, W);
            rs_copy(q->size, q->direction, SW);
            value = next;
            residual = linearise(W, SW, q);
        }
    }
    return residual <= control->tol ? RS_OK : RS_MAXIT;
}

/* ---- exact penalty ----------------------------------------------------------- */

/* steps, in units of 1 / S */
#define RS_PENCF_FIRST_STEP 0.01
#define RS_PENCF_LARGEST_STEP 1000.0
#define RS_PENCF_BALL 1.0001
/* pull back to the manifold when ||W'W - I|| exceeds this */
#define RS_PENCF_INFEASIBLE 0.1

/* gradient <- D(W) = G - W sym(W'G) + beta W (W'W - I); returns ||W'W - I|| */
static double penalty_direction(double beta, const double *W, const double *SW,
                                rs_q *q)
{
    take_gradient(SW, q);
    rs_stiefel_project(W, q->gradient, &q->stiefel);
    rs_gram(q->d, q->m, W, q->small);
    for (int j = 0; j < q->m; j++)
        q->small[j + (size_t)j * q->m] -= 1.0;
    const double infeasibility = rs_norm((size_t)q->m * q->m, q->small);
    rs_gemm('N', 'N', q->d, q->m, q->m, beta, W, q->d, q->small, q->m, 1.0,
            q->gradient, q->d);
    return infeasibility;
}

/* the two Barzilai-Borwein formulas, alternating, below the largest step */
static double next_step(const double *W, double unit, const rs_q *q)
{
    double ss = 0.0, sy = 0.0, yy = 0.0;
    for (size_t i = 0; i < q->size; i++) {
        const double ds = W[i] - q->other[i];
        const double dy = q->gradient[i] - q->direction[i];
        ss += ds * ds;
        sy += ds * dy;
        yy += dy * dy;
    }
    sy = fabs(sy);
    const double step = q->iterations % 2 ? ss / sy : sy / yy;
    return q->iterations > 0 && isfinite(step)
               ? fmin(step, RS_PENCF_LARGEST_STEP / unit)
               : RS_PENCF_FIRST_STEP / unit;
}

/* W <- W - step D, then back into the ball of radius 1.0001 sqrt(m), until D
 * vanishes; RS_STALLED where it diverges */
static rs_status descend(const rs_q_control *control, double *W, double *SW,
                         rs_q *q)
{
    const double unit = unit_of(q), scale = take_gradient(SW, q);
    const double beta =
        fmax(fmin(0.5 * scale / q->m, 1e10 * unit), 1e-10 * unit);
    const double radius = RS_PENCF_BALL * sqrt((double)q->m);
    for (; q->iterations < control->maxit; q->iterations++) {
        const double infeasibility = penalty_direction(beta, W, SW, q);
        const double length = rs_norm(q->size, q->gradient);
        if (!isfinite(infeasibility) || !isfinite(length))
            return RS_STALLED;
        if (length <= control->tol * scale)
            return RS_OK;
        const double step = next_step(W, unit, q);
        rs_copy(q->size, W, q->other);
        rs_copy(q->size, q->gradient, q->direction);
        rs_axpy(q->size, -step, q->gradient, W);
        const double norm = rs_norm(q->size, W);
        if (norm > radius)
            rs_scale(q->size, radius / norm, W);
        if (infeasibility > RS_PENCF_INFEASIBLE)
            RS_TRY(rs_stiefel_polar(W, &q->stiefel));
        RS_TRY(rs_covop_apply(q->op, q->m, W, SW));
    }
    return RS_MAXIT;
}

/* an end above the start is replaced by one step of mm, which cannot rise */
static rs_status exact_penalty(const rs_q_control *control, double *W,
                               double *SW, rs_q *q)
{
    const double before = rs_q_value(q, W, SW);
    rs_copy(q->size, W, q->start);
    rs_copy(q->size, SW, q->Sstart);
    const rs_status status = descend(control, W, SW, q);
    if (!rs_is_usable(status) && status != RS_NOT_FINITE)
        return status;
    if (status == RS_OK || status == RS_MAXIT) {
        RS_TRY(pull_back(W, SW, q));
        if (rs_q_value(q, W, SW) <= before)
            return status;
    }
    rs_copy(q->size, q->start, W);
    rs_copy(q->size, q->Sstart, SW);
    q->rejected++;
    q->iterations++;
    return mm_step(W, SW, q);
}

rs_status rs_q_solve(const rs_q_control *control, const double *C, double *W,
                     double *SW, rs_q *q)
{
    q->C = C;
    q->iterations = 0;
    if (control->method == RS_Q_MM)
        return power(control, W, SW, q);
    return control->method == RS_Q_RTR ? trust_region(control, W, SW, q)
                                       : exact_penalty(control, W, SW, q);
}
