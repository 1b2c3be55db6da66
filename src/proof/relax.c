/* The smoothed relaxation of row-sparse PCA, its core, and rounds as the tree asks for
 * them, see relax.h. */
#include "proof/relax.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/softtop.h"
#include "base/select.h"

/* eigenvalues so many widths below the m-th count for nothing */
#define RS_RELAX_REACH 28.0
/* share of the eigenvalues above which all of them are found sooner */
#define RS_RELAX_FEW 0.12

/* evaluations of the minimisation in a round */
#define RS_TRACE_ROUND 100
/* rounds of a node, and those of the root that may bring nothing */
#define RS_TRACE_ROUNDS 4
#define RS_TRACE_IDLE 3
/* smoothing, as shares of the unit: in the first round and the most at nodes,
 * the least, which the root comes to by half from round to round that no row
 * came to; at nodes as a share of the gap, too */
#define RS_TRACE_WIDTH 0.07
#define RS_TRACE_NARROW 0.001
#define RS_TRACE_OF_GAP 0.05
/* falls of the bound that are progress: at the root as a share of it, where
 * nodes are split of what it is above the cut */
#define RS_TRACE_PROGRESS 2e-4
#define RS_TRACE_PROGRESS_NODE 0.2
/* rows that join in a round, at least */
#define RS_TRACE_JOIN 130
/* the inverse Hessian's diagonal, about, for U, L and log(alpha) in a unit; only
 * ratios matter, and these were found by trial: three times more or less of one
 * costs little */
#define RS_TRACE_U 12.0
#define RS_TRACE_L 0.3
#define RS_TRACE_ALPHA 2.3
/* of the interval of nu */
#define RS_TRACE_SECTIONS 25

rs_status rs_relax_init(rs_context *ctx, int most, int m, rs_relax *s)
{
    const size_t p = (size_t)most;
    *s = (rs_relax){.m = m};
    RS_ALLOC_DOUBLES(ctx, p, &s->z, &s->cut, &s->lambda, &s->h, &s->tau);
    RS_ALLOC_DOUBLES(ctx, p * p, &s->A, &s->V);
    s->scratch = rs_alloc_double(ctx, 3 * p);
    s->order = rs_alloc_int(ctx, p);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, most, &s->eigen);
}

/* columns of L */
static int rank_of(const rs_relax *s)
{
    return rs_max_int(12, 3 * s->m);
}

/* the number of variables of p rows */
static size_t size_of(const rs_relax *s, int p)
{
    return (size_t)p * ((size_t)p + rank_of(s) + 1);
}

static const double *L_of(const double *x, const rs_relax *s)
{
    return x + (size_t)s->p * s->p;
}

static const double *log_alpha_of(const double *x, const rs_relax *s)
{
    return L_of(x, s) + (size_t)s->p * rank_of(s);
}

void rs_relax_about(int p, int k, const double *S, const unsigned char *in,
                    rs_relax *s)
{
    s->p = p;
    s->k = k;
    s->S = S;
    s->in = in;
    s->level = NAN;
    rs_fill((size_t)p, 0.0, s->cut);
}

/* ---- the matrix ------------------------------------------------------------ */

/* upper triangle of A = S - LL' - (U + U') / 2 + Diag(alpha) */
static void form_matrix(const double *x, rs_relax *s)
{
    const int p = s->p, tile = 32;
    const double *U = x, *L = L_of(x, s), *a = log_alpha_of(x, s);
    rs_copy((size_t)p * p, s->S, s->A);
    rs_gemm('N', 'T', p, p, rank_of(s), -1.0, L, p, L, p, 1.0, s->A, p);
    for (int j0 = 0; j0 < p; j0 += tile)
        for (int i0 = 0; i0 <= j0; i0 += tile)
            for (int j = j0; j < rs_min_int(j0 + tile, p); j++)
                for (int i = i0; i <= rs_min_int(i0 + tile - 1, j); i++)
                    s->A[i + (size_t)j * p] -=
                        0.5 * (U[i + (size_t)j * p] + U[j + (size_t)i * p]);
    for (int i = 0; i < p; i++)
        s->A[i * ((size_t)p + 1)] += exp(a[i]);
}

/* the eigenpairs that count, those above the reach below the m-th value: where
 * they were few in the last evaluation, by its value; else all are found */
static rs_status pairs_that_count(int *count, rs_relax *s)
{
    const double reach = RS_RELAX_REACH * s->width, level = s->level;
    rs_status status = RS_LAPACK_FAILED;
    if (isfinite(level))
        status = rs_eigen_above(s->p, s->A, level - reach, count, s->lambda,
                                s->V, &s->eigen);
    if (status != RS_OK && status != RS_LAPACK_FAILED)
        return status;
    if (status != RS_OK || *count < s->m ||
        s->lambda[s->m - 1] < level - 0.3 * reach) {
        RS_TRY(rs_eigen_largest(s->p, s->A, s->p, s->lambda, s->V, &s->eigen));
        *count = s->m;
        while (*count < s->p &&
               s->lambda[*count] > s->lambda[s->m - 1] - reach)
            (*count)++;
    }
    s->level = *count <= RS_RELAX_FEW * s->p ? s->lambda[s->m - 1] : NAN;
    return RS_OK;
}

/* the smoothed sum of the m largest of `count` eigenvalues; A becomes its
 * gradient P = V diag(weights) V' */
static double eigen_sum(int count, rs_relax *s)
{
    const int p = s->p;
    double *weight = s->scratch, v = s->lambda[s->m - 1], sum = 0.0;
    if (count > s->m) {
        sum = rs_softtop_log((size_t)count, s->lambda, s->m, s->width, weight,
                             &v);
    } else {
        rs_fill((size_t)count, 1.0, weight);
        sum = rs_sum(count, s->lambda);
    }
    for (int c = 0; c < count; c++)
        rs_scale((size_t)p, sqrt(weight[c]), s->V + (size_t)c * p);
    rs_gemm('N', 'T', p, p, count, 1.0, s->V, p, s->V, p, 0.0, s->A, p);
    return sum;
}

/* ---- the rows -------------------------------------------------------------- */

/*
 * Smoothed h_i; spread_i = s_i / (4 alpha_i) with the weights of the smoothing,
 * which times u_ij / (2 alpha_i) go into the gradient.
 */
static void row_terms(const double *x, double *gradient, double *spread,
                      rs_relax *s)
{
    const size_t p = (size_t)s->p;
    const double *a = log_alpha_of(x, s);
    const double width = s->width / s->k;
    double *row = s->scratch, *weight = s->scratch + p;
    rs_row_squares(s->p, rank_of(s), L_of(x, s), s->h);
    for (size_t i = 0; i < p; i++) {
        const double *u = x + i * p, quarter = 0.25 * exp(-a[i]);
        double *g = gradient + i * p, h = 0.0;
        for (size_t j = 0; j < p; j++)
            row[j] = u[j] * u[j] * quarter;
        spread[i] = row[i];
        s->h[i] += row[i];
        /* the diagonal entry goes to the end and is counted in any case */
        row[i] = row[p - 1];
        if (p > 1)
            h = rs_softtop_square(p - 1, row, s->k - 1.0, width, weight,
                                  &s->cut[i]);
        s->h[i] += h;
        weight[p - 1] = weight[i];
        weight[i] = 1.0;
        for (size_t j = 0; j < p; j++) {
            if (j != i)
                spread[i] += weight[j] * u[j] * u[j] * quarter;
            g[j] = 2.0 * quarter * weight[j] * u[j];
        }
    }
}

/* the smoothed sum of the k largest h; z: 1 for rows in every set, and weights of
 * the others */
static double rows_sum(rs_relax *s)
{
    int free = 0, rest = s->k;
    double *list = s->scratch, *share = s->scratch + s->p, sum = 0.0, v = 0.0;
    for (int i = 0; i < s->p; i++) {
        if (s->in[i]) {
            sum += s->h[i];
            rest--;
        } else {
            list[free++] = s->h[i];
        }
    }
    if (rest > 0 && rest < free)
        sum += rs_softtop_log((size_t)free, list, rest, s->width, share, &v);
    else
        rs_fill((size_t)free, rest > 0 ? 1.0 : 0.0, share);
    for (int i = 0; i < free && rest >= free; i++)
        sum += list[i];
    for (int i = 0, at = 0; i < s->p; i++)
        s->z[i] = s->in[i] ? 1.0 : share[at++];
    return sum;
}

rs_status rs_relax_smooth(void *state, const double *x, double *value,
                          double *gradient)
{
    rs_relax *s = (rs_relax *)state;
    const size_t p = (size_t)s->p;
    const int r = rank_of(s);
    const double *L = L_of(x, s), *a = log_alpha_of(x, s);
    double *gL = gradient + p * p, *ga = gL + p * r;
    int count;
    *value = INFINITY;
    /* a step too far: not a number that LAPACK is to see */
    if (!rs_all_finite(size_of(s, s->p), x))
        return RS_OK;
    form_matrix(x, s);
    if (!rs_all_finite(p * p, s->A))
        return RS_OK;
    RS_TRY(pairs_that_count(&count, s));
    *value = eigen_sum(count, s);
    row_terms(x, gradient, ga, s);
    *value += rows_sum(s);
    for (size_t i = 0; i < p; i++) {
        double *g = gradient + i * p;
        const double *P = s->A + i * p;
        for (size_t j = 0; j < p; j++)
            g[j] = s->z[i] * g[j] - P[j];
        ga[i] = exp(a[i]) * P[i] - s->z[i] * ga[i];
    }
    rs_gemm('N', 'N', s->p, r, s->p, -2.0, s->A, s->p, L, s->p, 0.0, gL, s->p);
    for (int c = 0; c < r; c++)
        for (size_t i = 0; i < p; i++)
            gL[i + p * c] += 2.0 * s->z[i] * L[i + p * c];
    return RS_OK;
}

/* ---- the bound ------------------------------------------------------------- */

/*
 * How far computed eigenvalues may be from those of the exact matrix: rounding
 * of its entries, and a backward stable method, both in the Frobenius norm.
 */
static double eigen_error(const double *x, const rs_relax *s)
{
    const size_t p = (size_t)s->p, r = (size_t)rank_of(s);
    const double *L = L_of(x, s), *a = log_alpha_of(x, s);
    double alpha = 0.0, A = 0.0;
    for (size_t i = 0; i < p; i++) {
        alpha = hypot(alpha, exp(a[i]));
        for (size_t j = 0; j < i; j++)
            A += 2.0 * s->A[j + i * p] * s->A[j + i * p];
        A += s->A[i + i * p] * s->A[i + i * p];
    }
    const double parts = rs_norm(p * p, s->S) + rs_sum_squares(p * r, L) +
                         rs_norm(p * p, x) + alpha;
    return DBL_EPSILON * ((r + RS_ERRORS) * parts + RS_ERRORS * p * sqrt(A));
}

/* of count numbers that are not negative the sum of the squares of the k - 1 largest;
 * the smallest of them where there are so many, else 0. order, work: count numbers */
static double sum_squares(int count, const double *u, int k, double *smallest,
                          int *order, double *work)
{
    const int take = rs_min_int(k - 1, count);
    double sum = 0.0;
    if (take > 0)
        rs_topk_order(count, u, take, order, work);
    for (int t = 0; t < take; t++)
        sum += u[order[t]] * u[order[t]];
    *smallest = take > 0 && take == k - 1 ? u[order[take - 1]] : 0.0;
    return sum;
}

static void bound_rows(const double *x, rs_relax *s)
{
    const size_t p = (size_t)s->p;
    const double *a = log_alpha_of(x, s);
    const double up =
        1.0 + (2.0 * s->k + rank_of(s) + RS_ERRORS) * DBL_EPSILON;
    double *row = s->scratch;
    rs_row_squares(s->p, rank_of(s), L_of(x, s), s->h);
    for (size_t i = 0; i < p; i++) {
        const double *u = x + i * p;
        for (size_t j = 0; j < p; j++)
            row[j] = fabs(u[j]);
        /* the diagonal entry is counted in any case */
        row[i] = row[p - 1];
        const double square =
            u[i] * u[i] + sum_squares(s->p - 1, row, s->k, &s->tau[i],
                                      s->order, s->scratch + p);
        s->h[i] = up * (s->h[i] + square / (4.0 * exp(a[i])));
    }
}

/* all eigenvalues, which a method finds that misses none */
rs_status rs_relax_bound(const double *x, rs_relax *s)
{
    s->eigen_part = INFINITY;
    if (!rs_all_finite(size_of(s, s->p), x))
        return RS_OK;
    form_matrix(x, s);
    if (!rs_all_finite((size_t)s->p * s->p, s->A))
        return RS_OK;
    RS_TRY(rs_eigen_largest(s->p, s->A, s->p, s->lambda, NULL, &s->eigen));
    const double error = eigen_error(x, s);
    s->eigen_part = rs_sum(s->m, s->lambda) + s->m * error +
                    RS_ERRORS * s->m * DBL_EPSILON * fabs(s->lambda[0]);
    if (isnan(s->eigen_part))
        s->eigen_part = INFINITY;
    s->least = s->lambda[s->m - 1] - error;
    s->level = NAN;
    bound_rows(x, s);
    return RS_OK;
}

/* ---- sets -------------------------------------------------------------------- */

/* S[rows, rows], from the data, without the factor */
static rs_status read_square(int count, const int *row, double *out,
                             rs_relax_trace *s)
{
    RS_TRY(rs_data_gram_subset(s->op->X, NULL, count, row, s->room, out));
    return rs_poll(s->ctx);
}

/* are the rows among those of the part of S that is known? */
static int is_known(int count, const int *row, const rs_relax_trace *s)
{
    int known = 1;
    for (int i = 0; i < count; i++)
        known &= s->core.known.place[row[i]] >= 0;
    return known;
}

/* out <- S[rows, rows] */
static rs_status square_of(int count, const int *row, double *out,
                           rs_relax_trace *s)
{
    const rs_trace_known *known = &s->core.known;
    if (!is_known(count, row, s)) {
        RS_TRY(read_square(count, row, out, s));
    } else {
        for (int j = 0; j < count; j++)
            for (int i = 0; i < count; i++)
                out[i + (size_t)j * count] =
                    known->S[known->place[row[i]] +
                             (size_t)known->order * known->place[row[j]]];
    }
    rs_scale((size_t)count * count, s->op->factor, out);
    return RS_OK;
}

static rs_status value(void *state, const int *set, double cut, double *least,
                       double *most)
{
    rs_relax_trace *s = (rs_relax_trace *)state;
    double sum;
    (void)cut;
    RS_TRY(square_of(s->k, set, s->relax.A, s));
    RS_TRY(rs_eigen_sum(s->k, s->relax.A, s->m, s->relax.scratch, &sum,
                        &s->relax.eigen));
    *least = fmax(sum - s->error, 0.0);
    *most = sum + s->error;
    return RS_OK;
}

/* the k rows of the core that are in every set or have the largest z */
static rs_status offer_rounding(rs_relax_trace *s)
{
    const rs_trace_core *core = &s->core;
    int *set = core->from;
    if (core->p < s->k)
        return RS_OK;
    for (int i = 0; i < core->p; i++)
        s->score[i] = s->relax.z[i] + 2.0 * core->in[i];
    rs_topk_order(core->p, s->score, s->k, set, s->score + s->op->d);
    for (int a = 0; a < s->k; a++)
        set[a] = core->row[set[a]];
    return rs_tree_offer(set, s->tree);
}

/* ---- the extension to rows outside the core --------------------------------------- */

/* L of all rows; the core's stay. The ridge, in units of nu, and what is added
 * to z take turns: the best bound of a node counts */
static rs_status regress(rs_relax_trace *s)
{
    static const double ridges[] = {0.3, 3.0}, weights[] = {0.1, 1.0};
    const int turn = s->outside.turn = !s->outside.turn;
    const rs_trace_core *core = &s->core;
    const int p = core->p, r = rank_of(&s->relax), d = s->op->d;
    const double *L = core->x + (size_t)p * p;
    double *DL = core->y, *G = s->outside.G, *all = s->outside.L;
    double *wide = s->outside.DL;
    const double nu = fmax(s->relax.least, 1e-3 * s->unit);
    rs_fill((size_t)d * r, 0.0, wide);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++)
            wide[core->row[i] + (size_t)c * d] = DL[i + (size_t)c * p] =
                (s->relax.z[i] + weights[turn]) * L[i + (size_t)c * p];
    rs_crossprod(p, r, r, L, DL, G);
    for (int c = 0; c < r; c++)
        G[c * ((size_t)r + 1)] += ridges[turn] * nu;
    for (int c = 0; c < r; c += RS_PANEL)
        RS_TRY(rs_covop_apply(s->op, rs_min_int(RS_PANEL, r - c),
                              wide + (size_t)d * c, all + (size_t)d * c));
    if (rs_cholesky(r, G, r) != RS_OK)
        return RS_SINGULAR;
    rs_triangular_solve('R', 'N', d, r, G, r, all, d);
    rs_triangular_solve('R', 'T', d, r, G, r, all, d);
    for (int c = 0; c < r; c++)
        for (int i = 0; i < p; i++)
            all[core->row[i] + (size_t)d * c] = L[i + (size_t)p * c];
    return RS_OK;
}

static double shrink(double a, double by)
{
    return a > by ? a - by : a < -by ? a + by : 0.0;
}

/* ---- the other rows -------------------------------------------------------- */

/* what h_i is made of, from the column i of E, rounded upwards */
static void row_parts(int i, const double *E, rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    const int p = s->core.p;
    double *u = out->u, smallest;
    for (int j = 0; j < p; j++)
        u[j] = fabs(shrink(2.0 * E[s->core.row[j]], s->relax.tau[j]));
    for (int l = 0; l < out->count; l++)
        u[p + l] = out->row[l] == i ? 0.0 : fabs(E[out->row[l]]);
    const double square =
        sum_squares(p + out->count, u, s->k, &smallest, s->order, s->score);
    const double error =
        RS_ERRORS * DBL_EPSILON * (out->length[i] + s->diagonal + s->unit);
    const double root = sqrt(square) + sqrt((double)s->k) * error;
    out->length[i] += error;
    out->own[i] = E[i] + error;
    out->square[i] = root * root;
}

/* beta_i may have either sign */
static double term_of(int i, double nu, const rs_relax_trace *s)
{
    const rs_trace_outside *out = &s->outside;
    const double beta = nu - out->own[i], square = out->square[i];
    const double root = sqrt(beta * beta + square);
    double excess = 0.5 * (root - beta);
    if (beta > 0.0)
        excess = square > 0.0 ? 0.5 * square / (root + beta) : 0.0;
    return (out->length[i] + excess) * (1.0 + RS_ERRORS * DBL_EPSILON);
}

static rs_status extend(rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    const int r = rank_of(&s->relax), d = s->op->d;
    double *some = out->some; /* width x r */
    RS_TRY(regress(s));
    rs_row_squares(d, r, out->L, out->length);
    for (int from = 0; from < out->count; from += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, out->count - from);
        const int *rows = out->row + from;
        RS_TRY(rs_covop_columns(s->op, width, rows, out->block));
        for (int c = 0; c < r; c++)
            for (int b = 0; b < width; b++)
                some[b + (size_t)c * width] = out->L[rows[b] + (size_t)d * c];
        /* the columns of S become E[, rows] */
        RS_TRY(rs_gemm_polled(s->ctx, 'N', 'T', d, width, r, -1.0, out->L, d,
                              some, width, 1.0, out->block, d));
        for (int b = 0; b < width; b++)
            row_parts(rows[b], out->block + (size_t)d * b, s);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* ---- rows that have joined ------------------------------------------------------- */

/* the rows of the core from the `first` on: what the extension makes of them */
static void fill_rows(int first, rs_relax_trace *s)
{
    const rs_trace_core *core = &s->core;
    const rs_trace_outside *out = &s->outside;
    const int q = core->p, r = rank_of(&s->relax);
    const size_t ld = (size_t)q;
    double *U = core->x, *L = U + ld * ld, *alphas = L + ld * r;
    for (int c = 0; c < r; c++)
        for (int at = first; at < q; at++)
            L[at + ld * c] = out->L[core->row[at] + (size_t)s->op->d * c];
    for (int at = first; at < q; at++) {
        const double *S = core->S + ld * at;
        double *row = U + ld * at, smallest, own = 0.0;
        for (int j = 0; j < q; j++) {
            double e = S[j];
            for (int c = 0; c < r; c++)
                e -= L[at + ld * c] * L[j + ld * c];
            own = j == at ? e : own;
            e *= j < first ? 2.0 : 1.0;
            const double u = j < first ? shrink(e, s->relax.tau[j]) : e;
            row[j] = j == at ? 0.0 : u;
            if (j < first)
                U[at + ld * j] = e - u;
            out->u[j] = fabs(row[j]);
        }
        const double beta = out->nu - own;
        const double square =
            sum_squares(q, out->u, s->k, &smallest, s->order, s->score);
        const double alpha = fmax(hypot(beta, sqrt(square)), 1e-6 * s->unit);
        row[at] = alpha - beta;
        alphas[at] = log(alpha);
    }
}

/* ---- the core --------------------------------------------------------------------- */

/* the matrix of the core, and what the relaxation is about */
static rs_status set_about(const rs_node *node, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    for (int j = 0; j < core->p; j++)
        core->in[j] = node->mark[core->row[j]] == RS_UNIT_IN;
    if (!is_known(core->p, core->row, s)) {
        RS_TRY(read_square(core->p, core->row, core->known.read, s));
        memset(core->known.place, -1, (size_t)s->op->d * sizeof(int));
        for (int j = 0; j < core->p; j++)
            core->known.place[core->row[j]] = j;
        core->known.order = core->p;
    }
    RS_TRY(square_of(core->p, core->row, core->S, s));
    rs_relax_about(core->p, s->k, core->S, core->in, &s->relax);
    return rs_poll(s->ctx);
}

/* these rows come to the end of the core */
static void append(int count, const int *rows, rs_trace_core *core)
{
    for (int b = 0; b < count; b++) {
        core->row[core->p++] = rows[b];
        core->holds[rows[b]] = 1;
    }
}

/* U = 0, L along half of the leading eigenvectors of the good set, and a little of
 * everything */
static rs_status start_variables(rs_relax_trace *s)
{
    const int k = s->k, p = s->core.p, m = s->m;
    const size_t square = (size_t)p * p,
                 length = (size_t)p * rank_of(&s->relax);
    double *V = s->relax.V, *values = s->relax.lambda;
    double *U = s->core.x, *L = U + square;
    RS_TRY(square_of(k, s->set, s->relax.A, s));
    RS_TRY(rs_eigen_largest(k, s->relax.A, m, values, V, &s->relax.eigen));
    rs_fill(square, 0.0, U);
    rs_quasi_random(length, 0, L);
    rs_scale(length, 0.1 * sqrt(s->unit), L);
    rs_fill((size_t)p, log(s->unit), L + length);
    for (int i = 0; i < p; i++)
        for (int a = 0; a < k; a++)
            for (int c = 0; c < m && s->set[a] == s->core.row[i]; c++)
                L[i + (size_t)c * p] +=
                    sqrt(fmax(0.5 * values[c], 0.0)) * V[a + (size_t)c * k];
    return RS_OK;
}

/*
 * The first core: the good set, the rows in every set, and of the others those
 * with the largest covariances with the good set, and variances.
 */
static rs_status begin(const rs_node *node, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const int d = s->op->d, rest = node->count + node->open;
    const int most =
        rs_min_int(rs_max_int(s->sizes.first, s->k), s->sizes.most);
    const int first =
        rs_min_int(rest <= most + most / 4 ? rest : most, s->sizes.most);
    double *score = s->score, *column = s->outside.block;
    for (int j = 0; j < d; j++)
        score[j] = 0.5 * s->op->diagonal[j];
    for (int a = 0; a < s->k; a++) {
        RS_TRY(rs_covop_columns(s->op, 1, s->set + a, column));
        for (int j = 0; j < d; j++)
            score[j] += fabs(column[j]) / s->k;
        score[s->set[a]] = INFINITY;
    }
    for (int j = 0; j < d; j++)
        if (node->mark[j] != RS_UNIT_FREE)
            score[j] = node->mark[j] == RS_UNIT_IN ? INFINITY : -1.0;
    memset(core->holds, 0, (size_t)d);
    core->p = core->joins = 0;
    rs_topk_order(d, score, first, s->order, score + d);
    append(first, s->order, core);
    RS_TRY(set_about(node, s));
    return start_variables(s);
}

/* variables of q rows: those that row from[i] had, zeros where it is -1 */
static void move_variables(int q, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const int *from = core->from;
    const size_t p = (size_t)core->p, n = (size_t)q;
    double *x = core->x, *to = core->y;
    rs_fill(size_of(&s->relax, q), 0.0, to);
    for (size_t i = 0; i < n; i++) {
        if (from[i] < 0)
            continue;
        for (size_t j = 0; j < n; j++)
            if (from[j] >= 0)
                to[i * n + j] = x[from[i] * p + from[j]];
        for (int c = 0; c <= rank_of(&s->relax); c++) /* L, log(alpha) */
            to[n * (n + c) + i] = x[p * (p + c) + from[i]];
    }
    core->x = to;
    core->y = x;
}

static void drop_rows(const rs_node *node, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    int q = 0;
    for (int i = 0; i < core->p; i++) {
        core->holds[core->row[i]] = node->mark[core->row[i]] != RS_UNIT_OUT;
        if (core->holds[core->row[i]])
            core->from[q++] = i;
    }
    if (q < core->p)
        move_variables(q, s);
    for (int i = 0; i < q; i++) {
        core->row[i] = core->row[core->from[i]];
        s->relax.tau[i] = s->relax.tau[core->from[i]];
    }
    core->p = q;
}

/* the core without rows that are out, with those that are to join; *came counts these */
static rs_status fit_core(const rs_node *node, int *came, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const int joins = core->joins;
    *came = core->joins = 0;
    drop_rows(node, s);
    if (core->p < s->k && core->p < node->count + node->open) {
        RS_TRY(begin(node, s));
        *came = core->p;
        return RS_OK;
    }
    const int p = core->p;
    for (int b = 0; b < joins; b++)
        if (node->mark[core->joining[b]] != RS_UNIT_OUT)
            core->joining[(*came)++] = core->joining[b];
    for (int i = 0; i < p + *came; i++)
        core->from[i] = i < p ? i : -1;
    if (*came > 0)
        move_variables(p + *came, s);
    append(*came, core->joining, core);
    RS_TRY(set_about(node, s));
    fill_rows(p, s);
    return RS_OK;
}

/* ---- a round ------------------------------------------------------------------- */

static rs_status smooth_in_time(void *state, const double *x, double *value,
                                double *gradient)
{
    rs_relax_trace *s = (rs_relax_trace *)state;
    if (rs_tree_is_late(s->tree) && s->lbfgs.evaluations > 1)
        return RS_MAXIT;
    return rs_relax_smooth(&s->relax, x, value, gradient);
}

static rs_status minimise(rs_relax_trace *s)
{
    const size_t p = (size_t)s->relax.p, length = p * rank_of(&s->relax);
    double *metric = s->core.metric;
    const rs_lbfgs_problem problem = {size_of(&s->relax, s->relax.p),
                                      smooth_in_time,
                                      s,
                                      RS_TRACE_ROUND,
                                      1e-5,
                                      metric};
    rs_fill(p * p, RS_TRACE_U * s->unit, metric);
    rs_fill(length, RS_TRACE_L, metric + p * p);
    rs_fill(p, RS_TRACE_ALPHA / s->unit, metric + p * p + length);
    s->relax.width = s->core.width * s->unit;
    const rs_status status = rs_lbfgs_minimise(&problem, s->core.x, &s->lbfgs);
    s->core.evaluations += s->lbfgs.evaluations;
    return status == RS_MAXIT || status == RS_STALLED ? RS_OK : status;
}

/* the smallest of the k largest h of the core */
static double floor_of_core(rs_relax_trace *s)
{
    const rs_trace_core *core = &s->core;
    int free = 0, wanted = s->k;
    for (int i = 0; i < core->p; i++)
        if (core->in[i])
            wanted--;
        else
            s->score[free++] = s->relax.h[i];
    return wanted > 0 ? rs_kth_largest((size_t)free, s->score, (size_t)wanted,
                                       s->score + s->op->d)
                      : INFINITY;
}

/* the rows outside with h above the floor are to join, as far as the core may
 * grow, or all of them */
static void choose_joining(double floor, rs_relax_trace *s)
{
    const rs_trace_outside *out = &s->outside;
    rs_trace_core *core = &s->core;
    const int all = core->gathers, room = s->sizes.most - core->p;
    const int many = all ? room : rs_max_int(RS_TRACE_JOIN, s->k);
    int above = 0;
    for (int l = 0; l < out->count; l++) {
        const double h = out->h[out->row[l]];
        s->score[l] = all || h > floor ? h : -INFINITY;
        above += s->score[l] > -INFINITY;
    }
    core->joins = rs_min_int(above, rs_min_int(room, many));
    rs_topk_order(out->count, s->score, core->joins, core->joining,
                  s->score + s->op->d);
    for (int b = 0; b < core->joins; b++)
        core->joining[b] = out->row[core->joining[b]];
}

/* the bound with this nu for the rows outside, base and weights */
static double bound_with(double nu, const rs_node *node, rs_node_bound *says,
                         rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    double over = 0.0, sum;
    for (int c = 0; c < s->m; c++)
        over += fmax(nu - s->relax.lambda[c], 0.0);
    for (int l = 0; l < out->count; l++)
        out->h[out->row[l]] = term_of(out->row[l], nu, s);
    says->base = s->relax.eigen_part + over * (1.0 + 1e-14);
    for (int a = 0; a < node->count; a++)
        says->base += out->h[node->set[a]];
    for (int a = 0; a < node->open; a++)
        s->score[a] = says->weight[node->free[a]] = out->h[node->free[a]];
    rs_topk_order(node->open, s->score, node->m, s->order,
                  s->score + s->op->d);
    sum = says->base;
    for (int a = 0; a < node->m; a++)
        sum += s->score[s->order[a]];
    return sum;
}

/* the bound as a function of nu is convex: its least by golden sections */
static double bound_outside(const rs_node *node, rs_node_bound *says,
                            rs_relax_trace *s)
{
    double low = s->relax.least;
    double high = 2.0 * s->relax.lambda[0] + s->unit;
    for (int i = 0; i < RS_TRACE_SECTIONS; i++) {
        const double part = 0.382 * (high - low);
        if (bound_with(low + part, node, says, s) <=
            bound_with(high - part, node, says, s))
            high -= part;
        else
            low += part;
    }
    s->outside.nu = low;
    return bound_with(low, node, says, s);
}

/* the bound at the present variables, base and weights; INFINITY: there is none */
static rs_status bound_here(const rs_node *node, rs_node_bound *says,
                            double *bound, rs_relax_trace *s)
{
    rs_trace_outside *out = &s->outside;
    *bound = INFINITY;
    RS_TRY(rs_relax_bound(s->core.x, &s->relax));
    for (int i = 0; i < s->core.p; i++)
        out->h[s->core.row[i]] = s->relax.h[i];
    out->count = 0;
    for (int j = 0; j < s->op->d; j++)
        if (node->mark[j] != RS_UNIT_OUT && !s->core.holds[j])
            out->row[out->count++] = j;
    if (!isfinite(s->relax.eigen_part))
        return RS_OK;
    if (out->count > 0) {
        const rs_status status = extend(s);
        if (status == RS_SINGULAR)
            return RS_OK;
        RS_TRY(status);
        *bound = bound_outside(node, says, s);
        choose_joining(floor_of_core(s), s);
    } else {
        *bound = bound_with(s->relax.least, node, says, s);
    }
    says->has = RS_HAS_WEIGHT;
    return RS_OK;
}

/* the bound by the variances: U = 0, M = S, alpha = 0 */
static void bound_by_variances(const rs_node *node, rs_node_bound *says,
                               rs_relax_trace *s)
{
    const double *variance = s->op->diagonal;
    says->has = RS_HAS_WEIGHT;
    for (int a = 0; a < node->count; a++)
        says->base += variance[node->set[a]];
    for (int a = 0; a < node->open; a++)
        says->weight[node->free[a]] = variance[node->free[a]];
    s->core.p = s->core.joins = s->core.idle = s->core.gathers = 0;
    s->core.is_recorded = 0;
}

/* a round of a node to which rows have come: the smoothing, and the variables */
static rs_status work_on(const rs_node *node, int came, rs_relax_trace *s)
{
    const double gap = (node->bound - node->best) / s->unit;
    double *width = &s->core.width;
    if (came == s->core.p) /* it has begun */
        *width = RS_TRACE_WIDTH;
    else if (!node->is_root)
        *width =
            fmin(fmax(RS_TRACE_OF_GAP * gap, RS_TRACE_NARROW), RS_TRACE_WIDTH);
    else if (came == 0)
        *width = fmax(0.5 * *width, RS_TRACE_NARROW);
    RS_TRY(minimise(s));
    return offer_rounding(s);
}

/* would a round after this one, which came to this bound, be worth its while? */
static int is_more(const rs_node *node, int came, double bound,
                   rs_relax_trace *s)
{
    const int whole = s->outside.count == 0; /* the core has all rows */
    const double fall = node->bound - bound;
    const double enough =
        whole ? RS_TRACE_PROGRESS_NODE * (bound - rs_tree_cut(s->tree))
              : RS_TRACE_PROGRESS * bound;
    s->core.idle =
        node->changed || came > 0 || fall > enough ? 0 : s->core.idle + 1;
    if (!node->is_root && whole && node->round >= RS_TRACE_ROUNDS)
        return -1;
    if (s->core.idle > 0 && !whole && !s->core.gathers &&
        node->count + node->open <= s->sizes.most) {
        s->core.gathers = 1;
        choose_joining(INFINITY, s);
        return 1;
    }
    return s->core.idle < (whole ? 1 : RS_TRACE_IDLE);
}

static rs_status bound(void *state, const rs_node *node, rs_node_bound *says)
{
    rs_relax_trace *s = (rs_relax_trace *)state;
    double now;
    int came;
    s->tree = node->tree;
    says->more = 1;
    if (node->is_root)
        memcpy(s->root, node->mark, (size_t)node->units);
    if (node->round == 0 && !node->resumed) {
        bound_by_variances(node, says, s);
        return RS_OK;
    }
    if (node->round == 0)
        s->core.idle = 0;
    RS_TRY(fit_core(node, &came, s));
    if (node->round > 0) /* else at the variables of the parent */
        RS_TRY(work_on(node, came, s));
    RS_TRY(bound_here(node, says, &now, s));
    if (node->round > 0)
        says->more = is_more(node, came, now, s);
    if (node->is_root && !s->core.is_recorded) {
        /* room for the core of the root, and for those that will be split */
        const int rest = node->count + node->open;
        const int most = s->sizes.most;
        const int rows = rest <= most ? rest : rs_min_int(s->core.p, rest);
        s->core.record_rows = rows;
        s->of.bytes =
            (1 + (size_t)rows + size_of(&s->relax, rows)) * sizeof(double);
    }
    return RS_OK;
}

/* ---- nodes ----------------------------------------------------------------------- */

/* the free row that is least decided */
static rs_status split(void *state, const rs_node *node, int *unit)
{
    rs_relax_trace *s = (rs_relax_trace *)state;
    double best = INFINITY;
    *unit = -1;
    for (int i = 0; i < s->core.p && s->outside.count == 0; i++) {
        const double far = fabs(s->relax.z[i] - 0.5);
        if (node->mark[s->core.row[i]] == RS_UNIT_FREE && far < best) {
            best = far;
            *unit = s->core.row[i];
        }
    }
    return RS_OK;
}

/*
 * A record: the number of rows of the core, these, and their variables. A core
 * that has grown beyond it begins anew.
 */
static void record(void *state, const rs_node *node, void *bytes)
{
    rs_relax_trace *s = (rs_relax_trace *)state;
    double *to = (double *)bytes;
    const int p = s->core.p <= s->core.record_rows ? s->core.p : 0;
    s->core.is_recorded = 1;
    if (node->is_root)
        memcpy(s->root, node->mark, (size_t)node->units);
    *to++ = p;
    for (int i = 0; i < p; i++)
        *to++ = s->core.row[i];
    rs_copy(size_of(&s->relax, p), s->core.x, to);
}

static void resume(void *state, const rs_node *node, const void *bytes)
{
    rs_relax_trace *s = (rs_relax_trace *)state;
    const double *from = (const double *)bytes;
    const int p = (int)*from++;
    s->core.p = s->core.joins = 0;
    memset(s->core.holds, 0, (size_t)s->op->d);
    for (int i = 0; i < p; i++) {
        const int row = (int)*from++;
        append(1, &row, &s->core);
    }
    rs_copy(size_of(&s->relax, p), from, s->core.x);
    (void)node;
}

/* ---- all of it ------------------------------------------------------------------- */

static rs_status make_room(rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    rs_trace_outside *out = &s->outside;
    rs_context *ctx = s->ctx;
    const size_t d = (size_t)s->op->d, most = (size_t)s->sizes.most;
    const size_t r = (size_t)rank_of(&s->relax);
    const size_t size = size_of(&s->relax, s->sizes.most);
    RS_ALLOC_INTS(ctx, most, &core->row, &core->from, &core->joining);
    RS_ALLOC_INTS(ctx, d, &core->known.place, &out->row, &s->order);
    RS_ALLOC_BYTES(ctx, d, &core->holds, &s->root);
    core->in = rs_alloc(ctx, most, 1);
    core->S = rs_alloc_double(ctx, most * most);
    core->known.read = rs_alloc_double(ctx, s->op->S ? 0 : most * most);
    RS_ALLOC_DOUBLES(ctx, size, &core->x, &core->y, &core->metric);
    RS_ALLOC_DOUBLES(ctx, d * r, &out->L, &out->DL);
    RS_ALLOC_DOUBLES(ctx, d, &out->length, &out->square, &out->own, &out->h,
                     &out->u);
    out->block = rs_alloc_double(ctx, d * RS_PANEL);
    s->room = rs_alloc_double(ctx, s->op->S ? 0 : s->op->X->subset_room);
    out->G = rs_alloc_double(ctx, r * r);
    out->some = rs_alloc_double(ctx, RS_PANEL * r);
    s->score = rs_alloc_double(ctx, 2 * d);
    RS_TRY(rs_allocated(ctx));
    memset(s->root, 0, d);
    core->known.S = s->op->S ? s->op->S : core->known.read;
    core->known.order = s->op->d;
    for (int j = 0; j < s->op->d; j++)
        core->known.place[j] = s->op->S ? j : -1;
    return rs_lbfgs_init(ctx, size, &s->lbfgs);
}

rs_status rs_relax_trace_init(rs_context *ctx, rs_covop *op, int k, int m,
                              const rs_trace_sizes *sizes, const int *set,
                              double value_of_set, rs_relax_trace *s)
{
    *s = (rs_relax_trace){
        .ctx = ctx, .op = op, .k = k, .m = m, .sizes = *sizes, .set = set};
    s->sizes.most = rs_min_int(sizes->most, op->d);
    s->unit = fmax(value_of_set / k, DBL_MIN);
    s->of = (rs_bound){.state = s,
                       .value = value,
                       .value_state = s,
                       .bound = bound,
                       .split = split,
                       .closes = k,
                       .close = rs_tree_enumerate,
                       .record = record,
                       .resume = resume};
    RS_TRY(rs_relax_init(ctx, s->sizes.most, m, &s->relax));
    RS_TRY(make_room(s));
    rs_copy((size_t)op->d, op->diagonal, s->score);
    rs_topk_order(op->d, s->score, k, s->order, s->score + op->d);
    for (int a = 0; a < k; a++)
        s->diagonal += op->diagonal[s->order[a]];
    return RS_OK;
}

double rs_trace_rounding(double samples, const rs_relax_trace *s)
{
    return DBL_EPSILON * (0.01 * samples + s->k + 64.0) *
           (s->diagonal + s->unit * s->k);
}
