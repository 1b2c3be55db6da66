#include "method/cdlsr_relax.h"

#include <math.h>
#include <string.h>

#include "base/topk.h"
#include "la/linalg.h"
#include "method/cdlsr_relax_diagonal.h"
#include "method/cdlsr_relax_sides.h"

/* most candidates for which the diagonal is looked at */
#define RS_DELTA_FEATURES 2048
/* most candidates with z > 0, and numbers in their columns */
#define RS_RELAX_SUPPORT 512
#define RS_COLUMNS_ROOM (1 << 23)
/* turns at most, and the difference of bound and relaxation, as a share of the
 * latter, at which they agree */
#define RS_TURNS 100
#define RS_AGREE 2e-3
/* z that a feature enters with, and the share of the largest sqrt(D) ||u||
 * below which one leaves */
#define RS_ENTER 0.02
#define RS_LEAVE 1e-6

/* ---- the problem ------------------------------------------------------- */

static rs_status list_candidates(rs_cdlsr_relax *relax)
{
    const rs_lsq *p = relax->problem;
    const double size = sqrt(p->total);
    size_t d;
    relax->list = rs_alloc_int(relax->ctx, (size_t)p->d);
    RS_TRY_ALLOC(relax->list);
    relax->d = 0;
    for (int j = 0; j < p->d; j++)
        if (!p->barred[j])
            relax->list[relax->d++] = j;
    d = (size_t)relax->d;
    relax->size = rs_alloc_double(relax->ctx, d);
    relax->B = rs_alloc_double(relax->ctx, d * (size_t)relax->c);
    relax->delta = rs_alloc_double(relax->ctx, d);
    relax->D = rs_alloc_double(relax->ctx, d);
    RS_TRY(rs_allocated(relax->ctx));
    for (size_t q = 0; q < d; q++) {
        size_t j = (size_t)relax->list[q];
        relax->size[q] = sqrt(p->square[j]);
        relax->delta[q] = 0.0;
        for (int l = 0; l < relax->c; l++)
            relax->B[q + d * l] = p->B[j + (size_t)p->d * l] / size;
    }
    return RS_OK;
}

/* relax->S <- the cross-products of the candidates */
static rs_status take_products(rs_cdlsr_relax *relax)
{
    const size_t d = (size_t)relax->d, all = (size_t)relax->problem->d;
    rs_lsq products = *relax->problem;
    double *S;
    if (!products.S)
        RS_TRY(rs_lsq_use_products(relax->ctx, &products));
    relax->S = products.S;
    if (d == all)
        return RS_OK;
    S = rs_alloc_double(relax->ctx, d * d);
    RS_TRY_ALLOC(S);
    for (size_t q = 0; q < d; q++)
        for (size_t i = 0; i < d; i++)
            S[i + d * q] =
                products
                    .S[(size_t)relax->list[i] + all * (size_t)relax->list[q]];
    relax->S = S;
    return RS_OK;
}

/* a diagonal, where there are more samples than features */
static rs_status find_delta(rs_cdlsr_relax *relax, double flops)
{
    const rs_lsq *p = relax->problem;
    const int d = relax->d;
    double needed = rs_certified_diagonal_flops(d);
    if (p->X)
        needed += (double)p->n * p->d * p->d;
    if (d >= p->n || d > RS_DELTA_FEATURES || needed > flops)
        return RS_OK;
    if (!relax->S)
        RS_TRY(take_products(relax));
    RS_TRY(rs_certified_diagonal(relax->ctx, d, relax->S, relax->error,
                                 relax->delta, &relax->has_delta));
    if (!relax->has_delta)
        rs_fill((size_t)d, 0.0, relax->delta);
    return RS_OK;
}

static rs_status alloc_work(rs_cdlsr_relax *relax)
{
    const rs_lsq *p = relax->problem;
    const size_t d = (size_t)relax->d, c = (size_t)relax->c;
    const size_t n = relax->S ? 0 : (size_t)p->n;
    const size_t most = (size_t)relax->room;
    relax->z = rs_alloc_double(relax->ctx, d);
    relax->support = rs_alloc_int(relax->ctx, most);
    relax->U = rs_alloc_double(relax->ctx, most * c);
    relax->K = rs_alloc_double(relax->ctx, most * most);
    relax->Y = rs_alloc_double(relax->ctx, n * c);
    relax->Theta = rs_alloc_double(relax->ctx, n * c);
    relax->columns = rs_alloc_double(relax->ctx, n * most);
    relax->image = rs_alloc_double(relax->ctx, n ? (size_t)p->d * c : 0);
    relax->Q = rs_alloc_double(relax->ctx, n ? 0 : d * c);
    relax->panel = rs_alloc_double(relax->ctx, n ? 0 : d * RS_PANEL);
    relax->score = rs_alloc_double(relax->ctx, d);
    relax->work = rs_alloc_double(relax->ctx, d);
    relax->order = rs_alloc_int(relax->ctx, d);
    relax->now.weight = rs_alloc_double(relax->ctx, d);
    relax->best.weight = rs_alloc_double(relax->ctx, d);
    RS_TRY(rs_allocated(relax->ctx));
    if (n > 0) {
        rs_copy(n * c, p->Y, relax->Y);
        rs_scale(n * c, 1.0 / sqrt(p->total), relax->Y);
    }
    return RS_OK;
}

rs_status rs_cdlsr_relax_init(rs_context *ctx, const rs_lsq *problem, int k,
                              double flops, rs_cdlsr_relax *relax, int *able)
{
    memset(relax, 0, sizeof *relax);
    relax->best.most = INFINITY;
    relax->ctx = ctx;
    relax->problem = problem;
    relax->k = k;
    relax->c = problem->c;
    relax->error = rs_product_error(problem);
    *able = 0;
    RS_TRY(list_candidates(relax));
    RS_TRY(find_delta(relax, flops));
    if (!relax->has_delta && problem->ridge <= 0.0)
        return RS_OK;
    if (!relax->has_delta && problem->X && problem->Y)
        relax->S = NULL;
    else if (!relax->S)
        RS_TRY(take_products(relax));
    for (int q = 0; q < relax->d; q++)
        relax->D[q] = relax->delta[q] + problem->ridge;
    relax->room = RS_RELAX_SUPPORT;
    if (!relax->S && problem->n > RS_COLUMNS_ROOM / RS_RELAX_SUPPORT)
        relax->room = RS_COLUMNS_ROOM / problem->n;
    relax->room = rs_max_int(relax->room, k);
    *able = 1;
    return alloc_work(relax);
}

/* ---- z ------------------------------------------------------------------ */

/* z = 1 on the set, 0 elsewhere */
static void start_with(rs_cdlsr_relax *relax, const int *known)
{
    rs_fill((size_t)relax->d, 0.0, relax->z);
    relax->m = 0;
    for (int q = 0; q < relax->d; q++)
        for (int i = 0; i < relax->k; i++)
            if (relax->list[q] == known[i]) {
                relax->z[q] = 1.0;
                relax->support[relax->m++] = q;
            }
}

/* z in proportion to the scores, at most 1, sum z = k */
static void spread(rs_cdlsr_relax *relax)
{
    const int d = relax->d, most = rs_min_int(d, relax->room);
    double *score = relax->score, rest = 0.0, least;
    int ones = 0, count = 0;
    rs_topk_order(d, score, most, relax->support, relax->work);
    least = RS_LEAVE * score[relax->support[0]];
    while (count < most && score[relax->support[count]] > least)
        rest += score[relax->support[count++]];
    while (ones < relax->k && ones < count &&
           (relax->k - ones) * score[relax->support[ones]] >= rest)
        rest -= score[relax->support[ones++]];
    rs_fill((size_t)d, 0.0, relax->z);
    for (int i = 0; i < count; i++) {
        int q = relax->support[i];
        relax->z[q] =
            i < ones ? 1.0 : fmin(1.0, (relax->k - ones) * score[q] / rest);
    }
    relax->m = count;
}

/* the second z: all features, by what each explains alone */
static void spread_alone(rs_cdlsr_relax *relax)
{
    rs_row_norms(relax->d, relax->c, relax->B, relax->score);
    for (int q = 0; q < relax->d; q++)
        relax->score[q] /=
            sqrt(relax->size[q] * relax->size[q] + relax->problem->ridge);
    spread(relax);
}

/* sqrt(D_j) ||u_j|| = z_j sqrt(weight_j), up to a factor */
static void spread_again(rs_cdlsr_relax *relax, double kth)
{
    for (int q = 0; q < relax->d; q++) {
        double z = relax->z[q];
        if (relax->now.weight[q] >= kth)
            z = fmax(z, RS_ENTER);
        relax->score[q] = z * sqrt(relax->now.weight[q]);
    }
    spread(relax);
}

/* ---- the bound ---------------------------------------------------------- */

static rs_status evaluate(rs_cdlsr_relax *relax, double *kth)
{
    RS_TRY(relax->S ? rs_cdlsr_relax_by_products(relax)
                    : rs_cdlsr_relax_by_data(relax));
    relax->now.most =
        relax->now.base + rs_cdlsr_relax_top(relax, relax->now.weight, kth);
    if (relax->now.most < relax->best.most) {
        relax->best.base = relax->now.base;
        relax->best.most = relax->now.most;
        rs_copy((size_t)relax->d, relax->now.weight, relax->best.weight);
    }
    return rs_poll(relax->ctx);
}

rs_status rs_cdlsr_relax_run(rs_cdlsr_relax *relax, const int *known,
                             double enough)
{
    double kth = 0.0;
    for (int turn = 0; turn < RS_TURNS; turn++) {
        rs_status status;
        if (turn == 0)
            start_with(relax, known);
        else if (turn == 1)
            spread_alone(relax);
        else
            spread_again(relax, kth);
        status = evaluate(relax, &kth);
        if (status == RS_SINGULAR)
            return RS_OK;
        RS_TRY(status);
        if (relax->best.most <= enough ||
            (turn > 0 && relax->relaxed - (1.0 - relax->best.most) <=
                             RS_AGREE * relax->relaxed))
            return RS_OK;
    }
    return RS_OK;
}

int rs_cdlsr_relax_eliminate(rs_cdlsr_relax *relax, double enough,
                             unsigned char *hopeless)
{
    const rs_additive *best = &relax->best;
    double kth;
    int left = 0;
    rs_cdlsr_relax_top(relax, best->weight, &kth);
    for (int q = 0; q < relax->d; q++) {
        /* with q in the place of the last of the k heaviest */
        double most = best->most - fmax(kth - best->weight[q], 0.0);
        hopeless[q] = most <= enough;
        left += !hopeless[q];
    }
    return left;
}
