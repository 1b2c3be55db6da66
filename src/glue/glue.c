#include "glue/glue.h"

#include <string.h>

#include "solve/stiefel.h"

SEXP r_element(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

static SEXP required(SEXP list, const char *name)
{
    SEXP value = r_element(list, name);
    if (value == R_NilValue)
        r_refuse("internal", name, "an element of the arguments is missing");
    return value;
}

double r_number(SEXP list, const char *name)
{
    return Rf_asReal(required(list, name));
}

int r_integer(SEXP list, const char *name)
{
    return Rf_asInteger(required(list, name));
}

rs_q_control r_q_control(SEXP settings)
{
    rs_q_control control = {(rs_q_method)r_integer(settings, "method"),
                            r_number(settings, "inner_tol"),
                            r_integer(settings, "inner_maxit")};
    return control;
}

/* out = (x - mean) * weight, column by column, from doubles or integers */
static rs_status centre_dense(rs_context *ctx, SEXP x, int n, int d,
                              const double *mean, const double *weight,
                              double *out)
{
    size_t since_poll = 0;
    const int is_integer = TYPEOF(x) != REALSXP;
    const double *xd = is_integer ? NULL : REAL_RO(x);
    const int *xi = is_integer ? INTEGER_RO(x) : NULL;
    for (int j = 0; j < d; j++) {
        size_t at = (size_t)j * n;
        double w = weight ? weight[j] : 1.0;
        for (int i = 0; i < n; i++, at++)
            out[at] = ((is_integer ? (double)xi[at] : xd[at]) - mean[j]) * w;
        since_poll += (size_t)n;
        if (since_poll > R_ENTRIES_PER_POLL) {
            RS_TRY(rs_poll(ctx));
            since_poll = 0;
        }
    }
    return RS_OK;
}

void r_data(SEXP data, int block, rs_context *ctx, rs_data *X)
{
    const char *kind = CHAR(STRING_ELT(required(data, "kind"), 0));
    SEXP weight = r_element(data, "weight");
    const double *w = weight == R_NilValue ? NULL : REAL_RO(weight);

    memset(X, 0, sizeof *X);
    X->n = r_integer(data, "n");
    X->d = r_integer(data, "d");
    if (strcmp(kind, "dense") == 0) {
        double *copy =
            (double *)r_need(rs_alloc_double(ctx, (size_t)X->n * X->d));
        r_check_status(centre_dense(ctx, required(data, "x"), X->n, X->d,
                                    REAL_RO(required(data, "mean")), w, copy),
                       "centred data");
        X->dense = copy;
    } else if (strcmp(kind, "sparse") == 0) {
        X->p = INTEGER_RO(required(data, "p"));
        X->row = INTEGER_RO(required(data, "i"));
        X->value = REAL_RO(required(data, "x"));
        X->mean = REAL_RO(required(data, "mean"));
        X->weight = w;
    } else {
        r_refuse("internal", "data", "moments have no rows");
    }
    r_check_status(rs_data_init(ctx, block, X), "data");
}

/* S from the moments' cross-products, scaled when weights are given */
const double *r_cross_products(SEXP data, int d, rs_context *ctx)
{
    const double *S = REAL_RO(required(data, "S"));
    SEXP weight = r_element(data, "weight");
    if (weight == R_NilValue)
        return S;
    const double *w = REAL_RO(weight);
    double *scaled = (double *)r_need(rs_alloc_double(ctx, (size_t)d * d));
    for (int j = 0; j < d; j++)
        for (int i = 0; i < d; i++)
            scaled[i + (size_t)j * d] = S[i + (size_t)j * d] * w[i] * w[j];
    return scaled;
}

void r_covop(SEXP data, int block, rs_context *ctx, rs_covop *op)
{
    const char *kind = CHAR(STRING_ELT(required(data, "kind"), 0));
    if (strcmp(kind, "moments") == 0) {
        int d = r_integer(data, "d");
        const double *S = r_cross_products(data, d, ctx);
        r_check_status(rs_covop_from_matrix(ctx, d, S, block, op),
                       "covariance operator");
        return;
    }
    rs_data *X = (rs_data *)R_alloc(1, sizeof *X);
    r_data(data, block, ctx, X);
    r_check_status(rs_covop_from_data(ctx, X, block, op),
                   "covariance operator");
}

void r_orthonormalise(rs_context *ctx, int d, int m, double *W)
{
    rs_stiefel_ws ws;
    r_check_status(rs_stiefel_init(ctx, d, m, &ws), "start");
    r_check_status(rs_stiefel_polar(W, &ws), "start");
}

SEXP r_named_list(int count, const char *const *names, const SEXP *values)
{
    SEXP list = PROTECT(Rf_allocVector(VECSXP, count));
    SEXP labels = PROTECT(Rf_allocVector(STRSXP, count));
    for (int i = 0; i < count; i++) {
        SET_VECTOR_ELT(list, i, values[i]);
        SET_STRING_ELT(labels, i, Rf_mkChar(names[i]));
    }
    Rf_setAttrib(list, R_NamesSymbol, labels);
    UNPROTECT(2);
    return list;
}

SEXP r_doubles(size_t count, const double *x)
{
    SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
    memcpy(REAL(out), x, count * sizeof(double));
    UNPROTECT(1);
    return out;
}
