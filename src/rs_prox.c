#include "rs_prox.h"

#include <math.h>

#include "rs_linalg.h"

#define RS_PROX_NEWTON_MAXIT 50

/*
 * The threshold: the nonzero minimiser beats 0 from
 *   kappa = (2-q)/(2(1-q)) * (2 lambda (1-q))^{1/(2-q)}  on;  lambda at q = 1.
 */
double rs_prox_threshold(double lambda, double q)
{
    if (lambda <= 0.0)
        return 0.0;
    if (q >= 1.0)
        return lambda;
    double smallest = pow(2.0 * lambda * (1.0 - q), 1.0 / (2.0 - q));
    return (2.0 - q) / (2.0 * (1.0 - q)) * smallest;
}

double rs_prox_lambda_at(double a, double q)
{
    if (q >= 1.0)
        return a;
    double smallest = a * 2.0 * (1.0 - q) / (2.0 - q);
    return pow(smallest, 2.0 - q) / (2.0 * (1.0 - q));
}

/* x = (2/3) a (1 + cos(2 pi/3 - (2/3) acos((lambda/4) (a/3)^{-3/2}))) */
static double root_half(double a, double lambda)
{
    const double pi = 3.14159265358979323846;
    double third = a / 3.0;
    double angle = acos(0.25 * lambda / (third * sqrt(third)));
    return 2.0 * third * (1.0 + cos(2.0 * (pi - angle) / 3.0));
}

/*
 * q = 2/3 (Cao, Sun, Xu 2013): with y = x^{1/3}, x - a + (2/3) lambda
 * x^{-1/3} = 0 becomes y^4 - a y + (2/3) lambda = 0. The resolvent cubic of
 * this quartic gives s^2 = 2 t (t its real root, by the hyperbolic cosine)
 * and y = (s + sqrt(2 a / s - s^2)) / 2.
 */
static double root_two_thirds(double a, double lambda)
{
    double b = 2.0 * lambda / 3.0;
    double root_b = sqrt(b);
    double angle = acosh(3.0 * sqrt(3.0) * a * a / (16.0 * b * root_b));
    double s = sqrt(4.0 * root_b / sqrt(3.0) * cosh(angle / 3.0));
    double y = 0.5 * (s + sqrt(2.0 * a / s - s * s));
    return y * y * y;
}

/*
 * The larger root of x - a + lambda q x^{q-1} = 0: convex and increasing in
 * x to the right of it, so that Newton from x = a decreases monotonically.
 */
static double root_newton(double a, double lambda, double q)
{
    double x = a;
    for (int it = 0; it < RS_PROX_NEWTON_MAXIT; it++) {
        double slope = lambda * q * pow(x, q - 1.0); /* penalty derivative */
        double step = (x - a + slope) / (1.0 + (q - 1.0) * slope / x);
        x -= step;
        if (fabs(step) <= 1e-15 * a)
            break;
    }
    return x;
}

double rs_prox_scalar(double a, double lambda, double q)
{
    double size = fabs(a), x;
    if (lambda <= 0.0)
        return a;
    if (size <= rs_prox_threshold(lambda, q))
        return 0.0;
    if (q <= 0.0)
        x = size;
    else if (q >= 1.0)
        x = size - lambda;
    else if (q == 0.5)
        x = root_half(size, lambda);
    else if (fabs(q - 2.0 / 3.0) < 1e-15)
        x = root_two_thirds(size, lambda);
    else
        x = root_newton(size, lambda, q);
    return a < 0.0 ? -x : x;
}

void rs_prox_lq(size_t count, const double *a, double lambda, double q,
                double *out)
{
    double threshold = rs_prox_threshold(lambda, q);
    for (size_t i = 0; i < count; i++)
        out[i] = fabs(a[i]) <= threshold && lambda > 0.0
                     ? 0.0
                     : rs_prox_scalar(a[i], lambda, q);
}

/* prox of the row norm times the row's direction; zero rows stay zero */
void rs_prox_l2p(int d, int m, const double *A, double lambda, double p,
                 double *out, double *norms)
{
    double threshold = rs_prox_threshold(lambda, p);
    rs_row_norms(d, m, A, norms);
    for (int i = 0; i < d; i++) {
        double norm = norms[i];
        if (norm == 0.0 || (lambda > 0.0 && norm <= threshold))
            norms[i] = 0.0;
        else
            norms[i] = rs_prox_scalar(norm, lambda, p) / norm;
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < d; i++)
            out[i + (size_t)j * d] = norms[i] * A[i + (size_t)j * d];
}

/* |x|^q with the exponents met most often made cheap */
static double power(double x, double q)
{
    if (x == 0.0)
        return 0.0;
    if (q <= 0.0)
        return 1.0;
    if (q == 0.5)
        return sqrt(x);
    return q >= 1.0 ? x : pow(x, q);
}

double rs_penalty_lq(size_t count, const double *a, double q)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += power(fabs(a[i]), q);
    return sum;
}

double rs_penalty_l2p(int d, int m, const double *A, double p, double *norms)
{
    rs_row_norms(d, m, A, norms);
    return rs_penalty_lq((size_t)d, norms, p);
}
