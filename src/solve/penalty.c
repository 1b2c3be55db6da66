#include "solve/penalty.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

double rs_smoothed_power(double square, double eps, double p)
{
    return p == 1.0 ? sqrt(square + eps) : pow(square + eps, 0.5 * p);
}

double rs_reweight(double square, double eps, double p)
{
    return p == 1.0 ? 0.5 / sqrt(square + eps)
                    : 0.5 * p * pow(square + eps, 0.5 * p - 1.0);
}

/* squares of the groups, or of the rows */
static const double *sum_squares(const rs_row_groups *groups, size_t rows,
                                 const double *square)
{
    if (!groups)
        return square;
    memset(groups->norm, 0, (size_t)groups->count * sizeof *groups->norm);
    for (size_t i = 0; i < rows; i++)
        groups->norm[groups->of[i]] += square[i];
    return groups->norm;
}

void rs_reweight_rows(const rs_row_groups *groups, size_t rows,
                      const double *square, double eps, double p,
                      double *weight)
{
    square = sum_squares(groups, rows, square);
    for (size_t i = 0; i < rows; i++)
        weight[i] =
            rs_reweight(square[groups ? (size_t)groups->of[i] : i], eps, p);
}

double rs_smoothed_rows(const rs_row_groups *groups, size_t rows,
                        const double *square, double eps, double p)
{
    const size_t count = groups ? (size_t)groups->count : rows;
    double sum = 0.0;
    square = sum_squares(groups, rows, square);
    for (size_t i = 0; i < count; i++)
        sum += rs_smoothed_power(square[i], eps, p);
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

/* ---- proximal operators --------------------------------------------------- */

/*
 * The threshold: the nonzero minimiser beats 0 from
 *   kappa = (2-q)/(2(1-q)) * (2 lambda (1-q))^{1/(2-q)}  on;  lambda at q = 1.
 */
static double threshold_of(double lambda, double q)
{
    if (lambda <= 0.0)
        return 0.0;
    if (q >= 1.0)
        return lambda;
    double smallest = pow(2.0 * lambda * (1.0 - q), 1.0 / (2.0 - q));
    return (2.0 - q) / (2.0 * (1.0 - q)) * smallest;
}

/*
 * q = 1/2: with x = a t^2 the equation is the cubic t^3 - t + b = 0 with
 * b = (lambda/2) a^{-3/2}, at most (1/2) (3/2)^{-3/2} = 0.2722 above the
 * threshold, where its largest root falls from 1 to 0.8165. There a polynomial
 * of degree 5, by interpolation at Chebyshev's points, is within 1.7e-5 of the
 * root. From t the root is t - (r + s r^2 + (2 s^2 - v) r^3 + ...) with v = 1/f',
 * r = f v and s = 3 t v, by inversion of Taylor's formula; what is left out is
 * 5 s (s^2 - v) r^4, below 61 (1.7e-5)^4 = 6e-18.
 */
static double root_half(double a, double lambda)
{
    const double b = 0.5 * lambda / (a * sqrt(a));
    const double high = (-14.4331600924 * b + 4.8672494848) * b;
    const double low = (high - 1.4518644742) * b - 0.3084997466;
    double t = (low * b - 0.5016212479) * b + 1.0000061801;
    const double v = 1.0 / (3.0 * t * t - 1.0);
    const double r = (t * (t * t - 1.0) + b) * v, s = 3.0 * t * v;
    t -= r + r * r * (s + (2.0 * s * s - v) * r);
    return a * t * t;
}

/*
 * The larger root of x - a + lambda q x^{q-1} = 0: convex and increasing in
 * x to the right of it, so that Newton from x = a decreases monotonically.
 */
static double root_newton(double a, double lambda, double q)
{
    double x = a;
    for (int it = 0; it < RS_INNER_STEPS; it++) {
        double slope = lambda * q * pow(x, q - 1.0); /* penalty derivative */
        double step = (x - a + slope) / (1.0 + (q - 1.0) * slope / x);
        x -= step;
        if (fabs(step) <= 1e-15 * a)
            break;
    }
    return x;
}

/* the nonzero minimiser for a above the threshold */
static double root_above(double a, double lambda, double q)
{
    if (q <= 0.0)
        return a;
    if (q >= 1.0)
        return a - lambda;
    return q == 0.5 ? root_half(a, lambda) : root_newton(a, lambda, q);
}

/* |x|^q */
static double power(double x, double q)
{
    if (x == 0.0)
        return 0.0;
    if (q <= 0.0)
        return 1.0;
    return q >= 1.0 ? x : q == 0.5 ? sqrt(x) : pow(x, q);
}

double rs_prox_lq(size_t count, const double *a, double lambda, double q,
                  double *out)
{
    const double threshold = threshold_of(lambda, q);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(a[i]);
        double x = size;
        if (lambda > 0.0)
            x = size <= threshold ? 0.0 : root_above(size, lambda, q);
        out[i] = x == 0.0 ? 0.0 : copysign(x, a[i]);
        sum += power(x, q);
    }
    return sum;
}

/* prox of the norm times the direction; zero rows stay zero */
double rs_prox_rows(const rs_row_groups *groups, int d, int m, double *A,
                    double lambda, double p, double *norms, double *shrunk)
{
    const size_t count = groups ? (size_t)groups->count : (size_t)d;
    const double *which = groups ? groups->norm : norms;
    rs_row_norms(d, m, A, norms);
    rs_join_norms(groups, (size_t)d, norms);
    const double sum = rs_prox_lq(count, which, lambda, p, shrunk);
    for (size_t g = 0; g < count; g++)
        shrunk[g] = which[g] > 0.0 ? shrunk[g] / which[g] : 0.0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < d; i++)
            A[i + (size_t)j * d] *= shrunk[groups ? groups->of[i] : i];
    return sum;
}
