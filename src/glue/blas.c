/* What the core is told of the BLAS, and the tests' way to its own products. */
#include "la/blas.h"
#include "la/tiled.h"
#include "glue/entries.h"
#include "glue/glue.h"

/* What is_plain_blas() in R/blas.R found when the package was loaded. */
static int plain;

int rs_blas_is_plain(void)
{
    return plain;
}

/* sets it, unless `value` is NULL; what it was */
SEXP C_blas_is_plain(SEXP value)
{
    const int was = plain;
    if (value != R_NilValue)
        plain = Rf_asLogical(value) == TRUE;
    return Rf_ScalarLogical(was);
}

/*
 * OpenBLAS by its own functions, where the linker can leave open whether they
 * are there: NULL with any other BLAS.
 */
#if defined(__GNUC__) && defined(__ELF__)
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));

int rs_blas_set_threads(int count)
{
    if (!openblas_get_num_threads || !openblas_set_num_threads)
        return 0;
    const int had = openblas_get_num_threads();
    if (had != count && count > 0)
        openblas_set_num_threads(count);
    return had;
}
#else
int rs_blas_set_threads(int count)
{
    (void)count;
    return 0;
}
#endif

/* sets the threads of the BLAS, unless `count` is NULL; how many it had, NA
 * where it cannot be told */
SEXP C_blas_threads(SEXP count)
{
    const int wanted = count == R_NilValue ? 0 : Rf_asInteger(count);
    const int had = rs_blas_set_threads(wanted);
    return Rf_ScalarInteger(had > 0 ? had : NA_INTEGER);
}

/* C + alpha op(A) op(B), `size` = rows, columns and terms, which may be fewer
 * than the matrices have; `trans`: "N" or "T" for A and for B */
SEXP C_tiled_gemm(SEXP trans, SEXP size, SEXP alpha, SEXP A, SEXP B, SEXP C)
{
    const int *s = INTEGER_RO(size);
    SEXP out = PROTECT(Rf_duplicate(C));
    rs_tiled_gemm(*CHAR(STRING_ELT(trans, 0)), *CHAR(STRING_ELT(trans, 1)),
                  s[0], s[1], s[2], Rf_asReal(alpha), REAL_RO(A), Rf_nrows(A),
                  REAL_RO(B), Rf_nrows(B), REAL(out), Rf_nrows(C));
    UNPROTECT(1);
    return out;
}

/* the same of A'A or A A', upper triangle; `size` = its order and the terms */
SEXP C_tiled_syrk(SEXP trans, SEXP size, SEXP A, SEXP C)
{
    const int *s = INTEGER_RO(size);
    SEXP out = PROTECT(Rf_duplicate(C));
    rs_tiled_syrk(*CHAR(STRING_ELT(trans, 0)), s[0], s[1], REAL_RO(A),
                  Rf_nrows(A), REAL(out), Rf_nrows(C));
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
