/*
 * glue/missing.c: models of data with missing entries, fitted by EM. The data
 * come as a matrix of doubles, whose missing entries are NaN, about in units of
 * their columns.
 */
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "la/linalg.h"
#include "solve/em_factors.h"
#include "solve/em_normal.h"

static void find_gaps(SEXP Z, rs_context *ctx, rs_gaps *gaps)
{
    r_expect(TYPEOF(Z) == REALSXP && Rf_isMatrix(Z), "missing values");
    r_check_status(
        rs_gaps_find(ctx, Rf_nrows(Z), Rf_ncols(Z), REAL_RO(Z), gaps),
        "missing values");
}

/* Z with zeros where entries are missing, to be filled */
static double *add_filled(r_result *out, SEXP Z)
{
    const R_xlen_t size = Rf_xlength(Z);
    double *filled = r_add_matrix(out, "filled", Rf_nrows(Z), Rf_ncols(Z));
    for (R_xlen_t at = 0; at < size; at++)
        filled[at] = ISNAN(REAL_RO(Z)[at]) ? 0.0 : REAL_RO(Z)[at];
    return filled;
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

static rs_em_settings settings_of(SEXP settings)
{
    const rs_em_settings set = {r_number(settings, "ridge"),
                                r_number(settings, "tol"),
                                r_integer(settings, "maxit")};
    return set;
}

static void add_course(r_result *out, rs_status status, const rs_gaps *gaps,
                       const rs_em_course *course)
{
    r_add_run(out, "missing values", status, &course->loss, -1.0);
    r_add_doubles(out, "loglik", course->loglik.count,
                  course->loglik.objective);
    r_add_integer(out, "patterns", gaps->patterns);
}

/* settings: mean and sigma to start with, ridge, tol, maxit */
SEXP C_em_normal(SEXP Z, SEXP settings)
{
    rs_context ctx = r_context();
    rs_gaps gaps;
    rs_em_normal_fit fit;
    const rs_em_settings set = settings_of(settings);
    find_gaps(Z, &ctx, &gaps);
    r_result out = r_open();
    double *filled = add_filled(&out, Z);
    fit.mean = add_start(&out, settings, "mean", gaps.d, 1);
    fit.sigma = add_start(&out, settings, "sigma", gaps.d, gaps.d);
    fit.spread = r_add_matrix(&out, "spread", gaps.d, gaps.d);
    add_course(&out, rs_em_normal(&ctx, &gaps, filled, &set, &fit), &gaps,
               &fit.course);
    return r_close(&out);
}

/* settings: mean, W (d x r) and noise to start with, ridge, tol, maxit */
SEXP C_em_factors(SEXP Z, SEXP settings)
{
    rs_context ctx = r_context();
    rs_gaps gaps;
    rs_em_factors_fit fit;
    const rs_em_settings set = settings_of(settings);
    find_gaps(Z, &ctx, &gaps);
    r_result out = r_open();
    double *filled = add_filled(&out, Z);
    fit.mean = add_start(&out, settings, "mean", gaps.d, 1);
    fit.r = Rf_ncols(r_required(settings, "W"));
    fit.W = add_start(&out, settings, "W", gaps.d, fit.r);
    fit.noise = r_number(settings, "noise");
    fit.E = r_room(&ctx, (size_t)gaps.n * fit.r);
    fit.square = r_add_vector(&out, "square", gaps.d);
    add_course(&out, rs_em_factors(&ctx, &gaps, filled, &set, &fit), &gaps,
               &fit.course);
    R_ADD_NUMBERS(&out, fit.noise, fit.rss, fit.freedom);
    return r_close(&out);
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
