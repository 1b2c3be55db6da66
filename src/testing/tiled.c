/* The products of la/tiled. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include "la/blas.h"
#include "la/tiled.h"

/* C + alpha op(A) op(B), `size` = rows, columns and terms, which may be fewer
 * than the matrices have, and 1 for the upper triangle alone; `trans`: "N" or "T"
 * for A and for B */
SEXP C_tiled_gemm(SEXP trans, SEXP size, SEXP alpha, SEXP A, SEXP B, SEXP C)
{
    const int *s = INTEGER_RO(size);
    SEXP out = PROTECT(Rf_duplicate(C));
    rs_tiled_gemm(*CHAR(STRING_ELT(trans, 0)), *CHAR(STRING_ELT(trans, 1)),
                  s[0], s[1], s[2], Rf_asReal(alpha), REAL_RO(A), Rf_nrows(A),
                  REAL_RO(B), Rf_nrows(B), s[3], REAL(out), Rf_nrows(C));
    UNPROTECT(1);
    return out;
}

/* y + alpha op(A) x, `size` = rows and columns of A */
SEXP C_tiled_gemv(SEXP trans, SEXP size, SEXP alpha, SEXP A, SEXP x, SEXP y)
{
    const int *s = INTEGER_RO(size);
    SEXP out = PROTECT(Rf_duplicate(y));
    rs_tiled_gemv(*CHAR(STRING_ELT(trans, 0)), s[0], s[1], Rf_asReal(alpha),
                  REAL_RO(A), Rf_nrows(A), REAL_RO(x), REAL(out));
    UNPROTECT(1);
    return out;
}

SEXP C_tiled_dot(SEXP x, SEXP y)
{
    return Rf_ScalarReal(
        rs_tiled_dot((size_t)Rf_xlength(x), REAL_RO(x), REAL_RO(y)));
}

#endif
