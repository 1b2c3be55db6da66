#ifndef _WIN32
#define _POSIX_C_SOURCE 200112L
#endif

#include "base/core.h"

#include <math.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

const char *rs_status_text(rs_status status)
{
    static const char *const text[] = {
        [RS_OK] = "converged",
        [RS_MAXIT] = "iteration limit reached",
        [RS_STALLED] = "stopped: no further progress at rounding level",
        [RS_INTERRUPTED] = "interrupted",
        [RS_NO_MEMORY] = "out of memory",
        [RS_LAPACK_FAILED] = "a LAPACK routine failed",
        [RS_SINGULAR] = "a matrix is singular to working precision",
        [RS_NOT_FINITE] = "NaN or Inf arose in the iteration",
        [RS_TOO_MANY_TIES] =
            "too many samples are equally near (copies of each other?)",
        [RS_BAD_INPUT] = "invalid arguments",
        [RS_LATE] = "time limit reached",
        [RS_UNSOUND] = "a bound is on the wrong side of the objective"};
    return text[status];
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

rs_status rs_poll_after(rs_context *ctx, double more, double *since_poll)
{
    *since_poll += more;
    if (*since_poll <= 0.1 * RS_FLOPS_PER_CALL)
        return RS_OK;
    *since_poll = 0.0;
    return rs_poll(ctx);
}

int rs_all_finite(size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

/* ---- clocks ------------------------------------------------------------- */

/* a clock that nobody sets back */
static double now(void)
{
#ifdef _WIN32
    LARGE_INTEGER ticks, rate;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&rate);
    return (double)ticks.QuadPart / (double)rate.QuadPart;
#else
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
#endif
}

void rs_clock_start(double limit, rs_clock *clock)
{
    clock->started = now();
    clock->limit = limit;
}

double rs_clock_seconds(const rs_clock *clock)
{
    return now() - clock->started;
}

double rs_clock_left(const rs_clock *clock)
{
    return clock->limit - rs_clock_seconds(clock);
}

int rs_clock_is_over(const rs_clock *clock)
{
    return rs_clock_left(clock) <= 0.0;
}
