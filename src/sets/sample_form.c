/* Operators shift + X'NX and their submatrices, from the data and a form among
 * the samples. */
#include "sets/sample_form.h"

#include <math.h>

#include "la/linalg.h"

/* the extreme eigenvalue need not be accurate: the shift is larger by that */
#define RS_FORM_TOL 1e-3
#define RS_FORM_MAXIT 100

int rs_sample_form_block(int d, int m)
{
    return rs_max_int(m, rs_ritz_block(d, 1));
}

static rs_status init_extreme(rs_context *ctx, rs_sample_form *form)
{
    const int d = form->X->d;
    form->is_dense = d <= form->k || rs_leading_is_dense(d, 1);
    form->whole = form->vector = NULL;
    form->values = rs_alloc_double(ctx, (size_t)d);
    if (form->is_dense) {
        form->whole = rs_alloc_double(ctx, (size_t)d * d);
        RS_TRY(rs_allocated(ctx));
        return rs_eigen_init(ctx, d, &form->dense);
    }
    form->vector = rs_alloc_double(ctx, (size_t)d);
    RS_TRY(rs_allocated(ctx));
    const int block = rs_ritz_block(d, 1);
    return rs_ritz_init(ctx, d, 1, block, rs_ritz_capacity(d, 1, block),
                        &form->iterative);
}

rs_status rs_sample_form_init(rs_context *ctx, rs_data *X, int k, int m,
                              double *a, int c, double *G, double *K,
                              rs_sample_form *form)
{
    const size_t n = (size_t)X->n;
    const int widest = rs_max_int(rs_sample_form_block(X->d, m), k);
    *form = (rs_sample_form){.ctx = ctx,
                             .X = X,
                             .k = k,
                             .m = m,
                             .sign = 1.0,
                             .a = a,
                             .c = c,
                             .G = G,
                             .K = K};
    RS_ALLOC_DOUBLES(ctx, n * widest, &form->panel, &form->image);
    form->inner = rs_alloc_double(ctx, (size_t)rs_max_int(c, 1) * widest);
    form->A = rs_alloc_double(ctx, (size_t)k * k);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_leading_init(ctx, k, m, &form->leading));
    return init_extreme(ctx, form);
}

/* NY (n x m) = N Y */
static rs_status multiply(rs_sample_form *form, int m, const double *Y,
                          double *NY)
{
    const int n = form->X->n, c = form->c;
    for (int l = 0; l < m; l++)
        for (int i = 0; i < n; i++)
            NY[i + (size_t)n * l] =
                form->a ? form->a[i] * Y[i + (size_t)n * l] : 0.0;
    if (form->G) {
        RS_TRY(rs_gemm_polled(form->ctx, 'T', 'N', c, m, n, 1.0, form->G, n, Y,
                              n, 0.0, form->inner, c));
        RS_TRY(rs_gemm_polled(form->ctx, 'N', 'N', n, m, c, 1.0, form->G, n,
                              form->inner, c, 1.0, NY, n));
    }
    if (form->K)
        RS_TRY(rs_gemm_polled(form->ctx, 'N', 'N', n, m, n, 1.0, form->K, n, Y,
                              n, 1.0, NY, n));
    return RS_OK;
}

rs_status rs_sample_form_apply(void *state, int m, const double *W, double *AW)
{
    rs_sample_form *form = (rs_sample_form *)state;
    const size_t size = (size_t)form->X->d * m;
    RS_TRY(rs_data_times(form->X, m, W, form->panel));
    RS_TRY(multiply(form, m, form->panel, form->image));
    RS_TRY(rs_data_crossprod(form->X, m, form->image, AW));
    for (size_t i = 0; i < size; i++)
        AW[i] = form->sign * (AW[i] + form->shift * W[i]);
    return RS_OK;
}

/* block (n x count): columns of X; A <- block'N block + shift I */
static rs_status submatrix(rs_sample_form *form, int count, double *A)
{
    const int n = form->X->n;
    RS_TRY(multiply(form, count, form->panel, form->image));
    RS_TRY(rs_gemm_polled(form->ctx, 'T', 'N', count, count, n, 1.0,
                          form->panel, n, form->image, n, 0.0, A, count));
    rs_symmetrise(count, A);
    for (int j = 0; j < count; j++)
        A[j * ((size_t)count + 1)] += form->shift;
    return RS_OK;
}

rs_status rs_sample_form_leading(void *state, const int *subset,
                                 double *values, double *V)
{
    rs_sample_form *form = (rs_sample_form *)state;
    RS_TRY(rs_data_columns(form->X, form->k, subset, form->panel));
    RS_TRY(submatrix(form, form->k, form->A));
    return rs_leading_of(form->A, values, V, &form->leading);
}

rs_status rs_sample_form_diagonal(rs_sample_form *form, double *diagonal)
{
    const int n = form->X->n, d = form->X->d;
    for (int from = 0; from < d; from += form->k) {
        const int count = rs_min_int(form->k, d - from);
        RS_TRY(rs_data_column_range(form->X, from, count, form->panel));
        RS_TRY(multiply(form, count, form->panel, form->image));
        for (int c = 0; c < count; c++)
            diagonal[from + c] =
                form->shift + rs_dot((size_t)n, form->panel + (size_t)n * c,
                                     form->image + (size_t)n * c);
        RS_TRY(rs_poll(form->ctx));
    }
    return RS_OK;
}

/* whole <- -X'N X, some columns at a time */
static rs_status form_negative(rs_sample_form *form)
{
    const int d = form->X->d, n = form->X->n;
    const int width = rs_min_int(form->k, rs_sample_form_block(d, form->m));
    for (int from = 0; from < d; from += width) {
        const int count = rs_min_int(width, d - from);
        RS_TRY(rs_data_column_range(form->X, from, count, form->panel));
        RS_TRY(multiply(form, count, form->panel, form->image));
        rs_scale((size_t)n * count, -1.0, form->image);
        RS_TRY(rs_data_crossprod(form->X, count, form->image,
                                 form->whole + (size_t)d * from));
    }
    rs_symmetrise(d, form->whole);
    return RS_OK;
}

rs_status rs_sample_form_make_positive(rs_sample_form *form)
{
    double residual = 0.0;
    rs_status status = RS_OK;
    form->shift = 0.0;
    if (form->is_dense) {
        RS_TRY(form_negative(form));
        RS_TRY(rs_eigen_largest(form->X->d, form->whole, 1, form->values, NULL,
                                &form->dense));
    } else {
        form->sign = -1.0;
        const rs_operator negative = {rs_sample_form_apply, form};
        const rs_ritz_control control = {.tol = RS_FORM_TOL,
                                         .maxit = RS_FORM_MAXIT};
        status = rs_ritz_largest(&negative, &control, 0, NULL, form->values,
                                 form->vector, &form->iterative);
        residual = form->iterative.residual;
        form->sign = 1.0;
    }
    if (!rs_is_usable(status))
        return status;
    const double least = form->values[0];
    form->shift = fmax(0.0, least + (residual + 1e-8) * fabs(least));
    return RS_OK;
}

rs_status rs_sample_form_components(const int *subset, const double *V,
                                    double *XV, rs_sample_form *form)
{
    const int n = form->X->n;
    RS_TRY(rs_data_columns(form->X, form->k, subset, form->panel));
    return rs_gemm_polled(form->ctx, 'N', 'N', n, form->m, form->k, 1.0,
                          form->panel, n, V, form->k, 0.0, XV, n);
}

rs_trace_problem rs_sample_form_trace(rs_sample_form *form,
                                      const double *second,
                                      const unsigned char *last,
                                      const unsigned char *first)
{
    rs_trace_problem problem = {form->X->d,
                                form->k,
                                form->m,
                                second,
                                form,
                                rs_sample_form_apply,
                                rs_sample_form_leading,
                                last,
                                first};
    return problem;
}

rs_status rs_sample_form_solve(rs_history *updates, rs_sample_form *form,
                               rs_trace_ws *trace)
{
    RS_TRY(rs_sample_form_make_positive(form));
    rs_history_clear(updates);
    return rs_trace_solve(updates, trace);
}

rs_status rs_sample_form_climb(int maxit, rs_history *updates,
                               rs_sample_form *form, rs_trace_ws *trace)
{
    RS_TRY(rs_sample_form_solve(updates, form, trace));
    rs_status status = rs_trace_climb(form->ctx, maxit, updates, trace);
    return status == RS_MAXIT ? RS_OK : status;
}
