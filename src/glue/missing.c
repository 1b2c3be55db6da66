/*
 * glue/missing.c: models of data with missing entries, fitted by EM. The data
 * come as a matrix of doubles, whose missing entries are NaN, about in units of
 * their columns.
 */
#include "glue/glue.h"
#include "la/linalg.h"
#include "solve/em.h"

static double *add_start(r_result *out, SEXP settings, const char *name,
                         int rows, int columns)
{
    SEXP start = r_required(settings, name);
    r_expect(TYPEOF(start) == REALSXP &&
                 Rf_xlength(start) == (R_xlen_t)rows * columns,
             "missing values");
    double *value =
        columns > 0 ? r_add_matrix(out, name, rows, columns) : NULL;
    rs_copy((size_t)rows * columns, REAL_RO(start), value);
    return value;
}

/* what both fits begin with, and their result */
typedef struct {
    rs_context ctx;
    rs_gaps gaps;
    rs_em_settings set;
    r_result out;
    double *filled; /* of `out`: Z with zeros where entries are missing */
    double *mean;   /* of `out` */
} em_call;

static void open_call(SEXP Z, SEXP settings, em_call *call)
{
    const R_xlen_t size = Rf_xlength(Z);
    call->ctx = r_context();
    R_NUMBERS(settings, &call->set.ridge, &call->set.tol);
    R_INTEGERS(settings, &call->set.maxit);
    r_expect(TYPEOF(Z) == REALSXP && Rf_isMatrix(Z), "missing values");
    r_check_status(rs_gaps_find(&call->ctx, Rf_nrows(Z), Rf_ncols(Z),
                                REAL_RO(Z), &call->gaps),
                   "missing values");
    call->out = r_open();
    call->filled =
        r_add_matrix(&call->out, "filled", Rf_nrows(Z), Rf_ncols(Z));
    for (R_xlen_t at = 0; at < size; at++)
        call->filled[at] = ISNAN(REAL_RO(Z)[at]) ? 0.0 : REAL_RO(Z)[at];
    call->mean = add_start(&call->out, settings, "mean", call->gaps.d, 1);
}

static void add_course(em_call *call, rs_status status,
                       const rs_em_course *course)
{
    r_add_run(&call->out, "missing values", status, &course->loss, -1.0);
    r_add_doubles(&call->out, "loglik", course->loglik.count,
                  course->loglik.objective);
    r_add_integer(&call->out, "patterns", call->gaps.patterns);
}

/* settings: mean and sigma to start with, ridge, tol, maxit */
SEXP C_em_normal(SEXP Z, SEXP settings)
{
    em_call call;
    open_call(Z, settings, &call);
    const int d = call.gaps.d;
    rs_em_normal_fit fit = {.Z = call.filled,
                            .mean = call.mean,
                            .sigma =
                                add_start(&call.out, settings, "sigma", d, d),
                            .spread = r_add_matrix(&call.out, "spread", d, d)};
    add_course(&call, rs_em_normal(&call.ctx, &call.gaps, &call.set, &fit),
               &fit.course);
    return r_close(&call.out);
}

/* settings: mean, W (d x r) and noise to start with, ridge, tol, maxit; is the
 * spread asked for? */
SEXP C_em_factors(SEXP Z, SEXP settings, SEXP spread)
{
    em_call call;
    open_call(Z, settings, &call);
    const int d = call.gaps.d, r = Rf_ncols(r_required(settings, "W"));
    const size_t cells = (size_t)d * r;
    double *W = add_start(&call.out, settings, "W", d, r);
    rs_em_factors_fit fit = {.r = r,
                             .Z = call.filled,
                             .W = r_room(cells + d),
                             .noise = r_number(settings, "noise"),
                             .square = r_add_vector(&call.out, "square", d)};
    if (Rf_asLogical(spread)) {
        fit.spread = r_add_matrix(&call.out, "spread", d, d);
        rs_fill((size_t)d * d, 0.0, fit.spread);
    }
    rs_copy(cells, W, fit.W);
    rs_copy((size_t)d, call.mean, fit.W + cells);
    add_course(&call, rs_em_factors(&call.ctx, &call.gaps, &call.set, &fit),
               &fit.course);
    rs_copy(cells, fit.W, W);
    rs_copy((size_t)d, fit.W + cells, call.mean);
    R_ADD_NUMBERS(&call.out, fit.noise);
    return r_close(&call.out);
}
