/* The search among the features that are nearest to a set. */
#include "method/set/near.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* rounds of perturbations, each among the features near the best set so far */
#define RS_NEAR_ROUNDS 3

rs_status rs_near_init(rs_context *ctx, const rs_lsq *all, int count,
                       rs_near *near)
{
    const size_t d = (size_t)all->d;
    near->all = all;
    near->count = count;
    RS_ALLOC_DOUBLES(ctx, d, &near->merit, &near->order);
    near->place = rs_alloc_int(ctx, d);
    near->feature = rs_alloc_int(ctx, (size_t)count);
    rs_arena_init(ctx, &near->arena);
    rs_fill(d, -INFINITY, near->merit);
    return rs_allocated(ctx);
}

/* those of largest merit */
static void choose(rs_near *near)
{
    const int d = near->all->d, count = near->count;
    rs_topk_order(d, near->merit, count, near->feature, near->order);
    memset(near->place, -1, (size_t)d * sizeof *near->place);
    for (int a = 0; a < count; a++)
        near->place[near->feature[a]] = a;
    for (int j = 0, a = 0; j < d; j++)
        if (near->place[j] >= 0) {
            near->feature[a] = j;
            near->place[j] = a++;
        }
}

/* the search among the features of largest merit */
static rs_status open(rs_near *near, const rs_search_settings *settings)
{
    const int count = near->count;
    rs_context *ctx = &near->arena.ctx;
    rs_arena_clear(&near->arena);
    ctx->clock = near->arena.parent->clock;
    choose(near);
    RS_TRY(rs_lsq_some(ctx, near->all, count, near->feature, 0, &near->some));
    RS_TRY(rs_groups_of_one(ctx, count, near->some.deviation, near->some.first,
                            near->some.barred, &near->groups));
    RS_TRY(rs_value_lsq_init(ctx, &near->some, &near->groups, settings->k,
                             &near->lsq));
    near->value = rs_value_lsq_of(&near->lsq);
    return rs_search_init(ctx, &near->groups, &near->value, settings,
                          &near->search);
}

static void renumber(int count, const int *number, int *set)
{
    for (int i = 0; i < count; i++)
        set[i] = number[set[i]];
}

rs_status rs_near_improve(rs_near *near, const rs_search_settings *settings,
                          rs_search_path *path)
{
    const int k = settings->k;
    RS_TRY(open(near, settings));
    for (int size = 1; size <= k; size++)
        renumber(size, near->place, path->set + (size_t)(size - 1) * k);
    const rs_status status = rs_search_improve(&near->search, 1, path);
    for (int size = 1; size <= k; size++)
        renumber(size, near->feature, path->set + (size_t)(size - 1) * k);
    return status;
}

/* merit: the most that a set is worth where a feature takes the place of a member */
static rs_status judge(rs_near *near, rs_search *s, int k, const int *set)
{
    const int d = near->all->d;
    double worth;
    RS_TRY(s->of->move(s->of->state, k, set, &worth));
    rs_fill((size_t)d, -INFINITY, near->merit);
    for (int at = s->groups->included; at < k; at++) {
        RS_TRY(s->of->exchanges(s->of->state, at, s->value));
        for (int j = 0; j < d; j++)
            near->merit[j] = fmax(near->merit[j], s->value[j]);
    }
    for (int i = 0; i < k; i++)
        near->merit[set[i]] = INFINITY;
    return RS_OK;
}

rs_status rs_near_descend(rs_near *near, const rs_search_settings *settings,
                          int k, double work, int *set)
{
    rs_search_settings own = *settings;
    double worth;
    own.k = k;
    RS_TRY(open(near, &own));
    renumber(k, near->place, set);
    RS_TRY(near->value.move(near->value.state, k, set, &worth));
    RS_TRY(rs_search_exchange(&near->search, k, set, &worth));
    near->search.end = near->lsq.work + work;
    if (own.perturb > 0)
        RS_TRY(rs_search_perturb(&near->search, k, set, &worth));
    renumber(k, near->feature, set);
    return RS_OK;
}

rs_status rs_near_perturb(rs_near *near, rs_search *s, int k, double work,
                          int *set, double *worth)
{
    const size_t bytes = (size_t)k * sizeof *set;
    int *own = rs_alloc_int(s->ctx, (size_t)k);
    RS_TRY_ALLOC(own);
    for (int round = 0; round < RS_NEAR_ROUNDS; round++) {
        double found;
        memcpy(own, set, bytes);
        RS_TRY(judge(near, s, k, own));
        RS_TRY(rs_near_descend(near, s->settings, k, work, own));
        RS_TRY(s->of->move(s->of->state, k, own, &found));
        RS_TRY(rs_search_exchange(s, k, own, &found));
        if (!(found > *worth + s->settings->tol * s->of->total))
            break;
        memcpy(set, own, bytes);
        *worth = found;
    }
    return RS_OK;
}
