/* Roles of features among column subsets. */
#include "method/css/roles.h"

#include <math.h>

#include "sets/value_lsq.h"

/* features to choose for which all sets are met; and one more of so many */
#define RS_CSS_LIST 4
#define RS_CSS_LIST_FEW 300
/* the share of the time for all sets */
#define RS_CSS_LIST_SHARE 0.6
/* rounding of what exchanges add up to, as a share */
#define RS_CSS_SCORE_ERROR 1e-10

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_css_input *input;
    int k, able; /* is there a search, and are there products? */
    rs_css_sets sets;
    rs_value_lsq lsq[2]; /* of sets, and of exchanges */
    rs_value values, exchanges;
} roles;

static rs_status value_of(void *state, const int *set, double cut,
                          double *least, double *most)
{
    roles *s = (roles *)state;
    double low, high;
    if (s->able) {
        RS_TRY(rs_css_value(&s->sets, s->k, set, cut, least, most));
        if (*most < 0.0) /* it counts as dependent */
            *least = *most = -INFINITY;
        if (*most - *least <= RS_CSS_SCORE_ERROR)
            return RS_OK;
    }
    RS_TRY(s->values.move(s->values.state, s->k, set, &low));
    low /= s->problem->total;
    high = low * (1.0 + RS_CSS_SCORE_ERROR);
    low *= 1.0 - RS_CSS_SCORE_ERROR;
    if (!s->able || high - low < *most - *least) {
        *least = low;
        *most = high;
    }
    return RS_OK;
}

static rs_status open_tree(rs_role_tree *self, rs_tree **tree)
{
    roles *s = (roles *)self->state;
    *tree = s->able ? s->sets.tree : NULL;
    self->units = s->able ? s->sets.closing.kernel.count : 0;
    self->column = s->sets.list;
    return RS_OK;
}

static rs_status open_sets(roles *s)
{
    const rs_lsq *p = s->problem;
    int candidates = 0, open = s->k;
    for (int j = 0; j < p->d; j++) {
        candidates += !p->barred[j];
        open -= p->first && p->first[j];
    }
    s->able = open <= RS_CSS_LIST + (candidates <= RS_CSS_LIST_FEW) &&
              open >= 1 && candidates <= RS_CLOSING_MOST;
    return s->able ? rs_css_sets_open(s->ctx, p, s->input, s->k, &s->sets)
                   : RS_OK;
}

rs_status rs_css_roles(rs_context *ctx, const rs_lsq *problem,
                       const rs_role_settings *asked,
                       const rs_css_input *input, rs_role_fit *fit)
{
    roles s = {.ctx = ctx, .problem = problem, .input = input, .k = asked->k};
    rs_groups features;
    RS_TRY(open_sets(&s));
    RS_TRY(rs_groups_of_one(ctx, problem->d, problem->square, problem->first,
                            problem->barred, &features));
    for (int i = 0; i < 2; i++)
        RS_TRY(rs_value_lsq_init(ctx, problem, &features, asked->k, 0,
                                 s.lsq + i));
    s.values = rs_value_lsq_of(s.lsq);
    s.exchanges = rs_value_lsq_of(s.lsq + 1);
    rs_role_tree tree = {
        .open = open_tree, .state = &s, .share = RS_CSS_LIST_SHARE};
    const rs_role_problem what = {.d = problem->d,
                                  .excluded = problem->barred,
                                  .fixed = problem->first,
                                  .bound = 1.0,
                                  .value = value_of,
                                  .state = &s,
                                  .sets = &s.exchanges,
                                  .trees = s.able,
                                  .tree = &tree};
    return rs_find_roles(ctx, &what, asked, fit);
}
