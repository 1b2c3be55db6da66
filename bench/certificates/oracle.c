/*
 * What sets of features and points of convex problems are worth, in numbers of
 * 113 bits (__float128, exponents to 10^4932): plain Gram-Schmidt, plain cyclic
 * Jacobi, plain sums. bench/certificates/oracle.R compiles and calls this; it
 * shares nothing with the package.
 */
#include <R.h>
#include <Rinternals.h>
#include <quadmath.h>
#include <stdint.h>

typedef __float128 quad;

/* data as a method sees them: sqrt(w) (x - mean of the level) / deviation */
typedef struct {
    int n, d;
    quad *z;      /* n x d */
    quad *before; /* norms before centring, on the same scale */
    quad *norm;   /* norms */
} table;

/* R's memory is aligned for doubles only */
static quad *quads(size_t count)
{
    uintptr_t at = (uintptr_t)R_alloc(count + 1, sizeof(quad));
    return (quad *)((at + sizeof(quad) - 1) / sizeof(quad) * sizeof(quad));
}

static quad dot(const quad *a, const quad *b, int n)
{
    quad sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static quad norm(const quad *a, int n)
{
    return sqrtq(dot(a, a, n));
}

/* weighted means of the levels are taken off column x */
static void centre(const double *x, const int *group, const double *weight,
                   int n, quad *z)
{
    int levels = 0;
    for (int i = 0; i < n; i++) {
        levels = group[i] > levels ? group[i] : levels;
        z[i] = x[i];
    }
    for (int l = 1; l <= levels; l++) {
        quad sum = 0, total = 0;
        for (int i = 0; i < n; i++) {
            if (group[i] == l) {
                sum += (quad)weight[i] * x[i];
                total += weight[i];
            }
        }
        for (int i = 0; i < n; i++) {
            if (group[i] == l && total > 0) {
                z[i] -= sum / total;
            }
        }
    }
}

/*
 * How a level of degrees of freedom and the mean weight enter the deviation:
 * n - 1 samples of average weight, n - levels with levels; whole weights count
 * samples.
 */
static quad divisor_of(const int *group, const double *weight, int n)
{
    int levels = 0, counted = 0, whole = 1;
    quad total = 0;
    for (int i = 0; i < n; i++) {
        levels = group[i] > levels ? group[i] : levels;
        counted += weight[i] > 0;
        whole &= weight[i] == floor(weight[i]);
        total += weight[i];
    }
    return whole ? total - levels : (counted - levels) * total / counted;
}

static table prepare(SEXP x, SEXP group, SEXP weight, int scaled)
{
    table t = {Rf_nrows(x), Rf_ncols(x), NULL, NULL, NULL};
    int n = t.n;
    t.z = quads((size_t)n * t.d);
    t.before = quads(t.d);
    t.norm = quads(t.d);
    quad divisor = divisor_of(INTEGER(group), REAL(weight), n);
    for (int j = 0; j < t.d; j++) {
        const double *column = REAL(x) + (size_t)j * n;
        quad *z = t.z + (size_t)j * n, most = 0;
        centre(column, INTEGER(group), REAL(weight), n, z);
        t.before[j] = 0;
        for (int i = 0; i < n; i++) {
            quad w = REAL(weight)[i], size = fabsq((quad)column[i]);
            t.before[j] += w * column[i] * column[i];
            z[i] *= sqrtq(w);
            most = w > 0 && size > most ? size : most;
        }
        t.before[j] = sqrtq(t.before[j]);
        quad deviation = norm(z, n) / sqrtq(divisor);
        /* at the rounding level of the numbers: constant */
        int constant = deviation <= 8 * DBL_EPSILON * most;
        quad by = constant ? 0 : scaled ? 1 / deviation : 1;
        for (int i = 0; i < n; i++) {
            z[i] *= by;
        }
        t.before[j] *= by;
        t.norm[j] = norm(z, n);
    }
    return t;
}

/* ---- least squares on sets ------------------------------------------------- */

typedef struct {
    table x, y;
    int rows; /* n, and k more with a ridge */
    quad ridge, resolve;
    quad *basis, *rest; /* rows x k; rows x c for each of 0, ..., k features */
} regression;

/*
 * The feature joins as number `at`: what is left of it by Gram-Schmidt, twice,
 * and what is left of the responses. At the rounding level of the data (16
 * epsilons of its norm before centring) it adds nothing; resolve < 0: it adds what it
 * adds.
 */
static void join(const regression *r, int feature, int at)
{
    int n = r->x.n, rows = r->rows, c = r->y.d;
    quad *q = r->basis + (size_t)at * rows;
    for (int i = 0; i < rows; i++) {
        q[i] = i < n ? r->x.z[(size_t)feature * n + i] : 0;
    }
    if (r->ridge > 0) {
        q[n + at] = sqrtq(r->ridge);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int b = 0; b < at; b++) {
            const quad *p = r->basis + (size_t)b * rows;
            quad share = dot(p, q, rows);
            for (int i = 0; i < rows; i++) {
                q[i] -= share * p[i];
            }
        }
    }
    quad left = norm(q, rows);
    quad share_of_none = r->resolve < 0 ? 1e-26Q : 16 * DBL_EPSILON;
    quad least = fminq(share_of_none * r->x.before[feature],
                       3.1622776601683795e-5Q * r->x.norm[feature]);
    quad coarse = r->resolve * r->x.norm[feature];
    int adds = left > least && left > coarse;
    for (int i = 0; i < rows; i++) {
        q[i] = adds ? q[i] / left : 0;
    }
    for (int l = 0; l < c; l++) {
        const quad *from = r->rest + ((size_t)at * c + l) * rows;
        quad *to = r->rest + ((size_t)(at + 1) * c + l) * rows;
        quad share = dot(q, from, rows);
        for (int i = 0; i < rows; i++) {
            to[i] = from[i] - share * q[i];
        }
    }
}

static regression new_regression(SEXP x, SEXP y, SEXP group, SEXP weight,
                                 SEXP settings, int k)
{
    const double *s = REAL(settings);
    regression r = {prepare(x, group, weight, s[0] != 0),
                    prepare(y, group, weight, s[3] != 0)};
    r.ridge = s[1];
    r.resolve = s[2];
    r.rows = r.x.n + (r.ridge > 0 ? k : 0);
    r.basis = quads((size_t)r.rows * k);
    r.rest = quads((size_t)r.rows * r.y.d * (k + 1));
    for (int l = 0; l < r.y.d; l++) {
        for (int i = 0; i < r.rows; i++) {
            r.rest[(size_t)l * r.rows + i] =
                i < r.x.n ? r.y.z[(size_t)l * r.x.n + i] : 0;
        }
    }
    return r;
}

/*
 * settings: scaled, ridge, share of a norm below which a feature counts as
 * dependent (negative: none does), responses scaled. The objectives of the sets (columns), then the
 * claims, all as shares of ||Yc||^2.
 */
SEXP oracle_regression(SEXP x, SEXP y, SEXP group, SEXP weight, SEXP settings,
                       SEXP sets, SEXP claims)
{
    int k = Rf_nrows(sets), count = Rf_ncols(sets), many = Rf_length(claims);
    regression r = new_regression(x, y, group, weight, settings, k);
    size_t size = (size_t)r.rows * r.y.d;
    quad total = dot(r.rest, r.rest, (int)size);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, count + many));
    const int *set = INTEGER(sets);
    for (int s = 0; s < count; s++, set += k) {
        int same = 0;
        while (s > 0 && same < k && set[same] == set[same - k]) {
            same++;
        }
        for (int at = same; at < k; at++) {
            join(&r, set[at] - 1, at);
        }
        const quad *rest = r.rest + k * size;
        REAL(out)[s] = (double)(dot(rest, rest, (int)size) / total);
    }
    for (int i = 0; i < many; i++) {
        REAL(out)[count + i] = (double)(REAL(claims)[i] / total);
    }
    UNPROTECT(1);
    return out;
}

/* ---- eigenvalues ------------------------------------------------------------ */

static void rotate(quad *a, quad *v, int d, int p, int q)
{
    quad t = (a[q + q * d] - a[p + p * d]) / (2 * a[p + q * d]);
    t = (t >= 0 ? 1 : -1) / (fabsq(t) + sqrtq(t * t + 1));
    quad c = 1 / sqrtq(t * t + 1), s = t * c;
    for (int i = 0; i < d; i++) {
        quad x = a[i + p * d], y = a[i + q * d];
        a[i + p * d] = c * x - s * y;
        a[i + q * d] = s * x + c * y;
    }
    for (int i = 0; i < d; i++) {
        quad x = a[p + i * d], y = a[q + i * d];
        a[p + i * d] = c * x - s * y;
        a[q + i * d] = s * x + c * y;
    }
    for (int i = 0; v && i < d; i++) {
        quad x = v[i + p * d], y = v[i + q * d];
        v[i + p * d] = c * x - s * y;
        v[i + q * d] = s * x + c * y;
    }
}

/* eigenvalues of a (d x d) on its diagonal, vectors in v where it is given */
static void jacobi(quad *a, quad *v, int d)
{
    for (int i = 0; v && i < d * d; i++) {
        v[i] = i % (d + 1) == 0;
    }
    for (int sweep = 0; sweep < 60; sweep++) {
        quad off = 0, all = 0;
        for (int i = 0; i < d * d; i++) {
            all += a[i] * a[i];
            off += i % (d + 1) == 0 ? 0 : a[i] * a[i];
        }
        if (off <= 1e-62Q * all) {
            return;
        }
        for (int p = 0; p < d; p++) {
            for (int q = p + 1; q < d; q++) {
                if (a[p + q * d] != 0) {
                    rotate(a, v, d, p, q);
                }
            }
        }
    }
}

/* the order of the diagonal of a, largest first */
static void order_values(const quad *a, int d, int *order)
{
    for (int i = 0; i < d; i++) {
        int at = i;
        for (; at > 0 && a[order[at - 1] * (d + 1)] < a[i * (d + 1)]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

/* Z'Z over its trace, which is returned */
static quad cross_products(const table *t, quad *s)
{
    quad trace = 0;
    for (int j = 0; j < t->d; j++) {
        trace += t->norm[j] * t->norm[j];
    }
    for (int j = 0; j < t->d; j++) {
        for (int i = 0; i < t->d; i++) {
            quad value =
                dot(t->z + (size_t)i * t->n, t->z + (size_t)j * t->n, t->n);
            s[i + j * t->d] = value / trace;
        }
    }
    return trace;
}

/* sums of the m largest eigenvalues of S[set, set], then the claims, over tr(S) */
SEXP oracle_components(SEXP x, SEXP group, SEXP weight, SEXP scaled, SEXP sets,
                       SEXP m, SEXP claims)
{
    table t = prepare(x, group, weight, Rf_asLogical(scaled));
    int d = t.d, k = Rf_nrows(sets), count = Rf_ncols(sets);
    quad *s = quads((size_t)d * d), *part = quads((size_t)k * k);
    int *order = (int *)R_alloc(k, sizeof(int));
    quad trace = cross_products(&t, s);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, count + Rf_length(claims)));
    for (int c = 0; c < count; c++) {
        const int *set = INTEGER(sets) + (size_t)c * k;
        for (int j = 0; j < k; j++) {
            for (int i = 0; i < k; i++) {
                part[i + j * k] = s[set[i] - 1 + (set[j] - 1) * d];
            }
        }
        jacobi(part, NULL, k);
        order_values(part, k, order);
        quad sum = 0;
        for (int i = 0; i < Rf_asInteger(m) && i < k; i++) {
            sum += part[order[i] * (k + 1)];
        }
        REAL(out)[c] = (double)sum;
    }
    for (int i = 0; i < Rf_length(claims); i++) {
        REAL(out)[count + i] = (double)(REAL(claims)[i] / trace);
    }
    UNPROTECT(1);
    return out;
}

/*
 * S over its trace, its eigenvalues (largest first), the diagonal of its best
 * approximation of rank c, and the claims over the trace; the trace itself
 */
SEXP oracle_spectrum(SEXP x, SEXP group, SEXP weight, SEXP scaled, SEXP rank,
                     SEXP claims)
{
    table t = prepare(x, group, weight, Rf_asLogical(scaled));
    int d = t.d, *order = (int *)R_alloc(d, sizeof(int));
    quad *s = quads((size_t)d * d), *v = quads((size_t)d * d);
    quad trace = cross_products(&t, s);
    SEXP out = PROTECT(Rf_allocVector(VECSXP, 5));
    SEXP S = Rf_allocMatrix(REALSXP, d, d);
    SET_VECTOR_ELT(out, 0, S);
    SEXP values = Rf_allocVector(REALSXP, d);
    SET_VECTOR_ELT(out, 1, values);
    SEXP share = Rf_allocVector(REALSXP, d);
    SET_VECTOR_ELT(out, 2, share);
    SEXP claimed = Rf_allocVector(REALSXP, Rf_length(claims));
    SET_VECTOR_ELT(out, 3, claimed);
    SET_VECTOR_ELT(out, 4, Rf_ScalarReal((double)trace));
    for (int i = 0; i < d * d; i++) {
        REAL(S)[i] = (double)s[i];
    }
    jacobi(s, v, d);
    order_values(s, d, order);
    for (int i = 0; i < d; i++) {
        REAL(values)[i] = (double)s[order[i] * (d + 1)];
        quad sum = 0;
        for (int c = 0; c < Rf_asInteger(rank) && c < d; c++) {
            quad entry = v[i + order[c] * d];
            sum += s[order[c] * (d + 1)] * entry * entry;
        }
        REAL(share)[i] = (double)sum;
    }
    for (int i = 0; i < Rf_length(claims); i++) {
        REAL(claimed)[i] = (double)(REAL(claims)[i] / trace);
    }
    UNPROTECT(1);
    return out;
}

/* ---- convex problems --------------------------------------------------------- */

/* the value, and by what share of it each claim is above */
static SEXP against(quad value, SEXP claims)
{
    int count = Rf_length(claims);
    SEXP out = PROTECT(Rf_allocVector(REALSXP, count + 1));
    REAL(out)[0] = (double)value;
    for (int i = 0; i < count; i++) {
        quad claim = REAL(claims)[i];
        REAL(out)
        [i + 1] =
            value > 0 ? (double)((claim - value) / value) : (double)claim;
    }
    UNPROTECT(1);
    return out;
}

/*
 * loss(Z - Z FF' - 1v') + lambda sum_j ||omega_j|| + eta tr(Omega);
 * settings: scaled, lambda, eta, 1 for the l21 loss; v in `centre` (length d)
 */
SEXP oracle_reconstruction(SEXP x, SEXP group, SEXP F, SEXP middle,
                           SEXP settings, SEXP weight, SEXP claims)
{
    const double *s = REAL(settings);
    table t = prepare(x, group, weight, s[0] != 0);
    int n = t.n, d = t.d, r = Rf_ncols(F);
    quad *omega = quads((size_t)d * d), *lengths = quads(n);
    for (int i = 0; i < n; i++) {
        lengths[i] = 0;
    }
    quad penalty = 0, trace = 0, squares = 0, sum = 0;
    for (int j = 0; j < d; j++) {
        for (int i = 0; i < d; i++) {
            quad value = 0;
            for (int c = 0; c < r; c++) {
                value += (quad)REAL(F)[i + c * d] * REAL(F)[j + c * d];
            }
            omega[i + j * d] = value;
        }
        trace += omega[j + j * d];
        penalty += norm(omega + j * d, d);
        for (int i = 0; i < n; i++) {
            quad rest = t.z[i + (size_t)j * n] - (quad)REAL(middle)[j];
            for (int c = 0; c < d; c++) {
                rest -= t.z[i + (size_t)c * n] * omega[c + j * d];
            }
            lengths[i] += rest * rest;
        }
    }
    for (int i = 0; i < n; i++) {
        squares += lengths[i];
        sum += sqrtq(lengths[i]);
    }
    return against((s[3] != 0 ? sum : squares) + s[1] * penalty + s[2] * trace,
                   claims);
}

/*
 * sum_i ||y_i - W'z_i|| + lambda sum_j ||w_j||; settings: scaled, lambda, 1 for
 * squares in place of lengths
 */
SEXP oracle_rows(SEXP x, SEXP y, SEXP group, SEXP W, SEXP settings,
                 SEXP weight, SEXP claims)
{
    const double *s = REAL(settings);
    table t = prepare(x, group, weight, s[0] != 0);
    table u = prepare(y, group, weight, 0);
    quad value = 0;
    for (int i = 0; i < t.n; i++) {
        quad length = 0;
        for (int l = 0; l < u.d; l++) {
            quad rest = u.z[i + (size_t)l * t.n];
            for (int j = 0; j < t.d; j++) {
                rest -= t.z[i + (size_t)j * t.n] * (quad)REAL(W)[j + l * t.d];
            }
            length += rest * rest;
        }
        value += s[2] != 0 ? length : sqrtq(length);
    }
    for (int j = 0; j < t.d; j++) {
        quad length = 0;
        for (int l = 0; l < u.d; l++) {
            quad entry = REAL(W)[j + l * t.d];
            length += entry * entry;
        }
        value += s[1] * sqrtq(length);
    }
    return against(value, claims);
}

/* the data as a method sees them, rounded */
SEXP oracle_table(SEXP x, SEXP group, SEXP weight, SEXP scaled)
{
    table t = prepare(x, group, weight, Rf_asLogical(scaled));
    SEXP out = PROTECT(Rf_allocMatrix(REALSXP, t.n, t.d));
    for (int i = 0; i < t.n * t.d; i++) {
        REAL(out)[i] = (double)t.z[i];
    }
    UNPROTECT(1);
    return out;
}
