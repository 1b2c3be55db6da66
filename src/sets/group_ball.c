/* The best set known within so many exchanges of a given one: steepest ascent
 * by single exchanges among the sets of the ball, to a local optimum. */
#include "sets/group_ball.h"

#include <math.h>
#include <string.h>

#include "base/topk.h"

typedef struct {
    rs_context *ctx;
    const rs_groups *groups;
    const rs_group_value *of;
    const rs_group_ball *ball;
    int *set, *trial; /* k */
    int distance;     /* members that are not of the given set */
    unsigned char *given, *inside, *fixed; /* groups */
    double *value;                         /* groups */
    double *key, *room;                    /* k */
    int *order; /* k: members, those of the smallest loss first */
    rs_group_screen screen;
    int whole; /* is no member passed by? */
} searching;

static rs_status init(rs_context *ctx, const rs_groups *groups,
                      const rs_group_value *value, const rs_group_ball *ball,
                      int *set, searching *s)
{
    const size_t count = (size_t)groups->count, k = (size_t)ball->k;
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    s->groups = groups;
    s->of = value;
    s->ball = ball;
    s->set = set;
    RS_ALLOC_INTS(ctx, k, &s->trial, &s->order);
    RS_ALLOC_DOUBLES(ctx, count, &s->value, &s->screen.added);
    RS_ALLOC_DOUBLES(ctx, k, &s->key, &s->room, &s->screen.loss);
    s->given = (unsigned char *)rs_alloc(ctx, 3 * count, 1);
    RS_TRY(rs_allocated(ctx));
    memset(s->given, 0, 3 * count);
    s->inside = s->given + count;
    s->fixed = s->inside + count;
    for (int i = 0; i < ball->k; i++)
        s->given[ball->from[i]] = 1;
    for (int i = 0; i < groups->included; i++)
        s->fixed[groups->include[i]] = 1;
    return RS_OK;
}

/* `to`: the set with group g for member number `at`, at the end */
static void exchanged(int k, const int *set, int at, int g, int *to)
{
    memmove(to, set, (size_t)at * sizeof *set);
    memmove(to + at, set + at + 1, (size_t)(k - at - 1) * sizeof *set);
    to[k - 1] = g;
}

/* -INFINITY where group g for the member leaves the ball or breaks a rule */
static void bar(searching *s, int at, double *value)
{
    const rs_group_ball *ball = s->ball;
    if (ball->rules)
        rs_rules_bar_exchanges(ball->rules, ball->k, s->set, at, value);
    if (s->distance < ball->swaps || !s->given[s->set[at]])
        return;
    for (int g = 0; g < s->groups->count; g++)
        if (!s->given[g])
            value[g] = -INFINITY;
}

/* members are looked at from the smallest loss on */
static rs_status order_members(searching *s, double worth)
{
    const int k = s->ball->k;
    RS_TRY(rs_group_screen_set(s->of, s->groups->count, k, worth, &s->screen));
    for (int i = 0; i < k; i++)
        s->order[i] = i;
    if (!s->screen.active)
        return RS_OK;
    for (int i = 0; i < k; i++)
        s->key[i] = -s->screen.loss[i];
    rs_topk_order(k, s->key, k, s->order, s->room);
    return RS_OK;
}

static int is_passed(searching *s, int at, double least)
{
    const int groups = s->groups->count;
    if (!s->screen.active || s->whole)
        return 0;
    memcpy(s->value, s->screen.added, (size_t)groups * sizeof *s->value);
    bar(s, at, s->value);
    return rs_group_is_passed(&s->screen, at, groups, s->value, least);
}

/* the best exchange that is looked at: group `into` for member `at`, -1 where
 * none has a value above `least` */
static rs_status best_of_members(searching *s, double worth, double least,
                                 int *at, int *into)
{
    double most = least;
    *at = -1;
    RS_TRY(order_members(s, worth));
    for (int i = 0; i < s->ball->k; i++) {
        const int member = s->order[i];
        if (s->fixed[s->set[member]] || is_passed(s, member, most - worth))
            continue;
        RS_TRY(rs_poll(s->ctx));
        RS_TRY(s->of->exchanges(s->of->state, member, s->value));
        bar(s, member, s->value);
        const int best = rs_group_best(s->groups, s->value, s->of->total);
        if (best < 0 || !(s->value[best] > most))
            continue;
        most = s->value[best];
        *at = member;
        *into = best;
    }
    return RS_OK;
}

/* where the members that are not passed by have none, the others are asked, too */
static rs_status best_exchange(searching *s, double worth, double least,
                               int *at, int *into)
{
    RS_TRY(best_of_members(s, worth, least, at, into));
    if (*at >= 0 || !s->screen.active)
        return RS_OK;
    s->whole = 1;
    RS_TRY(best_of_members(s, worth, least, at, into));
    s->whole = 0;
    return RS_OK;
}

static rs_status ascend(searching *s, double *worth, rs_status *ending)
{
    const int k = s->ball->k;
    const double least = s->ball->tol * s->of->total;
    *ending = RS_MAXIT;
    for (int step = 0; step < s->ball->maxit; step++) {
        int at, into = 0;
        double found;
        RS_TRY(best_exchange(s, *worth, *worth + least, &at, &into));
        if (at < 0) {
            *ending = RS_OK;
            return RS_OK;
        }
        exchanged(k, s->set, at, into, s->trial);
        RS_TRY(s->of->move(s->of->state, k, s->trial, &found));
        if (!(found > *worth + least)) {
            *ending = RS_OK;
            return s->of->move(s->of->state, k, s->set, worth);
        }
        s->distance += s->given[s->set[at]] - s->given[into];
        memcpy(s->set, s->trial, (size_t)k * sizeof *s->set);
        *worth = found;
    }
    return RS_OK;
}

/* From the given set to the one that was found, by the exchange that gains
 * most of those that are left; `s->set` is the set on the way. */
static rs_status tell_exchanges(searching *s, rs_group_exchanges *out)
{
    const int k = s->ball->k;
    double worth;
    for (int i = 0; i < k; i++)
        s->inside[out->set[i]] = 1;
    out->count = 0;
    for (int i = 0; i < k; i++)
        out->count += !s->given[out->set[i]];
    memcpy(s->set, s->ball->from, (size_t)k * sizeof *s->set);
    RS_TRY(s->of->move(s->of->state, k, s->set, &worth));
    for (int step = 0; step < out->count; step++) {
        double most = -INFINITY;
        int at = -1, into = -1;
        for (int i = 0; i < k; i++) {
            if (s->inside[s->set[i]])
                continue;
            RS_TRY(rs_poll(s->ctx));
            RS_TRY(s->of->exchanges(s->of->state, i, s->value));
            for (int g = 0; g < s->groups->count; g++)
                if (!s->inside[g] || s->given[g])
                    s->value[g] = -INFINITY;
            const int best = rs_group_best(s->groups, s->value, s->of->total);
            if (best >= 0 && s->value[best] > most) {
                most = s->value[best];
                at = i;
                into = best;
            }
        }
        if (at < 0)
            return RS_BAD_INPUT;
        out->out[step] = s->set[at];
        out->into[step] = into;
        exchanged(k, s->set, at, into, s->trial);
        memcpy(s->set, s->trial, (size_t)k * sizeof *s->set);
        RS_TRY(s->of->move(s->of->state, k, s->set, out->after + step));
    }
    return RS_OK;
}

rs_status rs_group_improve(rs_context *ctx, const rs_groups *groups,
                           const rs_group_value *value,
                           const rs_group_ball *ball, rs_group_exchanges *out)
{
    const size_t k = (size_t)ball->k;
    int *set = rs_alloc_int(ctx, k);
    searching s;
    RS_TRY_ALLOC(set);
    RS_TRY(init(ctx, groups, value, ball, set, &s));
    memcpy(s.set, ball->from, k * sizeof *s.set);
    RS_TRY(value->move(value->state, ball->k, s.set, &out->before));
    out->ending = RS_OK;
    if (!out->known) {
        out->value = out->before;
        RS_TRY(ascend(&s, &out->value, &out->ending));
        memcpy(out->set, s.set, k * sizeof *s.set);
    }
    RS_TRY(tell_exchanges(&s, out));
    out->value = out->count > 0 ? out->after[out->count - 1] : out->before;
    return RS_OK;
}
