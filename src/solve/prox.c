#include "solve/prox.h"

#include <math.h>

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
 * q = 1/2: with y = x^{1/2} the equation is the cubic y^3 - a y + lambda/2 = 0.
 * Above the threshold its largest root lies in [0.816, 1] sqrt(a), where six
 * Newton steps from sqrt(a) reach rounding. (The closed form
 *     x = (2/3) a (1 + cos(2 pi/3 - (2/3) acos((lambda/4) (a/3)^{-3/2})))
 * is the same number by two slow functions.) RS_LANES values at a time, so
 * that the compiler can use vector instructions.
 */
#define RS_LANES 32

static void roots_half(const double *a, double lambda, double *x)
{
    const double b = 0.5 * lambda;
    for (int i = 0; i < RS_LANES; i++)
        x[i] = sqrt(a[i]);
    for (int it = 0; it < 6; it++)
        for (int i = 0; i < RS_LANES; i++) {
            double square = x[i] * x[i];
            x[i] -= (x[i] * (square - a[i]) + b) / (3.0 * square - a[i]);
        }
    for (int i = 0; i < RS_LANES; i++)
        x[i] *= x[i];
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

/* values above the threshold that wait for roots_half() */
typedef struct {
    int count;
    double size[RS_LANES];
    size_t at[RS_LANES];
} waiting_half;

static void finish_half(waiting_half *wait, double lambda, const double *a,
                        double *out)
{
    double x[RS_LANES];
    for (int i = wait->count; i < RS_LANES; i++)
        wait->size[i] = lambda; /* fill up; the roots are not used */
    roots_half(wait->size, lambda, x);
    for (int i = 0; i < wait->count; i++)
        out[wait->at[i]] = copysign(x[i], a[wait->at[i]]);
    wait->count = 0;
}

static void prox_half(size_t count, const double *a, double lambda,
                      double *out)
{
    const double threshold = threshold_of(lambda, 0.5);
    waiting_half wait = {0};
    for (size_t i = 0; i < count; i++) {
        double size = fabs(a[i]);
        if (size <= threshold) {
            out[i] = 0.0;
            continue;
        }
        if (!is_ordinary(size)) {
            out[i] = prox_any(a[i], lambda, 0.5);
            continue;
        }
        wait.size[wait.count] = size;
        wait.at[wait.count] = i;
        if (++wait.count == RS_LANES)
            finish_half(&wait, lambda, a, out);
    }
    finish_half(&wait, lambda, a, out);
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

void rs_prox_lq(size_t count, const double *a, double lambda, double q,
                double *out)
{
    if (lambda <= 0.0) {
        for (size_t i = 0; i < count; i++)
            out[i] = a[i];
        return;
    }
    if (q < 1.0 &&
        (lambda < RS_PROX_LEAST_LAMBDA || lambda > RS_PROX_LARGEST_LAMBDA)) {
        for (size_t i = 0; i < count; i++)
            out[i] = prox_any(a[i], lambda, q);
        return;
    }
    if (q == 0.5)
        prox_half(count, a, lambda, out);
    else
        prox_ordinary(count, a, lambda, q, out);
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

/* prox of the row norm times the row's direction; zero rows stay zero */
void rs_prox_l2p(int d, int m, const double *A, double lambda, double p,
                 double *out, double *norms, double *shrunk)
{
    rs_row_norms(d, m, A, norms);
    rs_prox_lq((size_t)d, norms, lambda, p, shrunk);
    for (int i = 0; i < d; i++)
        shrunk[i] = is_ordinary(norms[i]) ? shrunk[i] / norms[i]
                                          : share_kept(d, m, A, i, lambda, p);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < d; i++)
            out[i + (size_t)j * d] = shrunk[i] * A[i + (size_t)j * d];
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
