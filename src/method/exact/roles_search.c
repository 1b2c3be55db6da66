/* Sets that a search for roles comes to, and their exchanges in a tableau. */
#include "method/exact/roles_search.h"

#include <math.h>

int rs_roles_consider(void *self, const int *set)
{
    rs_roles_search *s = (rs_roles_search *)self;
    double least, most;
    rs_set_value_of(s->asked->k, set, -INFINITY, &least, &most, &s->value);
    return rs_role_meet(s->asked, set, least, most, s->fit) ||
           (s->question >= 0 && !rs_role_is_left(s->question, s->cut, s->fit));
}

static rs_status take(void *self, const int *set, int afresh)
{
    rs_roles_search *s = (rs_roles_search *)self;
    (void)afresh;
    return s->local.able ? rs_local_take(&s->local, s->asked->k, set)
                         : RS_SINGULAR;
}

static const int *members(void *self)
{
    return ((rs_roles_search *)self)->local.t.feature;
}

static double value_of(void *self)
{
    rs_roles_search *s = (rs_roles_search *)self;
    return s->local.t.explained / s->problem->total;
}

static void score(void *self, int count, const int *slots, double *value)
{
    rs_roles_search *s = (rs_roles_search *)self;
    rs_tableau *t = &s->local.t;
    double *bar = s->local.bar;
    for (int j = 0; j < t->m; j++)
        bar[j] = s->problem->barred[j] ? -HUGE_VAL : 0.0;
    for (int i = 0; i < t->k; i++)
        bar[t->feature[i]] = -HUGE_VAL;
    rs_tableau_prepare_exchanges(t, count, slots);
    for (int b = 0; b < count; b++, value += t->m) {
        rs_tableau_exchange_gains(t, b, slots[b], bar, value);
        for (int j = 0; j < t->m; j++)
            value[j] = bar[j] < 0.0 || value[j] == -HUGE_VAL
                           ? -INFINITY
                           : (t->explained + value[j]) / s->problem->total;
    }
}

static void consider(void *self, const int *set, double about)
{
    (void)about;
    rs_roles_consider(self, set);
}

rs_status rs_roles_exchange_init(rs_roles_search *s)
{
    const rs_lsq *p = s->problem;
    const rs_role_sets sets = {s, take, members, value_of, score, consider};
    RS_TRY(rs_columns_init(s->ctx, p, s->asked->k, &s->columns));
    RS_TRY(rs_local_init(s->ctx, p, s->asked->k, &s->columns, &s->local));
    return rs_role_exchange_init(s->ctx, p->d, s->asked->k, p->first, &sets,
                                 s->fit, &s->exchange);
}
