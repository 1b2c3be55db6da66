#include <limits.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/spca_plain.h"
#include "method/spca_psd.h"
#include "glue/entries.h"
#include "glue/glue.h"

/* the problem of a prepared data list; X and pr stay valid for the call */
static void read_problem(SEXP data, SEXP settings, rs_context *ctx, rs_data *X,
                         rs_spca *pr)
{
    r_data(data, RS_SPCA_BLOCK, ctx, X);
    r_check_status(rs_spca_init(ctx, X,
                                (rs_spca_loss)r_integer(settings, "loss"),
                                r_integer(settings, "adaptive"),
                                r_number(settings, "lambda"),
                                r_number(settings, "eta"), pr),
                   "spca_psd");
}

static rs_spca_route read_route(SEXP settings, const rs_spca *pr)
{
    int route = r_integer(settings, "route");
    if (route >= 0)
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

/*
 * What the published iteration left behind: its own dual point is far from
 * tight, so some steps of the exact solver from where it stopped give the
 * bound, for a few times the work of the iteration itself.
 */
static void sharpen_bound(SEXP settings, rs_spca *pr, const rs_spca_point *at,
                          rs_spca_fit *fit)
{
    rs_spca_exact_settings set;
    rs_spca_point copy;
    rs_spca_fit other;
    double least = r_number(settings, "bound_flops");
    double flops = fmax(least, 4.0 * fit->flops);
    double steps = flops / rs_spca_step_flops(pr, at->r);
    set.gap = r_number(settings, "bound_gap");
    set.inner_total = steps < 1000.0 ? (int)steps : 1000;
    set.inner_maxit = set.inner_total;
    set.maxit = 50;
    if (set.inner_total == 0 || at->r == 0)
        return;
    int room = at->r + 8 < pr->d ? at->r + 8 : pr->d;
    r_check_status(rs_spca_point_init(pr, room, &copy), "duality gap");
    copy.r = at->r;
    rs_copy((size_t)pr->d * at->r, at->F, copy.F);
    rs_status status = rs_spca_exact(pr, &set, &copy, &other);
    if (rs_is_usable(status) && other.bound > fit->bound) {
        fit->bound = other.bound;
        fit->margin = other.margin;
    }
}

static rs_status run_paper(SEXP start, SEXP settings, rs_spca *pr,
                           rs_spca_point *at, rs_spca_fit *fit, int *route)
{
    rs_spca_paper_settings set;
    set.route = read_route(settings, pr);
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    set.inner_tol = r_number(settings, "inner_tol");
    set.inner_maxit = r_integer(settings, "inner_maxit");
    rs_spca_published(pr, &set);
    *route = set.route;
    int room = set.route == RS_ROUTE_DENSE ? pr->d : pr->n;
    if (Rf_isMatrix(start) && Rf_ncols(start) > room)
        room = Rf_ncols(start);
    r_check_status(rs_spca_point_init(pr, room, at), "spca_psd");
    start_paper(start, pr, &set, at);
    rs_status status = rs_spca_paper(pr, &set, at, fit);
    r_check_status(status, "spca_psd");
    r_check_status(rs_spca_centre_point(pr, at, fit), "centre");
    r_check_status(rs_spca_certify(pr, at, fit), "duality gap");
    sharpen_bound(settings, pr, at, fit);
    return status;
}

static rs_status run_exact(SEXP start, SEXP settings, rs_spca *pr,
                           rs_spca_point *at, rs_spca_fit *fit)
{
    rs_spca_exact_settings set;
    set.gap = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    set.inner_maxit = r_integer(settings, "inner_maxit");
    set.inner_total = INT_MAX;
    if (Rf_isMatrix(start)) {
        int r = Rf_ncols(start), room = r + 8 < pr->d ? r + 8 : pr->d;
        r_check_status(rs_spca_point_init(pr, room, at), "spca_psd");
        at->r = r;
        memcpy(at->F, REAL_RO(start), (size_t)pr->d * r * sizeof(double));
    } else {
        r_check_status(rs_spca_point_pca(pr, at), "spca_psd");
    }
    rs_status status = rs_spca_exact(pr, &set, at, fit);
    r_check_status(status, "spca_psd");
    r_check_status(rs_spca_centre_point(pr, at, fit), "centre");
    return status;
}

static SEXP square_roots(int count, const double *square)
{
    SEXP out = PROTECT(Rf_allocVector(REALSXP, count));
    for (int i = 0; i < count; i++)
        REAL(out)[i] = sqrt(square[i]);
    UNPROTECT(1);
    return out;
}

/*
 * start: NULL, a d-vector (the diagonal of Omega) or a d x r factor of Omega;
 * settings: numbers, all resolved
 */
SEXP C_spca_psd(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_spca pr;
    rs_spca_point at;
    rs_spca_fit fit;
    int route = -1;

    read_problem(data, settings, &ctx, &X, &pr);
    rs_status status =
        r_integer(settings, "exact")
            ? run_exact(start, settings, &pr, &at, &fit)
            : run_paper(start, settings, &pr, &at, &fit, &route);
    SEXP F = PROTECT(Rf_allocMatrix(REALSXP, pr.d, at.r));
    memcpy(REAL(F), at.F, (size_t)pr.d * at.r * sizeof(double));
    const char *names[] = {"factor",    "scores", "residuals", "objective",
                           "value",     "bound",  "margin",    "lowest",
                           "kkt",       "rises",  "inner",     "route",
                           "converged", "status"};
    SEXP values[] = {
        F,
        PROTECT(square_roots(pr.d, at.column_square)),
        PROTECT(square_roots(pr.n, at.residual_square)),
        PROTECT(r_doubles((size_t)fit.history.count, fit.history.objective)),
        PROTECT(Rf_ScalarReal(fit.objective)),
        PROTECT(Rf_ScalarReal(fit.bound)),
        PROTECT(Rf_ScalarReal(fit.margin)),
        PROTECT(Rf_ScalarReal(fit.lowest)),
        PROTECT(Rf_ScalarReal(fit.kkt)),
        PROTECT(Rf_ScalarInteger(fit.history.rises)),
        PROTECT(Rf_ScalarInteger(fit.inner_iterations)),
        PROTECT(Rf_ScalarInteger(route)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(14, names, values);
    UNPROTECT(14);
    return out;
}

/*
 * settings: the line's eta0, eta1, lambda0, lambda1, and `enough`; where
 * Omega = 0 becomes optimal on it, from below
 */
SEXP C_spca_reach(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_spca pr;
    rs_spca_line line = {
        r_number(settings, "eta0"), r_number(settings, "eta1"),
        r_number(settings, "lambda0"), r_number(settings, "lambda1")};
    double reach;
    r_data(data, RS_SPCA_BLOCK, &ctx, &X);
    r_check_status(rs_spca_init(&ctx, &X,
                                (rs_spca_loss)r_integer(settings, "loss"), 0,
                                0.0, 0.0, &pr),
                   "spca_psd");
    r_check_status(
        rs_spca_reach(&pr, &line, r_number(settings, "enough"), &reach),
        "spca_psd");
    return Rf_ScalarReal(reach);
}

/* sums of squares of the rows of the centred data, times diag(weight) */
SEXP C_row_squares(SEXP data)
{
    rs_context ctx = r_context();
    rs_data X;
    r_data(data, 1, &ctx, &X);
    SEXP squares = PROTECT(Rf_allocVector(REALSXP, X.n));
    rs_data_row_squares(&X, NULL, REAL(squares));
    UNPROTECT(1);
    return squares;
}

/*
 * start: NULL or a d-vector; settings as for C_spca_psd. W is d x d, or its
 * factors `left` and `right` are d x n on the wide route.
 */
SEXP C_spca_plain(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_spca pr;
    rs_spca_point at;
    rs_spca_fit fit;
    rs_spca_paper_settings set;
    int wide = r_integer(settings, "wide");

    read_problem(data, settings, &ctx, &X, &pr);
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    rs_spca_published(&pr, &set);
    r_check_status(rs_spca_point_init(&pr, 1, &at), "spca_psd");
    start_paper(start, &pr, &set, &at);
    int columns = wide ? pr.n : pr.d;
    SEXP left = PROTECT(Rf_allocMatrix(REALSXP, pr.d, columns));
    SEXP right =
        PROTECT(wide ? Rf_allocMatrix(REALSXP, pr.d, columns) : R_NilValue);
    const double *w = start == R_NilValue ? NULL : REAL_RO(start);
    rs_status status =
        wide
            ? rs_spca_plain_wide(&pr, &set, &at, REAL(left), REAL(right), &fit)
            : rs_spca_plain(&pr, &set, w, &at, REAL(left), &fit);
    r_check_status(status, "spca_psd");
    const char *names[] = {"left",      "right",     "scores",
                           "residuals", "objective", "kkt",
                           "rises",     "converged", "status"};
    SEXP values[] = {
        left,
        right,
        PROTECT(square_roots(pr.d, at.column_square)),
        PROTECT(square_roots(pr.n, at.residual_square)),
        PROTECT(r_doubles((size_t)fit.history.count, fit.history.objective)),
        PROTECT(Rf_ScalarReal(fit.kkt)),
        PROTECT(Rf_ScalarInteger(fit.history.rises)),
        PROTECT(Rf_ScalarLogical(status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(9, names, values);
    UNPROTECT(9);
    return out;
}
