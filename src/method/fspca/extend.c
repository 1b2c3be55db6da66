#include "method/fspca/extend.h"

#include <float.h>
#include <math.h>

#include "base/select.h"

/*
 * The rows T outside the core R. With L_T given and E = S - LL', an entry of U
 * and its mirror image make up for 2 E_ij between them. For j in R, i in T that
 * is u_ji as far as it costs nothing, which is up to tau_j: either the
 * (k - 1)-th largest of |u_j.|, or what keeps h_j among the smaller ones; u_ij
 * is the rest. u_il = u_li = E_il inside T. What is left of the matrix outside R
 * is the diagonal E_ii - u_ii + alpha_i, which is to be nu. Of these alpha_i =
 * sqrt(beta_i^2 + s_i), beta_i = nu - E_ii, gives the least
 *
 *   h_i = ||L_i||^2 + (sqrt(beta_i^2 + s_i) - beta_i) / 2
 *
 * with s_i of the entries off the diagonal. With nu at most the m-th eigenvalue
 * on R the eigenvalue part does not change, with a larger one the eigenvalues
 * below become nu: the bound is convex in nu. L_T by ridge regression,
 * S_TR D L (L'DL + share nu I)^{-1}, D = Diag(z) + weight.
 */

/* errors of E_ij and of sums, in units of rounding */
#define RS_EXTEND_ERROR 64.0

static const double *core_L(const rs_certify *s)
{
    return s->x + (size_t)s->p * s->p;
}

/* L of all rows; the core's stay */
static rs_status regress(const rs_extension *how, rs_certify *s)
{
    const int p = s->p, r = s->relax.r;
    const double *L = core_L(s);
    double *DL = s->DL, *G = s->G;
    const double nu = fmax(s->relax.least, 1e-3 * s->unit);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++)
            DL[i + (size_t)c * p] =
                (s->relax.z[i] + how->weight) * L[i + (size_t)c * p];
    rs_crossprod(p, r, r, L, DL, G);
    for (int c = 0; c < r; c++)
        G[c * ((size_t)r + 1)] += how->share * nu;
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'N', s->d, r, p, 1.0, s->rows, s->d, DL,
                          p, 0.0, s->L, s->d));
    if (rs_cholesky(r, G, r) != RS_OK)
        return RS_SINGULAR;
    rs_triangular_solve('R', 'N', s->d, r, G, r, s->L, s->d);
    rs_triangular_solve('R', 'T', s->d, r, G, r, s->L, s->d);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++)
            s->L[s->core[i] + (size_t)s->d * c] = L[i + (size_t)p * c];
    return RS_OK;
}

static double shrink(double a, double by)
{
    return a > by ? a - by : a < -by ? a + by : 0.0;
}

/* ---- room in the core ------------------------------------------------------ */

/*
 * The largest tau for which u_jj^2 and the k - 1 largest of |u_j.|, none of them
 * less than tau, have squares of at most `most`; u: k - 1 entries, descending
 */
static double largest_tau(int count, const double *u, double most)
{
    double above = 0.0, tau = 0.0;
    for (int t = 0; t < count; t++) {
        const double rest = (most - above) / (count - t);
        if (!(rest > 0.0))
            break;
        tau = sqrt(rest);
        if (u[t] <= tau)
            break;
        above += u[t] * u[t];
    }
    return tau;
}

/*
 * tau_j of the core, and what h_j becomes: rows that may be left out by their h
 * keep it so, others go up to the floor
 */
static void room_in_core(double floor, double spare, rs_certify *s)
{
    const int p = s->p, r = s->relax.r, take = rs_min_int(s->k - 1, p - 1);
    const double *L = core_L(s), *a = L + (size_t)p * r;
    for (int j = 0; j < p; j++) {
        const double *u = s->x + (size_t)j * p, h = s->relax.h[j];
        double *row = s->entries, *largest = s->largest;
        s->tau[j] = s->relax.tau[j];
        const double up_to = h <= floor - spare ? floor - spare : floor;
        if (s->inside[j] || !(h < up_to) || !isfinite(up_to) ||
            take < s->k - 1 || take < 1)
            continue;
        for (int l = 0; l < p; l++)
            row[l] = fabs(u[l]);
        row[j] = -1.0;
        rs_topk_order(p, row, take, s->order, s->topk);
        for (int t = 0; t < take; t++)
            largest[t] = row[s->order[t]];
        const double length = rs_rlx_length(j, (size_t)p, L, &s->relax);
        const double error = RS_EXTEND_ERROR * (s->k + r) * DBL_EPSILON;
        const double most =
            4.0 * exp(a[j]) *
                (up_to * (1.0 - error) - length * (1.0 + error)) -
            u[j] * u[j];
        const double tau = largest_tau(take, largest, most) * (1.0 - error);
        if (tau > s->tau[j]) {
            s->tau[j] = tau;
            s->h[s->core[j]] = up_to;
        }
    }
}

/* ---- the other rows -------------------------------------------------------- */

/* the rows that are neither out nor in the core, in the order of the list */
static int list_others(rs_certify *s)
{
    int count = 0;
    for (int a = 0; a < s->left; a++)
        if (!s->is_core[s->list[a]])
            s->others[count++] = s->list[a];
    return count;
}

/* rest = the columns E[, rows] from those of S, which are in the block */
static rs_status residual_columns(int width, const int *rows, rs_certify *s)
{
    const int r = s->relax.r;
    const size_t d = (size_t)s->d;
    double *some = s->some; /* width x r */
    rs_copy(d * width, s->block, s->rest);
    for (int c = 0; c < r; c++)
        for (int b = 0; b < width; b++)
            some[b + (size_t)c * width] = s->L[rows[b] + d * c];
    return rs_gemm_polled(s->ctx, 'N', 'T', s->d, width, r, -1.0, s->L, s->d,
                          some, width, 1.0, s->rest, s->d);
}

/* h_i at this nu, rounded upwards */
static double term_at(double nu, int i, const rs_certify *s)
{
    return (s->length[i] + rs_rlx_excess(nu - s->own[i], s->square[i])) *
           (1.0 + RS_EXTEND_ERROR * DBL_EPSILON);
}

/* what h_i is made of, from the column i of E, rounded upwards */
static void row_parts(int i, const double *E, int others, const int *other,
                      rs_certify *s)
{
    const int p = s->p;
    double *u = s->entries, smallest;
    for (int j = 0; j < p; j++)
        u[j] = fabs(shrink(2.0 * E[s->core[j]], s->tau[j]));
    for (int l = 0; l < others; l++)
        u[p + l] = other[l] == i ? 0.0 : fabs(E[other[l]]);
    const double square =
        rs_rlx_squares(p + others, u, &smallest, s->order, s->topk, &s->relax);
    const double length = rs_rlx_length(i, (size_t)s->d, s->L, &s->relax);
    const double error = RS_EXTEND_ERROR * DBL_EPSILON *
                         (length + s->found->diagonal + s->unit);
    const double root = sqrt(square) + sqrt((double)s->k) * error;
    s->length[i] = length + error;
    s->own[i] = E[i] + error;
    s->square[i] = root * root;
}

/* the parts of the rows that are listed, whose columns of S are in the block */
static rs_status block_parts(int width, const int *rows, int others,
                             const int *other, rs_certify *s)
{
    RS_TRY(residual_columns(width, rows, s));
    for (int b = 0; b < width; b++)
        row_parts(rows[b], s->rest + (size_t)s->d * b, others, other, s);
    return rs_poll(s->ctx);
}

/* the parts of all rows of T */
static rs_status all_parts(int count, const int *others, rs_certify *s)
{
    for (int from = 0; from < count; from += RS_EXTEND_BLOCK) {
        const int width = rs_min_int(RS_EXTEND_BLOCK, count - from);
        RS_TRY(rs_covop_columns(s->op, width, others + from, s->block));
        RS_TRY(block_parts(width, others + from, count, others, s));
    }
    return RS_OK;
}

/* some rows of T, half of them those with the largest h of the last time, half of
 * them evenly spaced, and their columns of S in the block */
static rs_status sample_rows(int count, const int *others, int *width,
                             int *rows, rs_certify *s)
{
    const int half = rs_min_int(count, RS_EXTEND_BLOCK / 2);
    const int step = rs_max_int(1, count / (RS_EXTEND_BLOCK - half));
    for (int l = 0; l < count; l++)
        s->score[l] = s->h[others[l]];
    rs_topk_order(count, s->score, half, rows, s->topk);
    for (int b = 0; b < half; b++)
        s->score[rows[b]] = -1.0;
    *width = half;
    for (int l = step / 2; l < count && *width < RS_EXTEND_BLOCK; l += step)
        if (s->score[l] >= 0.0)
            rows[(*width)++] = l;
    for (int b = 0; b < *width; b++)
        rows[b] = others[rows[b]];
    return rs_covop_columns(s->op, *width, rows, s->block);
}

/* how far a sample is above the floor with these settings; INFINITY where there
 * is no regression with them */
static rs_status judge(double floor, int width, const int *rows, int count,
                       const int *others, const rs_extension *how,
                       double *above, rs_certify *s)
{
    *above = INFINITY;
    const rs_status status = regress(how, s);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    RS_TRY(block_parts(width, rows, count, others, s));
    *above = 0.0;
    for (int b = 0; b < width; b++) {
        const double h = term_at(s->level, rows[b], s);
        *above += fmax(h - floor, 0.0) + 1e-3 * h;
    }
    return RS_OK;
}

/* the settings that keep most rows of a sample below the floor */
static rs_status choose_settings(double floor, int count, const int *others,
                                 rs_certify *s)
{
    static const double shares[] = {0.003, 0.03, 0.3, 3.0};
    static const double weights[] = {0.001, 0.01, 0.1, 1.0};
    int rows[RS_EXTEND_BLOCK], width;
    double least = INFINITY, above;
    RS_TRY(sample_rows(count, others, &width, rows, s));
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            const rs_extension how = {shares[a], weights[b]};
            RS_TRY(judge(floor, width, rows, count, others, &how, &above, s));
            if (!(above < least))
                continue;
            least = above;
            s->how = how;
        }
    return isfinite(least) ? RS_OK : RS_SINGULAR;
}

/* ---- the level ------------------------------------------------------------- */

void rs_certify_keep_outside(rs_certify *s)
{
    rs_rlx *relax = &s->relax;
    const int *rows = s->others;
    const int count = list_others(s);
    relax->outside = rs_min_int(count, relax->room);
    for (int l = 0; l < count; l++)
        s->score[l] = s->h[rows[l]];
    rs_topk_order(count, s->score, relax->outside, s->order, s->topk);
    for (int b = 0; b < relax->outside; b++) {
        const int i = rows[s->order[b]];
        relax->length[b] = s->length[i];
        relax->square[b] = s->square[i];
        relax->own[b] = s->own[i];
    }
    relax->nu = s->level;
}

/* the bound where the rows outside have the eigenvalue nu, with its parts */
static double bound_at(double nu, int count, const int *others, rs_certify *s)
{
    const rs_rlx *relax = &s->relax;
    double more = 0.0;
    for (int c = 0; c < s->m && nu > relax->least; c++)
        more += fmax(nu - relax->lambda[c], 0.0);
    s->level = nu;
    s->part =
        (relax->eigenpart + more) * (1.0 + RS_EXTEND_ERROR * DBL_EPSILON);
    for (int l = 0; l < count; l++)
        s->h[others[l]] = term_at(nu, others[l], s);
    return s->part + rs_certify_sum(s);
}

/* nu: the m-th eigenvalue on the core, or the larger one of the smoothed bound */
static void choose_level(int count, const int *others, rs_certify *s)
{
    rs_rlx *relax = &s->relax;
    const double least = relax->least;
    const double before = bound_at(least, count, others, s);
    s->level = fmax(least, s->unit);
    rs_certify_keep_outside(s);
    rs_rlx_sums(s->p, relax);
    if (!(relax->nu > least) ||
        !(bound_at(relax->nu, count, others, s) < before))
        bound_at(least, count, others, s);
}

rs_status rs_certify_extend(double floor, double spare, rs_certify *s)
{
    const int *others = s->others;
    const int count = list_others(s);
    room_in_core(floor, spare, s);
    s->level = s->relax.least;
    RS_TRY(choose_settings(floor, count, others, s));
    RS_TRY(regress(&s->how, s));
    RS_TRY(all_parts(count, others, s));
    choose_level(count, others, s);
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

/* of the k - 1 largest entries of a row of U */
static double square_of_row(int count, const double *u, rs_certify *s)
{
    double smallest;
    for (int l = 0; l < count; l++)
        s->entries[l] = fabs(u[l]);
    return rs_rlx_squares(count, s->entries, &smallest, s->order, s->topk,
                          &s->relax);
}

/* the column i of E from that of S among the columns of the core */
static const double *residual_column(int i, int at, rs_certify *s)
{
    const size_t d = (size_t)s->d;
    rs_copy(d, s->rows + d * at, s->column);
    for (int c = 0; c < s->relax.r; c++)
        rs_axpy(d, -s->L[i + d * c], s->L + d * c, s->column);
    return s->column;
}

rs_status rs_certify_join(int count, const int *rows, rs_certify *s)
{
    const int p = s->p, q = p + count, r = s->relax.r;
    RS_TRY(rs_covop_columns(s->op, count, rows, s->rows + (size_t)s->d * p));
    widen(p, q, r, s);
    double *y = s->y, *L = y + (size_t)q * q, *a = L + (size_t)q * r;
    for (int b = 0; b < count; b++) {
        const int i = rows[b], at = p + b;
        const double *E = residual_column(i, at, s);
        const double beta = s->level - E[i], *u = y + (size_t)at * q;
        for (int j = 0; j < p; j++) {
            const double e = 2.0 * E[s->core[j]], u = shrink(e, s->tau[j]);
            y[(size_t)at * q + j] = u;
            y[(size_t)j * q + at] = e - u;
        }
        for (int l = 0; l < count; l++)
            y[(size_t)at * q + p + l] = l == b ? 0.0 : E[rows[l]];
        for (int c = 0; c < r; c++)
            L[at + (size_t)c * q] = s->L[i + (size_t)s->d * c];
        const double alpha =
            fmax(hypot(beta, sqrt(square_of_row(q, u, s))), 1e-6 * s->unit);
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
