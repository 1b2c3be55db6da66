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
#else
static int (*const openblas_get_num_threads)(void) = NULL;
static void (*const openblas_set_num_threads)(int count) = NULL;
static int (*const openblas_get_parallel)(void) = NULL;
#endif

/* built with threads of its own, whose number is a variable; with those of
 * OpenMP, each change makes and frees buffers */
#define OWN_THREADS 1

int rs_blas_hold(void)
{
    if (!openblas_get_parallel || !openblas_get_num_threads ||
        !openblas_set_num_threads || openblas_get_parallel() != OWN_THREADS)
        return 0;
    const int had = openblas_get_num_threads();
    if (had <= 1)
        return 0;
    openblas_set_num_threads(1);
    return had;
}

void rs_blas_release(int had)
{
    if (had > 0)
        openblas_set_num_threads(had);
}
