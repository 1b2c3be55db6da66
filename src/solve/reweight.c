#include "solve/reweight.h"

#include <math.h>

double rs_smoothed_power(double square, double eps, double p)
{
    return p == 1.0 ? sqrt(square + eps) : pow(square + eps, 0.5 * p);
}

double rs_smoothed_norm(double norm, double eps)
{
    return hypot(norm, eps);
}

double rs_reweight(double square, double eps, double p)
{
    return p == 1.0 ? 0.5 / sqrt(square + eps)
                    : 0.5 * p * pow(square + eps, 0.5 * p - 1.0);
}

void rs_reweight_all(size_t count, const double *square, double eps, double p,
                     double *weight)
{
    for (size_t i = 0; i < count; i++)
        weight[i] = rs_reweight(square[i], eps, p);
}

double rs_smoothed_sum(size_t count, const double *square, double eps,
                       double p)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += rs_smoothed_power(square[i], eps, p);
    return sum;
}
