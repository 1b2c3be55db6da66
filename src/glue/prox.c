/* The proximal operators that R exports, and the sequence that starts come from. */
#include "base/random.h"
#include "solve/prox.h"
#include "glue/entries.h"
#include "glue/glue.h"

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
    rs_prox_l2p(d, Rf_ncols(A), REAL_RO(A), Rf_asReal(lambda), Rf_asReal(p),
                REAL(out), norms, norms + d);
    UNPROTECT(1);
    return out;
}

SEXP C_prox_lambda_at(SEXP a, SEXP q)
{
    return Rf_ScalarReal(rs_prox_lambda_at(Rf_asReal(a), Rf_asReal(q)));
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
