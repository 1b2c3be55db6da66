/* Iterated local search: perturbations of the best set, each followed by
 * exchanges. */
#include "method/cdlsr/perturb.h"

#include <string.h>

#include "base/random.h"

/* share of the set that goes at most, as its inverse, and no less than */
#define RS_OUT_SHARE 3
#define RS_OUT_LEAST 2
/* perturbations for each one asked for: as many as this number of features
 * makes, and at most */
#define RS_PERTURB_WIDTH 4000
#define RS_PERTURB_EACH 12
/* of those in a row that lead to nothing, so many times in all */
#define RS_PERTURB_ALL 5

rs_status rs_perturb_init(rs_context *ctx, const rs_lsq *problem, int k,
                          rs_perturb *perturb)
{
    int open = 0;
    memset(perturb, 0, sizeof *perturb);
    for (int j = 0; j < problem->d; j++)
        open += !problem->barred[j];
    const int each =
        rs_min_int(RS_PERTURB_WIDTH / problem->d, RS_PERTURB_EACH);
    const int most = rs_max_int(k / RS_OUT_SHARE, RS_OUT_LEAST);
    perturb->each = rs_max_int(each, 1);
    perturb->most = rs_min_int(most, open - k);
    perturb->able = problem->c > 0 && perturb->most > 0;
    perturb->feature = rs_alloc_int(ctx, (size_t)k);
    return rs_allocated(ctx);
}

/* how many features go: those in front of perturb->feature */
static int draw_out(rs_perturb *perturb, const unsigned char *first,
                    const rs_cdlsr_end *end)
{
    int *feature = perturb->feature, free = 0;
    for (int l = 0; l < end->k; l++)
        if (!first || !first[end->feature[l]])
            feature[free++] = end->feature[l];
    const int most = rs_min_int(perturb->most, free);
    const int least = rs_min_int(RS_OUT_LEAST, most);
    const int count =
        least + rs_quasi_below(most - least + 1, perturb->draw++);
    for (int i = 0; i < count; i++) {
        int at = i + rs_quasi_below(free - i, perturb->draw++);
        int out = feature[at];
        feature[at] = feature[i];
        feature[i] = out;
    }
    return count;
}

/* one perturbation: in the tableau where that can hold *end and its neighbours;
 * *cost = what it took, counted in those */
static rs_status perturb_once(rs_perturb *perturb, rs_descent *descent,
                              int count, rs_cdlsr_end *end, int *cost)
{
    rs_local *local = &descent->local;
    rs_status status =
        local->able ? rs_local_take(local, end->k, end->feature) : RS_SINGULAR;
    *cost = 1;
    if (status == RS_OK)
        status = rs_perturb_in_tableau(descent, count, perturb->feature,
                                       &perturb->draw, end);
    if (status != RS_SINGULAR)
        return status;
    *cost = perturb->each;
    return rs_perturb_factorised(descent, count, perturb->feature, end);
}

rs_status rs_perturb_search(rs_perturb *perturb, rs_descent *descent,
                            rs_cdlsr_end *end)
{
    rs_subset *s = descent->set;
    const int enough = perturb->each * descent->settings->perturb;
    const int all = RS_PERTURB_ALL * enough;
    for (int made = 0, quiet = 0, cost;
         perturb->able && made < all && quiet < enough; made += cost) {
        const double before = end->explained;
        const int count = draw_out(perturb, s->problem->first, end);
        if (count == 0)
            break;
        RS_TRY(perturb_once(perturb, descent, count, end, &cost));
        quiet = end->explained > before ? 0 : quiet + cost;
        RS_TRY(rs_poll(s->ctx));
    }
    return rs_subset_take(s, end->k, end->feature);
}
