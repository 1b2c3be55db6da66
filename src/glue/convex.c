#include <math.h>

#include "method/convex/convex.h"
#include "glue/glue.h"

/* in the order of rs_spca_loss and of rs_spca_route */
static const char *const losses[] = {"frobenius", "l21", NULL};
static const char *const routes[] = {"dense", "lowrank", "cheapest", NULL};

/* the problem of a prepared data list; penalties: of the settings, or 0 */
static void read_problem(SEXP data, SEXP settings, int penalties,
                         rs_context *ctx, rs_spca *pr)
{
    rs_data *X = r_data(data, RS_PANEL, ctx);
    r_check_status(
        rs_spca_init(ctx, X, (rs_spca_loss)r_choice(settings, "loss", losses),
                     penalties && r_integer(settings, "adaptive"),
                     penalties ? r_number(settings, "lambda") : 0.0,
                     penalties ? r_number(settings, "eta") : 0.0, pr),
        "spca_psd");
}

/* of a factor to start with; 0 for NULL */
static int columns_of(SEXP start)
{
    return Rf_isMatrix(start) ? Rf_ncols(start) : 0;
}

static void add_square_roots(r_result *out, const char *name, int count,
                             const double *square)
{
    double *root = r_add_vector(out, name, count);
    for (int i = 0; i < count; i++)
        root[i] = sqrt(square[i]);
}

/* the list of a fit but for its factors */
static void add_fit(r_result *out, const rs_spca *pr, const rs_spca_point *at,
                    const rs_spca_fit *fit, rs_status status,
                    const char *route)
{
    r_add_ending(out, "spca_psd", status);
    add_square_roots(out, "scores", pr->d, at->column_square);
    add_square_roots(out, "residuals", pr->n, at->residual_square);
    r_add_history(out, &fit->history, 1.0);
    R_ADD_INTEGERS(out, fit->iterations);
    r_add_integer(out, "inner", fit->inner_iterations);
    r_add_number(out, "value", fit->objective);
    R_ADD_NUMBERS(out, fit->kkt, fit->bound, fit->margin, fit->lowest);
    r_add_text(out, "route", route);
}

/* W = left right', right = I on the dense route */
static void run_plain(SEXP start, const rs_spca_settings *set, rs_spca *pr,
                      r_result *out)
{
    rs_spca_point at;
    rs_spca_fit fit;
    rs_spca_plain plain;
    const rs_status status =
        rs_spca_without_cone(pr, set, r_given(start), &at, &plain, &fit);
    r_check_status(status, "spca_psd");
    add_fit(out, pr, &at, &fit, status, routes[plain.V != NULL]);
    r_add_values(out, "left", pr->d, plain.q, plain.L);
    if (plain.V)
        r_add_values(out, "right", pr->d, plain.q, plain.V);
}

static void run_paper(SEXP start, const rs_spca_settings *set, rs_spca *pr,
                      r_result *out)
{
    rs_spca_point at;
    rs_spca_fit fit;
    int is_dense;
    r_check_status(rs_spca_prepare(pr), "spca_psd");
    const rs_status status = rs_spca_on_cone(
        pr, set, columns_of(start), r_given(start), &at, &fit, &is_dense);
    r_check_status(status, "spca_psd");
    if (pr->loss == RS_LOSS_FROBENIUS)
        r_check_status(rs_spca_bound_point(pr, &at, &fit), "duality gap");
    add_fit(out, pr, &at, &fit, status, routes[!is_dense]);
    r_add_values(out, "factor", pr->d, at.r, at.F);
}

/*
 * start: NULL, a d x r factor of Omega, or without the cone a d-vector, the
 * diagonal of W; settings: numbers, all resolved. The published iteration, or
 * the reweighted one without the cone.
 */
SEXP C_spca_reweighted(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spca pr;
    rs_spca_settings set = {
        .route = (rs_spca_route)r_choice(settings, "route", routes)};
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.tol, &set.inner_tol);
    r_result out = r_open();
    read_problem(data, settings, 1, &ctx, &pr);
    if (r_integer(settings, "psd")) {
        run_paper(start, &set, &pr, &out);
    } else {
        pr.groups = r_row_groups(settings);
        run_plain(start, &set, &pr, &out);
    }
    return r_close(&out);
}

/*
 * The optima for the penalties lambdas[i], etas[i] of the settings, each from
 * those before, and what they explain; start: NULL or a d x r factor of Omega
 */
SEXP C_spca_path(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spca pr;
    rs_spca_path path;
    SEXP lambdas = r_required(settings, "lambdas");
    SEXP etas = r_required(settings, "etas");
    const int points = LENGTH(lambdas);
    rs_spca_exact_settings set = {.gap = r_number(settings, "tol")};
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.flops);
    read_problem(data, settings, 1, &ctx, &pr); /* with the least eta */
    r_check_status(rs_spca_prepare(&pr), "spca_psd");
    pr.lambda = REAL_RO(lambdas)[0];
    pr.eta = REAL_RO(etas)[0];
    r_check_status(
        rs_spca_path_init(&pr, &set, columns_of(start), r_given(start), &path),
        "spca_psd");
    SEXP list = PROTECT(Rf_allocVector(VECSXP, points));
    for (int i = 0; i < points; i++) {
        double share;
        r_result out = r_open();
        const rs_status status =
            rs_spca_path_next(&path, REAL_RO(lambdas)[i], REAL_RO(etas)[i]);
        r_check_status(status, "spca_psd");
        r_check_status(rs_spca_path_explained(&path, &share), "spca_psd");
        add_fit(&out, &path.pr, &path.at, &path.fit, status, "exact");
        r_add_values(&out, "factor", pr.d, path.at.r, path.at.F);
        r_add_number(&out, "explained", share);
        SET_VECTOR_ELT(list, i, r_close(&out));
    }
    UNPROTECT(1);
    return list;
}

/*
 * settings: the line's eta0, eta1, lambda0, lambda1, and `enough`; where
 * Omega = 0 becomes optimal on it, from below
 */
SEXP C_spca_reach(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spca pr;
    rs_spca_line line;
    double reach;
    R_NUMBERS(settings, &line.eta0, &line.eta1, &line.lambda0, &line.lambda1);
    read_problem(data, settings, 0, &ctx, &pr);
    r_check_status(
        rs_spca_reach(&pr, &line, r_number(settings, "enough"), &reach),
        "spca_psd");
    return Rf_ScalarReal(reach);
}
