/* Roles of features in least squares: values of sets, and the trees that prove
 * what is said of them. */
#include "method/exact/roles.h"

#include <math.h>
#include <string.h>

#include "proof/groups.h"
#include "proof/subsets.h"
#include "sets/value_lsq.h"

/* features up to which all that are left are regressed on together */
#define RS_ROLES_LEAPS 300

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_role_settings *asked;
    const double *YtY;
    int candidates,
        choices; /* features, and how many of a set are to choose */
    rs_set_value value;
    rs_groups features;
    rs_value_lsq lsq;
    rs_subsets subsets;
    rs_bound_groups leaps;
    rs_bound by_subsets, by_leaps;
} roles;

static rs_status value_of(void *state, const int *set, double cut,
                          double *least, double *most)
{
    roles *s = (roles *)state;
    rs_set_value_of(s->asked->k, set, cut, least, most, &s->value);
    return rs_poll(s->ctx);
}

/* by the perspective relaxation, where cross-products have a splitting; else by
 * the regression on all features that are left */
static rs_status open_tree(rs_role_tree *self, rs_tree **tree)
{
    roles *s = (roles *)self->state;
    const rs_lsq *p = s->problem;
    const int splits = p->ridge > 0.0 || p->n > s->candidates;
    rs_lsq whole = *p;
    *tree = NULL;
    self->units = p->d;
    if (splits) {
        RS_TRY(rs_subsets_init(s->ctx, p, s->asked->k, &s->subsets,
                               &s->by_subsets));
        s->subsets.k = s->asked->k;
        RS_TRY(rs_subsets_open(p->barred, &s->subsets));
        if (s->subsets.able)
            return rs_tree_open(s->ctx, p->d, s->asked->k, &s->by_subsets,
                                tree);
    }
    if (s->candidates > RS_ROLES_LEAPS)
        return RS_OK;
    if (whole.X)
        RS_TRY(rs_lsq_use_products(s->ctx, &whole));
    RS_TRY(rs_bound_groups_lsq(s->ctx, &s->features, s->asked->k, p, whole.S,
                               s->YtY, &s->leaps, &s->by_leaps));
    return rs_tree_open(s->ctx, p->d, s->asked->k, &s->by_leaps, tree);
}

rs_status rs_exact_roles(rs_context *ctx, const rs_lsq *problem,
                         const rs_role_settings *asked, const double *YtY,
                         rs_role_fit *fit)
{
    roles s = {.ctx = ctx, .problem = problem, .asked = asked, .YtY = YtY};
    s.choices = asked->k;
    for (int j = 0; j < problem->d; j++) {
        s.choices -= problem->first && problem->first[j];
        s.candidates += !problem->barred[j];
    }
    RS_TRY(rs_set_value_init(ctx, problem, NULL, asked->k,
                             1e-2 * RS_ROLE_SLACK, &s.value));
    RS_TRY(rs_groups_of_one(ctx, problem->d, problem->square, problem->first,
                            problem->barred, &s.features));
    RS_TRY(rs_value_lsq_init(ctx, problem, &s.features, asked->k, 0, &s.lsq));
    const rs_value sets = rs_value_lsq_of(&s.lsq);
    rs_role_tree trees[RS_ROLE_TREES] = {
        {.open = open_tree, .state = &s, .asks = 1}};
    const rs_role_problem what = {.d = problem->d,
                                  .excluded = problem->barred,
                                  .fixed = problem->first,
                                  .bound = 1.0,
                                  .value = value_of,
                                  .state = &s,
                                  .sets = &sets,
                                  .trees = 1,
                                  .tree = trees};
    return rs_find_roles(ctx, &what, asked, fit);
}
