#include <math.h>
#include <string.h>

#include "method/cdlsr_exact.h"
#include "method/css.h"
#include "glue/entries.h"
#include "glue/glue.h"

/* ---- the problem ------------------------------------------------------- */

static const double *matrix_or_null(SEXP list, const char *name, int *cols)
{
    SEXP value = r_element(list, name);
    if (value == R_NilValue)
        return NULL;
    *cols = Rf_ncols(value);
    return REAL_RO(value);
}

static const unsigned char *barred(SEXP data, int d, rs_context *ctx)
{
    const int *constant = LOGICAL_RO(r_element(data, "constant"));
    unsigned char *mask = (unsigned char *)r_need(rs_alloc(ctx, (size_t)d, 1));
    for (int j = 0; j < d; j++)
        mask[j] = constant[j] != 0;
    return mask;
}

/* S = X'X takes the place of X from here on */
static void use_cross_products(rs_context *ctx, rs_lsq *problem)
{
    double *S = (double *)r_need(
        rs_alloc_double(ctx, (size_t)problem->d * problem->d));
    r_check_status(rs_lsq_gram(ctx, problem, S), "cross-products");
    problem->S = S;
    problem->X = NULL;
    problem->Y = NULL;
}

/*
 * Means are off by their rounding errors; where a column lies far from zero,
 * that is not small beside what is left of it.
 */
static void centre_again(SEXP data, rs_lsq *problem)
{
    const double *mean = REAL_RO(r_element(data, "mean"));
    double *all = (double *)problem->X->dense; /* our own copy */
    for (int j = 0; j < problem->d; j++)
        if (fabs(mean[j]) > 10.0 * problem->deviation[j])
            rs_lsq_column(problem, j, all + (size_t)problem->n * j);
}

/* the data as they were given */
static void read_raw(SEXP data, rs_lsq *problem)
{
    SEXP x = r_element(data, "x"), weight = r_element(data, "weight");
    if (strcmp(CHAR(STRING_ELT(r_element(data, "kind"), 0)), "dense") == 0) {
        if (TYPEOF(x) == REALSXP)
            problem->raw = REAL_RO(x);
        else
            problem->raw_whole = INTEGER_RO(x);
    }
    if (weight != R_NilValue)
        problem->weight = REAL_RO(weight);
}

/*
 * response: Y (n x c, centred) or B (d x c), and total; NULL for Y = X.
 * settings$explicit: work from S. least_block: products of so many columns must
 * be possible.
 */
static void read_problem(SEXP data, SEXP response, SEXP settings,
                         int least_block, rs_context *ctx, rs_lsq *problem)
{
    int is_moments =
        strcmp(CHAR(STRING_ELT(r_element(data, "kind"), 0)), "moments") == 0;
    memset(problem, 0, sizeof *problem);
    problem->n = r_integer(data, "n");
    problem->d = r_integer(data, "d");
    problem->square = REAL_RO(r_element(data, "square"));
    problem->barred = barred(data, problem->d, ctx);
    problem->ridge = r_number(settings, "ridge");
    problem->deviation = REAL_RO(r_element(data, "deviation"));
    read_raw(data, problem);
    if (response != R_NilValue) {
        problem->Y = matrix_or_null(response, "Y", &problem->c);
        problem->B = matrix_or_null(response, "B", &problem->c);
        problem->total = r_number(response, "total");
    }
    if (is_moments) {
        problem->S = r_cross_products(data, problem->d, ctx);
    } else {
        int block = problem->c > least_block ? problem->c : least_block;
        problem->X = (rs_data *)R_alloc(1, sizeof *problem->X);
        r_data(data, block, ctx, problem->X);
        if (problem->X->dense)
            centre_again(data, problem);
    }
    if (problem->c > 0)
        r_check_status(rs_lsq_prepare(ctx, problem), "response");
    if (problem->X && r_integer(settings, "explicit"))
        use_cross_products(ctx, problem);
    if (problem->c == 0)
        r_check_status(rs_css_prepare(ctx, problem), "cross-products");
}

/* ---- results ----------------------------------------------------------- */

/* 1-based copies */
static SEXP r_indices(size_t count, const int *index)
{
    SEXP out = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++)
        INTEGER(out)[i] = index[i] + 1;
    UNPROTECT(1);
    return out;
}

/* objective, sweeps, convergence and set (NA where short) of every start */
static SEXP r_starts(const rs_cdlsr_settings *set, const rs_cdlsr_fit *fit)
{
    int count = set->forward + set->starts;
    SEXP objective = PROTECT(Rf_allocVector(REALSXP, count));
    SEXP sweeps = PROTECT(Rf_allocVector(INTSXP, count));
    SEXP converged = PROTECT(Rf_allocVector(LGLSXP, count));
    SEXP sets = PROTECT(Rf_allocMatrix(INTSXP, count, set->k));
    for (int i = 0; i < count; i++) {
        const rs_cdlsr_end *end = &fit->end[i];
        REAL(objective)[i] = end->objective;
        INTEGER(sweeps)[i] = end->sweeps;
        LOGICAL(converged)[i] = end->status == RS_OK;
        for (int l = 0; l < set->k; l++)
            INTEGER(sets)
        [i + (size_t)l * count] =
            l < end->k ? end->feature[l] + 1 : NA_INTEGER;
    }
    const char *names[] = {"objective", "sweeps", "converged", "sets"};
    SEXP values[] = {objective, sweeps, converged, sets};
    SEXP out = r_named_list(4, names, values);
    UNPROTECT(4);
    return out;
}

static SEXP r_path(const rs_lsq *problem, const rs_cdlsr_fit *fit)
{
    size_t k = (size_t)fit->reached, packed = k * (k + 1) / 2;
    const char *names[] = {"features", "explained", "objective",
                           "coefficients", "forward"};
    SEXP values[] = {
        PROTECT(r_indices(packed, fit->path_feature)),
        PROTECT(r_doubles(k, fit->path_explained)),
        PROTECT(r_doubles(k, fit->path_objective)),
        PROTECT(r_doubles(packed * problem->c, fit->path_coefficients)),
        PROTECT(r_doubles(k, fit->forward_objective))};
    SEXP out = r_named_list(5, names, values);
    UNPROTECT(5);
    return out;
}

/*
 * The set in the given order (NULL: as it stands): features, what each prefix
 * explains, coefficients; gains of the other features; what is explained of
 * every response.
 */
static SEXP r_subset(rs_subset *s, const int *order, const double *explained)
{
    const int k = s->k, c = s->problem->c;
    SEXP selected = PROTECT(Rf_allocVector(INTSXP, k));
    SEXP gains = PROTECT(Rf_allocVector(REALSXP, s->problem->d));
    SEXP coefficients = PROTECT(Rf_allocMatrix(REALSXP, k, c));
    SEXP shares = PROTECT(Rf_allocVector(REALSXP, c));
    SEXP objective = PROTECT(Rf_ScalarReal(rs_subset_objective(s)));
    SEXP alone = PROTECT(Rf_allocVector(REALSXP, s->problem->d));
    double *V = (double *)R_alloc((size_t)k * c + 1, sizeof(double));
    rs_explained_alone(s->problem, REAL(alone));
    rs_subset_gains(s, REAL(gains));
    rs_subset_response_shares(s, REAL(shares));
    rs_subset_coefficients(s, V);
    for (int i = 0; i < k; i++) {
        int at = order ? order[i] : i;
        INTEGER(selected)[i] = s->feature[at] + 1;
        for (int l = 0; l < c; l++)
            REAL(coefficients)[i + (size_t)l * k] = V[at + (size_t)l * k];
    }
    const char *names[] = {"selected", "explained",    "gains",
                           "alone",    "coefficients", "response_explained",
                           "objective"};
    SEXP values[] = {selected,     PROTECT(r_doubles((size_t)k, explained)),
                     gains,        alone,
                     coefficients, shares,
                     objective};
    SEXP out = r_named_list(7, names, values);
    UNPROTECT(7);
    return out;
}

/* ---- entry points ------------------------------------------------------ */

/* starts: integer matrix of 1-based sets, one per row, possibly without rows */
static void read_settings(SEXP settings, SEXP starts, rs_context *ctx,
                          rs_cdlsr_settings *set)
{
    size_t count = (size_t)Rf_xlength(starts);
    int *zero_based = (int *)r_need(rs_alloc_int(ctx, count));
    for (size_t i = 0; i < count; i++)
        zero_based[i] = INTEGER_RO(starts)[i] - 1;
    set->method = (rs_cdlsr_method)r_integer(settings, "method");
    set->k = r_integer(settings, "k");
    set->path = r_integer(settings, "path");
    set->forward = r_integer(settings, "forward");
    set->starts = Rf_nrows(starts);
    set->start = zero_based;
    set->tol = r_number(settings, "tol");
    set->cd_tol = r_number(settings, "cd_tol");
    set->maxit = r_integer(settings, "maxit");
    set->threads = r_integer(settings, "threads");
}

SEXP C_cdlsr(SEXP data, SEXP response, SEXP starts, SEXP settings)
{
    rs_context ctx = r_context();
    rs_cdlsr_settings set;
    rs_cdlsr_fit fit;
    rs_lsq problem;
    rs_subset subset;

    read_problem(data, response, settings, 2, &ctx, &problem);
    read_settings(settings, starts, &ctx, &set);
    r_check_status(rs_subset_init(&ctx, &problem, set.k, 1, &subset), "cdlsr");
    rs_status status = rs_cdlsr(&ctx, &set, &subset, &fit);
    r_check_status(status, "cdlsr");

    const rs_cdlsr_end *end = &fit.end[fit.best];
    const rs_history *history = &end->history;
    const char *names[] = {"subset",    "objective", "iterations",
                           "converged", "status",    "starts",
                           "path",      "best",      "doubtful"};
    SEXP values[] = {
        PROTECT(r_subset(&subset, fit.order, fit.explained)),
        PROTECT(r_doubles((size_t)history->count, history->objective)),
        PROTECT(Rf_ScalarInteger(end->sweeps)),
        PROTECT(Rf_ScalarLogical(end->status == RS_OK)),
        PROTECT(Rf_mkString(rs_status_text(end->status))),
        PROTECT(r_starts(&set, &fit)),
        PROTECT(set.path ? r_path(&problem, &fit) : R_NilValue),
        PROTECT(Rf_ScalarInteger(fit.best + 1)),
        PROTECT(Rf_ScalarLogical(fit.doubtful))};
    SEXP out = r_named_list(9, names, values);
    UNPROTECT(9);
    return out;
}

/* forward selection for Y = X with O(d) numbers beyond the data and K or S */
SEXP C_css_forward(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_subset subset;
    int k = r_integer(settings, "k");
    double *explained = (double *)r_need(rs_alloc_double(&ctx, (size_t)k));

    read_problem(data, R_NilValue, settings, 2, &ctx, &problem);
    r_check_status(rs_subset_init(&ctx, &problem, k, 0, &subset), "css");
    r_check_status(rs_subset_grow(&subset, k, explained), "css");
    SEXP total = PROTECT(Rf_ScalarReal(problem.total));
    SEXP set = PROTECT(r_subset(&subset, NULL, explained));
    const char *names[] = {"subset", "total"};
    SEXP values[] = {set, total};
    SEXP out = r_named_list(2, names, values);
    UNPROTECT(2);
    return out;
}

/*
 * Proof of optimality. set: 1-based columns of a good set, explained: what it
 * explains; settings also hold YtY.
 */
SEXP C_cdlsr_exact(SEXP data, SEXP response, SEXP set, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_exact_settings exact;
    rs_exact_fit fit;

    read_problem(data, response, settings, RS_EXACT_PANEL, &ctx, &problem);
    exact.k = (int)Rf_xlength(set);
    exact.tol = r_number(settings, "tol");
    exact.time_limit = r_number(settings, "time_limit");
    exact.YtY = REAL_RO(r_element(settings, "YtY"));
    fit.feature = (int *)r_need(rs_alloc_int(&ctx, (size_t)exact.k));
    for (int i = 0; i < exact.k; i++)
        fit.feature[i] = INTEGER_RO(set)[i] - 1;
    fit.explained = r_number(settings, "explained");
    r_check_status(rs_cdlsr_exact(&ctx, &problem, &exact, &fit), "cdlsr");

    const char *names[] = {"set",      "explained", "bound",  "complete",
                           "resolved", "nodes",     "seconds"};
    SEXP values[] = {PROTECT(r_indices((size_t)exact.k, fit.feature)),
                     PROTECT(Rf_ScalarReal(fit.explained)),
                     PROTECT(Rf_ScalarReal(fit.bound)),
                     PROTECT(Rf_ScalarLogical(fit.complete)),
                     PROTECT(Rf_ScalarLogical(fit.resolved)),
                     PROTECT(Rf_ScalarReal(fit.nodes)),
                     PROTECT(Rf_ScalarReal(fit.seconds))};
    SEXP out = r_named_list(7, names, values);
    UNPROTECT(7);
    return out;
}
