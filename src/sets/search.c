/* Sets of whole groups, whatever their value. */
#include "sets/search.h"

#include <math.h>
#include <string.h>

#include "base/choose.h"
#include "base/random.h"

/* values that differ by less, as a share of the total, tie */
#define RS_GROUP_TIE 1e-10
/* perturbations of a set, at most, however many of them lead to better ones: so
 * many times those that may lead to none in a row */
#define RS_GROUP_PERTURBATIONS 4

typedef struct {
    rs_context *ctx;
    const rs_groups *groups;
    const rs_value *of;
    const rs_search *search;
    double *value;         /* groups: room for gains */
    int *set;              /* k: room for a set */
    int *trial;            /* k: the same */
    unsigned char *closed; /* groups that lead to no set within the rules */
    /* of a large set within rules: is each member worth more than any other
     * group adds? Sets up to a size have all members looked at */
    int screened;
    double *added; /* groups: what each would add */
    double *loss;  /* members: about what the set loses without each */
    size_t draws;
} searching;

/* the group of largest value, by the second one where values tie; -1: none */
static int best_group(const searching *s)
{
    const double *second = s->groups->second, *value = s->value;
    const double tie = RS_GROUP_TIE * s->of->total;
    double largest = -INFINITY;
    int best = -1;
    for (int g = 0; g < s->groups->count; g++)
        if (value[g] > largest)
            largest = value[g];
    if (largest == -INFINITY)
        return -1;
    for (int g = 0; g < s->groups->count; g++)
        if (value[g] >= largest - tie &&
            (best < 0 || second[g] > second[best] * (1.0 + RS_GROUP_TIE)))
            best = g;
    return best;
}

/* the best group with which the set can be completed within the rules; what no
 * longer leads to one never does again as the set grows */
static rs_status best_addition(searching *s, int count, const int *set,
                               int *best)
{
    rs_rules *rules = s->search ? s->search->rules : NULL;
    if (rules)
        for (int g = 0; g < s->groups->count; g++)
            if (s->closed[g])
                s->value[g] = -INFINITY;
    for (;;) {
        int possible;
        *best = best_group(s);
        if (*best < 0 || !rules)
            return RS_OK;
        memcpy(s->trial, set, (size_t)count * sizeof *set);
        s->trial[count] = *best;
        RS_TRY(rs_rules_completes(rules, count + 1, s->trial, &possible));
        if (possible)
            return RS_OK;
        for (int g = 0; g < s->groups->count; g++)
            if (rs_rules_is_dearer(rules, g, *best)) {
                s->closed[g] = 1;
                s->value[g] = -INFINITY;
            }
    }
}

/* set[0..count) gets its best addition; *worth of it */
static rs_status add_best(searching *s, int count, int *set, double *worth)
{
    if (count < s->groups->included) {
        /* the best of the included ones first */
        RS_TRY(s->of->gains(s->of->state, s->value));
        for (int g = 0; g < s->groups->count; g++) {
            int listed = 0;
            for (int i = 0; i < s->groups->included; i++)
                listed |= s->groups->include[i] == g;
            if (!listed)
                s->value[g] = -INFINITY;
        }
    } else {
        RS_TRY(s->of->gains(s->of->state, s->value));
    }
    int best;
    RS_TRY(best_addition(s, count, set, &best));
    if (best < 0)
        return RS_BAD_INPUT;
    set[count] = best;
    return s->of->move(s->of->state, count + 1, set, worth);
}

/* members of sets up to this size are all looked at */
#define RS_GROUP_SCREENED 40
/* the share of an estimated loss that is taken for sure */
#define RS_GROUP_SURE 0.8

/* within rules alone, where few exchanges are left */
static rs_status screen(searching *s, int count, double worth)
{
    s->screened =
        s->search->rules && s->of->losses && count > RS_GROUP_SCREENED;
    if (!s->screened)
        return RS_OK;
    RS_TRY(s->of->gains(s->of->state, s->added));
    for (int g = 0; g < s->groups->count; g++)
        s->added[g] -= worth;
    return s->of->losses(s->of->state, s->loss);
}

/* is the member worth more than any group that may take its place adds? */
static int is_passed(searching *s, int count, const int *set, int at)
{
    const int groups = s->groups->count;
    double most = -INFINITY;
    if (!s->screened)
        return 0;
    memcpy(s->value, s->added, (size_t)groups * sizeof *s->value);
    rs_rules_bar_exchanges(s->search->rules, count, set, at, s->value);
    for (int g = 0; g < groups; g++)
        if (s->value[g] > most)
            most = s->value[g];
    return RS_GROUP_SURE * s->loss[at] > most;
}

/* one member gives way to the best group in its place, where that helps */
static rs_status exchange_one(searching *s, int count, int at, double least,
                              int *set, double *worth, int *improved)
{
    double found;
    *improved = 0;
    RS_TRY(rs_poll(s->ctx));
    if (is_passed(s, count, set, at))
        return RS_OK;
    RS_TRY(s->of->exchanges(s->of->state, at, s->value));
    if (s->search->rules)
        rs_rules_bar_exchanges(s->search->rules, count, set, at, s->value);
    const int best = best_group(s);
    if (best < 0 || !(s->value[best] > *worth + least))
        return RS_OK;
    memcpy(s->set, set, (size_t)count * sizeof *set);
    memmove(s->set + at, s->set + at + 1,
            (size_t)(count - at - 1) * sizeof *set);
    s->set[count - 1] = best;
    RS_TRY(s->of->move(s->of->state, count, s->set, &found));
    if (!(found > *worth + least))
        return s->of->move(s->of->state, count, set, &found);
    memcpy(set, s->set, (size_t)count * sizeof *set);
    *worth = found;
    *improved = 1;
    return screen(s, count, *worth);
}

/* groups of the set are exchanged as long as that helps */
static rs_status exchange(searching *s, int count, int *set, double *worth,
                          rs_search_path *path, int last)
{
    const double least = s->search->tol * s->of->total;
    path->ending = RS_OK;
    for (int sweep = 0; count > s->groups->included; sweep++) {
        int improved = 0;
        if (sweep == s->search->maxit) {
            path->ending = RS_MAXIT;
            break;
        }
        RS_TRY(screen(s, count, *worth));
        /* the member at this place goes to the end where it is exchanged, so
         * that every member is looked at once */
        for (int look = count - s->groups->included, at = s->groups->included;
             look > 0; look--) {
            int changed;
            RS_TRY(exchange_one(s, count, at, least, set, worth, &changed));
            improved |= changed;
            at += !changed;
        }
        if (last) {
            path->sweeps++;
            path->course[rs_min_int(path->sweeps, s->search->maxit)] = *worth;
        }
        if (!improved)
            break;
    }
    return RS_OK;
}

/* some members, drawn, are replaced by drawn groups among the best ones */
static rs_status perturbed_set(searching *s, int count, const int *from,
                               int *set)
{
    const int free = count - s->groups->included;
    const int out = rs_min_int(
        free, 2 + rs_quasi_below(rs_max_int(free / 3, 1), s->draws++));
    double worth;
    memset(s->closed, 0, (size_t)s->groups->count);
    memcpy(set, from, (size_t)count * sizeof *set);
    for (int i = 0; i < out; i++) {
        const int at =
            s->groups->included + rs_quasi_below(free - i, s->draws++);
        memmove(set + at, set + at + 1,
                (size_t)(count - at - 1 - i) * sizeof *set);
    }
    for (int size = count - out; size < count; size++) {
        RS_TRY(s->of->move(s->of->state, size, set, &worth));
        RS_TRY(s->of->gains(s->of->state, s->value));
        /* one of the five best */
        int rank = rs_quasi_below(5, s->draws++), best = -1;
        do {
            int next;
            RS_TRY(best_addition(s, size, set, &next));
            if (next < 0)
                break;
            best = next;
            s->value[best] = -INFINITY;
        } while (rank-- > 0);
        if (best < 0)
            return RS_BAD_INPUT;
        set[size] = best;
    }
    return RS_OK;
}

/* iterated local search from the end of the exchanges */
static rs_status perturb(searching *s, int count, int *set, double *worth,
                         rs_search_path *path)
{
    const int free = count - s->groups->included;
    int *other = rs_alloc_int(s->ctx, (size_t)count);
    rs_search_path aside = *path;
    RS_TRY_ALLOC(other);
    if (free < 2)
        return RS_OK;
    for (int idle = 0, made = 0;
         idle < s->search->perturb &&
         made < RS_GROUP_PERTURBATIONS * s->search->perturb;
         made++) {
        double found;
        RS_TRY(perturbed_set(s, count, set, other));
        RS_TRY(s->of->move(s->of->state, count, other, &found));
        RS_TRY(exchange(s, count, other, &found, &aside, 0));
        idle++;
        if (found > *worth + s->search->tol * s->of->total) {
            memcpy(set, other, (size_t)count * sizeof *set);
            *worth = found;
            idle = 0;
        }
    }
    if (path->sweeps > 0)
        path->course[rs_min_int(path->sweeps, s->search->maxit)] = *worth;
    return s->of->move(s->of->state, count, set, worth);
}

static rs_status search_init(rs_context *ctx, const rs_groups *groups,
                             const rs_value *value, int k, searching *s)
{
    *s = (searching){.ctx = ctx, .groups = groups, .of = value};
    RS_ALLOC_DOUBLES(ctx, (size_t)groups->count, &s->value, &s->added);
    s->loss = rs_alloc_double(ctx, (size_t)k);
    RS_ALLOC_INTS(ctx, (size_t)k, &s->set, &s->trial);
    s->closed = (unsigned char *)rs_alloc(ctx, (size_t)groups->count, 1);
    RS_TRY(rs_allocated(ctx));
    memset(s->closed, 0, (size_t)groups->count);
    return RS_OK;
}

/* forward selection alone: sets into the path, values beside them */
static rs_status forward(searching *s, int k, rs_search_path *path)
{
    int *set = rs_alloc_int(s->ctx, (size_t)k);
    double worth;
    RS_TRY_ALLOC(set);
    RS_TRY(s->of->move(s->of->state, 0, set, &worth));
    for (int size = 1; size <= k; size++) {
        RS_TRY(rs_poll(s->ctx));
        RS_TRY(add_best(s, size - 1, set, &worth));
        memcpy(path->set + (size_t)(size - 1) * k, set,
               (size_t)size * sizeof *set);
        path->value[size - 1] = path->forward[size - 1] = worth;
    }
    return RS_OK;
}

rs_status rs_search_run(rs_context *ctx, const rs_groups *groups,
                        const rs_value *value, const rs_search *search,
                        rs_search_path *path)
{
    const int k = search->k;
    searching s;
    RS_TRY(search_init(ctx, groups, value, k, &s));
    s.search = search;
    path->sweeps = 0;
    path->ending = RS_OK;
    RS_TRY(forward(&s, k, path));
    path->course[0] = path->forward[k - 1];
    if (!search->exchange)
        return RS_OK;
    int *set = rs_alloc_int(ctx, (size_t)k);
    double worth = 0.0;
    RS_TRY_ALLOC(set);
    RS_TRY(value->move(value->state, 0, set, &worth));
    for (int size = search->sizes ? 1 : k; size <= k; size++) {
        int *best = path->set + (size_t)(size - 1) * k;
        if (search->sizes) {
            RS_TRY(add_best(&s, size - 1, set, &worth));
            RS_TRY(exchange(&s, size, set, &worth, path, size == k));
        }
        if (!search->sizes || worth < path->forward[size - 1]) {
            memcpy(set, best, (size_t)size * sizeof *set);
            RS_TRY(value->move(value->state, size, set, &worth));
            RS_TRY(exchange(&s, size, set, &worth, path, size == k));
        }
        if (size == k && search->perturb > 0)
            RS_TRY(perturb(&s, size, set, &worth, path));
        memcpy(best, set, (size_t)size * sizeof *set);
        path->value[size - 1] = worth;
    }
    return RS_OK;
}

rs_status rs_search_order(rs_context *ctx, const rs_groups *groups,
                          const rs_value *value, int count, int *set,
                          double *explained)
{
    searching s;
    RS_TRY(search_init(ctx, groups, value, count, &s));
    unsigned char *inside =
        (unsigned char *)rs_alloc(ctx, (size_t)groups->count, 1);
    double worth;
    RS_TRY_ALLOC(inside);
    memset(inside, 0, (size_t)groups->count);
    for (int i = 0; i < count; i++)
        inside[set[i]] = 1;
    RS_TRY(value->move(value->state, 0, set, &worth));
    for (int size = 0; size < count; size++) {
        RS_TRY(value->gains(value->state, s.value));
        for (int g = 0; g < groups->count; g++) {
            int listed = size >= groups->included;
            for (int i = 0; !listed && i < groups->included; i++)
                listed = groups->include[i] == g;
            if (!inside[g] || !listed)
                s.value[g] = -INFINITY;
        }
        int best = best_group(&s);
        if (best < 0)
            return RS_BAD_INPUT;
        s.set[size] = best;
        RS_TRY(value->move(value->state, size + 1, s.set, explained + size));
    }
    memcpy(set, s.set, (size_t)count * sizeof *set);
    return RS_OK;
}
