/* Sets of whole groups, whatever their value. */
#include "sets/search.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/random.h"

/* perturbations of a set, at most, however many of them lead to better ones: so
 * many times those that may lead to none in a row */
#define RS_SEARCH_PERTURBATIONS 5
/* a perturbed set takes one of so many best additions */
#define RS_SEARCH_AMONG 5
/* one of so many is forward selection from another first group instead */
#define RS_SEARCH_OTHER 3

rs_status rs_search_init(rs_context *ctx, const rs_groups *groups,
                         const rs_value *value,
                         const rs_search_settings *settings, rs_search *s)
{
    const size_t count = (size_t)groups->count;
    *s = (rs_search){.ctx = ctx,
                     .groups = groups,
                     .of = value,
                     .settings = settings,
                     .end = INFINITY,
                     .ask = -INFINITY};
    RS_ALLOC_DOUBLES(ctx, count, &s->value, &s->loss);
    RS_ALLOC_INTS(ctx, count, &s->set, &s->trial);
    RS_ALLOC_BYTES(ctx, count, &s->closed, &s->known);
    RS_TRY(rs_allocated(ctx));
    memset(s->closed, 0, count);
    memset(s->known, 0, count);
    return RS_OK;
}

static rs_status move(rs_search *s, int count, const int *set, double *worth)
{
    return s->of->move(s->of->state, count, set, worth);
}

static int columns_of(const rs_search *s, int count, const int *set)
{
    return rs_priced_columns(&s->groups->price, count, set);
}

/* s->value[g], of sets of `columns` and those of group g, as of sets of `as`
 * columns; as < 0: as many as the smallest of them has */
static void price_values(rs_search *s, int columns, int as)
{
    const rs_price *price = &s->groups->price;
    const int *own = price->columns, count = s->groups->count;
    int least = INT_MAX;
    if (!own)
        return;
    for (int g = 0; g < count; g++)
        if (s->value[g] > -INFINITY)
            least = rs_min_int(least, own[g]);
    for (int g = 0; g < count; g++)
        s->value[g] =
            rs_priced(price, s->of->total, s->value[g], columns + own[g],
                      as < 0 ? columns + least : as);
}

/* worth of one set, on the scale of the other one */
static double priced(const rs_search *s, int count, const int *set,
                     double worth, const int *other)
{
    return rs_priced(&s->groups->price, s->of->total, worth,
                     columns_of(s, count, set), columns_of(s, count, other));
}

/* the least that a better set is worth more */
static double least_gain(const rs_search *s)
{
    return s->settings->tol * s->of->total;
}

static int is_over(const rs_search *s)
{
    return s->of->work && *s->of->work >= s->end;
}

static double largest_value(const rs_search *s, int but)
{
    double largest = -INFINITY;
    for (int g = 0; g < s->groups->count; g++)
        if (g != but && s->value[g] > largest)
            largest = s->value[g];
    return largest;
}

/* the group of largest value, by the second one where values tie; -1: none */
static int best_group(const rs_search *s)
{
    const double *second = s->groups->second, *value = s->value;
    const double largest = largest_value(s, -1);
    const double least = largest - RS_TIE * s->of->total;
    int best = -1;
    if (largest == -INFINITY)
        return -1;
    for (int g = 0; g < s->groups->count; g++)
        if (value[g] >= least &&
            (best < 0 || second[g] > second[best] * (1.0 + RS_TIE)))
            best = g;
    return best;
}

/* ---- additions -------------------------------------------------------------- */

/* the best group with which the set can be completed within the rules; what no
 * longer leads to one never does again as the set grows */
static rs_status best_addition(rs_search *s, int count, const int *set,
                               int *best)
{
    rs_rules *rules = s->settings->rules;
    for (int g = 0; g < s->groups->count; g++)
        if (s->closed[g])
            s->value[g] = -INFINITY;
    for (;;) {
        int fits;
        *best = best_group(s);
        if (*best < 0 || !rules)
            return RS_OK;
        memcpy(s->trial, set, (size_t)count * sizeof *set);
        s->trial[count] = *best;
        RS_TRY(rs_rules_completes(rules, count + 1, s->trial, NULL, &fits));
        if (fits)
            return RS_OK;
        for (int g = 0; g < s->groups->count; g++)
            if (rs_rules_is_dearer(rules, g, *best)) {
                s->closed[g] = 1;
                s->value[g] = -INFINITY;
            }
    }
}

/* -INFINITY for the groups that are not among the included ones, while one of these
 * is left */
static void await_included(rs_search *s)
{
    const rs_groups *groups = s->groups;
    int open = 0;
    for (int i = 0; i < groups->included; i++)
        open |= s->value[groups->include[i]] > -INFINITY &&
                !s->closed[groups->include[i]];
    for (int g = 0; g < groups->count && open; g++) {
        int listed = 0;
        for (int i = 0; i < groups->included; i++)
            listed |= groups->include[i] == g;
        if (!listed)
            s->value[g] = -INFINITY;
    }
}

/* the largest share of the best addition that a group has been worth; INFINITY: of
 * those that were the best one, even where that adds nothing */
static void note_merit(rs_search *s, int best, double worth)
{
    const double most = s->value[best] - worth;
    for (int g = 0; g < s->groups->count && most > 0.0; g++)
        s->merit[g] = fmax(s->merit[g], (s->value[g] - worth) / most);
    s->merit[best] = INFINITY;
}

rs_status rs_search_addition(rs_search *s, int count, const int *set,
                             double worth, int *best)
{
    RS_TRY(rs_poll(s->ctx));
    RS_TRY(s->of->gains(s->of->state, s->value));
    if (count < s->groups->included)
        await_included(s);
    price_values(s, columns_of(s, count, set), -1);
    RS_TRY(best_addition(s, count, set, best));
    if (s->merit && *best >= 0)
        note_merit(s, *best, worth);
    return RS_OK;
}

rs_status rs_search_grow(rs_search *s, int from, int to, int *set,
                         double *worth, double *margin)
{
    double before;
    RS_TRY(move(s, from, set, &before));
    for (int count = from; count < to; count++) {
        int best;
        RS_TRY(rs_search_addition(s, count, set, before, &best));
        if (best < 0)
            return RS_BAD_INPUT;
        const double next = largest_value(s, best);
        if (margin)
            margin[count] = count < s->groups->included || next == -INFINITY
                                ? 0.0
                                : s->value[best] - next;
        set[count] = best;
        RS_TRY(move(s, count + 1, set, &worth[count]));
        before = worth[count];
    }
    return RS_OK;
}

static void take_out(int count, int at, int *set)
{
    memmove(set + at, set + at + 1, (size_t)(count - at - 1) * sizeof *set);
}

rs_status rs_search_shrink(rs_search *s, int from, int to, int *set)
{
    const rs_price *price = &s->groups->price;
    double worth;
    for (int count = from; count > to; count--) {
        const int columns = columns_of(s, count, set);
        int out = s->groups->included;
        RS_TRY(move(s, count, set, &worth));
        RS_TRY(s->of->losses(s->of->state, s->loss));
        for (int at = 0; at < count && price->columns; at++)
            s->loss[at] =
                worth - rs_priced(price, s->of->total, worth - s->loss[at],
                                  columns - price->columns[set[at]], columns);
        for (int at = out; at < count; at++)
            if (s->loss[at] < s->loss[out])
                out = at;
        take_out(count, out, set);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* ---- exchanges -------------------------------------------------------------- */

/* member number `at` gives way to the group, which stands last then, if that is better */
static rs_status replace(rs_search *s, int count, int at, int group, int *set,
                         double *worth, int *improved)
{
    double found;
    memcpy(s->set, set, (size_t)count * sizeof *set);
    take_out(count, at, s->set);
    s->set[count - 1] = group;
    RS_TRY(move(s, count, s->set, &found));
    *improved = priced(s, count, s->set, found, set) > *worth + least_gain(s);
    if (!*improved)
        return move(s, count, set, &found);
    memcpy(set, s->set, (size_t)count * sizeof *set);
    *worth = found;
    return RS_OK;
}

/* member number `at` gives way to the best group in its place, where that helps;
 * `surely`: to any */
static rs_status exchange_one(rs_search *s, int count, int at, int surely,
                              int *set, double *worth, int *improved)
{
    const double least = *worth + least_gain(s);
    int best;
    *improved = 0;
    RS_TRY(rs_poll(s->ctx));
    if (surely) {
        RS_TRY(s->of->exceeds(s->of->state, at, least, &best));
        if (best >= 0)
            s->value[best] = INFINITY;
    } else {
        const int columns = columns_of(s, count, set);
        RS_TRY(s->of->exchanges(s->of->state, at, s->value));
        price_values(s, columns - columns_of(s, 1, set + at), columns);
    }
    if (s->settings->rules)
        rs_rules_bar_exchanges(s->settings->rules, count, set, at, s->value);
    if (!surely)
        best = best_group(s);
    return best >= 0 && s->value[best] > least
               ? replace(s, count, at, best, set, worth, improved)
               : RS_OK;
}

static int is_known(const rs_search *s, int count, const int *set)
{
    for (int i = 0; i < count; i++)
        if (!s->known[set[i]])
            return 0;
    return 1;
}

static void note(rs_search *s, double worth)
{
    s->sweeps++;
    if (s->course)
        s->course[rs_min_int(s->sweeps, s->settings->maxit)] = worth;
}

/* the included groups to the front */
static void lead_included(const rs_groups *groups, int count, int *set)
{
    for (int i = 0; i < groups->included; i++) {
        int at = i;
        while (at < count - 1 && set[at] != groups->include[i])
            at++;
        set[at] = set[i];
        set[i] = groups->include[i];
    }
}

/* but for rounding: no other set can be better */
static int has_all(const rs_search *s, double worth)
{
    return worth >= s->of->total * (1.0 - RS_ROUNDING);
}

/* The member that is looked at goes to the end where it is exchanged, so that
 * every member is looked at once in a sweep. `quiet` of them in a row were not. */
rs_status rs_search_exchange(rs_search *s, int count, int *set, double *worth)
{
    const int first = s->groups->included, free = count - first;
    int quiet = 0, surely = 0;
    double again;
    s->ending = RS_OK;
    lead_included(s->groups, count, set);
    RS_TRY(move(s, count, set, &again));
    for (int sweep = 0;
         quiet < free && !has_all(s, *worth) && !is_known(s, count, set);
         sweep++) {
        if (sweep == s->settings->maxit || is_over(s)) {
            s->ending = RS_MAXIT;
            break;
        }
        for (int look = 0, at = first; look < free && quiet < free; look++) {
            int improved;
            RS_TRY(exchange_one(s, count, at, surely, set, worth, &improved));
            quiet = improved ? 0 : quiet + 1;
            at += !improved;
            if (is_over(s) || (improved && is_known(s, count, set)))
                break;
        }
        note(s, *worth);
        /* what exchanges() estimates may have missed some */
        const int asks =
            quiet >= free && s->of->exceeds && !surely && *worth > s->ask;
        surely = asks || (surely && quiet >= free);
        quiet = asks ? 0 : quiet;
    }
    return RS_OK;
}

/* ---- perturbations ---------------------------------------------------------- */

/* some members, drawn, are replaced by drawn groups among the best ones; *done =
 * 0 where rules leave none */
static rs_status perturbed_set(rs_search *s, int made, int count,
                               const int *from, int *set, int *done)
{
    const int first = s->groups->included, free = count - first;
    const int other =
        made % RS_SEARCH_OTHER == 0 ? 1 + made / RS_SEARCH_OTHER : 0;
    const int out =
        other > 0
            ? free
            : rs_min_int(free, 2 + rs_quasi_below(rs_max_int(free / 3, 1),
                                                  s->draws++));
    double worth;
    *done = 0;
    memset(s->closed, 0, (size_t)s->groups->count);
    memcpy(set, from, (size_t)count * sizeof *set);
    for (int i = 0; i < out; i++)
        take_out(count - i, first + rs_quasi_below(free - i, s->draws++), set);
    for (int size = count - out; size < count; size++) {
        const int rank = other == 0
                             ? rs_quasi_below(RS_SEARCH_AMONG, s->draws++)
                         : size == first ? other
                                         : 0;
        int best;
        RS_TRY(move(s, size, set, &worth));
        RS_TRY(rs_search_addition(s, size, set, worth, &best));
        if (best < 0)
            return RS_OK;
        for (int next = best, at = 0; at < rank && next >= 0; at++) {
            s->value[best] = -INFINITY;
            RS_TRY(best_addition(s, size, set, &next));
            best = next < 0 ? best : next;
        }
        set[size] = best;
    }
    *done = 1;
    return RS_OK;
}

static void know(rs_search *s, int count, const int *set, int mark)
{
    for (int i = 0; i < count; i++)
        s->known[set[i]] = (unsigned char)mark;
}

static rs_status perturb(rs_search *s, int count, int *set, int *other,
                         double *worth)
{
    const int quiet = s->settings->perturb;
    for (int idle = 0, made = 0;
         idle < quiet && made < RS_SEARCH_PERTURBATIONS * quiet && !is_over(s);
         made++, idle++) {
        double found;
        int done;
        RS_TRY(perturbed_set(s, made, count, set, other, &done));
        if (!done)
            continue;
        s->ask = *worth + least_gain(s);
        RS_TRY(move(s, count, other, &found));
        RS_TRY(rs_search_exchange(s, count, other, &found));
        if (priced(s, count, other, found, set) > *worth + least_gain(s)) {
            know(s, count, set, 0);
            memcpy(set, other, (size_t)count * sizeof *set);
            know(s, count, set, 1);
            *worth = found;
            idle = -1;
        }
    }
    return RS_OK;
}

rs_status rs_search_perturb(rs_search *s, int count, int *set, double *worth)
{
    double *course = s->course;
    const int sweeps = s->sweeps;
    const rs_status ending = s->ending;
    int *other = rs_alloc_int(s->ctx, (size_t)count);
    RS_TRY_ALLOC(other);
    if (count - s->groups->included < 2)
        return RS_OK;
    s->course = NULL;
    lead_included(s->groups, count, set);
    know(s, count, set, 1);
    const rs_status status = perturb(s, count, set, other, worth);
    know(s, count, set, 0);
    s->ask = -INFINITY;
    s->course = course;
    s->sweeps = sweeps;
    s->ending = ending;
    if (course && sweeps > 0)
        course[rs_min_int(sweeps, s->settings->maxit)] = *worth;
    return status;
}

/* ---- all sizes -------------------------------------------------------------- */

/* the better one of a set that grows with the size (grows = 1) and of that of the
 * path, each after exchanges; after RS_LATE the best so far */
static rs_status improve_size(rs_search *s, int size, int grows, int *growing,
                              rs_search_path *path)
{
    const size_t bytes = (size_t)size * sizeof *growing;
    int *best = path->set + (size_t)(size - 1) * s->settings->k;
    double *value = path->value + size - 1, found, compared = -INFINITY;
    const double before = *value;
    for (int own = !grows; own < 2 && compared < before; own++) {
        if (own) {
            memcpy(growing, best, bytes);
            found = before;
        } else {
            RS_TRY(
                rs_search_grow(s, size - 1, size, growing, path->value, NULL));
            found = *value;
            *value = before;
        }
        const rs_status status = rs_search_exchange(s, size, growing, &found);
        compared = priced(s, size, growing, found, best);
        if (compared >= before) {
            memcpy(best, growing, bytes);
            *value = found;
        }
        RS_TRY(status);
    }
    return RS_OK;
}

rs_status rs_search_improve(rs_search *s, int from, rs_search_path *path)
{
    const int k = s->settings->k, grows = from < k;
    int *growing = rs_alloc_int(s->ctx, (size_t)k);
    double *course = s->course;
    rs_status status = RS_OK;
    RS_TRY_ALLOC(growing);
    for (int size = from; status == RS_OK && size <= k; size++) {
        s->course = size == k ? course : NULL;
        s->sweeps = 0;
        status = improve_size(s, size, grows, growing, path);
    }
    if (!s->course)
        s->sweeps = 0;
    s->course = course;
    return status;
}

rs_status rs_search_order(rs_search *s, int count, int *set, double *explained)
{
    memset(s->closed, 1, (size_t)s->groups->count);
    for (int i = 0; i < count; i++)
        s->closed[set[i]] = 0;
    const rs_status status = rs_search_grow(s, 0, count, set, explained, NULL);
    memset(s->closed, 0, (size_t)s->groups->count);
    return status;
}
