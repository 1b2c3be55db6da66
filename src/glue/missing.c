/*
 * glue/missing.c: models of data with missing entries, fitted by EM. The data
 * come as a matrix of doubles, whose missing entries are NaN, about in units of
 * their columns.
 */
#include "glue/entries.h"
#include "glue/glue.h"
#include "la/linalg.h"
#include "solve/em.h"

static void find_gaps(SEXP Z, rs_context *ctx, rs_gaps *gaps)
{
    r_expect(TYPEOF(Z) == REALSXP && Rf_isMatrix(Z), "missing values");
    r_check_status(
        rs_gaps_find(ctx, Rf_nrows(Z), Rf_ncols(Z), REAL_RO(Z), gaps),
        "missing values");
}

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
    call->set.ridge = r_number(settings, "ridge");
    call->set.tol = r_number(settings, "tol");
    call->set.maxit = r_integer(settings, "maxit");
    find_gaps(Z, &call->ctx, &call->gaps);
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
    rs_em_normal_fit fit = {.mean = call.mean,
                            .sigma =
                                add_start(&call.out, settings, "sigma", d, d),
                            .spread = r_add_matrix(&call.out, "spread", d, d)};
    add_course(
        &call,
        rs_em_normal(&call.ctx, &call.gaps, call.filled, &call.set, &fit),
        &fit.course);
    return r_close(&call.out);
}

/* settings: mean, W (d x r) and noise to start with, ridge, tol, maxit */
SEXP C_em_factors(SEXP Z, SEXP settings)
{
    em_call call;
    open_call(Z, settings, &call);
    const int d = call.gaps.d, r = Rf_ncols(r_required(settings, "W"));
    rs_em_factors_fit fit = {.r = r,
                             .mean = call.mean,
                             .W = add_start(&call.out, settings, "W", d, r),
                             .noise = r_number(settings, "noise"),
                             .E = r_room(&call.ctx, (size_t)call.gaps.n * r),
                             .square = r_add_vector(&call.out, "square", d)};
    add_course(
        &call,
        rs_em_factors(&call.ctx, &call.gaps, call.filled, &call.set, &fit),
        &fit.course);
    R_ADD_NUMBERS(&call.out, fit.noise, fit.freedom);
    return r_close(&call.out);
}

/* S and the summed covariances of what is missing in Z, given W and the noise */
SEXP C_em_spread(SEXP Z, SEXP S, SEXP W, SEXP noise)
{
    rs_context ctx = r_context();
    rs_gaps gaps;
    find_gaps(Z, &ctx, &gaps);
    r_expect(Rf_nrows(S) == gaps.d && Rf_nrows(W) == gaps.d, "missing values");
    SEXP sum = PROTECT(Rf_duplicate(S));
    r_check_status(rs_em_factors_spread(&ctx, &gaps, Rf_ncols(W), REAL_RO(W),
                                        Rf_asReal(noise), REAL(sum)),
                   "missing values");
    UNPROTECT(1);
    return sum;
}
