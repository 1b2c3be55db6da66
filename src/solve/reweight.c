#include "solve/reweight.h"

#include <math.h>
#include <string.h>

double rs_smoothed_power(double square, double eps, double p)
{
    return p == 1.0 ? sqrt(square + eps) : pow(square + eps, 0.5 * p);
}

double rs_reweight(double square, double eps, double p)
{
    return p == 1.0 ? 0.5 / sqrt(square + eps)
                    : 0.5 * p * pow(square + eps, 0.5 * p - 1.0);
}

/* squares of the groups */
static void sum_squares(const rs_row_groups *groups, size_t rows,
                        const double *square)
{
    memset(groups->norm, 0, (size_t)groups->count * sizeof *groups->norm);
    for (size_t i = 0; i < rows; i++)
        groups->norm[groups->of[i]] += square[i];
}

void rs_reweight_rows(const rs_row_groups *groups, size_t rows,
                      const double *square, double eps, double p,
                      double *weight)
{
    if (groups)
        sum_squares(groups, rows, square);
    for (size_t i = 0; i < rows; i++)
        weight[i] = rs_reweight(
            groups ? groups->norm[groups->of[i]] : square[i], eps, p);
}

double rs_smoothed_rows(const rs_row_groups *groups, size_t rows,
                        const double *square, double eps, double p)
{
    const size_t count = groups ? (size_t)groups->count : rows;
    double sum = 0.0;
    if (groups)
        sum_squares(groups, rows, square);
    for (size_t i = 0; i < count; i++)
        sum += rs_smoothed_power(groups ? groups->norm[i] : square[i], eps, p);
    return sum;
}

void rs_join_norms(const rs_row_groups *groups, size_t rows, double *norm)
{
    if (!groups)
        return;
    memset(groups->norm, 0, (size_t)groups->count * sizeof *groups->norm);
    for (size_t i = 0; i < rows; i++)
        groups->norm[groups->of[i]] =
            hypot(groups->norm[groups->of[i]], norm[i]);
    for (size_t i = 0; i < rows; i++)
        norm[i] = groups->norm[groups->of[i]];
}
