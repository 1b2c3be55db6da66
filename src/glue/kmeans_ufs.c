#include <string.h>

#include "base/random.h"
#include "solve/eigs.h"
#include "solve/lloyd.h"
#include "solve/svd.h"
#include "method/kmeans_ufs.h"
#include "glue/entries.h"
#include "glue/glue.h"

static SEXP zeros(R_xlen_t count)
{
    SEXP out = Rf_allocVector(REALSXP, count);
    memset(REAL(out), 0, (size_t)count * sizeof(double));
    return out;
}

static void to_one_based(SEXP index)
{
    for (R_xlen_t i = 0; i < Rf_xlength(index); i++)
        INTEGER(index)[i]++;
}

/* indices from 1 to `limit` */
static int *zero_based(SEXP index, int limit, rs_context *ctx)
{
    size_t count = (size_t)Rf_xlength(index);
    int *out = (int *)r_need(rs_alloc_int(ctx, count));
    for (size_t i = 0; i < count; i++) {
        int at = INTEGER_RO(index)[i];
        r_check_status(at >= 1 && at <= limit ? RS_OK : RS_BAD_INPUT,
                       "k-means");
        out[i] = at - 1;
    }
    return out;
}

static int is_moments(SEXP data)
{
    return strcmp(CHAR(STRING_ELT(r_element(data, "kind"), 0)), "moments") ==
           0;
}

/* ---- truncated SVD ------------------------------------------------------ */

static SEXP svd_result(SEXP squares, SEXP left, SEXP right,
                       const rs_svd_info *info, rs_status status)
{
    const char *names[] = {"squares", "left",     "right",
                           "route",   "residual", "converged"};
    SEXP values[] = {squares,
                     left,
                     right,
                     PROTECT(Rf_ScalarInteger((int)info->route)),
                     PROTECT(Rf_ScalarReal(info->residual)),
                     PROTECT(Rf_ScalarLogical(status == RS_OK))};
    SEXP out = r_named_list(6, names, values);
    UNPROTECT(3);
    return out;
}

/* settings: tol, maxit, route (-1: the cheapest). Moments give no left side. */
SEXP C_truncated_svd(SEXP data, SEXP m_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_svd_control control = {r_number(settings, "tol"),
                              r_integer(settings, "maxit")};
    rs_svd_info info;
    rs_status status;
    int n = r_integer(data, "n"), d = r_integer(data, "d");
    int m = Rf_asInteger(m_), route = r_integer(settings, "route");
    SEXP squares = PROTECT(Rf_allocVector(REALSXP, m)), left = R_NilValue;
    SEXP right = PROTECT(Rf_allocMatrix(REALSXP, d, m));

    if (is_moments(data)) {
        rs_covop op;
        r_covop(data, 1, &ctx, &op);
        status = rs_svd_of_gram(&ctx, d, op.S, m, &control, REAL(squares),
                                REAL(right), &info);
        PROTECT(left);
    } else {
        rs_data X;
        r_data(data, rs_svd_block(n, d, m), &ctx, &X);
        left = PROTECT(Rf_allocMatrix(REALSXP, n, m));
        rs_svd_route way =
            route < 0 ? rs_svd_choose(&X, m) : (rs_svd_route)route;
        status = rs_svd_leading(&ctx, &X, m, way, &control, REAL(squares),
                                REAL(left), REAL(right), &info);
    }
    r_check_status(status, "singular value decomposition");
    SEXP out = svd_result(squares, left, right, &info, status);
    UNPROTECT(3);
    return out;
}

/* ---- k-means on all columns of (few) data ------------------------------- */

/* rows: the samples that start as centres; maxit */
SEXP C_kmeans(SEXP data, SEXP rows, SEXP maxit)
{
    rs_context ctx = r_context();
    rs_lloyd_ws lloyd;
    rs_data X;
    int clusters = (int)Rf_xlength(rows);
    r_data(data, clusters, &ctx, &X);
    const int *first = zero_based(rows, X.n, &ctx);
    int *columns = (int *)r_need(rs_alloc_int(&ctx, (size_t)X.d));
    for (int j = 0; j < X.d; j++)
        columns[j] = j;
    SEXP labels = PROTECT(Rf_allocVector(INTSXP, X.n));
    SEXP between = PROTECT(zeros(X.d));

    r_check_status(rs_lloyd_init(&ctx, X.n, X.d, clusters, &lloyd), "k-means");
    rs_lloyd_load(&X, X.d, columns, &lloyd);
    r_check_status(rs_lloyd_seed(first, INTEGER(labels), &lloyd), "k-means");
    rs_status status =
        rs_lloyd_run(Rf_asInteger(maxit), INTEGER(labels), &lloyd);
    r_check_status(status, "k-means");
    r_check_status(
        rs_between_squares(&ctx, &X, clusters, INTEGER(labels), REAL(between)),
        "k-means");
    to_one_based(labels);
    const char *names[] = {"cluster", "between", "converged"};
    SEXP values[] = {labels, between,
                     PROTECT(Rf_ScalarLogical(status == RS_OK))};
    SEXP out = r_named_list(3, names, values);
    UNPROTECT(3);
    return out;
}

/* ---- ADMM --------------------------------------------------------------- */

static rs_admm_settings read_admm(SEXP settings)
{
    rs_admm_settings set;
    set.form = (rs_admm_form)r_integer(settings, "form");
    set.mu = r_number(settings, "mu");
    set.rho = r_number(settings, "rho");
    set.mu_max = r_number(settings, "mu_max");
    set.patience = r_integer(settings, "patience");
    set.maxit = r_integer(settings, "maxit");
    set.tie = REAL_RO(r_element(settings, "tie"));
    return set;
}

/* `draws` vectors of a fixed pseudo-random sequence, d x draws */
SEXP C_quasi_random(SEXP d_, SEXP draws_)
{
    int d = Rf_asInteger(d_), draws = Rf_asInteger(draws_);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, d, draws));
    for (int j = 0; j < draws; j++)
        rs_quasi_random((size_t)d, (size_t)j, REAL(out) + (size_t)j * d);
    UNPROTECT(1);
    return out;
}

/* P (d x rank) and its squared singular values; start: d x k; settings: all
 * resolved */
SEXP C_kmeans_admm(SEXP P, SEXP squares, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_admm_settings set = read_admm(settings);
    rs_admm_fit fit;
    int d = Rf_nrows(P), k = Rf_ncols(start);
    SEXP selected = PROTECT(Rf_allocVector(INTSXP, k));
    SEXP scores = PROTECT(zeros(d));
    fit.selected = INTEGER(selected);
    fit.scores = REAL(scores);
    fit.norms = (double *)r_need(rs_alloc_double(&ctx, (size_t)set.maxit));
    rs_status status =
        rs_kmeans_admm(&ctx, d, Rf_ncols(P), k, REAL_RO(P), REAL_RO(squares),
                       REAL_RO(start), &set, &fit);
    r_check_status(status, "kmeans_ufs");
    to_one_based(selected);

    const char *names[] = {"selected",  "scores", "objective", "norms",
                           "gap_U",     "gap_W",  "blown_up",  "iterations",
                           "converged", "status"};
    size_t count = (size_t)fit.history.count;
    SEXP values[] = {selected,
                     scores,
                     PROTECT(r_doubles(count, fit.history.objective)),
                     PROTECT(r_doubles(count, fit.norms)),
                     PROTECT(Rf_ScalarReal(fit.gap_U)),
                     PROTECT(Rf_ScalarReal(fit.gap_W)),
                     PROTECT(Rf_ScalarLogical(fit.blown_up)),
                     PROTECT(Rf_ScalarInteger(fit.history.count)),
                     PROTECT(Rf_ScalarLogical(status == RS_OK)),
                     PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(10, names, values);
    UNPROTECT(10);
    return out;
}

/* ---- alternation -------------------------------------------------------- */

static SEXP alternate_result(const rs_alternate_fit *fit, rs_status status,
                             SEXP labels, SEXP between, SEXP selected)
{
    const char *names[] = {"cluster",    "between",   "selected", "objective",
                           "iterations", "converged", "status"};
    int count = fit->history.count;
    to_one_based(labels);
    to_one_based(selected);
    SEXP values[] = {labels,
                     between,
                     selected,
                     PROTECT(r_doubles((size_t)count, fit->history.objective)),
                     PROTECT(Rf_ScalarInteger(count)),
                     PROTECT(Rf_ScalarLogical(status == RS_OK)),
                     PROTECT(Rf_mkString(rs_status_text(status)))};
    SEXP out = r_named_list(7, names, values);
    UNPROTECT(4);
    return out;
}

/* start: a list with `features` and `rows`; settings: clusters, k, maxit,
 * room, tie */
SEXP C_kmeans_alternate(SEXP data, SEXP start_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_alternate_ws *ws;
    rs_alternate_fit fit;
    rs_data X;
    int clusters = r_integer(settings, "clusters");
    int k = r_integer(settings, "k"), maxit = r_integer(settings, "maxit");
    SEXP features = r_element(start_, "features");
    r_data(data, clusters, &ctx, &X);
    rs_alternate_start start = {
        (int)Rf_xlength(features), zero_based(features, X.d, &ctx),
        zero_based(r_element(start_, "rows"), X.n, &ctx)};
    SEXP labels = PROTECT(Rf_allocVector(INTSXP, X.n));
    SEXP between = PROTECT(zeros(X.d));
    SEXP selected = PROTECT(Rf_allocVector(INTSXP, k));
    fit.labels = INTEGER(labels);
    fit.between = REAL(between);
    fit.selected = INTEGER(selected);
    r_check_status(rs_history_init(&ctx, maxit, &fit.history), "kmeans_ufs");
    r_check_status(rs_alternate_init(&ctx, &X, clusters, k, maxit,
                                     r_number(settings, "room"),
                                     REAL_RO(r_element(settings, "tie")), &ws),
                   "kmeans_ufs");
    rs_status status = rs_alternate(&start, &fit, ws);
    r_check_status(status, "kmeans_ufs");
    SEXP out = alternate_result(&fit, status, labels, between, selected);
    UNPROTECT(3);
    return out;
}
