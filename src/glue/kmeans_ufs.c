#include "la/linalg.h"
#include "solve/lloyd.h"
#include "method/kmeans/admm.h"
#include "method/kmeans/alternate.h"
#include "glue/entries.h"
#include "glue/glue.h"

/* ---- k-means on all columns of (few) data ------------------------------- */

/* rows: the samples that start as centres; maxit */
SEXP C_kmeans(SEXP data, SEXP rows, SEXP maxit)
{
    rs_context ctx = r_context();
    rs_lloyd_ws lloyd;
    int clusters = (int)Rf_xlength(rows);
    rs_data *X = r_data(data, clusters, &ctx);
    const int *first = r_zero_based(rows, X->n, &ctx);
    int *columns = r_int_room(&ctx, (size_t)X->d);
    for (int j = 0; j < X->d; j++)
        columns[j] = j;
    r_result out = r_open();
    int *labels = r_add_integers(&out, "cluster", X->n);
    double *between = r_add_vector(&out, "between", X->d);

    r_check_status(rs_lloyd_init(&ctx, X->n, X->d, clusters, &lloyd),
                   "k-means");
    rs_lloyd_load(X, X->d, columns, &lloyd);
    r_check_status(rs_lloyd_seed(first, labels, &lloyd), "k-means");
    r_add_ending(&out, "k-means",
                 rs_lloyd_run(Rf_asInteger(maxit), labels, &lloyd));
    rs_fill((size_t)X->d, 0.0, between);
    r_check_status(rs_between_squares(&ctx, X, clusters, labels, between),
                   "k-means");
    r_to_one_based((size_t)X->n, labels);
    return r_close(&out);
}

/* ---- ADMM --------------------------------------------------------------- */

static rs_admm_settings read_admm(SEXP settings)
{
    static const char *const forms[] = {"bilinear", "quadratic", NULL};
    rs_admm_settings set;
    set.form = (rs_admm_form)r_choice(settings, "form", forms);
    R_INTEGERS(settings, &set.patience, &set.maxit);
    R_NUMBERS(settings, &set.mu, &set.rho, &set.mu_max);
    set.tie = r_doubles(settings, "tie");
    return set;
}

/* P (d x rank) and its squared singular values; start: d x k; settings: all
 * resolved */
SEXP C_kmeans_admm(SEXP P, SEXP squares, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_admm_settings set = read_admm(settings);
    rs_admm_fit fit;
    int d = Rf_nrows(P), k = Rf_ncols(start);
    r_result out = r_open();
    fit.selected = r_add_integers(&out, "selected", k);
    fit.scores = r_add_vector(&out, "scores", d);
    rs_fill((size_t)d, 0.0, fit.scores);
    fit.norms = r_room(&ctx, (size_t)set.maxit);
    r_add_ending(&out, "kmeans_ufs",
                 rs_kmeans_admm(&ctx, d, Rf_ncols(P), k, REAL_RO(P),
                                REAL_RO(squares), REAL_RO(start), &set, &fit));
    r_to_one_based((size_t)k, fit.selected);
    r_add_history(&out, &fit.history, 1.0);
    r_add_doubles(&out, "norms", (size_t)fit.history.count, fit.norms);
    R_ADD_NUMBERS(&out, fit.gap_U, fit.gap_W);
    r_add_flag(&out, "blown_up", fit.blown_up);
    r_add_integer(&out, "iterations", fit.history.count);
    return r_close(&out);
}

/* ---- alternation -------------------------------------------------------- */

/* start: a list with `features` and `rows`; settings: clusters, k, maxit,
 * room, tie */
SEXP C_kmeans_alternate(SEXP data, SEXP start_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_alternate_ws *ws;
    rs_alternate_fit fit;
    int clusters = r_integer(settings, "clusters");
    int k = r_integer(settings, "k"), maxit = r_integer(settings, "maxit");
    SEXP features = r_required(start_, "features");
    rs_data *X = r_data(data, clusters, &ctx);
    rs_alternate_start start = {
        (int)Rf_xlength(features), r_zero_based(features, X->d, &ctx),
        r_zero_based(r_required(start_, "rows"), X->n, &ctx)};
    r_result out = r_open();
    fit.labels = r_add_integers(&out, "cluster", X->n);
    fit.between = r_add_vector(&out, "between", X->d);
    fit.selected = r_add_integers(&out, "selected", k);
    rs_fill((size_t)X->d, 0.0, fit.between);
    r_check_status(rs_history_init(&ctx, maxit, &fit.history), "kmeans_ufs");
    r_check_status(rs_alternate_init(&ctx, X, clusters, k, maxit,
                                     r_number(settings, "room"),
                                     r_doubles(settings, "tie"),
                                     r_locked(data, X->d, &ctx), &ws),
                   "kmeans_ufs");
    r_add_ending(&out, "kmeans_ufs", rs_alternate(&start, &fit, ws));
    r_to_one_based((size_t)X->n, fit.labels);
    r_to_one_based((size_t)k, fit.selected);
    r_add_history(&out, &fit.history, 1.0);
    r_add_integer(&out, "iterations", fit.history.count);
    return r_close(&out);
}
