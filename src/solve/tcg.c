#include "solve/tcg.h"

#include <math.h>

#include "la/linalg.h"

rs_status rs_tcg_init(rs_context *ctx, size_t size, int preconditioned,
                      rs_tcg_ws *ws)
{
    RS_ALLOC_DOUBLES(ctx, size, &ws->step, &ws->Hstep, &ws->residual);
    ws->preconditioned =
        preconditioned ? rs_alloc_double(ctx, size) : ws->residual;
    RS_ALLOC_DOUBLES(ctx, size, &ws->direction, &ws->Hdirection);
    return rs_allocated(ctx);
}

/* z = M^{-1} r; *square = <r, z> */
static rs_status precondition(const rs_tcg_problem *problem, double *square,
                              rs_tcg_ws *ws)
{
    if (problem->precondition)
        RS_TRY(problem->precondition(problem->state, ws->residual,
                                     ws->preconditioned));
    *square = rs_dot(problem->size, ws->residual, ws->preconditioned);
    return RS_OK;
}

rs_status rs_tcg_begin(const rs_tcg_problem *problem, const double *gradient,
                       double *square, rs_tcg_ws *ws)
{
    rs_copy(problem->size, gradient, ws->residual);
    return precondition(problem, square, ws);
}

/* tau >= 0 with ||p + tau q|| = radius, from pp = ||p||^2, pq = <p, q> and
 * qq = ||q||^2 > 0; rounding must not make the root's argument negative */
static double to_boundary(double pp, double pq, double qq, double radius)
{
    double room = radius * radius - pp;
    return (-pq + sqrt(fmax(pq * pq + qq * room, 0.0))) / qq;
}

rs_status rs_tcg_solve(const rs_tcg_problem *problem, const double *gradient,
                       double square, rs_tcg_info *info, rs_tcg_ws *ws)
{
    const size_t size = problem->size;
    const double radius = problem->radius;
    const double goal = problem->reduction * problem->reduction * square;
    double pp = 0.0, pq = 0.0, qq = square; /* in the norm of M */
    double *q = ws->direction, beta = 0.0;
    rs_fill(size, 0.0, ws->step);
    rs_fill(size, 0.0, ws->Hstep);
    rs_fill(size, 0.0, q);
    info->iterations = info->at_boundary = 0;
    while (square > goal && info->iterations < problem->maxit) {
        for (size_t i = 0; i < size; i++)
            q[i] = beta * q[i] - ws->preconditioned[i];
        RS_TRY(problem->hessian(problem->state, q, ws->Hdirection));
        info->iterations++;
        double curvature = rs_dot(size, q, ws->Hdirection);
        double alpha = square / curvature;
        double next = pp + 2.0 * alpha * pq + alpha * alpha * qq;
        info->at_boundary = curvature <= 0.0 || next >= radius * radius;
        if (info->at_boundary)
            alpha = to_boundary(pp, pq, qq, radius);
        rs_axpy(size, alpha, q, ws->step);
        rs_axpy(size, alpha, ws->Hdirection, ws->Hstep);
        pp = info->at_boundary ? radius * radius : next;
        if (info->at_boundary)
            break;
        rs_axpy(size, alpha, ws->Hdirection, ws->residual);
        double last = square;
        RS_TRY(precondition(problem, &square, ws));
        beta = square / last;
        pq = beta * (pq + alpha * qq);
        qq = square + beta * beta * qq;
    }
    info->length = sqrt(pp);
    info->decrease = -rs_dot(size, gradient, ws->step) -
                     0.5 * rs_dot(size, ws->step, ws->Hstep);
    return RS_OK;
}

double rs_tcg_radius(double ratio, const rs_tcg_info *info, double radius)
{
    if (!(ratio >= 0.25))
        return 0.25 * info->length;
    return ratio > 0.75 && info->at_boundary ? 2.0 * radius : radius;
}
