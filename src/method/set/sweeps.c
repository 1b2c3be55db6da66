/* The sweeps of Xu, Wang, Nie and Li (2023) over the features of a set, from the
 * columns of the cross-products. */
#include "method/set/find.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/ridge.h"

#define RS_CD_MIN_SWEEPS 5
#define RS_CD_QUIET_SWEEPS 3

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    rs_columns *cache;
    int k, *feature;       /* k: the set */
    unsigned char *member; /* d */
    double *A, *U;         /* k x k */
    double *extra;         /* k: on the diagonal of */
    rs_ridge system;       /* A */
    double *V, *B;         /* k x c */
    double *score;         /* d */
} cd_run;

static rs_status init(rs_context *ctx, cd_run *cd)
{
    const size_t d = (size_t)cd->problem->d, c = (size_t)cd->problem->c;
    const size_t width = (size_t)cd->k;
    cd->member = (unsigned char *)rs_alloc(ctx, d, 1);
    RS_ALLOC_DOUBLES(ctx, width * width, &cd->A, &cd->U);
    cd->extra = rs_alloc_double(ctx, width);
    RS_ALLOC_DOUBLES(ctx, width * c, &cd->V, &cd->B);
    cd->score = rs_alloc_double(ctx, d);
    RS_TRY(rs_ridge_init(ctx, cd->k, &cd->system));
    RS_TRY(rs_allocated(ctx));
    memset(cd->member, 0, d);
    for (int i = 0; i < cd->k; i++)
        cd->member[cd->feature[i]] = 1;
    return RS_OK;
}

/* ---- steps ------------------------------------------------------------- */

/* V = (A_xi,xi + (ridge + a little) I)^{-1} B_xi */
static rs_status update_V(cd_run *cd)
{
    const rs_lsq *p = cd->problem;
    const int k = cd->k, d = p->d, c = p->c;
    double mean = 0.0;
    for (int j = 0; j < k; j++) {
        const double *column;
        RS_TRY(rs_columns_get(cd->cache, p, cd->feature[j], &column));
        for (int i = 0; i < k; i++)
            cd->A[i + (size_t)j * k] = column[cd->feature[i]];
        for (int l = 0; l < c; l++)
            cd->B[j + (size_t)l * k] = p->B[cd->feature[j] + (size_t)l * d];
        mean += p->square[cd->feature[j]] / k;
    }
    rs_copy((size_t)k * k, cd->A, cd->system.A);
    rs_fill((size_t)k, p->ridge + RS_SHIFT * mean, cd->extra);
    RS_TRY(rs_ridge_factor_grown(k, cd->extra, &cd->system));
    rs_copy((size_t)k * c, cd->B, cd->V);
    return rs_ridge_solve(c, cd->V, &cd->system);
}

/* f = ||Y||^2 - 2 <V, B_xi> + <V, A_xi,xi V> + ridge ||V||^2 */
static double objective(cd_run *cd)
{
    const int k = cd->k, c = cd->problem->c;
    double f = cd->problem->total - 2.0 * rs_dot((size_t)k * c, cd->V, cd->B) +
               cd->problem->ridge * rs_sum_squares((size_t)k * c, cd->V);
    rs_gemm('N', 'T', k, k, c, 1.0, cd->V, k, cd->V, k, 0.0, cd->U, k);
    f += rs_dot((size_t)k * k, cd->A, cd->U);
    return f > 0.0 ? f : 0.0;
}

/*
 * score_p = 2 sum_{j != i} A_{p, xi_j} U_ji + A_pp U_ii - 2 B_p v_i', all p;
 * A includes the ridge on its diagonal.
 */
static rs_status score_position(cd_run *cd, int i)
{
    const rs_lsq *p = cd->problem;
    const size_t d = (size_t)p->d, k = (size_t)cd->k;
    const double *u = cd->U + k * i;
    for (size_t t = 0; t < d; t++)
        cd->score[t] = (p->square[t] + p->ridge) * u[i];
    for (int j = 0; j < cd->k; j++) {
        const double *column;
        if (j == i)
            continue;
        RS_TRY(rs_columns_get(cd->cache, p, cd->feature[j], &column));
        rs_axpy(d, 2.0 * u[j], column, cd->score);
    }
    for (size_t l = 0; l < (size_t)p->c; l++)
        rs_axpy(d, -2.0 * cd->V[i + k * l], p->B + d * l, cd->score);
    return RS_OK;
}

/* xi_i <- the feature outside the others with the lowest score; of those that
 * tie within rounding the one with the largest variance before scaling, then
 * the first column */
static rs_status update_position(cd_run *cd, int i)
{
    const rs_lsq *p = cd->problem;
    double least = INFINITY;
    int best = -1;
    cd->member[cd->feature[i]] = 0;
    RS_TRY(score_position(cd, i));
    for (int j = 0; j < p->d; j++)
        if (!cd->member[j] && !p->barred[j])
            least = fmin(least, cd->score[j]);
    least += RS_ROUNDING * p->total;
    for (int j = 0; j < p->d; j++)
        if (!cd->member[j] && !p->barred[j] && cd->score[j] <= least &&
            (best < 0 || p->deviation[j] > p->deviation[best]))
            best = j;
    cd->feature[i] = best;
    cd->member[best] = 1;
    return RS_OK;
}

rs_status rs_cd_sweeps(const rs_find_settings *settings, rs_search *s,
                       int *set)
{
    const rs_lsq *problem = settings->lsq->problem;
    cd_run cd = {.ctx = s->ctx,
                 .problem = problem,
                 .cache = settings->lsq->columns,
                 .k = settings->search.k,
                 .feature = set};
    int quiet = 0;
    RS_TRY(init(s->ctx, &cd));
    RS_TRY(update_V(&cd));
    double f = objective(&cd); /* sets U = V V' */
    s->course[0] = problem->total - f;
    s->ending = RS_MAXIT;
    while (s->ending != RS_OK && s->sweeps < settings->search.maxit) {
        for (int i = 0; i < cd.k; i++) {
            if (problem->first == NULL || !problem->first[set[i]])
                RS_TRY(update_position(&cd, i));
            RS_TRY(rs_poll(s->ctx));
        }
        RS_TRY(update_V(&cd));
        const double before = f;
        f = objective(&cd);
        s->course[++s->sweeps] = problem->total - f;
        quiet = fabs(f - before) <= settings->cd_tol * f ? quiet + 1 : 0;
        if (quiet >= RS_CD_QUIET_SWEEPS && s->sweeps >= RS_CD_MIN_SWEEPS)
            s->ending = RS_OK;
    }
    return RS_OK;
}
