#include "base/core.h"

#include <math.h>

const char *rs_status_text(rs_status status)
{
    switch (status) {
    case RS_OK:
        return "converged";
    case RS_MAXIT:
        return "iteration limit reached";
    case RS_STALLED:
        return "stopped: no further progress at rounding level";
    case RS_INTERRUPTED:
        return "interrupted";
    case RS_NO_MEMORY:
        return "out of memory";
    case RS_LAPACK_FAILED:
        return "a LAPACK routine failed";
    case RS_SINGULAR:
        return "a matrix is singular to working precision";
    case RS_NOT_FINITE:
        return "NaN or Inf arose in the iteration";
    case RS_TOO_MANY_TIES:
        return "too many samples are equally near (copies of each other?)";
    case RS_BAD_INPUT:
        return "invalid arguments";
    case RS_LATE:
        return "time limit reached";
    case RS_UNSOUND:
        return "a bound is on the wrong side of the objective";
    }
    return "unknown status";
}

int rs_is_usable(rs_status status)
{
    return status == RS_OK || status == RS_MAXIT || status == RS_STALLED;
}

void *rs_alloc(rs_context *ctx, size_t count, size_t size)
{
    void *memory = ctx->alloc(ctx->state, count > 0 ? count : 1, size);
    if (memory == NULL)
        ctx->out_of_memory = 1;
    return memory;
}

double *rs_alloc_double(rs_context *ctx, size_t count)
{
    return (double *)rs_alloc(ctx, count, sizeof(double));
}

int *rs_alloc_int(rs_context *ctx, size_t count)
{
    return (int *)rs_alloc(ctx, count, sizeof(int));
}

void rs_alloc_doubles(rs_context *ctx, size_t count, double **const *to)
{
    for (; *to; to++)
        **to = rs_alloc_double(ctx, count);
}

void rs_alloc_ints(rs_context *ctx, size_t count, int **const *to)
{
    for (; *to; to++)
        **to = rs_alloc_int(ctx, count);
}

void rs_alloc_bytes(rs_context *ctx, size_t count, unsigned char **const *to)
{
    for (; *to; to++)
        **to = (unsigned char *)rs_alloc(ctx, count, 1);
}

rs_status rs_allocated(const rs_context *ctx)
{
    return ctx->out_of_memory ? RS_NO_MEMORY : RS_OK;
}

rs_status rs_poll(rs_context *ctx)
{
    if (ctx->interrupted(ctx->state))
        return RS_INTERRUPTED;
    return ctx->clock && rs_clock_is_over(ctx->clock) ? RS_LATE : RS_OK;
}

int rs_all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}
