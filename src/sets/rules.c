/* Sets of k features within a budget and bounds on the members of some sets. */
#include "sets/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* steps of the multipliers at a node */
#define RS_RULES_STEPS 40

static int is_in(const rs_rules *r, int c, int s)
{
    return r->in[c + (size_t)r->classes * s];
}

/* 1: disjoint, or one within the other */
static int is_nested(const rs_rules *r, int s, int t)
{
    int both = 0, only_s = 0, only_t = 0;
    for (int c = 0; c < r->classes; c++) {
        const int a = is_in(r, c, s), b = is_in(r, c, t);
        both |= a && b;
        only_s |= a && !b;
        only_t |= b && !a;
    }
    return !both || !only_s || !only_t;
}

/* a family of nested sets, smaller ones first; the rest behind it */
static void choose_chain(rs_rules *r)
{
    double *size = r->at.multiplier; /* with its sign turned */
    int rest = r->sets;
    r->nested = 0;
    for (int s = 0; s < r->sets; s++) {
        int fits = 1;
        for (int i = 0; fits && i < r->nested; i++)
            fits = is_nested(r, s, r->chain[i]);
        r->chain[fits ? r->nested++ : --rest] = s;
        size[s] = 0.0;
        for (int c = 0; c < r->classes; c++)
            size[s] -= is_in(r, c, s);
    }
    rs_sort_indices(size, r->nested, r->chain);
}

rs_status rs_rules_init(rs_context *ctx, rs_rules *r)
{
    const size_t d = (size_t)r->d, classes = (size_t)r->classes;
    const size_t sets = (size_t)r->sets;
    r->ctx = ctx;
    r->start = rs_alloc_int(ctx, classes + 1);
    r->sorted = rs_alloc_int(ctx, d);
    r->at.inside = (unsigned char *)rs_alloc(ctx, d, 1);
    r->at.price = rs_alloc_double(ctx, classes * (size_t)r->k);
    RS_ALLOC_INTS(ctx, classes, &r->at.low, &r->at.high, &r->at.join);
    RS_ALLOC_INTS(ctx, sets, &r->chain, &r->at.number, &r->at.fixed);
    r->at.shift = rs_alloc_double(ctx, classes);
    r->at.multiplier = rs_alloc_double(ctx, sets);
    double *saving, *free;
    RS_ALLOC_DOUBLES(ctx, d, &saving, &free);
    RS_TRY(rs_allocated(ctx));
    memset(r->start, 0, (classes + 1) * sizeof *r->start);
    memset(r->at.join, 0, classes * sizeof *r->at.join);
    for (int j = 0; j < r->d; j++)
        r->start[r->of[j] + 1] += !r->barred[j];
    for (int c = 0; c < r->classes; c++)
        r->start[c + 1] += r->start[c];
    for (int j = 0; j < r->d; j++)
        if (!r->barred[j])
            r->sorted[r->start[r->of[j]] + r->at.join[r->of[j]]++] = j;
    if (!isfinite(r->budget)) { /* as if nothing cost anything */
        rs_fill(d, 0.0, free);
        r->cost = free;
        r->budget = 0.0;
    }
    for (int j = 0; j < r->d; j++)
        saving[j] = -r->cost[j];
    for (int c = 0; c < r->classes; c++)
        rs_sort_indices(saving, r->start[c + 1] - r->start[c],
                        r->sorted + r->start[c]);
    choose_chain(r);
    r->at.slack = RS_NOTHING * r->budget;
    return RS_OK;
}

/* ---- the cheapest way to complete a set -------------------------------------- */

/* what stands already, and who may join */
static void pose(rs_rules *r, int count, const int *set,
                 const unsigned char *out)
{
    for (int j = 0; j < r->d; j++)
        r->at.inside[j] = out && out[j];
    memset(r->at.fixed, 0, (size_t)r->sets * sizeof *r->at.fixed);
    r->at.missing = r->k - count;
    r->at.left = r->budget;
    for (int i = 0; i < count; i++) {
        r->at.inside[set[i]] = 1;
        r->at.left -= r->cost[set[i]];
        for (int s = 0; s < r->sets; s++)
            r->at.fixed[s] += is_in(r, r->of[set[i]], s);
    }
    for (int c = 0; c < r->classes; c++) {
        int found = 0;
        for (int i = r->start[c]; i < r->start[c + 1] && found < r->at.missing;
             i++)
            if (!r->at.inside[r->sorted[i]])
                r->at.price[found++ + (size_t)r->k * c] =
                    r->cost[r->sorted[i]];
        r->at.low[c] = 0;
        r->at.high[c] = found;
    }
}

static void enter(rs_rules *r, int c, int by)
{
    r->at.join[c] += by;
    for (int s = 0; s < r->sets; s++)
        r->at.number[s] += by * is_in(r, c, s);
}

/* may one of class c join, as far as the first `within` nested sets go? */
static int is_open(const rs_rules *r, int c, int within)
{
    if (r->at.join[c] >= r->at.high[c])
        return 0;
    for (int i = 0; i < within; i++) {
        const int s = r->chain[i];
        if (is_in(r, c, s) && r->at.number[s] >= r->most[s])
            return 0;
    }
    return 1;
}

/* the cheapest that may join of these classes: those in set s, or any (-1) */
static int cheapest(const rs_rules *r, int s, int within)
{
    int best = -1;
    double least = INFINITY;
    for (int c = 0; c < r->classes; c++) {
        if ((s >= 0 && !is_in(r, c, s)) || !is_open(r, c, within))
            continue;
        const double price =
            r->at.price[r->at.join[c] + (size_t)r->k * c] + r->at.shift[c];
        if (best < 0 || price < least) {
            least = price;
            best = c;
        }
    }
    return best;
}

/*
 * The least cost under the nested sets and low <= join <= high, exactly: each
 * set takes the cheapest until it has what it needs, smaller sets first, and
 * then the whole does. Costs are convex in the numbers, and so is what a set
 * costs by how many join it. 0: impossible
 */
static int relax(rs_rules *r, double *worth)
{
    int joined = 0;
    memcpy(r->at.number, r->at.fixed, (size_t)r->sets * sizeof *r->at.number);
    memset(r->at.join, 0, (size_t)r->classes * sizeof *r->at.join);
    for (int c = 0; c < r->classes; c++) {
        enter(r, c, r->at.low[c]);
        joined += r->at.low[c];
    }
    for (int i = 0; i < r->nested; i++) {
        const int s = r->chain[i];
        for (; r->at.number[s] < r->least[s]; joined++) {
            const int c = cheapest(r, s, i);
            if (c < 0)
                return 0;
            enter(r, c, 1);
        }
        if (r->at.number[s] > r->most[s])
            return 0;
    }
    for (; joined < r->at.missing; joined++) {
        const int c = cheapest(r, -1, r->nested);
        if (c < 0)
            return 0;
        enter(r, c, 1);
    }
    *worth = 0.0;
    for (int c = 0; c < r->classes; c++)
        for (int i = 0; i < r->at.join[c]; i++)
            *worth += r->at.price[i + (size_t)r->k * c] + r->at.shift[c];
    for (int i = r->nested; i < r->sets; i++) {
        const int s = r->chain[i];
        const double u = r->at.multiplier[s];
        *worth -= u * ((u > 0.0 ? r->most[s] : r->least[s]) - r->at.fixed[s]);
    }
    return joined == r->at.missing;
}

/* how far the members of a set are above (or, negative, below) its bounds */
static int excess(const rs_rules *r, int s)
{
    if (r->at.number[s] > r->most[s])
        return r->at.number[s] - r->most[s];
    return rs_min_int(r->at.number[s] - r->least[s], 0);
}

/* the set that is farthest from its bounds; -1: none */
static int worst_set(const rs_rules *r)
{
    int worst = -1, most = 0;
    for (int i = r->nested; i < r->sets; i++) {
        const int s = r->chain[i], far = abs(excess(r, s));
        if (far > most) {
            most = far;
            worst = s;
        }
    }
    return worst;
}

static double real_cost(const rs_rules *r)
{
    double sum = 0.0;
    for (int c = 0; c < r->classes; c++)
        for (int i = 0; i < r->at.join[c]; i++)
            sum += r->at.price[i + (size_t)r->k * c];
    return sum;
}

static void no_multipliers(rs_rules *r)
{
    memset(r->at.shift, 0, (size_t)r->classes * sizeof *r->at.shift);
    memset(r->at.multiplier, 0, (size_t)r->sets * sizeof *r->at.multiplier);
}

/* members of set s above its most, or, negative, below its least: of the side
 * that its multiplier is on */
static int beyond_side(const rs_rules *r, int s)
{
    const double u = r->at.multiplier[s];
    return u > 0.0   ? r->at.number[s] - r->most[s]
           : u < 0.0 ? r->at.number[s] - r->least[s]
                     : excess(r, s);
}

/* a step towards a bound above the budget; 0 where none is left to take */
static int step(rs_rules *r, double worth, double target)
{
    double norm = 0.0;
    for (int i = r->nested; i < r->sets; i++) {
        const int far = beyond_side(r, r->chain[i]);
        norm += (double)far * far;
    }
    if (norm == 0.0)
        return 0;
    const double length = (target - worth) / norm;
    for (int i = r->nested; i < r->sets; i++) {
        const int s = r->chain[i];
        const double u = r->at.multiplier[s];
        double to = u + length * beyond_side(r, s);
        if (u * to < 0.0)
            to = 0.0;
        for (int c = 0; c < r->classes; c++)
            if (is_in(r, c, s))
                r->at.shift[c] += to - u;
        r->at.multiplier[s] = to;
    }
    return 1;
}

/* 1: a set was met; 0: there is none; -1: not known by multipliers */
static int ask_multipliers(rs_rules *r, double worth)
{
    const double unit = r->budget > 0.0 ? r->budget : 1.0;
    const double target = r->at.left + 0.05 * unit;
    int answer = -1;
    for (int at = 0; answer < 0 && at < RS_RULES_STEPS; at++) {
        if (!step(r, worth, target))
            break;
        const double size =
            unit + rs_sum_moduli((size_t)r->sets, r->at.multiplier);
        if (!relax(r, &worth) || worth > r->at.left + RS_TIE * size)
            answer = 0;
        else if (worst_set(r) < 0 && real_cost(r) <= r->at.left + r->at.slack)
            answer = 1;
    }
    no_multipliers(r);
    return answer;
}

/* the class of set s to branch on; -1: nothing can be changed */
static int branch_class(const rs_rules *r, int s, int above)
{
    int best = -1, most = 0;
    for (int c = 0; c < r->classes; c++) {
        const int room = above ? r->at.join[c] - r->at.low[c]
                               : r->at.high[c] - r->at.join[c];
        if (is_in(r, c, s) && room > most) {
            most = room;
            best = c;
        }
    }
    return best;
}

static rs_status explore(rs_rules *r, int *possible)
{
    double worth;
    *possible = 0;
    RS_TRY(rs_poll(r->ctx));
    if (!relax(r, &worth) || worth > r->at.left + r->at.slack)
        return RS_OK;
    const int s = worst_set(r);
    *possible = s < 0;
    if (s < 0)
        return RS_OK;
    const int above = excess(r, s) > 0, c = branch_class(r, s, above);
    if (c < 0)
        return RS_OK;
    const int at = r->at.join[c], low = r->at.low[c], high = r->at.high[c];
    const int answer = ask_multipliers(r, worth);
    *possible = answer > 0;
    if (answer >= 0)
        return RS_OK;
    if (above)
        r->at.high[c] = at - 1;
    else
        r->at.low[c] = at + 1;
    RS_TRY(explore(r, possible));
    r->at.low[c] = above ? at : low;
    r->at.high[c] = above ? high : at;
    if (!*possible)
        RS_TRY(explore(r, possible));
    r->at.low[c] = low;
    r->at.high[c] = high;
    return RS_OK;
}

rs_status rs_rules_completes(rs_rules *r, int count, const int *set,
                             const unsigned char *out, int *possible)
{
    pose(r, count, set, out);
    no_multipliers(r);
    return explore(r, possible);
}

/* ---- exchanges ------------------------------------------------------------------ */

void rs_rules_bar_exchanges(rs_rules *r, int count, const int *set, int at,
                            double *value)
{
    double cost = 0.0;
    memset(r->at.number, 0, (size_t)r->sets * sizeof *r->at.number);
    for (int i = 0; i < count; i++) {
        if (i == at)
            continue;
        cost += r->cost[set[i]];
        for (int s = 0; s < r->sets; s++)
            r->at.number[s] += is_in(r, r->of[set[i]], s);
    }
    for (int c = 0; c < r->classes; c++) {
        r->at.join[c] = 1;
        for (int s = 0; s < r->sets; s++) {
            const int number = r->at.number[s] + is_in(r, c, s);
            if (number < r->least[s] || number > r->most[s])
                r->at.join[c] = 0;
        }
    }
    for (int j = 0; j < r->d; j++)
        if (!r->at.join[r->of[j]] ||
            cost + r->cost[j] > r->budget + r->at.slack)
            value[j] = -INFINITY;
}

int rs_rules_is_dearer(const rs_rules *r, int j, int than)
{
    return r->of[j] == r->of[than] && r->cost[j] >= r->cost[than];
}
