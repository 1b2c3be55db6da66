#include "base/random.h"
#include "la/linalg.h"
#include "data/dense.h"
#include "data/sparse.h"
#include "glue/glue.h"

/* ---- the centred copy of dense data ------------------------------------- */

rs_raw r_raw(SEXP data, rs_context *ctx)
{
    SEXP x = r_required(data, "x");
    const int is_real = TYPEOF(x) == REALSXP;
    return (rs_raw){.n = r_integer(data, "n"),
                    .d = r_integer(data, "d"),
                    .real = is_real ? REAL_RO(x) : NULL,
                    .whole = is_real ? NULL : INTEGER_RO(x),
                    .centring = r_centring(data, ctx),
                    .weight = r_given(r_element(data, "weight"))};
}

static void centre_all(SEXP data, rs_context *ctx, double *out)
{
    const rs_raw X = r_raw(data, ctx);
    r_check_status(rs_raw_centre(ctx, &X, 0, X.n, out), "centred data");
}

/*
 * What `kept`, an external pointer without an address, protects: the copy, and
 * the elements of the data that it was made from. Where one of these has been
 * replaced since, the copy is of no use.
 */
static const char *const sources[] = {"x", "mean", "block", "weight"};
enum { SOURCES = 4 };

int r_has_centred(SEXP data)
{
    SEXP kept = r_element(data, "kept");
    SEXP parts =
        TYPEOF(kept) == EXTPTRSXP ? R_ExternalPtrProtected(kept) : R_NilValue;
    int current = parts != R_NilValue;
    for (int i = 0; current && i < SOURCES; i++)
        current = VECTOR_ELT(parts, i) == r_element(data, sources[i]);
    return current;
}

/* the parts with room for the copy; what was kept before is let go first */
static SEXP new_parts(SEXP kept, SEXP data, size_t size)
{
    R_SetExternalPtrProtected(kept, R_NilValue);
    r_need_room(size, sizeof(double), "centred data");
    SEXP parts = PROTECT(Rf_allocVector(VECSXP, SOURCES + 1));
    for (int i = 0; i < SOURCES; i++)
        SET_VECTOR_ELT(parts, i, r_element(data, sources[i]));
    SET_VECTOR_ELT(parts, SOURCES, Rf_allocVector(REALSXP, (R_xlen_t)size));
    UNPROTECT(1);
    return parts;
}

static const double *centred(SEXP data, rs_context *ctx, int n, int d)
{
    SEXP kept = r_element(data, "kept");
    const size_t size = (size_t)n * d;
    if (TYPEOF(kept) != EXTPTRSXP) {
        double *copy = r_room(size);
        centre_all(data, ctx, copy);
        return copy;
    }
    if (!r_has_centred(data)) {
        SEXP parts = PROTECT(new_parts(kept, data, size));
        centre_all(data, ctx, REAL(VECTOR_ELT(parts, SOURCES)));
        R_SetExternalPtrProtected(kept, parts);
        UNPROTECT(1);
    }
    return REAL_RO(VECTOR_ELT(R_ExternalPtrProtected(kept), SOURCES));
}

SEXP C_keeper(void)
{
    return R_MakeExternalPtr(NULL, R_NilValue, R_NilValue);
}

/* ---- data and operators -------------------------------------------------- */

int r_is_moments(SEXP data)
{
    return r_is(data, "kind", "moments");
}

int r_is_sketch(SEXP data)
{
    return r_is_moments(data) && r_element(data, "factor") != R_NilValue;
}

/* rows x d, columns times the weights of the features, where there are any */
static const double *weighed(SEXP data, size_t rows, size_t d,
                             const double *values)
{
    const double *w = r_given(r_element(data, "weight"));
    if (!w)
        return values;
    double *scaled = r_room(rows * d);
    rs_copy(rows * d, values, scaled);
    for (size_t j = 0; j < d; j++)
        rs_scale(rows, w[j], scaled + rows * j);
    return scaled;
}

const double *r_cross_products(SEXP data, int d)
{
    const size_t size = (size_t)d;
    double *S = (double *)weighed(data, size, size, r_doubles(data, "S"));
    rs_scale_rows(d, d, r_given(r_element(data, "weight")), S);
    return S;
}

static rs_status read_sparse(SEXP data, int n, int d, int block,
                             rs_context *ctx, rs_data *X)
{
    const rs_sparse_slots slots = {INTEGER_RO(r_required(data, "p")),
                                   INTEGER_RO(r_required(data, "i")),
                                   r_doubles(data, "x"), r_centring(data, ctx),
                                   r_given(r_element(data, "weight"))};
    return rs_data_sparse(ctx, n, d, &slots, block, X);
}

/* the rows of the factor, which are centred */
static rs_status read_sketch(SEXP data, int d, int block, rs_context *ctx,
                             rs_data *X)
{
    SEXP factor = r_required(data, "factor");
    const int rows = Rf_nrows(factor);
    r_expect(Rf_ncols(factor) == d, "sketch");
    return rs_data_dense(
        ctx, rows, d, weighed(data, (size_t)rows, (size_t)d, REAL_RO(factor)),
        block, X);
}

rs_data *r_data(SEXP data, int block, rs_context *ctx)
{
    rs_data *X = r_memory(1, sizeof *X);
    const int n = r_integer(data, "n"), d = r_integer(data, "d");
    rs_status status;
    if (r_is(data, "kind", "dense"))
        status = rs_data_dense(ctx, n, d, centred(data, ctx, n, d), block, X);
    else if (r_is(data, "kind", "sparse"))
        status = read_sparse(data, n, d, block, ctx, X);
    else if (r_is(data, "kind", "blocks"))
        status = r_blocks(data, block, ctx, d, X);
    else
        status = read_sketch(data, d, block, ctx, X);
    r_check_status(status, "data");
    return X;
}

rs_covop *r_covop(SEXP data, int block, rs_context *ctx)
{
    rs_covop *op = r_memory(1, sizeof *op);
    const int d = r_integer(data, "d");
    r_check_status(
        r_is_moments(data) && !r_is_sketch(data)
            ? rs_covop_from_matrix(ctx, d, r_cross_products(data, d), block,
                                   op)
            : rs_covop_from_data(ctx, r_data(data, block, ctx), block, op),
        "covariance operator");
    return op;
}

rs_covop *r_covop_in_unit(SEXP data, SEXP settings, int block, rs_context *ctx,
                          double *unit)
{
    rs_covop *op = r_covop(data, block, ctx);
    *unit = 1.0;
    if (r_integer(settings, "normalize"))
        rs_covop_normalise(op);
    else
        *unit = rs_covop_use_unit(op);
    return op;
}

/* `draws` vectors of the fixed pseudo-random sequence, d x draws */
SEXP C_quasi_random(SEXP d, SEXP draws)
{
    SEXP out =
        PROTECT(Rf_allocMatrix(REALSXP, Rf_asInteger(d), Rf_asInteger(draws)));
    rs_quasi_random((size_t)Rf_xlength(out), 0, REAL(out));
    UNPROTECT(1);
    return out;
}
