/* The best pair of features, from the best partners of the best single ones. */
#include "method/exact/pairs.h"

#include "base/topk.h"

/* operations that the search may take: a second at most */
#define RS_PAIR_FLOPS 3.0e8

/* a leader and its best partner */
typedef struct {
    int feature[2]; /* the second is -1 where there is none */
    double explained;
    double deviation; /* of both, summed, before scaling */
} pair;

/* features by what each explains alone, best first; as many as the search can
 * afford to lead with */
static rs_status rank_single_features(rs_context *ctx, const rs_lsq *p,
                                      int **leader, int *count)
{
    const size_t d = (size_t)p->d;
    double rows = p->X ? p->n : 1.0, responses = p->c > 0 ? p->c : rows;
    double most = RS_PAIR_FLOPS / (2.0 * d * rows + 4.0 * d * responses);
    double *score = rs_alloc_double(ctx, d), *work = rs_alloc_double(ctx, d);
    *leader = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    rs_explained_alone(p, score);
    *count = most < (double)d ? (int)most : (int)d;
    rs_topk_order((int)d, score, *count, *leader, work);
    return RS_OK;
}

static rs_status find_partner(rs_subset *s, int leader, pair *out)
{
    out->feature[0] = leader;
    out->feature[1] = -1;
    rs_subset_clear(s);
    rs_status status =
        s->closed[leader] ? RS_SINGULAR : rs_subset_add(s, leader);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    rs_candidate partner = rs_subset_best_addition(s);
    out->feature[1] = partner.feature;
    if (partner.feature < 0)
        return RS_OK;
    out->explained = s->explained + partner.score;
    out->deviation =
        s->problem->deviation[leader] + s->problem->deviation[partner.feature];
    return RS_OK;
}

rs_status rs_best_pair(rs_context *ctx, rs_subset *s, double known, int *best,
                       int *found)
{
    int *leader, count;
    double explained = known, deviation = 0.0;
    pair here;

    *found = 0;
    RS_TRY(rank_single_features(ctx, s->problem, &leader, &count));
    for (int i = 0; i < count; i++) {
        RS_TRY(find_partner(s, leader[i], &here));
        RS_TRY(rs_poll(s->ctx));
        if (here.feature[1] < 0)
            continue;
        /* a gain beyond the ties, or a tie with more variance */
        double tie = RS_TIE * explained + RS_TIE_FLOOR * s->problem->total;
        if (here.explained > explained + tie ||
            (*found && here.explained > explained - tie &&
             here.deviation > deviation)) {
            explained = here.explained;
            deviation = here.deviation;
            best[0] = here.feature[0];
            best[1] = here.feature[1];
            *found = 1;
        }
    }
    return RS_OK;
}
