#include "method/pca/spcafs.h"

#include <math.h>

#include "base/select.h"
#include "la/linalg.h"
#include "eigen/leading.h"
#include "solve/reweight.h"
#include "solve/stiefel.h"

/* rows are dropped once F changes by no more than this share in an iteration */
#define RS_SPCAFS_SLOW 1e-3
/* entries of orthonormal columns that are rounding */
#define RS_SPCAFS_ZERO 1e-12
/* what is left of a trial that did not lower F: one part in so many */
#define RS_SPCAFS_FEWER 4
/* values that differ by no more than this share are equal */
#define RS_SPCAFS_EQUAL 1e-11

typedef struct {
    const rs_spcafs_settings *set;
    rs_covop *op;
    rs_spcafs_fit *fit;
    rs_context *ctx;
    int d, m;
    double level;    /* tr(W'SW) / m at the start: the size of eigenvalues */
    double *norms;   /* d */
    double *penalty; /* d: lambda q */
    double *weights; /* d: preconditioner, 0 on absorbed rows */
    double *values;  /* eigenvalues */
    double *SW;      /* d x m */
    double *T, *ST;  /* d x m: a trial, and S times it */
    double *worth;   /* d: of rows that may be dropped */
    int *chosen;     /* d: which of them */
    unsigned char *keep; /* d: the m rows of largest variances */
    rs_choose_ws choose;
    int *active; /* the rows that are not absorbed, ascending */
    int count;   /* how many */
    /* dense route, once few rows are left */
    int order;     /* of A; 0 before */
    int largest;   /* largest order */
    int *slot;     /* d: row of A for a feature */
    double *A;     /* S on the rows that were active on entry */
    double *M;     /* the same minus the penalty, on the active rows */
    double *V;     /* eigenvectors of M */
    double *z, *c; /* n and d: one column of S from data */
    rs_eigen_ws eigen;
    rs_ritz ritz;
    rs_stiefel_ws stiefel;
} spcafs_state;

/* norms of the rows of W, or of the groups they belong to */
static void row_norms(const spcafs_state *s, const double *W)
{
    rs_row_norms(s->d, s->m, W, s->norms);
    rs_join_norms(s->set->groups, (size_t)s->d, s->norms);
}

static void clear_row(spcafs_state *s, int j)
{
    for (int c = 0; c < s->m; c++)
        s->fit->W[j + (size_t)c * s->d] = 0.0;
}

/* penalty_j = lambda q_j, q_j = (p/2) (||w_j||^2 + eps)^{p/2 - 1} */
static void update_penalty(spcafs_state *s)
{
    const rs_spcafs_settings *set = s->set;
    row_norms(s, s->fit->W);
    for (int i = 0; i < s->count; i++) {
        const int j = s->active[i];
        s->penalty[j] = set->lambda * rs_reweight(s->norms[j] * s->norms[j],
                                                  set->eps, set->p);
    }
}

/* rows with ||w_j||^2 <= eps whose penalty exceeds the eigenvalues are
 * absorbed */
static void update_Q(spcafs_state *s)
{
    int kept = 0;
    update_penalty(s);
    for (int i = 0; i < s->count; i++) {
        const int j = s->active[i];
        if (s->norms[j] * s->norms[j] <= s->set->eps &&
            s->penalty[j] > s->level)
            clear_row(s, j);
        else
            s->active[kept++] = j;
    }
    s->count = kept;
}

/* AV = S V - lambda diag(q) V on the active rows, V being 0 elsewhere */
static rs_status apply_penalised(void *state, int m, const double *V,
                                 double *AV)
{
    const spcafs_state *s = (const spcafs_state *)state;
    RS_TRY(rs_covop_apply(s->op, m, V, AV));
    for (int c = 0; c < m; c++)
        for (int j = 0; j < s->d; j++) {
            size_t at = j + (size_t)c * s->d;
            AV[at] =
                s->weights[j] > 0.0 ? AV[at] - s->penalty[j] * V[at] : 0.0;
        }
    return RS_OK;
}

/*
 * The leading eigenvectors by products, from the last W. Rows that the penalty
 * drives to zero put huge negative entries on the diagonal; the preconditioner
 * level / (level + lambda (q_j - min q)) takes them away.
 */
static rs_status leading_by_products(spcafs_state *s)
{
    double smallest = INFINITY;
    for (int i = 0; i < s->count; i++)
        smallest = fmin(smallest, s->penalty[s->active[i]]);
    rs_fill((size_t)s->d, 0.0, s->weights);
    for (int i = 0; i < s->count; i++) {
        const int j = s->active[i];
        s->weights[j] = s->level / (s->level + s->penalty[j] - smallest);
    }
    const rs_operator penalised = {apply_penalised, s};
    const rs_ritz_control control = {.tol = s->set->inner_tol,
                                     .maxit = s->set->inner_maxit,
                                     .weights = s->weights};
    rs_status status = rs_ritz_largest(&penalised, &control, s->m, s->fit->W,
                                       s->values, s->fit->W, &s->ritz);
    return status == RS_MAXIT ? RS_OK : status;
}

/* column j of S, factor included */
static rs_status covariance_column(spcafs_state *s, int j,
                                   const double **column)
{
    if (s->op->S) {
        *column = s->op->S + (size_t)j * s->d;
        return RS_OK;
    }
    RS_TRY(rs_data_column_range(s->op->X, j, 1, s->z));
    RS_TRY(rs_data_crossprod(s->op->X, 1, s->z, s->c));
    *column = s->c;
    return rs_poll(s->ctx);
}

/* A = S on the rows that are active now */
static rs_status enter_dense_route(spcafs_state *s)
{
    const double *column;
    s->order = s->count;
    for (int i = 0; i < s->count; i++)
        s->slot[s->active[i]] = i;
    for (int k = 0; k < s->count; k++) {
        RS_TRY(covariance_column(s, s->active[k], &column));
        for (int i = 0; i < s->count; i++)
            s->A[i + (size_t)k * s->order] =
                s->op->factor * column[s->active[i]];
    }
    return RS_OK;
}

/* the leading eigenvectors of M = S - lambda diag(q) on the active rows */
static rs_status leading_dense(spcafs_state *s)
{
    const int count = s->count;
    for (int k = 0; k < count; k++) {
        const double *column = s->A + (size_t)s->slot[s->active[k]] * s->order;
        double *out = s->M + (size_t)k * count;
        for (int i = 0; i < count; i++)
            out[i] = column[s->slot[s->active[i]]];
        out[k] -= s->penalty[s->active[k]];
    }
    RS_TRY(rs_eigen_largest(count, s->M, s->m, s->values, s->V, &s->eigen));
    for (int c = 0; c < s->m; c++)
        for (int i = 0; i < count; i++)
            s->fit->W[s->active[i] + (size_t)c * s->d] =
                s->V[i + (size_t)c * count];
    /* penalties of many orders of magnitude leave vectors less orthogonal */
    return rs_stiefel_polar(s->fit->W, &s->stiefel);
}

static rs_status update_W(spcafs_state *s)
{
    if (s->count > s->largest)
        return leading_by_products(s);
    if (s->order == 0)
        RS_TRY(enter_dense_route(s));
    return leading_dense(s);
}

/* -tr(W'SW) + lambda sum over nonzero rows of (||w_j||^2 + eps)^{p/2}; the row
 * norms of W are kept */
static double penalised_value(const spcafs_state *s, const double *W,
                              const double *SW, double eps)
{
    const rs_spcafs_settings *set = s->set;
    double penalty = 0.0;
    row_norms(s, W);
    for (int g = 0; set->groups && g < set->groups->count; g++) {
        const double norm = set->groups->norm[g];
        if (norm > 0.0)
            penalty += rs_smoothed_power(norm * norm, eps, set->p);
    }
    for (int j = 0; !set->groups && j < s->d; j++)
        if (s->norms[j] > 0.0)
            penalty +=
                rs_smoothed_power(s->norms[j] * s->norms[j], eps, set->p);
    return set->lambda * penalty - rs_dot((size_t)s->d * s->m, W, SW);
}

/* F(W); S W and the row norms are kept */
static rs_status objective(spcafs_state *s, double *F)
{
    RS_TRY(rs_covop_apply(s->op, s->m, s->fit->W, s->SW));
    *F = penalised_value(s, s->fit->W, s->SW, s->set->eps);
    return isfinite(*F) ? RS_OK : RS_NOT_FINITE;
}

/* ---- rows without which F is lower --------------------------------------- */

/*
 * What F changes by without row j, on a new orthonormal basis, to first order:
 * the trace loses 2 w_j'(SW)_j - s_jj ||w_j||^2 - w_j'(W'SW) w_j, the penalty the
 * part of row j.
 */
static double change_without(const spcafs_state *s, int j, const double *WSW)
{
    const rs_spcafs_settings *set = s->set;
    const double *w = s->fit->W + j, *Sw = s->SW + j;
    const double square = s->norms[j] * s->norms[j];
    const size_t d = (size_t)s->d;
    double change = -s->op->diagonal[j] * square -
                    set->lambda * rs_smoothed_power(square, set->eps, set->p);
    for (int c = 0; c < s->m; c++) {
        double sum = 2.0 * Sw[c * d];
        for (int b = 0; b < s->m; b++)
            sum -= WSW[b + (size_t)c * s->m] * w[b * d];
        change += w[c * d] * sum;
    }
    return change;
}

/* the rows that may go, shortest first in `chosen`; no more than leave m */
static int candidates(spcafs_state *s)
{
    double *WSW = s->stiefel.gram;
    int count = 0;
    rs_stiefel_sym_product(s->fit->W, s->SW, WSW, &s->stiefel);
    rs_row_norms(s->d, s->m, s->fit->W, s->norms);
    rs_fill((size_t)s->d, -INFINITY, s->worth);
    for (int i = 0; i < s->count; i++) {
        const int j = s->active[i];
        if (!(change_without(s, j, WSW) < 0.0))
            continue;
        s->worth[j] = -s->norms[j];
        count++;
    }
    count = rs_min_int(count, s->count - s->m);
    rs_topk_order(s->d, s->worth, count, s->chosen, s->weights);
    return count;
}

/* are all rows of T zero but the active ones without the first `count` chosen, and
 * its columns orthonormal? Where those rows are of lower rank, or nearly, the
 * nearest columns reach into others. Rounding in rows that should be zero goes. */
static int restrict_without(spcafs_state *s, int count)
{
    double *kept = s->weights, *t;
    rs_fill((size_t)s->d, 0.0, kept);
    for (int i = 0; i < s->count; i++)
        kept[s->active[i]] = 1.0;
    for (int i = 0; i < count; i++)
        kept[s->chosen[i]] = 0.0;
    for (int c = 0; c < s->m; c++)
        for (int j = 0; j < s->d; j++) {
            if (kept[j] != 0.0)
                continue;
            t = s->T + j + (size_t)c * s->d;
            if (fabs(*t) > RS_SPCAFS_ZERO)
                return 0;
            *t = 0.0;
        }
    rs_gram(s->d, s->m, s->T, s->stiefel.gram);
    for (int c = 0; c < s->m; c++)
        s->stiefel.gram[c + (size_t)c * s->m] -= 1.0;
    return rs_norm((size_t)s->m * s->m, s->stiefel.gram) <=
           RS_SPCAFS_ZERO * s->d;
}

/* T = the nearest orthonormal columns without the first `count` chosen rows,
 * and F there; infinite where there are none */
static rs_status try_without(spcafs_state *s, int count, double *F)
{
    rs_copy((size_t)s->d * s->m, s->fit->W, s->T);
    for (int i = 0; i < count; i++)
        for (int c = 0; c < s->m; c++)
            s->T[s->chosen[i] + (size_t)c * s->d] = 0.0;
    RS_TRY(rs_stiefel_polar(s->T, &s->stiefel));
    *F = INFINITY;
    if (!restrict_without(s, count))
        return rs_poll(s->ctx);
    RS_TRY(rs_covop_apply(s->op, s->m, s->T, s->ST));
    *F = penalised_value(s, s->T, s->ST, s->set->eps);
    return rs_poll(s->ctx);
}

static void drop_chosen(spcafs_state *s, int count)
{
    int kept = 0;
    rs_copy((size_t)s->d * s->m, s->T, s->fit->W);
    rs_copy((size_t)s->d * s->m, s->ST, s->SW);
    rs_fill((size_t)s->d, 0.0, s->worth);
    for (int i = 0; i < count; i++)
        s->worth[s->chosen[i]] = 1.0;
    for (int i = 0; i < s->count; i++)
        if (s->worth[s->active[i]] == 0.0)
            s->active[kept++] = s->active[i];
    s->count = kept;
}

/* W without the rows that F is lower without, once reweighting alone has become
 * slow: all that may go, or a quarter of them, and so on */
static rs_status drop_rows(spcafs_state *s, double F)
{
    double without;
    if (s->set->groups)
        return RS_OK; /* rows go together, by their weights */
    if (!(rs_history_change(&s->fit->history, s->op->trace / s->d) <=
          RS_SPCAFS_SLOW))
        return RS_OK;
    for (int count = candidates(s); count > 0; count /= RS_SPCAFS_FEWER) {
        RS_TRY(try_without(s, count, &without));
        if (without < F) {
            drop_chosen(s, count);
            return RS_OK;
        }
    }
    return RS_OK;
}

/* T = unit columns for the chosen rows; returns how many of these are active */
static int unit_columns(spcafs_state *s)
{
    int c = 0, known = 0;
    rs_fill((size_t)s->d * s->m, 0.0, s->T);
    for (int j = 0; j < s->d; j++)
        if (s->keep[j])
            s->T[j + (size_t)s->d * c++] = 1.0;
    for (int i = 0; i < s->count; i++)
        known += s->keep[s->active[i]];
    return known;
}

/*
 * With m rows left W is orthogonal in them, and F is lambda m (1 + eps)^{p/2} less
 * their diagonal entries of S: the largest ones are the best, and of equal ones
 * those that are left.
 */
static rs_status take_largest(spcafs_state *s, double *F)
{
    const size_t d = (size_t)s->d, size = d * s->m;
    if (s->count != s->m || s->set->groups)
        return RS_OK;
    rs_row_norms(s->d, s->m, s->fit->W, s->norms);
    RS_TRY(rs_choose_mask(d, s->op->diagonal, s->norms, d, (size_t)s->m,
                          s->keep, &s->choose));
    if (unit_columns(s) == s->m)
        return RS_OK;
    RS_TRY(rs_covop_apply(s->op, s->m, s->T, s->ST));
    const double value = penalised_value(s, s->T, s->ST, s->set->eps);
    if (!(value < *F - RS_SPCAFS_EQUAL * (fabs(*F) + s->level * s->m)))
        return RS_OK;
    rs_copy(size, s->T, s->fit->W);
    rs_copy(size, s->ST, s->SW);
    *F = value;
    s->count = 0;
    for (int j = 0; j < s->d; j++)
        if (s->keep[j])
            s->active[s->count++] = j;
    s->order = 0; /* S on other rows */
    return RS_OK;
}

/*
 * ||rgrad F|| / ||egrad F|| with egrad F = 2 (lambda diag(q) W - S W) on the
 * nonzero rows
 */
static double stationarity(spcafs_state *s)
{
    const size_t size = (size_t)s->d * s->m;
    double *G = s->V;
    update_penalty(s);
    rs_fill(size, 0.0, G);
    for (int c = 0; c < s->m; c++)
        for (int i = 0; i < s->count; i++) {
            const int j = s->active[i];
            size_t at = j + (size_t)c * s->d;
            G[at] = s->penalty[j] * s->fit->W[at] - s->SW[at];
        }
    /* relative to the largest entry, whose square need not be a number */
    double largest = 0.0;
    for (size_t at = 0; at < size; at++)
        largest = fmax(largest, fabs(G[at]));
    for (size_t at = 0; at < size && largest > 0.0; at++)
        G[at] /= largest;
    double scale = rs_norm(size, G);
    rs_stiefel_project(s->fit->W, G, &s->stiefel);
    return scale > 0.0 ? rs_norm(size, G) / scale : 0.0;
}

/*
 * The change of F is at most tol, and the residual at most its limit.
 * RS_MAXIT: go on; RS_STALLED: F stands, at a point that is not stationary.
 */
static rs_status look_at_end(spcafs_state *s)
{
    const rs_history *history = &s->fit->history;
    double unit = s->op->trace / s->d;
    if (!(rs_history_change(history, unit) <= s->set->tol))
        return RS_MAXIT;
    s->fit->kkt = stationarity(s);
    if (s->fit->kkt <= rs_residual_limit(s->set->tol))
        return RS_OK;
    return rs_history_stands(history) ? RS_STALLED : RS_MAXIT;
}

/* no narrower than any basis of the iterative solver and a block */
static int largest_dense_order(int d, int m)
{
    int needed = rs_ritz_capacity(d, m, rs_ritz_block(d, m));
    return rs_min_int(d, rs_max_int(needed, RS_DENSE_EIGEN_ORDER));
}

static rs_status init_eigen_solvers(rs_context *ctx, spcafs_state *s)
{
    const size_t n = s->op->S ? 1 : (size_t)s->op->X->n;
    s->order = 0;
    s->largest = largest_dense_order(s->d, s->m);
    size_t square = (size_t)s->largest * s->largest;
    s->slot = rs_alloc_int(ctx, (size_t)s->d);
    RS_ALLOC_DOUBLES(ctx, square, &s->A, &s->M);
    s->z = rs_alloc_double(ctx, n);
    s->c = rs_alloc_double(ctx, (size_t)s->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, s->largest, &s->eigen));
    const int block = rs_ritz_block(s->d, s->m);
    return s->largest < s->d
               ? rs_ritz_init(ctx, s->d, s->m, block,
                              rs_ritz_capacity(s->d, s->m, block), &s->ritz)
               : RS_OK;
}

static rs_status init_state(rs_context *ctx, rs_covop *op, int m,
                            const rs_spcafs_settings *settings,
                            rs_spcafs_fit *fit, spcafs_state *s)
{
    const size_t d = (size_t)op->d;
    *s = (spcafs_state){
        .set = settings, .op = op, .fit = fit, .ctx = ctx, .d = op->d, .m = m};
    RS_ALLOC_DOUBLES(ctx, d, &s->norms, &s->penalty, &s->weights, &s->values,
                     &s->worth);
    RS_ALLOC_DOUBLES(ctx, d * m, &s->SW, &s->V, &s->T, &s->ST);
    RS_ALLOC_INTS(ctx, d, &s->active, &s->chosen);
    s->keep = (unsigned char *)rs_alloc(ctx, d, 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_choose_init(ctx, d, &s->choose));
    s->count = s->d;
    for (int j = 0; j < s->d; j++)
        s->active[j] = j;
    fit->kkt = INFINITY;
    RS_TRY(rs_history_init(ctx, settings->maxit + 1, &fit->history));
    RS_TRY(rs_stiefel_init(ctx, op->d, m, &s->stiefel));
    return init_eigen_solvers(ctx, s);
}

rs_status rs_spcafs(rs_context *ctx, rs_covop *op, int m,
                    const rs_spcafs_settings *settings, rs_spcafs_fit *fit)
{
    spcafs_state s;
    double F;
    rs_status status = RS_MAXIT;

    RS_TRY(init_state(ctx, op, m, settings, fit, &s));
    RS_TRY(objective(&s, &F));
    s.level = rs_dot((size_t)s.d * m, fit->W, s.SW) / m;
    rs_history_add(&fit->history, F);
    for (int k = 0; k < settings->maxit && status == RS_MAXIT; k++) {
        RS_TRY(drop_rows(&s, F));
        update_Q(&s);
        RS_TRY(update_W(&s));
        RS_TRY(objective(&s, &F));
        RS_TRY(take_largest(&s, &F));
        rs_history_add(&fit->history, F);
        status = look_at_end(&s);
        RS_TRY(rs_poll(ctx));
    }
    fit->penalised = penalised_value(&s, fit->W, s.SW, 0.0);
    fit->kkt = stationarity(&s);
    return status;
}
