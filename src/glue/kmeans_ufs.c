#include "method/kmeans/kmeans.h"
#include "glue/glue.h"

/* P (d x rank) and its squared singular values; start: d x k; settings: all resolved */
SEXP C_kmeans_admm(SEXP P, SEXP squares, SEXP start, SEXP settings)
{
    static const char *const forms[] = {"bilinear", "quadratic", NULL};
    rs_context ctx = r_context();
    rs_admm_fit fit;
    rs_admm_problem p = {.d = Rf_nrows(P),
                         .rank = Rf_ncols(P),
                         .k = Rf_ncols(start),
                         .P = REAL_RO(P),
                         .squares = REAL_RO(squares),
                         .start = REAL_RO(start),
                         .tie = r_doubles(settings, "tie"),
                         .form =
                             (rs_admm_form)r_choice(settings, "form", forms)};
    R_INTEGERS(settings, &p.patience, &p.maxit);
    R_NUMBERS(settings, &p.mu, &p.rho, &p.mu_max);
    r_result out = r_open();
    fit.selected = r_add_integers(&out, "selected", p.k);
    fit.scores = r_add_vector(&out, "scores", p.d);
    fit.norms = r_room((size_t)p.maxit);
    r_add_ending(&out, "kmeans_ufs", rs_kmeans_admm(&ctx, &p, &fit));
    r_to_one_based((size_t)p.k, fit.selected);
    r_add_history(&out, &fit.history, 1.0);
    r_add_doubles(&out, "norms", (size_t)fit.history.count, fit.norms);
    R_ADD_NUMBERS(&out, fit.gap_U, fit.gap_W);
    r_add_integer(&out, "iterations", fit.history.count);
    return r_close(&out);
}

/* start: a list with `features` and `rows`, the samples that start as centres;
 * settings: k, maxit, rounds, room, tie */
SEXP C_kmeans_alternate(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_alternate_fit fit;
    SEXP features = r_required(start, "features");
    SEXP rows = r_required(start, "rows");
    rs_data *X = r_data(data, (int)Rf_xlength(rows), &ctx);
    rs_alternate_problem p = {.X = X,
                              .clusters = (int)Rf_xlength(rows),
                              .size = (int)Rf_xlength(features),
                              .features = r_zero_based(features, X->d),
                              .rows = r_zero_based(rows, X->n),
                              .tie = r_doubles(settings, "tie"),
                              .first = r_locked(data, X->d)};
    R_INTEGERS(settings, &p.k, &p.maxit, &p.rounds);
    R_NUMBERS(settings, &p.room);
    r_result out = r_open();
    fit.labels = r_add_integers(&out, "cluster", X->n);
    fit.between = r_add_vector(&out, "between", X->d);
    fit.selected = r_add_integers(&out, "selected", p.k);
    r_add_ending(&out, "kmeans_ufs", rs_alternate(&ctx, &p, &fit));
    r_to_one_based((size_t)X->n, fit.labels);
    r_to_one_based((size_t)p.k, fit.selected);
    r_add_history(&out, &fit.history, 1.0);
    r_add_integer(&out, "iterations", fit.history.count);
    return r_close(&out);
}
