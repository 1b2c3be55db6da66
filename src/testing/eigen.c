/* Eigenpairs of matrices, and sets by traces. */
#include "glue/entries.h"

#if ROWSPARSE_TESTING

#include "eigen/eigs.h"
#include "eigen/minor.h"
#include "la/linalg.h"
#include "sets/sample_form.h"
#include "sets/swaps.h"
#include "sets/trace_subset.h"
#include "glue/glue.h"
#include "glue/result.h"

typedef struct {
    int d;
    const double *A;
} dense_operator;

static rs_status apply_dense(void *state, int m, const double *V, double *AV)
{
    const dense_operator *op = (const dense_operator *)state;
    rs_matmul(op->d, op->d, m, op->A, V, AV);
    return RS_OK;
}

/* leading eigenpairs of a symmetric matrix by the iterative solver */
SEXP C_eigs(SEXP A, SEXP wanted, SEXP start, SEXP tol, SEXP maxit)
{
    rs_context ctx = r_context();
    rs_eigs_ws ws;
    dense_operator op = {Rf_nrows(A), REAL_RO(A)};
    int count = Rf_asInteger(wanted);
    double residual;
    r_result out = r_open();
    double *values = r_add_vector(&out, "values", count);
    double *vectors = r_add_matrix(&out, "vectors", op.d, count);
    r_check_status(rs_eigs_init(&ctx, op.d, count, &ws), "eigs");
    const double *first = start == R_NilValue ? NULL : REAL_RO(start);
    r_check_status(rs_eigs_largest(apply_dense, &op,
                                   first ? Rf_ncols(start) : 0, first,
                                   Rf_asReal(tol), Rf_asInteger(maxit), values,
                                   vectors, &residual, &ws),
                   "eigs");
    return r_close(&out);
}

/* an orthonormal basis of the row space of the data, and coordinates in it */
SEXP C_row_space(SEXP data)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_row_space space;
    r_data(data, 1, &ctx, &X);
    r_check_status(rs_row_space_find(&ctx, &X, &space), "row space");
    r_result out = r_open();
    const size_t r = (size_t)space.rank;
    rs_copy(r * X.d, space.basis,
            r_add_matrix(&out, "basis", space.rank, X.d));
    rs_copy(r * X.n, space.coordinates,
            r_add_matrix(&out, "coordinates", X.n, space.rank));
    return r_close(&out);
}

/* the m smallest eigenvectors for N (n x n) and weights q (d); settings: m,
 * gamma */
SEXP C_minor(SEXP data, SEXP N, SEXP q, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_minor s;
    const int m = r_integer(settings, "m");
    const double gamma = r_number(settings, "gamma");
    dense_operator op = {Rf_nrows(N), REAL_RO(N)};
    r_data(data, rs_minor_block(m), &ctx, &X);
    r_check_status(rs_minor_init(&ctx, &X, m, r_doubles(data, "square"), &s),
                   "minor");
    r_check_status(rs_minor_set(apply_dense, &op, &s), "minor");
    rs_copy((size_t)X.d, REAL_RO(q), s.weight);
    r_check_status(rs_minor_step(gamma, &s), "minor");
    r_result out = r_open();
    r_add_integer(&out, "order", s.order);
    r_add_number(&out, "trace", rs_minor_trace(&s));
    rs_copy((size_t)X.d * s.m, s.W, r_add_matrix(&out, "W", X.d, s.m));
    double *ZW = r_add_matrix(&out, "projected", X.n, s.m);
    r_check_status(rs_minor_project(&s, ZW), "minor");
    return r_close(&out);
}

/* a copy that the form may keep; NULL for NULL */
static double *own_copy(SEXP values, rs_context *ctx)
{
    if (values == R_NilValue)
        return NULL;
    const size_t size = (size_t)Rf_xlength(values);
    double *copy = r_room(ctx, size);
    rs_copy(size, REAL_RO(values), copy);
    return copy;
}

/*
 * A = shift I + X'NX with a, G, K (or NULL) in `parts`, at the shift that makes
 * it positive semidefinite: AW for W (d x m), its diagonal, and the updates of
 * the set `start` for traces of dimension m
 */
SEXP C_trace_subset(SEXP data, SEXP parts, SEXP W, SEXP start)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_sample_form form;
    rs_trace_ws ws;
    rs_history history;
    const int d = r_integer(data, "d"), k = Rf_length(start);
    const int m = Rf_ncols(W);
    SEXP a = r_element(parts, "a"), G = r_element(parts, "G");
    SEXP K = r_element(parts, "K");
    r_data(data, rs_sample_form_block(d, m), &ctx, &X);
    r_check_status(rs_sample_form_init(&ctx, &X, k, m, own_copy(a, &ctx),
                                       G == R_NilValue ? 0 : Rf_ncols(G),
                                       own_copy(G, &ctx), own_copy(K, &ctx),
                                       &form),
                   "form");
    r_check_status(rs_sample_form_make_positive(&form), "form");
    r_result out = r_open();
    r_add_number(&out, "shift", form.shift);
    r_check_status(
        rs_sample_form_diagonal(&form, r_add_vector(&out, "diagonal", d)),
        "form");
    r_check_status(rs_sample_form_apply(&form, m, REAL_RO(W),
                                        r_add_matrix(&out, "AW", d, m)),
                   "form");
    int *subset = r_add_integers(&out, "subset", k);
    double *V = r_add_matrix(&out, "V", k, m);
    double *values = r_add_vector(&out, "values", m);
    double *scores = r_add_vector(&out, "scores", d);
    const rs_trace_problem problem = {d,
                                      k,
                                      m,
                                      NULL,
                                      &form,
                                      rs_sample_form_apply,
                                      rs_sample_form_leading,
                                      NULL,
                                      NULL};
    r_check_status(
        rs_trace_init(&ctx, &problem, subset, V, values, scores, &ws),
        "trace");
    r_check_status(rs_history_init(&ctx, 101, &history), "trace");
    rs_trace_set(r_zero_based(start, d, &ctx), &ws);
    r_check_status(rs_trace_solve(&history, &ws), "trace");
    rs_status status = rs_trace_climb(&ctx, 100, &history, &ws);
    r_check_status(status, "trace");
    r_check_status(rs_trace_project(&ws), "trace");
    r_check_status(rs_sample_form_components(
                       subset, V, r_add_matrix(&out, "XV", X.n, m), &form),
                   "form");
    r_to_one_based((size_t)k, subset);
    r_add_history(&out, &history, 1.0);
    r_add_ending(&out, status);
    return r_close(&out);
}

SEXP C_arrow_sum(SEXP l, SEXP b, SEXP s)
{
    return Rf_ScalarReal(
        rs_arrow_sum(Rf_length(l), REAL_RO(l), REAL_RO(b), 1, Rf_asReal(s)));
}

#endif
