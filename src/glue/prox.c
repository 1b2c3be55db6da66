/* Which penalty sets a number to zero, and the sequence that starts come from. */
#include "base/random.h"
#include "solve/prox.h"
#include "glue/entries.h"
#include "glue/glue.h"

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
