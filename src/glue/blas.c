/* What the core is told of the BLAS. */
#include "la/blas.h"
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
extern int openblas_get_parallel(void) __attribute__((weak));

/* built with threads of its own, whose number is a variable; with those of
 * OpenMP, each change makes and frees buffers */
#define OWN_THREADS 1

static int set_threads(int count)
{
    if (!openblas_get_num_threads || !openblas_set_num_threads)
        return 0;
    const int had = openblas_get_num_threads();
    if (had != count && count > 0)
        openblas_set_num_threads(count);
    return had;
}

int rs_blas_hold(void)
{
    if (!openblas_get_parallel || openblas_get_parallel() != OWN_THREADS)
        return 0;
    const int had = set_threads(1);
    return had > 1 ? had : 0;
}
#else
static int set_threads(int count)
{
    (void)count;
    return 0;
}

int rs_blas_hold(void)
{
    return 0;
}
#endif

void rs_blas_release(int had)
{
    if (had > 0)
        set_threads(had);
}
