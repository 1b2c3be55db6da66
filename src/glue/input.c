#include "base/random.h"
#include "la/linalg.h"
#include "data/dense.h"
#include "data/sparse.h"
#include "solve/stiefel.h"
#include "glue/entries.h"
#include "glue/glue.h"

/* ---- the centred copy of dense data ------------------------------------- */

rs_raw r_raw(SEXP data, rs_context *ctx)
{
    SEXP x = r_required(data, "x");
    rs_raw X = {r_integer(data, "n"),
                r_integer(data, "d"),
                NULL,
                NULL,
                r_centring(data, ctx),
                NULL};
    if (TYPEOF(x) == REALSXP)
        X.real = REAL_RO(x);
    else
        X.whole = INTEGER_RO(x);
    r_matrix(data, "weight", &X.weight);
    return X;
}

static void centre_all(SEXP data, rs_context *ctx, double *out)
{
    const rs_raw X = r_raw(data, ctx);
    r_check_status(rs_raw_centre(ctx, &X, out), "centred data");
}

/*
 * What `kept`, an external pointer without an address, protects: the copy, and
 * the elements of the data that it was made from. Where one of these has been
 * replaced since, the copy is of no use.
 */
static const char *const sources[] = {"x", "mean", "block", "weight"};
enum { SOURCES = 4 };

static int is_current(SEXP parts, SEXP data)
{
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
        double *copy = r_room(ctx, size);
        centre_all(data, ctx, copy);
        return copy;
    }
    SEXP parts = R_ExternalPtrProtected(kept);
    if (!is_current(parts, data)) {
        parts = PROTECT(new_parts(kept, data, size));
        centre_all(data, ctx, REAL(VECTOR_ELT(parts, SOURCES)));
        R_SetExternalPtrProtected(kept, parts);
        UNPROTECT(1);
    }
    return REAL_RO(VECTOR_ELT(parts, SOURCES));
}

int r_has_centred(SEXP data)
{
    SEXP kept = r_element(data, "kept");
    return TYPEOF(kept) == EXTPTRSXP &&
           is_current(R_ExternalPtrProtected(kept), data);
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

static rs_sparse_slots sparse_slots(SEXP data, rs_context *ctx)
{
    rs_sparse_slots slots = {
        INTEGER_RO(r_required(data, "p")), INTEGER_RO(r_required(data, "i")),
        r_doubles(data, "x"), r_centring(data, ctx), NULL};
    r_matrix(data, "weight", &slots.weight);
    return slots;
}

rs_data *r_data(SEXP data, int block, rs_context *ctx)
{
    rs_data *X = r_need(rs_alloc(ctx, 1, sizeof *X));
    const int n = r_integer(data, "n"), d = r_integer(data, "d");
    rs_status status = RS_BAD_INPUT;
    if (r_is(data, "kind", "dense")) {
        status = rs_data_dense(ctx, n, d, centred(data, ctx, n, d), block, X);
    } else if (r_is(data, "kind", "sparse")) {
        rs_sparse_slots slots = sparse_slots(data, ctx);
        status = rs_data_sparse(ctx, n, d, &slots, block, X);
    } else if (r_is(data, "kind", "blocks")) {
        status = r_blocks(data, block, ctx, d, X);
    } else {
        r_refuse("internal", "data", "moments have no rows");
    }
    r_check_status(status, "data");
    return X;
}

/* rows x d, columns times the weights of the features, where there are any */
static const double *weighed(SEXP data, size_t rows, size_t d,
                             const double *values, rs_context *ctx)
{
    const double *w;
    if (!r_matrix(data, "weight", &w))
        return values;
    double *scaled = r_room(ctx, rows * d);
    rs_copy(rows * d, values, scaled);
    for (size_t j = 0; j < d; j++)
        rs_scale(rows, w[j], scaled + rows * j);
    return scaled;
}

const double *r_cross_products(SEXP data, int d, rs_context *ctx)
{
    const double *S = r_doubles(data, "S"), *w;
    double *scaled = (double *)weighed(data, (size_t)d, (size_t)d, S, ctx);
    if (r_matrix(data, "weight", &w))
        rs_scale_rows(d, d, w, scaled);
    return scaled;
}

int r_is_sketch(SEXP data)
{
    return r_is_moments(data) && r_element(data, "factor") != R_NilValue;
}

rs_data *r_sketch(SEXP data, int block, rs_context *ctx)
{
    rs_data *X = r_need(rs_alloc(ctx, 1, sizeof *X));
    SEXP factor = r_required(data, "factor");
    const int rows = Rf_nrows(factor), d = r_integer(data, "d");
    if (Rf_ncols(factor) != d)
        r_refuse("internal", "sketch", "another number of features");
    const double *values =
        weighed(data, (size_t)rows, (size_t)d, REAL_RO(factor), ctx);
    r_check_status(rs_data_dense(ctx, rows, d, values, block, X), "sketch");
    return X;
}

rs_covop *r_covop(SEXP data, int block, rs_context *ctx)
{
    rs_covop *op = r_need(rs_alloc(ctx, 1, sizeof *op));
    rs_status status;
    if (r_is_moments(data) && !r_is_sketch(data)) {
        const int d = r_integer(data, "d");
        const double *S = r_cross_products(data, d, ctx);
        status = rs_covop_from_matrix(ctx, d, S, block, op);
    } else {
        rs_data *rows = r_is_sketch(data) ? r_sketch(data, block, ctx)
                                          : r_data(data, block, ctx);
        status = rs_covop_from_data(ctx, rows, block, op);
    }
    r_check_status(status, "covariance operator");
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

/* ---- starting points ----------------------------------------------------- */

void r_orthonormalise(rs_context *ctx, int d, int m, double *W)
{
    rs_stiefel_ws ws;
    r_check_status(rs_stiefel_init(ctx, d, m, &ws), "start");
    r_check_status(rs_stiefel_polar(W, &ws), "start");
}

void r_start(rs_context *ctx, SEXP start, double *to)
{
    rs_copy((size_t)Rf_xlength(start), REAL_RO(start), to);
    r_orthonormalise(ctx, Rf_nrows(start), Rf_ncols(start), to);
}

/* `draws` vectors of the fixed pseudo-random sequence, d x draws */
SEXP C_quasi_random(SEXP d_, SEXP draws_)
{
    int d = Rf_asInteger(d_), draws = Rf_asInteger(draws_);
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, d, draws));
    for (int j = 0; j < draws; j++)
        rs_quasi_random((size_t)d, (size_t)j, REAL(out) + (size_t)j * d);
    UNPROTECT(1);
    return out;
}
