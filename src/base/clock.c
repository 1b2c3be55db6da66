#ifndef _WIN32
#define _POSIX_C_SOURCE 200112L
#endif

#include "base/clock.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <time.h>
#endif

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
