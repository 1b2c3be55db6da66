/* The search for sets of a regression, of all features or of those nearest to a set. */
#include "method/set/near.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

rs_status rs_lsq_search_init(rs_context *ctx,
                             const rs_search_settings *settings,
                             rs_lsq_search *s)
{
    const rs_lsq *p = &s->problem;
    if (s->groups.count == 0)
        RS_TRY(rs_groups_of_one(ctx, p->d, p->deviation, p->first, p->barred,
                                &s->groups));
    RS_TRY(rs_value_lsq_init(ctx, p, &s->groups, settings->k, &s->lsq));
    return rs_search_init(ctx, &s->groups, &s->lsq.as_value, settings,
                          &s->search);
}

rs_status rs_near_init(rs_context *ctx, const rs_lsq *all, int count,
                       rs_near *near)
{
    const size_t d = (size_t)all->d;
    near->all = all;
    near->count = count;
    RS_ALLOC_DOUBLES(ctx, d, &near->merit, &near->order);
    RS_ALLOC_INTS(ctx, d, &near->place, &near->feature);
    RS_TRY(rs_allocated(ctx));
    rs_arena_init(ctx, &near->arena);
    rs_fill(d, -INFINITY, near->merit);
    return RS_OK;
}

rs_status rs_near_open(rs_near *near, const rs_search_settings *settings,
                       int data)
{
    const int d = near->all->d, count = near->count;
    rs_context *ctx = &near->arena.ctx;
    rs_topk_order(d, near->merit, count, near->feature, near->order);
    memset(near->place, -1, (size_t)d * sizeof *near->place);
    for (int a = 0; a < count; a++)
        near->place[near->feature[a]] = a;
    for (int j = 0, a = 0; j < d; j++)
        if (near->place[j] >= 0) {
            near->feature[a] = j;
            near->place[j] = a++;
        }
    rs_arena_clear(&near->arena);
    ctx->clock = near->arena.parent->clock;
    near->among.groups.count = 0;
    RS_TRY(rs_lsq_some(ctx, near->all, count, near->feature, data,
                       &near->among.problem));
    return rs_lsq_search_init(ctx, settings, &near->among);
}

void rs_near_renumber(int count, const int *number, int *set)
{
    for (int i = 0; i < count; i++)
        set[i] = number[set[i]];
}

rs_status rs_near_descend(rs_near *near, const rs_search_settings *settings,
                          int k, double work, int *set)
{
    rs_lsq_search *s = &near->among;
    double worth;
    RS_TRY(rs_near_open(near, settings, 0));
    rs_near_renumber(k, near->place, set);
    RS_TRY(s->lsq.as_value.move(&s->lsq, k, set, &worth));
    RS_TRY(rs_search_exchange(&s->search, k, set, &worth));
    s->search.end = s->lsq.work + work;
    if (settings->perturb > 0)
        RS_TRY(rs_search_perturb(&s->search, k, set, &worth));
    rs_near_renumber(k, near->feature, set);
    return RS_OK;
}
