#include "method/pca/bsufs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "la/linalg.h"
#include "eigen/components.h"

static rs_bsufs_settings read_settings(SEXP settings, double unit)
{
    rs_bsufs_settings set;
    R_PENALTIES(settings, unit, &set.lambda1, &set.lambda2, &set.beta1,
                &set.beta2, &set.tau);
    R_NUMBERS(settings, &set.p, &set.q, &set.tol);
    R_INTEGERS(settings, &set.maxit);
    set.inner = r_q_control(settings);
    return set;
}

/* start: d x m, made orthonormal here; settings: all resolved */
SEXP C_bsufs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_bsufs_fit fit;
    int d = Rf_nrows(start), m = Rf_ncols(start);
    double unit;
    rs_covop *op = r_covop_in_unit(data, settings, m, &ctx, &unit);
    rs_bsufs_settings set = read_settings(settings, unit);
    set.groups = r_row_groups(settings, &ctx);
    r_result out = r_open();
    fit.W = r_add_matrix(&out, "W", d, m);
    fit.U = r_add_matrix(&out, "U", d, m);
    fit.V = r_add_matrix(&out, "V", d, m);
    r_start(&ctx, start, fit.W);
    r_add_palm(&out, "bsufs", rs_bsufs(&ctx, op, m, &set, &fit), &fit.end, op,
               unit);
    return r_close(&out);
}

/* ---- a path -------------------------------------------------------------- */

typedef struct {
    int d, m;
    double unit;
    rs_components_ws components;
    double *norms;    /* d */
    int *index;       /* d */
    SEXP rows, parts; /* lists: nonzero rows of V, and what stands in them */
    SEXP ties;        /* list: norms of these rows in W */
    double *objective, *explained;
    int *iterations, *converged;
} path_results;

/* the nonzero rows of V: which, what stands in them, and their norms in W */
static void keep_rows(path_results *r, int at, const rs_bsufs_fit *fit)
{
    int count = 0;
    rs_row_norms(r->d, r->m, fit->V, r->norms);
    for (int i = 0; i < r->d; i++)
        if (r->norms[i] > 0.0)
            r->index[count++] = i;
    SEXP rows = Rf_allocVector(INTSXP, count);
    SET_VECTOR_ELT(r->rows, at, rows);
    SEXP part = Rf_allocMatrix(REALSXP, count, r->m);
    SET_VECTOR_ELT(r->parts, at, part);
    SEXP ties = Rf_allocVector(REALSXP, count);
    SET_VECTOR_ELT(r->ties, at, ties);
    rs_row_norms(r->d, r->m, fit->W, r->norms);
    for (int a = 0; a < count; a++) {
        INTEGER(rows)[a] = r->index[a] + 1;
        REAL(ties)[a] = r->norms[r->index[a]];
    }
    double *to = REAL(part);
    for (int j = 0; j < r->m; j++)
        for (int a = 0; a < count; a++)
            *to++ = fit->V[r->index[a] + (size_t)j * r->d];
}

static rs_status take_point(void *state, int at, rs_status ending,
                            const rs_bsufs_fit *fit)
{
    path_results *r = (path_results *)state;
    keep_rows(r, at, fit);
    r->objective[at] = r->unit * rs_history_last(&fit->end.history);
    r->iterations[at] = fit->end.history.count - 1;
    r->converged[at] = ending == RS_OK;
    return rs_components_share(fit->V, r->explained + at, &r->components);
}

static SEXP add_list(r_result *out, const char *name, int length)
{
    SEXP list = Rf_allocVector(VECSXP, length);
    r_add(out, name, list);
    return list;
}

/* lambda1: those of the fits, in turn */
SEXP C_bsufs_path(SEXP data, SEXP start, SEXP lambda1, SEXP settings)
{
    rs_context ctx = r_context();
    rs_bsufs_fit fit;
    const int d = Rf_nrows(start), m = Rf_ncols(start);
    const int count = (int)Rf_xlength(lambda1);
    path_results results = {.d = d, .m = m};
    rs_covop *op = r_covop_in_unit(data, settings, m, &ctx, &results.unit);
    rs_bsufs_settings set = read_settings(settings, results.unit);
    set.groups = r_row_groups(settings, &ctx);
    double *lambda = rs_alloc_double(&ctx, (size_t)count);
    RS_ALLOC_DOUBLES(&ctx, (size_t)d * m, &fit.W, &fit.U, &fit.V);
    results.norms = rs_alloc_double(&ctx, (size_t)d);
    results.index = rs_alloc_int(&ctx, (size_t)d);
    r_check_status(rs_allocated(&ctx), "bsufs");
    for (int i = 0; i < count; i++)
        lambda[i] = REAL_RO(lambda1)[i] / results.unit;
    r_check_status(rs_components_init(&ctx, op, m, &results.components),
                   "bsufs");
    r_result out = r_open();
    results.rows = add_list(&out, "rows", count);
    results.parts = add_list(&out, "loadings", count);
    results.ties = add_list(&out, "ties", count);
    results.objective = r_add_vector(&out, "objective", count);
    results.explained = r_add_vector(&out, "explained", count);
    results.iterations = r_add_integers(&out, "iterations", count);
    results.converged = r_add_integers(&out, "converged", count);
    r_start(&ctx, start, fit.W);
    r_check_status(rs_bsufs_path(&ctx, op, m, &set, count, lambda, take_point,
                                 &results, &fit),
                   "bsufs");
    return r_close(&out);
}

/* the share of tr(S) that components with the loadings V reproduce */
SEXP C_components_share(SEXP data, SEXP V)
{
    rs_context ctx = r_context();
    rs_components_ws ws;
    double share;
    rs_covop *op = r_covop(data, Rf_ncols(V), &ctx);
    rs_covop_use_unit(op);
    r_check_status(rs_components_init(&ctx, op, Rf_ncols(V), &ws), "V");
    r_check_status(rs_components_share(REAL_RO(V), &share, &ws), "V");
    return Rf_ScalarReal(share);
}
