/* Branch and bound over groups. */
#include "method/groups/exact.h"

#include <math.h>
#include <string.h>

/* room for open nodes */
#define RS_GROUPS_NODE_BYTES 2.0e8
/* rounding of bounds, as a share of the total */
#define RS_GROUPS_SLACK 1e-11

typedef struct {
    const rs_groups *groups;
    const rs_value *value;
    const rs_group_bounds *bounds;
    int k;
    unsigned char *mark; /* the node that is branched on */
    int *inside, *set;
    double *worth, *without;
    rs_groups_proof *proof;
} exact;

/* the marked groups in `inside`; *open: how many are free */
static int list_inside(exact *s, int *open)
{
    int count = 0;
    *open = 0;
    for (int g = 0; g < s->groups->count; g++) {
        if (s->mark[g] == RS_GROUP_IN)
            s->inside[count++] = g;
        *open += s->mark[g] == RS_GROUP_FREE;
    }
    return count;
}

static rs_status offer_inside(exact *s, rs_bnb *search)
{
    double worth;
    RS_TRY(s->value->move(s->value->state, s->k, s->inside, &worth));
    rs_bnb_offer(s->inside, worth, search);
    return RS_OK;
}

/* all sets with one more group */
static rs_status last_group(exact *s, int count, rs_bnb *search)
{
    int best = -1;
    double worth;
    RS_TRY(s->value->move(s->value->state, count, s->inside, &worth));
    RS_TRY(s->value->gains(s->value->state, s->worth));
    for (int g = 0; g < s->groups->count; g++)
        if (s->mark[g] == RS_GROUP_FREE &&
            (best < 0 || s->worth[g] > s->worth[best]))
            best = g;
    if (best < 0 || rs_bnb_prune(s->worth[best], search))
        return RS_OK;
    s->inside[count] = best;
    return offer_inside(s, search);
}

/* groups without which no set is better are in every better set */
static int fix_groups(exact *s, double slack, rs_bnb *search)
{
    int fixed = 0;
    for (int g = 0; g < s->groups->count; g++)
        if (s->mark[g] == RS_GROUP_FREE &&
            rs_bnb_prune(s->without[g] + slack, search)) {
            s->mark[g] = RS_GROUP_IN;
            fixed++;
        }
    return fixed;
}

static rs_status branch(void *state, const void *node, double bound,
                        rs_bnb *search)
{
    exact *s = (exact *)state;
    const double slack = RS_GROUPS_SLACK * s->value->total;
    const size_t size = (size_t)s->groups->count;
    memcpy(s->mark, node, size);
    for (;;) {
        int open, split = -1;
        double below = bound;
        const int count = list_inside(s, &open);
        if (count > s->k || count + open < s->k)
            return RS_OK;
        if (count == s->k)
            return offer_inside(s, search);
        if (count + open == s->k) {
            for (int g = 0, at = count; g < s->groups->count; g++)
                if (s->mark[g] == RS_GROUP_FREE)
                    s->inside[at++] = g;
            return offer_inside(s, search);
        }
        if (count == s->k - 1)
            return last_group(s, count, search);
        RS_TRY(s->bounds->of(s->bounds->state, s->mark, count, s->inside, s->k,
                             &below, s->without, &split));
        below = fmin(below + slack, bound);
        if (rs_bnb_prune(below, search))
            return RS_OK;
        const int fixed = fix_groups(s, slack, search);
        if (search->nodes <= 1.0)
            s->proof->joined += fixed;
        if (fixed > 0) {
            bound = below;
            continue;
        }
        const double out = fmin(below, s->without[split] + slack);
        s->mark[split] = RS_GROUP_OUT;
        RS_TRY(rs_bnb_push(s->mark, out, search));
        s->mark[split] = RS_GROUP_IN;
        return rs_bnb_push(s->mark, below, search);
    }
}

rs_status rs_groups_exact(rs_context *ctx, const rs_groups *groups,
                          const rs_value *value,
                          const rs_group_bounds *bounds,
                          const rs_groups_limits *limits,
                          rs_groups_proof *proof)
{
    const size_t count = (size_t)groups->count;
    exact s = {.groups = groups,
               .value = value,
               .bounds = bounds,
               .k = limits->k,
               .proof = proof};
    rs_bnb search;
    unsigned char *root;
    RS_ALLOC_BYTES(ctx, count, &s.mark, &root);
    s.inside = rs_alloc_int(ctx, count + 1);
    RS_ALLOC_DOUBLES(ctx, count, &s.worth, &s.without);
    RS_TRY(rs_allocated(ctx));
    const rs_bnb_problem problem = {&s, count, branch, NULL};
    const rs_bnb_limits most = {RS_BEST_FIRST, limits->seconds, INFINITY,
                                RS_GROUPS_NODE_BYTES,
                                limits->tol * value->total};
    proof->dropped = proof->joined = 0;
    RS_TRY(rs_bnb_init(ctx, &problem, &most, limits->k, proof->set,
                       proof->value, &search));
    for (int g = 0; g < groups->count; g++)
        root[g] = groups->barred[g] ? RS_GROUP_OUT : RS_GROUP_FREE;
    for (int i = 0; i < groups->included; i++)
        root[groups->include[i]] = RS_GROUP_IN;
    RS_TRY(rs_bnb_push(root, value->total, &search));
    const rs_status status = rs_bnb_run(&search);
    if (status != RS_OK && status != RS_LATE)
        return status;
    rs_bnb_note(&search);
    memcpy(proof->set, search.set, (size_t)limits->k * sizeof *proof->set);
    proof->value = search.value;
    proof->bound = fmin(rs_bnb_bound(&search), value->total);
    proof->complete =
        rs_bnb_is_complete(&search) && proof->bound <= rs_bnb_cut(&search);
    proof->nodes = search.nodes;
    proof->seconds = rs_clock_seconds(&search.clock);
    proof->trace = search.trace;
    return RS_OK;
}
