#include <float.h>
#include <math.h>
#include <string.h>

#include "base/topk.h"
#include "method/fspca_certify.h"

/*
 * The rows T outside the core R. With L_T given and E = S - LL', entries
 * u_ji (j in R, i in T) are free up to tau_j, the (k - 1)-th largest of |u_j.|,
 * and u_ij makes up for the rest of 2 E_ij; u_il = E_il inside T. What is left
 * of the matrix outside R is the diagonal E_ii - u_ii + alpha_i, which is to be
 * nu, at most the m-th eigenvalue on R: the eigenvalue part does not change. Of
 * these alpha_i = sqrt(beta_i^2 + s_i), beta_i = nu - E_ii, gives the least
 *
 *   h_i = ||L_i||^2 + (sqrt(beta_i^2 + s_i) - beta_i) / 2
 *
 * with s_i of the entries off the diagonal. L_T by ridge regression,
 * S_TR D L (L'DL + share nu I)^{-1}, D = Diag(z) + weight.
 */

#define RS_EXTEND_SAMPLE 150
/* errors of E_ij and of sums, in units of rounding */
#define RS_EXTEND_ERROR 64.0

static const double *core_L(const rs_certify *s)
{
    return s->x + (size_t)s->p * s->p;
}

/* L of all rows; those of the core are not used */
static rs_status regress(double share, double weight, rs_certify *s)
{
    const int p = s->p, r = s->relax.r;
    const double *L = core_L(s);
    double *DL = s->relax.V, *G = s->relax.P; /* p x r, r x r */
    const double nu = fmax(s->relax.least, 1e-3 * s->unit);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++)
            DL[i + (size_t)c * p] =
                (s->relax.z[i] + weight) * L[i + (size_t)c * p];
    rs_crossprod(p, r, r, L, DL, G);
    for (int c = 0; c < r; c++)
        G[c * ((size_t)r + 1)] += share * nu;
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', s->d, r, p, 1.0, s->rows, s->d, DL,
                          p, 0.0, s->L, s->d));
    if (rs_cholesky(r, G, r) != RS_OK)
        return RS_SINGULAR;
    rs_triangular_solve('R', 'N', s->d, r, G, r, s->L, s->d);
    rs_triangular_solve('R', 'T', s->d, r, G, r, s->L, s->d);
    return RS_OK;
}

/* E of row i: with the core into e, and on the diagonal */
static double residuals(int i, double *e, const rs_certify *s)
{
    const int p = s->p, r = s->relax.r;
    const double *L = core_L(s);
    double own = s->op->diagonal[i];
    for (int j = 0; j < p; j++)
        e[j] = s->rows[i + (size_t)j * s->d];
    for (int c = 0; c < r; c++) {
        const double l = s->L[i + (size_t)c * s->d];
        own -= l * l;
        rs_axpy((size_t)p, -l, L + (size_t)c * p, e);
    }
    return own;
}

static double shrink(double a, double by)
{
    return a > by ? a - by : a < -by ? a + by : 0.0;
}

/* (sqrt(beta^2 + s) - beta) / 2 */
static double excess(double beta, double square)
{
    const double root = sqrt(beta * beta + square);
    if (beta <= 0.0)
        return 0.5 * (root - beta);
    return square > 0.0 ? 0.5 * square / (root + beta) : 0.0;
}

/* h_i from its residuals with the core and `others`, rounded upwards */
static double row_term(double own, int count, const double *entries, int i,
                       rs_certify *s)
{
    const int take = rs_min_int(s->k - 1, count), r = s->relax.r;
    double square = 0.0, length = 0.0;
    if (take > 0)
        rs_topk_order(count, entries, take, s->index, s->other);
    for (int t = 0; t < take; t++)
        square += entries[s->index[t]] * entries[s->index[t]];
    for (int c = 0; c < r; c++) {
        const double l = s->L[i + (size_t)c * s->d];
        length += l * l;
    }
    const double error = RS_EXTEND_ERROR * DBL_EPSILON *
                         (length + s->found->diagonal + s->unit);
    const double root = sqrt(square) + sqrt((double)s->k) * error;
    return (length + excess(s->relax.least - own - error, root * root) +
            error) *
           (1.0 + RS_EXTEND_ERROR * DBL_EPSILON);
}

/* h of the rows of T that are listed; T is all rows of `others` */
static rs_status terms(int count, const int *rows, int others,
                       const int *other, double *h, rs_certify *s)
{
    const int p = s->p, r = s->relax.r;
    const size_t d = (size_t)s->d;
    for (int from = 0; from < count; from += RS_EXTEND_BLOCK) {
        const int width = rs_min_int(RS_EXTEND_BLOCK, count - from);
        double *block = s->block;
        RS_TRY(rs_covop_columns(s->op, width, rows + from, block));
        for (int b = 0; b < width; b++) {
            const int i = rows[from + b];
            double *e = s->work, *column = block + d * b;
            const double own = residuals(i, e, s);
            for (int c = 0; c < r; c++)
                rs_axpy(d, -s->L[i + d * c], s->L + d * c, column);
            for (int j = 0; j < p; j++)
                e[j] = fabs(shrink(2.0 * e[j], s->relax.tau[j]));
            int size = p;
            for (int l = 0; l < others; l++)
                if (other[l] != i)
                    e[size++] = fabs(column[other[l]]);
            h[from + b] = row_term(own, size, e, i, s);
        }
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* the rows of the largest variances outside the core */
static int sample_rows(int *rows, rs_certify *s)
{
    int count = 0;
    for (int j = 0; j < s->d; j++)
        s->work[j] = -1.0;
    for (int a = 0; a < s->left; a++)
        if (!s->is_core[s->list[a]]) {
            s->work[s->list[a]] = s->op->diagonal[s->list[a]];
            count++;
        }
    count = rs_min_int(count, RS_EXTEND_SAMPLE);
    rs_topk_order(s->d, s->work, count, rows, s->other);
    return count;
}

/* the share and the weight that keep most rows of a sample below the floor */
static rs_status choose_regression(double floor, double *share, double *weight,
                                   rs_certify *s)
{
    static const double shares[] = {0.003, 0.03, 0.3, 3.0};
    static const double weights[] = {0.001, 0.01, 0.1, 1.0};
    double least = INFINITY, h[RS_EXTEND_SAMPLE];
    int rows[RS_EXTEND_SAMPLE];
    const int count = sample_rows(rows, s);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            double above = 0.0;
            RS_TRY(regress(shares[a], weights[b], s));
            RS_TRY(terms(count, rows, count, rows, h, s));
            for (int i = 0; i < count; i++)
                above += fmax(h[i] - floor, 0.0) + 1e-3 * h[i];
            if (!(above < least))
                continue;
            least = above;
            *share = shares[a];
            *weight = weights[b];
        }
    return RS_OK;
}

rs_status rs_certify_extend(double floor, double *share, double *weight,
                            rs_certify *s)
{
    int *others = s->index + s->d, count = 0;
    RS_TRY(choose_regression(floor, share, weight, s));
    RS_TRY(regress(*share, *weight, s));
    for (int a = 0; a < s->left; a++)
        if (!s->is_core[s->list[a]])
            others[count++] = s->list[a];
    /* room: the values of h in the order of the list of others */
    double *h = s->y;
    RS_TRY(terms(count, others, count, others, h, s));
    for (int i = 0; i < count; i++)
        s->h[others[i]] = h[i];
    return RS_OK;
}

/* the variables of p rows in the room of p + count; y is scratch */
static void widen(int p, int q, int r, rs_certify *s)
{
    double *y = s->y;
    const double *x = s->x;
    rs_fill((size_t)q * (q + r + 1), 0.0, y);
    for (int i = 0; i < p; i++)
        rs_copy((size_t)p, x + (size_t)i * p, y + (size_t)i * q);
    for (int c = 0; c < r; c++)
        rs_copy((size_t)p, x + (size_t)p * (p + c), y + (size_t)q * (q + c));
    rs_copy((size_t)p, x + (size_t)p * (p + r), y + (size_t)q * (q + r));
}

rs_status rs_certify_join(int count, const int *rows, double share,
                          double weight, rs_certify *s)
{
    const int p = s->p, q = p + count, r = s->relax.r;
    const double least = s->relax.least;
    RS_TRY(regress(share, weight, s));
    widen(p, q, r, s);
    double *y = s->y, *L = y + (size_t)q * q, *a = L + (size_t)q * r;
    for (int b = 0; b < count; b++) {
        const int i = rows[b], at = p + b;
        double *e = s->work;
        const double own = residuals(i, e, s), beta = least - own;
        for (int j = 0; j < p; j++) {
            const double u = shrink(2.0 * e[j], s->relax.tau[j]);
            y[(size_t)at * q + j] = u;
            y[(size_t)j * q + at] = 2.0 * e[j] - u;
        }
        RS_TRY(rs_covop_columns(s->op, 1, &i, s->rows + (size_t)s->d * at));
        for (int l = 0; l < count; l++) {
            double entry = s->rows[rows[l] + (size_t)s->d * at];
            for (int c = 0; c < r; c++)
                entry -= s->L[i + (size_t)s->d * c] *
                         s->L[rows[l] + (size_t)s->d * c];
            if (l != b)
                y[(size_t)at * q + p + l] = entry;
        }
        for (int c = 0; c < r; c++)
            L[at + (size_t)c * q] = s->L[i + (size_t)s->d * c];
        double norm = 0.0;
        for (int c = 0; c < r; c++)
            norm += L[at + (size_t)c * q] * L[at + (size_t)c * q];
        /* h = ||L||^2 + (alpha - beta) / 2 */
        const double alpha =
            fmax(2.0 * (s->h[i] - norm) + beta, 1e-6 * s->unit);
        y[(size_t)at * q + at] = alpha - beta;
        a[at] = log(alpha);
        s->core[at] = i;
        s->is_core[i] = 1;
        s->inside[at] = s->found->in[i];
    }
    s->p = q;
    rs_copy((size_t)q * (q + r + 1), y, s->x);
    return RS_OK;
}
