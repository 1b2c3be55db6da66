/* What vectors and matrices are sorted, projected and factored by. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include "base/select.h"
#include "la/linalg.h"
#include "la/toprows.h"
#include "solve/penalty.h"
#include "solve/stiefel.h"

/* 1-based indices of the k largest, best first */
SEXP C_topk(SEXP value, SEXP k_)
{
    const int count = (int)Rf_xlength(value), k = Rf_asInteger(k_);
    SEXP out = PROTECT(Rf_allocVector(INTSXP, k));
    rs_topk_order(count, REAL_RO(value), k, INTEGER(out),
                  r_room((size_t)count));
    for (int i = 0; i < k; i++)
        INTEGER(out)[i]++;
    UNPROTECT(1);
    return out;
}

/* the k rows of largest norm; ties by `second`, or NULL, then by index */
SEXP C_toprows(SEXP W, SEXP k, SEXP second)
{
    rs_context ctx = r_context();
    rs_toprows_ws ws;
    SEXP out = PROTECT(Rf_duplicate(W));
    r_check_status(rs_toprows_init(&ctx, Rf_nrows(W), &ws), "top rows");
    r_check_status(
        rs_toprows_keep(Rf_ncols(W), Rf_asInteger(k),
                        second == R_NilValue ? NULL : REAL_RO(second),
                        REAL(out), &ws),
        "top rows");
    UNPROTECT(1);
    return out;
}

/* R with A = R'R, and zeros below it */
SEXP C_cholesky(SEXP A)
{
    rs_context ctx = r_context();
    const int p = Rf_nrows(A);
    SEXP out = PROTECT(Rf_duplicate(A));
    r_check_status(rs_cholesky_polled(&ctx, p, REAL(out)), "Cholesky factor");
    for (int j = 0; j < p; j++)
        for (int i = j + 1; i < p; i++)
            REAL(out)[i + (size_t)j * p] = 0.0;
    UNPROTECT(1);
    return out;
}

/* A^{-1} */
SEXP C_cholesky_inverse(SEXP A)
{
    rs_context ctx = r_context();
    const int p = Rf_nrows(A);
    SEXP out = PROTECT(Rf_duplicate(A));
    r_check_status(rs_cholesky_polled(&ctx, p, REAL(out)), "inverse");
    r_check_status(rs_cholesky_inverse_polled(&ctx, p, REAL(out)), "inverse");
    UNPROTECT(1);
    return out;
}

SEXP C_polar(SEXP M)
{
    rs_context ctx = r_context();
    SEXP out = PROTECT(Rf_duplicate(M));
    r_orthonormalise(&ctx, Rf_nrows(M), Rf_ncols(M), REAL(out));
    UNPROTECT(1);
    return out;
}

SEXP C_project(SEXP W, SEXP M)
{
    rs_context ctx = r_context();
    rs_stiefel_ws ws;
    SEXP out = PROTECT(Rf_duplicate(M));
    r_check_status(rs_stiefel_init(&ctx, Rf_nrows(W), Rf_ncols(W), &ws),
                   "projection");
    rs_stiefel_project(REAL_RO(W), REAL(out), &ws);
    UNPROTECT(1);
    return out;
}

SEXP C_prox_lq(SEXP a, SEXP lambda, SEXP q)
{
    SEXP out = PROTECT(Rf_duplicate(a));
    rs_prox_lq((size_t)Rf_xlength(a), REAL_RO(a), Rf_asReal(lambda),
               Rf_asReal(q), REAL(out));
    UNPROTECT(1);
    return out;
}

SEXP C_prox_l2p(SEXP A, SEXP lambda, SEXP p)
{
    int d = Rf_nrows(A);
    SEXP out = PROTECT(Rf_duplicate(A));
    double *norms = (double *)R_alloc(2 * (size_t)d + 1, sizeof(double));
    rs_prox_rows(NULL, d, Rf_ncols(A), REAL(out), Rf_asReal(lambda),
                 Rf_asReal(p), norms, norms + d);
    UNPROTECT(1);
    return out;
}

#endif
