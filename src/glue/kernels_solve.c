/* Entry points of the shared solvers, which the tests call one by one. */
#include "la/linalg.h"
#include "solve/tcg.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

typedef struct {
    int d;
    const double *H;
    const double *scale; /* diagonal of the preconditioner */
} tcg_operators;

static rs_status apply_hessian(void *state, const double *in, double *out)
{
    const tcg_operators *op = (const tcg_operators *)state;
    rs_matmul(op->d, op->d, 1, op->H, in, out);
    return RS_OK;
}

static rs_status divide_by_scale(void *state, const double *in, double *out)
{
    const tcg_operators *op = (const tcg_operators *)state;
    for (int i = 0; i < op->d; i++)
        out[i] = in[i] / op->scale[i];
    return RS_OK;
}

/* truncated conjugate gradients; scale: the diagonal of M, or NULL */
SEXP C_tcg(SEXP H, SEXP gradient, SEXP scale, SEXP settings)
{
    rs_context ctx = r_context();
    const int plain = scale == R_NilValue;
    tcg_operators op = {Rf_nrows(H), REAL_RO(H),
                        plain ? NULL : REAL_RO(scale)};
    rs_tcg_problem problem = {.size = (size_t)op.d,
                              .state = &op,
                              .hessian = apply_hessian,
                              .precondition = plain ? NULL : divide_by_scale,
                              .radius = r_number(settings, "radius"),
                              .reduction = r_number(settings, "reduction"),
                              .maxit = r_integer(settings, "maxit")};
    const double *g = REAL_RO(gradient);
    rs_tcg_ws ws;
    rs_tcg_info info;
    double square;
    r_check_status(rs_tcg_init(&ctx, problem.size, !plain, &ws), "step");
    r_check_status(rs_tcg_begin(&problem, g, &square, &ws), "step");
    r_check_status(rs_tcg_solve(&problem, g, square, &info, &ws), "step");
    r_result out = r_open();
    r_add_doubles(&out, "step", problem.size, ws.step);
    r_add_number(&out, "length", info.length);
    r_add_number(&out, "decrease", info.decrease);
    r_add_flag(&out, "at_boundary", info.at_boundary);
    r_add_integer(&out, "iterations", info.iterations);
    return r_close(&out);
}
