#include "solve/prox.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

#define RS_PROX_NEWTON_MAXIT 50

/* within these limits, and for sizes within the next ones, no intermediate
 * result of a root leaves the double range */
#define RS_PROX_LEAST_LAMBDA 1e-70
#define RS_PROX_LARGEST_LAMBDA 1e200
#define RS_PROX_LEAST_SIZE 1e-100
#define RS_PROX_LARGEST_SIZE 1e100
/* lambda below this share of a^{2-q} moves a by less than rounding */
#define RS_PROX_NO_LAMBDA 0x1p-60

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

double rs_prox_lambda_at(double a, double q)
{
    if (q >= 1.0)
        return a;
    double smallest = a * 2.0 * (1.0 - q) / (2.0 - q);
    return pow(smallest, 2.0 - q) / (2.0 * (1.0 - q));
}

/*
 * q = 1/2: with x = a t^2 the equation is the cubic t^3 - t + b = 0 with
 * b = (lambda/2) a^{-3/2}, at most (1/2) (3/2)^{-3/2} = 0.2722 above the
 * threshold, where its largest root falls from 1 to 0.8165. There a polynomial
 * of degree 5, by interpolation at Chebyshev's points, is within 1.7e-5 of the
 * root. From t the root is t - (r + s r^2 + (2 s^2 - v) r^3 + ...) with v = 1/f',
 * r = f v and s = 3 t v, by inversion of Taylor's formula; what is left out is
 * 5 s (s^2 - v) r^4, below 61 (1.7e-5)^4 = 6e-18. `root` receives the square roots
 * of the x. (The closed form
 *     x = (2/3) a (1 + cos(2 pi/3 - (2/3) acos((lambda/4) (a/3)^{-3/2})))
 * is the same number by two slow functions.) RS_PROX_LANES values at a time, so
 * that the compiler can use vector instructions.
 */
#define RS_PROX_LANES 32

static void roots_half(const double *restrict a, double lambda,
                       double *restrict x, double *root)
{
    const double half = 0.5 * lambda;
    double b[RS_PROX_LANES];
    for (int i = 0; i < RS_PROX_LANES; i++)
        root[i] = sqrt(a[i]);
    for (int i = 0; i < RS_PROX_LANES; i++)
        b[i] = half / (a[i] * root[i]);
    for (int i = 0; i < RS_PROX_LANES; i++) {
        double high = (-14.4331600924 * b[i] + 4.8672494848) * b[i];
        double low = (high - 1.4518644742) * b[i] - 0.3084997466;
        double t = (low * b[i] - 0.5016212479) * b[i] + 1.0000061801;
        double v = 1.0 / (3.0 * t * t - 1.0);
        double r = (t * (t * t - 1.0) + b[i]) * v, s = 3.0 * t * v;
        t -= r + r * r * (s + (2.0 * s * s - v) * r);
        x[i] = a[i] * t * t;
        root[i] *= t;
    }
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

/* the nonzero minimiser for a above the threshold, q not 1/2 */
static double root_above(double a, double lambda, double q)
{
    if (q <= 0.0)
        return a;
    if (q >= 1.0)
        return a - lambda;
    if (fabs(q - 2.0 / 3.0) < 1e-15)
        return root_two_thirds(a, lambda);
    return root_newton(a, lambda, q);
}

/*
 * Any a = size 2^exponent and lambda: x = y 2^exponent minimises where y
 * minimises with size and lambda 2^{exponent (q-2)} in their places. The
 * product exponent q is kept to the last bit, so that lambda is, too. Returns
 * y.
 */
static double prox_scaled(double size, int exponent, double lambda, double q)
{
    int own;
    double mantissa = frexp(lambda, &own);
    double power = exponent * q, whole = nearbyint(power);
    double rest = (power - whole) + fma(exponent, q, -power);
    double here =
        ldexp(mantissa * exp2(rest), own + (int)whole - 2 * exponent);
    if (here <= RS_PROX_NO_LAMBDA && q > 0.0)
        return size;
    return size <= threshold_of(here, q)
               ? 0.0
               : (q == 0.5 ? root_newton(size, here, q)
                           : root_above(size, here, q));
}

/* one entry, whatever its size */
static double prox_any(double a, double lambda, double q)
{
    int exponent;
    double size = frexp(fabs(a), &exponent);
    if (size == 0.0)
        return 0.0;
    return copysign(ldexp(prox_scaled(size, exponent, lambda, q), exponent),
                    a);
}

static int is_ordinary(double size)
{
    return size >= RS_PROX_LEAST_SIZE && size <= RS_PROX_LARGEST_SIZE;
}

/* sum_i x_i in four sums, so that additions need not wait for each other */
static double sum_of_lanes(const double *x)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < RS_PROX_LANES; i += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += x[i + lane];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* x = the results for RS_PROX_LANES values; returns the sum of their roots */
static double lanes_half(const double *a, double lambda, double threshold,
                         double *x)
{
    double size[RS_PROX_LANES], from[RS_PROX_LANES], root[RS_PROX_LANES];
    double above = 0.0, outside = 0.0;
    for (int i = 0; i < RS_PROX_LANES; i++)
        size[i] = fabs(a[i]);
    for (int i = 0; i < RS_PROX_LANES; i++) {
        above += size[i] > threshold ? 1.0 : 0.0;
        outside += size[i] <= RS_PROX_LARGEST_SIZE ? 0.0 : 1.0;
    }
    if (outside > 0.0) { /* or no number */
        for (int i = 0; i < RS_PROX_LANES; i++) {
            x[i] = prox_any(a[i], lambda, 0.5);
            root[i] = sqrt(fabs(x[i]));
        }
        return sum_of_lanes(root);
    }
    if (above == 0.0) {
        rs_fill(RS_PROX_LANES, 0.0, x);
        return 0.0;
    }
    for (int i = 0; i < RS_PROX_LANES; i++)
        from[i] = size[i] > threshold ? size[i] : 2.0 * threshold;
    roots_half(from, lambda, x, root);
    for (int i = 0; i < RS_PROX_LANES; i++) {
        x[i] = size[i] > threshold ? copysign(x[i], a[i]) : 0.0;
        root[i] = size[i] > threshold ? root[i] : 0.0;
    }
    return sum_of_lanes(root);
}

/* returns the sum of the square roots */
static double prox_half(size_t count, const double *a, double lambda,
                        double *out)
{
    const double threshold = threshold_of(lambda, 0.5);
    double value[RS_PROX_LANES] = {0.0}, x[RS_PROX_LANES], sum = 0.0;
    for (size_t i = 0; i < count; i += RS_PROX_LANES) {
        const size_t some =
            count - i < RS_PROX_LANES ? count - i : RS_PROX_LANES;
        memset(value, 0, sizeof value);
        memcpy(value, a + i, some * sizeof *value);
        sum += lanes_half(value, lambda, threshold, x);
        memcpy(out + i, x, some * sizeof *x);
    }
    return sum;
}

/* |x|^q */
static double power(double x, double q)
{
    if (x == 0.0)
        return 0.0;
    if (q <= 0.0)
        return 1.0;
    return q >= 1.0 ? x : pow(x, q);
}

/* sum_i |a_i|^{1/2} in four sums, so that additions need not wait for each
 * other */
static double sum_of_roots(size_t count, const double *a)
{
    const size_t whole = count - count % 4;
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t i = 0; i < whole; i += 4) {
        if (a[i] == 0.0 && a[i + 1] == 0.0 && a[i + 2] == 0.0 &&
            a[i + 3] == 0.0)
            continue;
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += sqrt(fabs(a[i + lane]));
    }
    for (size_t i = whole; i < count; i++)
        sum[0] += sqrt(fabs(a[i]));
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double rs_penalty_lq(size_t count, const double *a, double q)
{
    double sum = 0.0;
    if (q == 0.5)
        return sum_of_roots(count, a);
    for (size_t i = 0; i < count; i++)
        sum += power(fabs(a[i]), q);
    return sum;
}

/* a lambda with which only the size of an entry can leave the double range */
static void prox_ordinary(size_t count, const double *a, double lambda,
                          double q, double *out)
{
    const double threshold = threshold_of(lambda, q);
    for (size_t i = 0; i < count; i++) {
        double size = fabs(a[i]);
        if (size <= threshold)
            out[i] = 0.0;
        else if (is_ordinary(size) || q >= 1.0)
            out[i] = copysign(root_above(size, lambda, q), a[i]);
        else
            out[i] = prox_any(a[i], lambda, q);
    }
}

double rs_prox_lq(size_t count, const double *a, double lambda, double q,
                  double *out)
{
    const int strange =
        lambda < RS_PROX_LEAST_LAMBDA || lambda > RS_PROX_LARGEST_LAMBDA;
    if (lambda <= 0.0) {
        for (size_t i = 0; i < count; i++)
            out[i] = a[i];
    } else if (q < 1.0 && strange) {
        for (size_t i = 0; i < count; i++)
            out[i] = prox_any(a[i], lambda, q);
    } else if (q == 0.5) {
        return prox_half(count, a, lambda, out);
    } else {
        prox_ordinary(count, a, lambda, q, out);
    }
    return rs_penalty_lq(count, out, q);
}

/*
 * The share of its length that row i keeps, where the squares of its entries
 * leave the double range: the row is first divided by a power of two.
 */
static double share_kept(int d, int m, const double *A, int i, double lambda,
                         double p)
{
    double largest = 0.0, sum = 0.0;
    int exponent, own;
    for (int j = 0; j < m; j++)
        largest = fmax(largest, fabs(A[i + (size_t)j * d]));
    if (largest == 0.0)
        return 0.0;
    frexp(largest, &exponent);
    for (int j = 0; j < m; j++) {
        double entry = ldexp(A[i + (size_t)j * d], -exponent);
        sum += entry * entry;
    }
    double size = frexp(sqrt(sum), &own);
    if (lambda <= 0.0)
        return 1.0;
    if (p >= 1.0) { /* 1 - lambda / ||row|| */
        double share = 1.0 - ldexp(lambda, -exponent - own) / size;
        return fmax(share, 0.0);
    }
    return prox_scaled(size, exponent + own, lambda, p) / size;
}

/* norms of the rows of A, or of the groups they belong to; returns how many
 * are penalised, which are in *which */
static size_t penalised(const rs_row_groups *groups, int d, int m,
                        const double *A, double *norms, const double **which)
{
    rs_row_norms(d, m, A, norms);
    rs_join_norms(groups, (size_t)d, norms);
    *which = groups ? groups->norm : norms;
    return groups ? (size_t)groups->count : (size_t)d;
}

double rs_penalty_rows(const rs_row_groups *groups, int d, int m,
                       const double *A, double p, double *norms)
{
    const double *which;
    const size_t count = penalised(groups, d, m, A, norms, &which);
    return rs_penalty_lq(count, which, p);
}

/* prox of the norm times the direction; zero rows stay zero */
double rs_prox_rows(const rs_row_groups *groups, int d, int m, double *A,
                    double lambda, double p, double *norms, double *shrunk)
{
    const double *which;
    const size_t count = penalised(groups, d, m, A, norms, &which);
    int strange = 0;
    double sum = rs_prox_lq(count, which, lambda, p, shrunk);
    for (size_t g = 0; g < count; g++) {
        if (is_ordinary(which[g]) || (groups && which[g] > 0.0)) {
            shrunk[g] /= which[g];
        } else {
            shrunk[g] = groups ? 0.0 : share_kept(d, m, A, (int)g, lambda, p);
            strange |= shrunk[g] != 0.0;
        }
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < d; i++)
            A[i + (size_t)j * d] *= shrunk[groups ? groups->of[i] : i];
    return strange ? rs_penalty_rows(groups, d, m, A, p, norms) : sum;
}
