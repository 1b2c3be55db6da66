#include "base/softtop.h"

#include <math.h>

#include "base/core.h"

#define RS_SOFTTOP_STEPS 200

static void range_of(size_t count, const double *x, double range[2])
{
    range[0] = range[1] = x[0];
    for (size_t i = 1; i < count; i++) {
        range[0] = fmin(range[0], x[i]);
        range[1] = fmax(range[1], x[i]);
    }
}

/* 1 / (1 + exp(-t)) without overflow */
static double logistic(double t)
{
    return t >= 0.0 ? 1.0 / (1.0 + exp(-t)) : exp(t) / (1.0 + exp(t));
}

/*
 * A Newton step of *at, where the weights sum to `sum` too many, kept within the
 * bracket: halved where the step leaves it or is no number. 0: *at stays.
 */
static int step_within(double sum, double length, double bracket[2],
                       double *at)
{
    bracket[sum < 0.0] = *at;
    double next = *at + length * sum;
    if (!(next > bracket[0] && next < bracket[1]))
        next = 0.5 * (bracket[0] + bracket[1]);
    const int moves = next != *at;
    *at = next;
    return moves;
}

/* weight and slope of x = v + width t */
static double weigh(int is_log, double t, double *slope)
{
    const double w = is_log     ? logistic(t)
                     : t <= 0.0 ? 0.0
                     : t >= 1.0 ? 1.0
                                : t;
    *slope += is_log ? w * (1.0 - w) : t > 0.0 && t < 1.0;
    return w;
}

/* The weights, whose sum falls in v, sum to k for the v that is returned:
 * Newton steps from `at` on, kept within a bracket. */
static double find_weights(int is_log, size_t count, const double *x, double k,
                           double width, double bracket[2], double at,
                           double *weight)
{
    at = fmin(fmax(at, bracket[0]), bracket[1]);
    for (int it = 0; it < RS_SOFTTOP_STEPS; it++) {
        double sum = -k, slope = 0.0;
        for (size_t i = 0; i < count; i++) {
            weight[i] = weigh(is_log, (x[i] - at) / width, &slope);
            sum += weight[i];
        }
        if (fabs(sum) <= RS_ROUNDING * k ||
            !step_within(sum, width / slope, bracket, &at))
            break;
    }
    return at;
}

double rs_softtop_log(size_t count, const double *x, double k, double width,
                      double *weight, double *v)
{
    /* all weights are k / count where all x are equal */
    const double shift = width * log(((double)count - k) / k);
    double bracket[2], value = 0.0;
    range_of(count, x, bracket);
    bracket[0] += shift;
    bracket[1] += shift;
    *v = find_weights(1, count, x, k, width, bracket, *v, weight);
    for (size_t i = 0; i < count; i++) {
        const double t = (x[i] - *v) / width;
        value += t > 0.0 ? t + log1p(exp(-t)) : log1p(exp(t));
    }
    return k * *v + width * value;
}

double rs_softtop_square(size_t count, const double *x, double k, double width,
                         double *weight, double *v)
{
    double bracket[2], value = 0.0;
    if (k >= (double)count) {
        for (size_t i = 0; i < count; i++)
            weight[i] = 1.0;
    } else {
        range_of(count, x, bracket);
        bracket[0] -= width;
        *v = find_weights(0, count, x, k, width, bracket, *v, weight);
    }
    for (size_t i = 0; i < count; i++)
        value += weight[i] * (x[i] - 0.5 * width * weight[i]);
    return value;
}
