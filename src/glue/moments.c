/*
 * glue/moments.c: cross-products that are summed up over pieces of data, in
 * one matrix that an external pointer keeps.
 */
#include "glue/glue.h"
#include "la/linalg.h"

static SEXP kept_sum(SEXP kept)
{
    SEXP S =
        TYPEOF(kept) == EXTPTRSXP ? R_ExternalPtrProtected(kept) : R_NilValue;
    r_expect(TYPEOF(S) == REALSXP, "cross-products");
    return S;
}

/* A sum of cross-products of d features, as yet none: a new one, or the memory
 * of one of as many features that is not needed any more */
SEXP C_scatter(SEXP d_, SEXP used)
{
    const int d = Rf_asInteger(d_);
    const size_t size = (size_t)d * d;
    if (used != R_NilValue) {
        SEXP S = kept_sum(used);
        r_expect((size_t)Rf_xlength(S) == size, "cross-products");
        rs_fill(size, 0.0, REAL(S));
        return used;
    }
    r_need_room(size, sizeof(double), "cross-products");
    SEXP S = PROTECT(Rf_allocMatrix(REALSXP, d, d));
    rs_fill(size, 0.0, REAL(S));
    SEXP kept = R_MakeExternalPtr(NULL, R_NilValue, S);
    UNPROTECT(1);
    return kept;
}

/* room that the pointer keeps for the rows to come: memory that is new at each
 * piece takes a third of the time */
static double *kept_room(SEXP kept, size_t size)
{
    SEXP room = R_ExternalPtrTag(kept);
    if (TYPEOF(room) != REALSXP || (size_t)Rf_xlength(room) < size) {
        r_need_room(size, sizeof(double), "cross-products");
        room = Rf_allocVector(REALSXP, (R_xlen_t)size);
        R_SetExternalPtrTag(kept, room);
    }
    return REAL(room);
}

/* dense rows that have no centred copy need none, but room for a few rows */
static void add_data(SEXP kept, SEXP data, rs_context *ctx, double *S)
{
    if (r_is(data, "kind", "dense") && !r_has_centred(data)) {
        const rs_raw X = r_raw(data, ctx);
        double *room = kept_room(kept, (size_t)rs_raw_stripe(&X) * X.d);
        r_check_status(rs_raw_add_gram(ctx, &X, room, S), "cross-products");
    } else {
        const rs_data *X = r_data(data, 1, ctx);
        r_check_status(rs_data_add_gram(X, NULL, X->d, NULL, NULL, S),
                       "cross-products");
    }
}

/*
 * Adds Z'Z of data, another sum T (a matrix, or kept), and G'G for some rows G,
 * the scaled gaps between means; each may be NULL.
 */
SEXP C_scatter_add(SEXP kept, SEXP data, SEXP T, SEXP gaps)
{
    SEXP sum = kept_sum(kept);
    double *S = REAL(sum);
    const int d = Rf_nrows(sum);
    rs_context ctx = r_context();
    if (data != R_NilValue) {
        r_expect(r_integer(data, "d") == d, "cross-products");
        add_data(kept, data, &ctx, S);
    }
    if (T != R_NilValue) {
        T = TYPEOF(T) == EXTPTRSXP ? kept_sum(T) : T;
        r_expect(TYPEOF(T) == REALSXP && Rf_nrows(T) == d, "cross-products");
        rs_axpy((size_t)d * d, 1.0, REAL_RO(T), S);
        r_check_status(rs_poll(&ctx), "cross-products");
    }
    if (gaps != R_NilValue) {
        const int rows = Rf_nrows(gaps);
        r_expect(Rf_ncols(gaps) == d, "cross-products");
        r_check_status(rs_gram_add(&ctx, rows, d, REAL_RO(gaps), rows, S),
                       "cross-products");
    }
    return kept;
}

/* the sum, both triangles; the pointer keeps it no longer */
SEXP C_scatter_end(SEXP kept)
{
    SEXP S = PROTECT(kept_sum(kept));
    rs_mirror_upper(Rf_nrows(S), REAL(S));
    R_SetExternalPtrProtected(kept, R_NilValue);
    R_SetExternalPtrTag(kept, R_NilValue);
    UNPROTECT(1);
    return S;
}
