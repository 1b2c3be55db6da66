/* The sweeps of Xu, Wang, Nie and Li (2023) over the features of a set, from the
 * columns of the cross-products. */
#include "method/set/find.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

#define RS_CD_MIN_SWEEPS 5
#define RS_CD_QUIET_SWEEPS 3

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    rs_columns *cache;
    int k, *feature;        /* k: the set */
    unsigned char *member;  /* d */
    const double **pointer; /* k: columns of the set */
    double *A, *factor, *U; /* k x k */
    double *V, *B;          /* k x c */
    double *score;          /* d */
} cd_run;

static rs_status init(rs_context *ctx, cd_run *cd)
{
    const size_t d = (size_t)cd->problem->d, c = (size_t)cd->problem->c;
    const size_t width = (size_t)cd->k;
    cd->member = (unsigned char *)rs_alloc(ctx, d, 1);
    cd->pointer = (const double **)rs_alloc(ctx, width, sizeof(double *));
    RS_ALLOC_DOUBLES(ctx, width * width, &cd->A, &cd->factor, &cd->U);
    RS_ALLOC_DOUBLES(ctx, width * c, &cd->V, &cd->B);
    cd->score = rs_alloc_double(ctx, d);
    RS_TRY(rs_allocated(ctx));
    memset(cd->member, 0, d);
    for (int i = 0; i < cd->k; i++)
        cd->member[cd->feature[i]] = 1;
    for (int i = 0; i < cd->k; i++)
        RS_TRY(rs_columns_get(cd->cache, cd->problem, cd->feature[i],
                              cd->member, &cd->pointer[i]));
    return RS_OK;
}

/* ---- steps ------------------------------------------------------------- */

/* V = (A_xi,xi + ridge I)^{-1} B_xi; the ridge grows until that is possible */
static rs_status update_V(cd_run *cd)
{
    const rs_lsq *p = cd->problem;
    const int k = cd->k, d = p->d, c = p->c;
    double mean = 0.0;
    for (int j = 0; j < k; j++) {
        for (int i = 0; i < k; i++)
            cd->A[i + (size_t)j * k] = cd->pointer[j][cd->feature[i]];
        for (int l = 0; l < c; l++)
            cd->B[j + (size_t)l * k] = p->B[cd->feature[j] + (size_t)l * d];
        mean += p->square[cd->feature[j]] / k;
    }
    double extra = RS_SHIFT * mean;
    for (int attempt = 0; attempt < 12; attempt++, extra *= 10.0) {
        rs_copy((size_t)k * k, cd->A, cd->factor);
        for (int j = 0; j < k; j++)
            cd->factor[j + (size_t)j * k] += p->ridge + extra;
        if (rs_cholesky(k, cd->factor, k) != RS_OK)
            continue;
        rs_copy((size_t)k * c, cd->B, cd->V);
        return rs_cholesky_solve(k, c, cd->factor, k, cd->V, k);
    }
    return RS_SINGULAR;
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
static void score_position(cd_run *cd, int i)
{
    const rs_lsq *p = cd->problem;
    const size_t d = (size_t)p->d, k = (size_t)cd->k;
    const double *u = cd->U + k * i;
    for (size_t t = 0; t < d; t++)
        cd->score[t] = (p->square[t] + p->ridge) * u[i];
    for (int j = 0; j < cd->k; j++)
        if (j != i)
            rs_axpy(d, 2.0 * u[j], cd->pointer[j], cd->score);
    for (size_t l = 0; l < (size_t)p->c; l++)
        rs_axpy(d, -2.0 * cd->V[i + k * l], p->B + d * l, cd->score);
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
    score_position(cd, i);
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
    return rs_columns_get(cd->cache, cd->problem, best, cd->member,
                          &cd->pointer[i]);
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
