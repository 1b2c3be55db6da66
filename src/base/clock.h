/*
 * base/clock.h: elapsed time, and limits of it.
 *
 * Every limit of seconds in the package is one of elapsed time, as on a watch:
 * that is what a user waits. Each begins at the call in R; what is left of it
 * when the core begins is told to the core.
 */
#ifndef RS_CLOCK_H
#define RS_CLOCK_H

typedef struct rs_clock {
    double started; /* seconds, from an origin of its own */
    double limit;   /* seconds that may be taken; INFINITY: any */
} rs_clock;

void rs_clock_start(double limit, rs_clock *clock);
/* seconds since the start */
double rs_clock_seconds(const rs_clock *clock);
/* seconds until the limit, negative beyond */
double rs_clock_left(const rs_clock *clock);
int rs_clock_is_over(const rs_clock *clock);

#endif
