/* Eigenpairs of matrices, and sets by traces. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include "eigen/minor.h"
#include "la/linalg.h"
#include "method/spectral/spectral.h"
#include "sets/value_trace.h"

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

/* leading eigenpairs of a symmetric matrix by the iteration with `block` columns
 * per step */
SEXP C_ritz(SEXP A, SEXP wanted, SEXP block_, SEXP start, SEXP tol)
{
    rs_context ctx = r_context();
    rs_ritz ws;
    dense_operator dense = {Rf_nrows(A), REAL_RO(A)};
    const rs_operator op = {apply_dense, &dense};
    const rs_ritz_control control = {.tol = Rf_asReal(tol), .maxit = 300};
    const int d = dense.d, count = Rf_asInteger(wanted);
    const int block = Rf_asInteger(block_);
    const int has_start = start != R_NilValue;
    r_result out = r_open();
    double *values = r_add_vector(&out, "values", count);
    double *vectors = r_add_matrix(&out, "vectors", d, count);
    r_check_status(rs_ritz_init(&ctx, d, count, block,
                                rs_ritz_capacity(d, count, block), &ws),
                   "eigenpairs");
    r_check_status(rs_ritz_largest(&op, &control,
                                   has_start ? Rf_ncols(start) : 0,
                                   has_start ? REAL_RO(start) : NULL, values,
                                   vectors, &ws),
                   "eigenpairs");
    return r_close(&out);
}

/* the m smallest eigenvectors for N (n x n) and weights q (d); settings: m,
 * gamma */
SEXP C_minor(SEXP data, SEXP N, SEXP q, SEXP settings)
{
    rs_context ctx = r_context();
    rs_minor s;
    const int m = r_integer(settings, "m");
    const double gamma = r_number(settings, "gamma");
    dense_operator op = {Rf_nrows(N), REAL_RO(N)};
    rs_data *X = r_data(data, rs_minor_block(m), &ctx);
    r_check_status(rs_minor_init(X, m, r_doubles(data, "square"), &s),
                   "minor");
    r_check_status(rs_minor_set(apply_dense, &op, &s), "minor");
    rs_copy((size_t)X->d, REAL_RO(q), s.weight);
    r_check_status(rs_minor_step(gamma, &s), "minor");
    r_result out = r_open();
    r_add_integer(&out, "order", s.order);
    r_add_number(&out, "trace", rs_minor_trace(&s));
    rs_copy((size_t)X->d * s.m, s.W, r_add_matrix(&out, "W", X->d, s.m));
    double *ZW = r_add_matrix(&out, "projected", X->n, s.m);
    r_check_status(rs_minor_project(&s, ZW), "minor");
    return r_close(&out);
}

/* a copy that the form may keep; NULL for NULL */
static double *own_copy(SEXP values)
{
    if (values == R_NilValue)
        return NULL;
    const size_t size = (size_t)Rf_xlength(values);
    double *copy = r_room(size);
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
    const int d = r_integer(data, "d");
    rs_projection_problem p = {
        .k = Rf_length(start), .m = Rf_ncols(W), .maxit = 100};
    rs_projection_fit fit;
    rs_projection s;
    SEXP a = r_element(parts, "a"), G = r_element(parts, "G");
    SEXP K = r_element(parts, "K");
    p.X = r_data(data, rs_sample_form_block(d, p.m), &ctx);
    r_result out = r_open();
    fit.V = r_add_matrix(&out, "V", p.k, p.m);
    fit.subset = r_add_integers(&out, "subset", p.k);
    fit.values = r_add_vector(&out, "values", p.m);
    fit.scores = r_add_vector(&out, "scores", p.X->d);
    r_check_status(rs_projection_init(&ctx, &p, own_copy(a),
                                      G == R_NilValue ? 0 : Rf_ncols(G),
                                      own_copy(G), own_copy(K), &fit, &s),
                   "form");
    r_check_status(rs_sample_form_make_positive(&s.form), "form");
    r_add_number(&out, "shift", s.form.shift);
    r_check_status(
        rs_sample_form_diagonal(&s.form, r_add_vector(&out, "diagonal", d)),
        "form");
    r_check_status(rs_sample_form_apply(&s.form, p.m, REAL_RO(W),
                                        r_add_matrix(&out, "AW", d, p.m)),
                   "form");
    rs_trace_set(r_zero_based(start, d), &s.trace);
    r_check_status(rs_trace_solve(&s.updates, &s.trace), "trace");
    r_add_ending(&out, "trace",
                 rs_trace_climb(&ctx, p.maxit, &s.updates, &s.trace));
    r_check_status(rs_trace_project(&s.trace), "trace");
    r_check_status(
        rs_sample_form_components(
            fit.subset, fit.V, r_add_matrix(&out, "XV", p.X->n, p.m), &s.form),
        "form");
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_history(&out, &s.updates, 1.0);
    return r_close(&out);
}

#endif
