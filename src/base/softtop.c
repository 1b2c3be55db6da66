#include "base/softtop.h"

#include <math.h>

#define RS_SOFTTOP_STEPS 200
#define RS_SOFTTOP_TOL 1e-13

static void range_of(size_t count, const double *x, double *low, double *high)
{
    *low = *high = x[0];
    for (size_t i = 1; i < count; i++) {
        *low = fmin(*low, x[i]);
        *high = fmax(*high, x[i]);
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
static int step_within(double sum, double length, double *low, double *high,
                       double *at)
{
    *(sum > 0.0 ? low : high) = *at;
    double next = *at + length * sum;
    if (!(next > *low && next < *high))
        next = 0.5 * (*low + *high);
    const int moves = next != *at;
    *at = next;
    return moves;
}

/* the sum of the weights falls in v; Newton steps kept within a bracket */
double rs_softtop_log(size_t count, const double *x, double k, double width,
                      double *weight, double *v)
{
    const double n = (double)count;
    double low, high, at, value = 0.0;
    range_of(count, x, &low, &high);
    /* all weights are k / count where all x are equal */
    const double shift = width * log((n - k) / k);
    low += shift;
    high += shift;
    at = fmin(fmax(*v, low), high);
    for (int it = 0; it < RS_SOFTTOP_STEPS; it++) {
        double sum = -k, slope = 0.0;
        for (size_t i = 0; i < count; i++) {
            weight[i] = logistic((x[i] - at) / width);
            sum += weight[i];
            slope += weight[i] * (1.0 - weight[i]);
        }
        if (fabs(sum) <= RS_SOFTTOP_TOL * k)
            break;
        if (!step_within(sum, width / slope, &low, &high, &at))
            break;
    }
    for (size_t i = 0; i < count; i++) {
        const double t = (x[i] - at) / width;
        value += t > 0.0 ? t + log1p(exp(-t)) : log1p(exp(t));
    }
    *v = at;
    return k * at + width * value;
}

double rs_softtop_square(size_t count, const double *x, double k, double width,
                         double *weight, double *v)
{
    double low, high, at, value = 0.0;
    if (k >= (double)count) {
        for (size_t i = 0; i < count; i++) {
            weight[i] = 1.0;
            value += x[i] - 0.5 * width;
        }
        return value;
    }
    range_of(count, x, &low, &high);
    low -= width;
    at = fmin(fmax(*v, low), high);
    for (int it = 0; it < RS_SOFTTOP_STEPS; it++) {
        double sum = -k, inside = 0.0;
        for (size_t i = 0; i < count; i++) {
            const double t = (x[i] - at) / width;
            const double w = t <= 0.0 ? 0.0 : t >= 1.0 ? 1.0 : t;
            weight[i] = w;
            sum += w;
            inside += t > 0.0 && t < 1.0;
        }
        if (fabs(sum) <= RS_SOFTTOP_TOL * k)
            break;
        if (!step_within(sum, width / inside, &low, &high, &at))
            break;
    }
    for (size_t i = 0; i < count; i++)
        value += weight[i] * (x[i] - 0.5 * width * weight[i]);
    *v = at;
    return value;
}
