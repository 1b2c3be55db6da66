/*
 * glue/moments.c: cross-products that are summed up over pieces of data, in
 * one matrix that an external pointer keeps.
 */
#include "glue/entries.h"
#include "glue/glue.h"
#include "la/linalg.h"

/* a sum of cross-products of d features, as yet none */
SEXP C_scatter(SEXP d_)
{
    const int d = Rf_asInteger(d_);
    const size_t size = (size_t)d * d;
    r_check_status(r_has_room(size, sizeof(double)) ? RS_OK : RS_NO_MEMORY,
                   "cross-products");
    SEXP S = PROTECT(Rf_allocMatrix(REALSXP, d, d));
    rs_fill(size, 0.0, REAL(S));
    SEXP kept = R_MakeExternalPtr(NULL, R_NilValue, S);
    UNPROTECT(1);
    return kept;
}

static SEXP kept_sum(SEXP kept)
{
    SEXP S =
        TYPEOF(kept) == EXTPTRSXP ? R_ExternalPtrProtected(kept) : R_NilValue;
    if (TYPEOF(S) != REALSXP)
        r_refuse("internal", "cross-products", "there is no sum");
    return S;
}

static void add_rows(SEXP rows, int d, rs_context *ctx, double *S)
{
    if (Rf_ncols(rows) != d)
        r_refuse("internal", "cross-products", "another number of features");
    r_check_status(
        rs_gram_add(ctx, Rf_nrows(rows), d, REAL_RO(rows), Rf_nrows(rows), S),
        "cross-products");
}

/*
 * Adds Z'Z of data, another sum T, and G'G for some rows G, the scaled gaps
 * between means; each may be NULL.
 */
SEXP C_scatter_add(SEXP kept, SEXP data, SEXP T, SEXP gaps)
{
    SEXP sum = kept_sum(kept);
    double *S = REAL(sum);
    const int d = Rf_nrows(sum);
    rs_context ctx = r_context();
    if (data != R_NilValue) {
        rs_data X;
        if (r_integer(data, "d") != d)
            r_refuse("internal", "cross-products",
                     "another number of features");
        r_data(data, 1, &ctx, &X);
        r_check_status(rs_data_add_gram(&X, S), "cross-products");
    }
    if (T != R_NilValue)
        r_check_status(rs_gram_merge(&ctx, d, REAL_RO(T), S),
                       "cross-products");
    if (gaps != R_NilValue)
        add_rows(gaps, d, &ctx, S);
    return kept;
}

/* the sum, both triangles; the pointer keeps it no longer */
SEXP C_scatter_end(SEXP kept)
{
    SEXP S = PROTECT(kept_sum(kept));
    rs_mirror_upper(Rf_nrows(S), REAL(S));
    R_SetExternalPtrProtected(kept, R_NilValue);
    UNPROTECT(1);
    return S;
}
