#include <math.h>

#include "method/spca_psd/bound.h"
#include "method/spca_psd/centre.h"
#include "method/spca_psd/exact.h"
#include "method/spca_psd/leading.h"
#include "method/spca_psd/paper.h"
#include "method/spca_psd/path.h"
#include "method/spca_psd/plain.h"
#include "method/spca_psd/reach.h"
#include "method/spca_psd/start.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* in the order of rs_spca_loss and of rs_spca_route */
static const char *const losses[] = {"frobenius", "l21", NULL};
static const char *const routes[] = {"dense", "lowrank", "cheapest", NULL};

static rs_spca_loss read_loss(SEXP settings)
{
    return (rs_spca_loss)r_choice(settings, "loss", losses);
}

/* the problem of a prepared data list */
static void read_problem(SEXP data, SEXP settings, rs_context *ctx,
                         rs_spca *pr)
{
    rs_data *X = r_data(data, RS_SPCA_BLOCK, ctx);
    r_check_status(rs_spca_init(ctx, X, read_loss(settings),
                                r_integer(settings, "adaptive"),
                                r_number(settings, "lambda"),
                                r_number(settings, "eta"), pr),
                   "spca_psd");
}

static rs_spca_route read_route(SEXP settings, const rs_spca *pr)
{
    int route = r_choice(settings, "route", routes);
    if (route <= RS_ROUTE_LOWRANK)
        return (rs_spca_route)route;
    return rs_spca_cheaper_route(pr, r_number(settings, "expected_rank"));
}

/* the weights that the published iteration starts from */
static void start_paper(SEXP start, const rs_spca *pr,
                        rs_spca_paper_settings *set, rs_spca_point *at)
{
    set->record_start = start != R_NilValue;
    if (start == R_NilValue)
        rs_spca_point_unit(pr, &set->floors, at);
    else if (Rf_isMatrix(start))
        r_check_status(rs_spca_point_factor(pr, Rf_ncols(start),
                                            REAL_RO(start), &set->floors, at),
                       "start");
    else
        rs_spca_point_diagonal(pr, REAL_RO(start), &set->floors, at);
}

/* the settings, and a point with the first weights */
static rs_spca_paper_settings begin_paper(SEXP start, SEXP settings,
                                          const rs_spca *pr, rs_spca_point *at)
{
    rs_spca_paper_settings set;
    set.route = read_route(settings, pr);
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.tol, &set.inner_tol);
    rs_spca_published(pr, &set);
    int room = rs_min_int((int)r_number(settings, "expected_rank") + 4, pr->d);
    if (Rf_isMatrix(start) && Rf_ncols(start) > room)
        room = Rf_ncols(start);
    r_check_status(rs_spca_point_init(pr, room, at), "spca_psd");
    start_paper(start, pr, &set, at);
    return set;
}

static rs_status run_paper(SEXP start, SEXP settings, const rs_spca *pr,
                           rs_spca_point *at, rs_spca_fit *fit, int *route)
{
    rs_spca_paper_settings set = begin_paper(start, settings, pr, at);
    *route = set.route;
    rs_status status = rs_spca_paper(pr, &set, at, fit);
    r_check_status(status, "spca_psd");
    r_check_status(rs_spca_centre_point(pr, at, fit), "centre");
    r_check_status(rs_spca_bound_point(pr, at, fit), "duality gap");
    return status;
}

static rs_spca_exact_settings read_exact(SEXP settings)
{
    rs_spca_exact_settings set;
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    set.gap = r_number(settings, "tol");
    set.flops = r_number(settings, "flops");
    return set;
}

static rs_status run_exact(SEXP start, SEXP settings, const rs_spca *pr,
                           rs_spca_point *at, rs_spca_fit *fit)
{
    rs_spca_exact_settings set = read_exact(settings);
    r_check_status(Rf_isMatrix(start) ? rs_spca_point_copy(pr, Rf_ncols(start),
                                                           REAL_RO(start), at)
                                      : rs_spca_point_pca(pr, at),
                   "spca_psd");
    rs_status status = rs_spca_exact(pr, &set, at, fit);
    r_check_status(status, "spca_psd");
    r_check_status(rs_spca_centre_point(pr, at, fit), "centre");
    return status;
}

static void add_square_roots(r_result *out, const char *name, int count,
                             const double *square)
{
    double *root = r_add_vector(out, name, count);
    for (int i = 0; i < count; i++)
        root[i] = sqrt(square[i]);
}

/* what both solvers, and the plain problem, say of the last point */
static void add_point(r_result *out, const rs_spca *pr,
                      const rs_spca_point *at, const rs_spca_fit *fit,
                      rs_status status)
{
    r_add_ending(out, "spca_psd", status);
    add_square_roots(out, "scores", pr->d, at->column_square);
    add_square_roots(out, "residuals", pr->n, at->residual_square);
    r_add_history(out, &fit->history, 1.0);
    r_add_integer(out, "iterations", fit->iterations);
    r_add_number(out, "kkt", fit->kkt);
}

/* the list of a fit */
static void add_fit(r_result *out, const rs_spca *pr, const rs_spca_point *at,
                    const rs_spca_fit *fit, rs_status status, int route)
{
    r_add_values(out, "factor", pr->d, at->r, at->F);
    add_point(out, pr, at, fit, status);
    r_add_number(out, "value", fit->objective);
    R_ADD_NUMBERS(out, fit->bound, fit->margin, fit->lowest);
    r_add_integer(out, "inner", fit->inner_iterations);
    r_add_text(out, "route", route < 0 ? "exact" : routes[route]);
}

/*
 * start: NULL, a d-vector (the diagonal of Omega) or a d x r factor of Omega;
 * settings: numbers, all resolved
 */
SEXP C_spca_psd(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spca pr;
    rs_spca_point at;
    rs_spca_fit fit;
    int route = -1, exact = r_is(settings, "solver", "exact");

    read_problem(data, settings, &ctx, &pr);
    r_check_status(rs_spca_prepare(&pr), "spca_psd");
    rs_status status =
        exact ? run_exact(start, settings, &pr, &at, &fit)
              : run_paper(start, settings, &pr, &at, &fit, &route);
    r_result out = r_open();
    add_fit(&out, &pr, &at, &fit, status, route);
    return r_close(&out);
}

/* one point of a path: the list of a fit, and what it explains */
static SEXP path_point(rs_spca_path *path, rs_status status)
{
    double share;
    r_check_status(rs_spca_path_explained(path, &path->at, &share),
                   "spca_psd");
    r_result out = r_open();
    add_fit(&out, &path->pr, &path->at, &path->fit, status, -1);
    r_add_number(&out, "explained", share);
    return r_close(&out);
}

/*
 * The optima for the penalties lambdas[i], etas[i] of the settings, each from
 * those before; start: NULL or a d x r factor of Omega
 */
SEXP C_spca_path(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spca pr;
    rs_spca_path path;
    SEXP lambdas = r_required(settings, "lambdas");
    SEXP etas = r_required(settings, "etas");
    const double *lambda = REAL_RO(lambdas), *eta = REAL_RO(etas);
    const int points = LENGTH(lambdas), begins = Rf_isMatrix(start);
    const rs_spca_exact_settings set = read_exact(settings);

    read_problem(data, settings, &ctx, &pr); /* with the least eta */
    r_check_status(rs_spca_prepare(&pr), "spca_psd");
    pr.lambda = lambda[0];
    pr.eta = eta[0];
    r_check_status(rs_spca_path_init(&pr, &set, begins ? Rf_ncols(start) : 0,
                                     begins ? REAL_RO(start) : NULL, &path),
                   "spca_psd");
    SEXP out = PROTECT(Rf_allocVector(VECSXP, points));
    for (int i = 0; i < points; i++) {
        rs_status status = rs_spca_path_next(&path, lambda[i], eta[i]);
        r_check_status(status, "spca_psd");
        SET_VECTOR_ELT(out, i, path_point(&path, status));
    }
    UNPROTECT(1);
    return out;
}

/*
 * settings: the line's eta0, eta1, lambda0, lambda1, and `enough`; where
 * Omega = 0 becomes optimal on it, from below
 */
SEXP C_spca_reach(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spca pr;
    rs_spca_line line = {
        r_number(settings, "eta0"), r_number(settings, "eta1"),
        r_number(settings, "lambda0"), r_number(settings, "lambda1")};
    double reach;
    rs_data *X = r_data(data, RS_SPCA_BLOCK, &ctx);
    r_check_status(
        rs_spca_init(&ctx, X, read_loss(settings), 0, 0.0, 0.0, &pr),
        "spca_psd");
    r_check_status(
        rs_spca_reach(&pr, &line, r_number(settings, "enough"), &reach),
        "spca_psd");
    return Rf_ScalarReal(reach);
}

/*
 * start: NULL or a d-vector; settings as for C_spca_psd. W is d x d, or its
 * factors `left` and `right` are d x n on the wide route.
 */
SEXP C_spca_plain(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spca pr;
    rs_spca_point at;
    rs_spca_fit fit;
    rs_spca_paper_settings set;
    int wide = r_integer(settings, "wide");

    read_problem(data, settings, &ctx, &pr);
    pr.groups = r_row_groups(settings, &ctx);
    set.maxit = r_integer(settings, "maxit");
    set.tol = r_number(settings, "tol");
    rs_spca_published(&pr, &set);
    r_check_status(rs_spca_point_init(&pr, 1, &at), "spca_psd");
    start_paper(start, &pr, &set, &at);
    int columns = wide ? pr.n : pr.d;
    const double *w = start == R_NilValue ? NULL : REAL_RO(start);
    r_result out = r_open();
    double *left = r_add_matrix(&out, "left", pr.d, columns);
    rs_status status =
        wide ? rs_spca_plain_wide(&pr, &set, w, &at, left,
                                  r_add_matrix(&out, "right", pr.d, columns),
                                  &fit)
             : rs_spca_plain(&pr, &set, w, &at, left, &fit);
    add_point(&out, &pr, &at, &fit, status);
    return r_close(&out);
}
