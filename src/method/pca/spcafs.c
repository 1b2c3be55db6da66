#include "method/pca/pca.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"
#include "eigen/leading.h"
#include "solve/steps.h"
#include "solve/stiefel.h"

/* rows are dropped once F changes by no more than this share in an iteration */
#define RS_SPCAFS_SLOW 1e-3
/* what is left of a trial that did not lower F: one part in so many */
#define RS_SPCAFS_FEWER 4

typedef struct {
    const rs_spcafs_settings *set;
    rs_covop *op;
    rs_spcafs_fit *fit;
    int d, m;
    double size;         /* tr(W'SW) / m at the start: of eigenvalues */
    double *norms;       /* d */
    double *penalty;     /* d: lambda q */
    double *weights;     /* d: preconditioner, 0 on absorbed rows */
    double *SW;          /* d x m */
    double *T, *ST;      /* d x m: a trial, and S times it */
    int *active;         /* the rows that are not absorbed, ascending */
    int count;           /* how many */
    int *chosen;         /* d: which of them may be dropped */
    unsigned char *keep; /* d: the rows of a trial */
    rs_choose_ws choose;
    /* the eigen-solvers: by products, and by LAPACK once few rows are left */
    struct {
        int order;      /* of A; 0 before */
        int largest;    /* largest order */
        int *slot;      /* d: row of A for a feature */
        double *A;      /* S on the rows that were active on entry */
        double *M;      /* the same minus the penalty, on the active rows */
        double *values; /* eigenvalues */
        rs_eigen_ws eigen;
        rs_ritz ritz;
    } by;
    rs_stiefel_ws stiefel;
} spcafs_state;

/* norms of the rows of W, or of the groups they belong to */
static void row_norms(const spcafs_state *s, const double *W)
{
    rs_row_norms(s->d, s->m, W, s->norms);
    rs_join_norms(s->set->groups, (size_t)s->d, s->norms);
}

/* the rows of W that are not kept <- 0; the largest entry among them */
static double clear_rows(const spcafs_state *s, double *W)
{
    double largest = 0.0;
    for (int c = 0; c < s->m; c++)
        for (int j = 0; j < s->d; j++) {
            double *at = W + j + (size_t)c * s->d;
            if (s->keep[j])
                continue;
            largest = fmax(largest, fabs(*at));
            *at = 0.0;
        }
    return largest;
}

/* the active rows <- those that are kept */
static void take_kept(spcafs_state *s)
{
    s->count = 0;
    for (int j = 0; j < s->d; j++)
        if (s->keep[j])
            s->active[s->count++] = j;
}

/* the active rows without the first `count` chosen are kept */
static void keep_without(spcafs_state *s, int count)
{
    memset(s->keep, 0, (size_t)s->d);
    for (int i = 0; i < s->count; i++)
        s->keep[s->active[i]] = 1;
    for (int i = 0; i < count; i++)
        s->keep[s->chosen[i]] = 0;
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

/* rows with ||w_j||^2 <= eps whose penalty exceeds the eigenvalues are absorbed */
static void update_Q(spcafs_state *s)
{
    update_penalty(s);
    keep_without(s, 0);
    for (int i = 0; i < s->count; i++) {
        const int j = s->active[i];
        if (s->norms[j] * s->norms[j] <= s->set->eps &&
            s->penalty[j] > s->size)
            s->keep[j] = 0;
    }
    take_kept(s);
    clear_rows(s, s->fit->W);
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
 * size / (size + lambda (q_j - min q)) takes them away.
 */
static rs_status leading_by_products(spcafs_state *s)
{
    double smallest = INFINITY;
    for (int i = 0; i < s->count; i++)
        smallest = fmin(smallest, s->penalty[s->active[i]]);
    rs_fill((size_t)s->d, 0.0, s->weights);
    for (int i = 0; i < s->count; i++) {
        const int j = s->active[i];
        s->weights[j] = s->size / (s->size + s->penalty[j] - smallest);
    }
    const rs_operator penalised = {apply_penalised, s};
    const rs_ritz_control control = {.tol = s->set->inner_tol,
                                     .maxit = s->set->inner_maxit,
                                     .weights = s->weights};
    rs_status status = rs_ritz_largest(&penalised, &control, s->m, s->fit->W,
                                       s->by.values, s->fit->W, &s->by.ritz);
    return status == RS_MAXIT ? RS_OK : status;
}

/* A = S on the rows that are active now */
static rs_status enter_dense_route(spcafs_state *s)
{
    s->by.order = s->count;
    for (int i = 0; i < s->count; i++)
        s->by.slot[s->active[i]] = i;
    for (int k = 0; k < s->count; k++) {
        double *column = s->weights;
        RS_TRY(rs_covop_columns(s->op, 1, s->active + k, column));
        for (int i = 0; i < s->count; i++)
            s->by.A[i + (size_t)k * s->by.order] = column[s->active[i]];
        RS_TRY(rs_poll(s->op->ctx));
    }
    return RS_OK;
}

/* the leading eigenvectors of M = S - lambda diag(q) on the active rows */
static rs_status leading_dense(spcafs_state *s)
{
    const int count = s->count, *slot = s->by.slot;
    for (int k = 0; k < count; k++) {
        const double *column =
            s->by.A + (size_t)slot[s->active[k]] * s->by.order;
        double *out = s->by.M + (size_t)k * count;
        for (int i = 0; i < count; i++)
            out[i] = column[slot[s->active[i]]];
        out[k] -= s->penalty[s->active[k]];
    }
    RS_TRY(rs_eigen_largest(count, s->by.M, s->m, s->by.values, s->T,
                            &s->by.eigen));
    for (int c = 0; c < s->m; c++)
        for (int i = 0; i < count; i++)
            s->fit->W[s->active[i] + (size_t)c * s->d] =
                s->T[i + (size_t)c * count];
    /* penalties of many orders of magnitude leave vectors less orthogonal */
    return rs_stiefel_polar(s->fit->W, &s->stiefel);
}

static rs_status update_W(spcafs_state *s)
{
    if (s->count > s->by.largest)
        return leading_by_products(s);
    if (s->by.order == 0)
        RS_TRY(enter_dense_route(s));
    return leading_dense(s);
}

/* -tr(W'SW) + lambda sum over nonzero rows of (||w_j||^2 + eps)^{p/2}; the row
 * norms of W are kept */
static double penalised_value(const spcafs_state *s, const double *W,
                              const double *SW, double eps)
{
    const rs_row_groups *groups = s->set->groups;
    double penalty = 0.0;
    row_norms(s, W);
    const double *norm = groups ? groups->norm : s->norms;
    for (int g = 0; g < (groups ? groups->count : s->d); g++)
        if (norm[g] > 0.0)
            penalty += rs_smoothed_power(norm[g] * norm[g], eps, s->set->p);
    return s->set->lambda * penalty - rs_dot((size_t)s->d * s->m, W, SW);
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
    double *WSW = s->stiefel.gram, *order = s->weights;
    int count = 0;
    rs_stiefel_sym_product(s->fit->W, s->SW, WSW, &s->stiefel);
    rs_row_norms(s->d, s->m, s->fit->W, s->norms);
    rs_fill((size_t)s->d, -INFINITY, order);
    for (int i = 0; i < s->count; i++) {
        const int j = s->active[i];
        if (!(change_without(s, j, WSW) < 0.0))
            continue;
        order[j] = -s->norms[j];
        count++;
    }
    count = rs_min_int(count, s->count - s->m);
    rs_topk_order(s->d, order, count, s->chosen, s->penalty);
    return count;
}

/*
 * T = the nearest orthonormal columns without the first `count` chosen rows,
 * and F there; infinite where there are none: where the others are of lower
 * rank, or nearly, the nearest columns reach into those rows.
 */
static rs_status try_without(spcafs_state *s, int count, double *F)
{
    keep_without(s, count);
    rs_copy((size_t)s->d * s->m, s->fit->W, s->T);
    clear_rows(s, s->T);
    RS_TRY(rs_stiefel_polar(s->T, &s->stiefel));
    const double outside = clear_rows(s, s->T);
    rs_gram(s->d, s->m, s->T, s->stiefel.gram);
    *F = INFINITY;
    if (outside > RS_NOTHING ||
        sqrt(rs_orthonormality_gap(s->m, s->stiefel.gram)) > RS_NOTHING * s->d)
        return rs_poll(s->op->ctx);
    RS_TRY(rs_covop_apply(s->op, s->m, s->T, s->ST));
    *F = penalised_value(s, s->T, s->ST, s->set->eps);
    return rs_poll(s->op->ctx);
}

/* W without the rows that F is lower without, once reweighting alone has become
 * slow: all that may go, or a quarter of them, and so on */
static rs_status drop_rows(spcafs_state *s, double F)
{
    const double change =
        rs_history_change(&s->fit->history, s->op->trace / s->d);
    double without;
    /* rows of groups go together, by their weights */
    if (s->set->groups || !(change <= RS_SPCAFS_SLOW))
        return RS_OK;
    for (int count = candidates(s); count > 0; count /= RS_SPCAFS_FEWER) {
        RS_TRY(try_without(s, count, &without));
        if (!(without < F))
            continue;
        rs_copy((size_t)s->d * s->m, s->T, s->fit->W);
        rs_copy((size_t)s->d * s->m, s->ST, s->SW);
        take_kept(s);
        return RS_OK;
    }
    return RS_OK;
}

/*
 * With m rows left W is orthogonal in them, and F is lambda m (1 + eps)^{p/2} less
 * their diagonal entries of S: the largest ones are the best, and of equal ones
 * those that are left.
 */
static rs_status take_largest(spcafs_state *s, double *F)
{
    const size_t d = (size_t)s->d;
    if (s->count != s->m || s->set->groups)
        return RS_OK;
    double gain = 0.0;
    rs_row_norms(s->d, s->m, s->fit->W, s->norms);
    RS_TRY(rs_choose_mask(d, s->op->diagonal, s->norms, d, (size_t)s->m,
                          s->keep, &s->choose));
    for (int j = 0; j < s->d; j++)
        gain += s->keep[j] ? s->op->diagonal[j] : 0.0;
    for (int i = 0; i < s->count; i++)
        gain -= s->op->diagonal[s->active[i]];
    if (!(gain > RS_CHOOSE_TIE * (fabs(*F) + s->size * s->m)))
        return RS_OK;
    take_kept(s);
    rs_fill(d * s->m, 0.0, s->fit->W);
    for (int c = 0; c < s->m; c++)
        s->fit->W[s->active[c] + d * c] = 1.0;
    s->by.order = 0; /* S on other rows */
    return objective(s, F);
}

/*
 * ||rgrad F|| / ||egrad F|| with egrad F = 2 (lambda diag(q) W - S W) on the
 * nonzero rows
 */
static double stationarity(spcafs_state *s)
{
    const size_t size = (size_t)s->d * s->m;
    double *G = s->T;
    update_penalty(s);
    rs_fill(size, 0.0, G);
    for (int c = 0; c < s->m; c++)
        for (int i = 0; i < s->count; i++) {
            const int j = s->active[i];
            size_t at = j + (size_t)c * s->d;
            G[at] = s->penalty[j] * s->fit->W[at] - s->SW[at];
        }
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

static rs_status init_solvers(rs_context *ctx, spcafs_state *s)
{
    const int block = rs_ritz_block(s->d, s->m);
    const int capacity = rs_ritz_capacity(s->d, s->m, block);
    /* no narrower than any basis of the iterative solver and a block */
    s->by.largest =
        rs_min_int(s->d, rs_max_int(capacity, RS_DENSE_EIGEN_ORDER));
    size_t square = (size_t)s->by.largest * s->by.largest;
    s->by.slot = rs_alloc_int(ctx, (size_t)s->d);
    s->by.values = rs_alloc_double(ctx, (size_t)s->d);
    RS_ALLOC_DOUBLES(ctx, square, &s->by.A, &s->by.M);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, s->by.largest, &s->by.eigen));
    return s->by.largest < s->d
               ? rs_ritz_init(ctx, s->d, s->m, block, capacity, &s->by.ritz)
               : RS_OK;
}

static rs_status init_state(rs_context *ctx, rs_covop *op, int m,
                            const rs_spcafs_settings *settings,
                            rs_spcafs_fit *fit, spcafs_state *s)
{
    const size_t d = (size_t)op->d;
    *s = (spcafs_state){
        .set = settings, .op = op, .fit = fit, .d = op->d, .m = m};
    RS_ALLOC_DOUBLES(ctx, d, &s->norms, &s->penalty, &s->weights);
    RS_ALLOC_DOUBLES(ctx, d * m, &s->SW, &s->T, &s->ST);
    RS_ALLOC_INTS(ctx, d, &s->active, &s->chosen);
    s->keep = (unsigned char *)rs_alloc(ctx, d, 1);
    RS_TRY(rs_allocated(ctx));
    memset(s->keep, 1, d);
    take_kept(s);
    fit->kkt = INFINITY;
    RS_TRY(rs_choose_init(ctx, d, &s->choose));
    RS_TRY(rs_history_init(ctx, settings->maxit + 1, &fit->history));
    RS_TRY(rs_stiefel_init(ctx, op->d, m, &s->stiefel));
    return init_solvers(ctx, s);
}

rs_status rs_spcafs(rs_context *ctx, rs_covop *op, int m,
                    const rs_spcafs_settings *settings, rs_spcafs_fit *fit)
{
    spcafs_state s;
    double F;
    rs_status status = RS_MAXIT;

    RS_TRY(init_state(ctx, op, m, settings, fit, &s));
    RS_TRY(objective(&s, &F));
    s.size = rs_dot((size_t)s.d * m, fit->W, s.SW) / m;
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
