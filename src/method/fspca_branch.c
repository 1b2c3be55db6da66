#include <float.h>
#include <math.h>
#include <string.h>

#include "base/topk.h"
#include "method/fspca_certify.h"

/*
 * Branch and bound on the rows that are left. A node is a state of every row
 * (out, free, in) and the variables of the relaxation on the rows that are not
 * out, from which its children start. The node of the largest bound comes
 * first, so that the bound of all sets falls on the way; where room for nodes
 * gets short, the one of the smallest bound, which ends soonest.
 */

enum { ROW_OUT, ROW_FREE, ROW_IN };

/* numbers that all nodes may take, and nodes */
#define RS_BRANCH_ROOM 2.5e7
#define RS_BRANCH_SLOTS 20000
/* evaluations of a relaxation from its parent's variables, and times it may
 * follow an elimination */
#define RS_BRANCH_EVALUATIONS 60
#define RS_BRANCH_ROUNDS 4
/* sets that are looked at one by one */
#define RS_BRANCH_SETS 300.0

typedef struct {
    rs_certify *c;
    int p;           /* rows at the root */
    const double *S; /* p x p */
    const int *rows; /* p: as the caller knows them */
    size_t slot_size;
    int slots, open;
    double *variables;    /* slot_size x slots */
    unsigned char *state; /* p x slots */
    double *bound;        /* of the open nodes */
    int *at;     /* slots: the slots of the open nodes, then the others */
    double lost; /* bound of nodes that there was no room for */
    /* the present node */
    unsigned char *mine; /* p */
    int q;
    int *active; /* q places among the p rows */
    unsigned char *inside;
    double *T; /* q x q */
    double *x, *y;
    double mine_bound;
    int *kept, *choice;
    double *scratch; /* p */
} branching;

static rs_status begin(rs_certify *c, branching *b)
{
    const size_t p = (size_t)c->p;
    rs_context *ctx = c->ctx;
    memset(b, 0, sizeof *b);
    b->c = c;
    b->p = c->p;
    b->slot_size = rs_relax_size(&c->relax, c->p);
    b->slots = (int)fmin(RS_BRANCH_SLOTS,
                         fmax(8.0, RS_BRANCH_ROOM / (double)b->slot_size));
    b->variables = rs_alloc_double(ctx, b->slot_size * b->slots);
    b->state = rs_alloc(ctx, p * b->slots, 1);
    b->bound = rs_alloc_double(ctx, (size_t)b->slots);
    b->at = rs_alloc_int(ctx, (size_t)b->slots);
    b->mine = rs_alloc(ctx, p, 1);
    b->active = rs_alloc_int(ctx, p);
    b->inside = rs_alloc(ctx, p, 1);
    b->T = rs_alloc_double(ctx, p * p);
    b->x = rs_alloc_double(ctx, b->slot_size);
    b->y = rs_alloc_double(ctx, b->slot_size);
    b->kept = rs_alloc_int(ctx, p);
    b->choice = rs_alloc_int(ctx, (size_t)c->k);
    b->scratch = rs_alloc_double(ctx, 2 * p);
    double *S = rs_alloc_double(ctx, p * p);
    RS_TRY(rs_allocated(ctx));
    rs_copy(p * p, c->S, S);
    b->S = S;
    b->rows = c->core;
    b->lost = -INFINITY;
    for (int i = 0; i < b->slots; i++)
        b->at[i] = i;
    return RS_OK;
}

static void count_rows(const branching *b, int *free, int *in)
{
    *free = *in = 0;
    for (int i = 0; i < b->p; i++) {
        *free += b->mine[i] == ROW_FREE;
        *in += b->mine[i] == ROW_IN;
    }
}

/* ---- nodes ----------------------------------------------------------------- */

/* the relaxation is about the rows of the node that are not out; x is that of
 * the rows in `active` on entry */
static void move_to_active(branching *b)
{
    rs_certify *c = b->c;
    int q = 0;
    for (int i = 0; i < b->q; i++)
        if (b->mine[b->active[i]] != ROW_OUT)
            b->kept[q++] = i;
    if (q < b->q) {
        rs_certify_restrict(b->q, q, b->kept, c->relax.r, b->x, b->y);
        rs_copy(rs_relax_size(&c->relax, q), b->y, b->x);
        for (int i = 0; i < q; i++)
            b->active[i] = b->active[b->kept[i]];
        b->q = q;
    }
    for (int j = 0; j < q; j++) {
        for (int i = 0; i < q; i++)
            b->T[i + (size_t)j * q] =
                b->S[b->active[i] + (size_t)b->active[j] * b->p];
        b->inside[j] = b->mine[b->active[j]] == ROW_IN;
    }
    rs_relax_about(q, c->k, b->T, b->inside, &c->relax);
}

static void store(branching *b)
{
    if (b->open == b->slots) {
        b->lost = fmax(b->lost, b->mine_bound);
        return;
    }
    const int slot = b->at[b->open];
    memcpy(b->state + (size_t)slot * b->p, b->mine, (size_t)b->p);
    rs_copy(rs_relax_size(&b->c->relax, b->q), b->x,
            b->variables + b->slot_size * slot);
    b->bound[slot] = b->mine_bound;
    b->open++;
}

static void load(int slot, branching *b)
{
    memcpy(b->mine, b->state + (size_t)slot * b->p, (size_t)b->p);
    b->q = 0;
    for (int i = 0; i < b->p; i++)
        if (b->mine[i] != ROW_OUT)
            b->active[b->q++] = i;
    rs_copy(rs_relax_size(&b->c->relax, b->q),
            b->variables + b->slot_size * slot, b->x);
    b->mine_bound = b->bound[slot];
}

/* the next open node leaves the list; its slot stays as it is until a node is
 * stored */
static int take(branching *b)
{
    const int is_short = b->open > 0.9 * b->slots;
    int best = 0;
    for (int i = 1; i < b->open; i++) {
        const double mine = b->bound[b->at[i]], other = b->bound[b->at[best]];
        if (is_short ? mine < other : mine > other)
            best = i;
    }
    const int slot = b->at[best];
    b->open--;
    b->at[best] = b->at[b->open];
    b->at[b->open] = slot;
    return slot;
}

/* no set of the open nodes has more */
static double open_bound(const branching *b)
{
    double most = b->lost;
    for (int i = 0; i < b->open; i++)
        most = fmax(most, b->bound[b->at[i]]);
    return most;
}

/* ---- a node ---------------------------------------------------------------- */

static rs_status try_places(branching *b)
{
    rs_certify *c = b->c;
    double value;
    RS_TRY(rs_certify_value(b->S, b->p, b->choice, &value, c));
    rs_certify_prune(value, c);
    if (value > c->found->value) {
        c->found->value = value;
        for (int a = 0; a < c->k; a++)
            c->found->set[a] = b->rows[b->choice[a]];
    }
    return RS_OK;
}

static double sets_of(int free, int left)
{
    double count = 1.0;
    for (int i = 1; i <= left && count < 1e12; i++)
        count *= (double)(free - left + i) / i;
    return count;
}

/* all sets of the node, where they are few: *done */
static rs_status enumerate(int *done, branching *b)
{
    int free, in, at = 0, *list = b->kept;
    const int k = b->c->k;
    count_rows(b, &free, &in);
    const int left = k - in;
    *done = 1;
    if (left < 0 || left > free) /* no set at all */
        return RS_OK;
    *done = sets_of(free, left) <= RS_BRANCH_SETS;
    if (!*done)
        return RS_OK;
    for (int i = 0; i < b->p; i++)
        if (b->mine[i] == ROW_FREE)
            list[at++] = i;
    at = 0;
    for (int i = 0; i < b->p; i++)
        if (b->mine[i] == ROW_IN)
            b->choice[at++] = i;
    int *place = b->active; /* of the chosen ones in the list, rising */
    for (int t = 0; t < left; t++)
        place[t] = t;
    for (;;) {
        int t = left - 1;
        for (int u = 0; u < left; u++)
            b->choice[in + u] = list[place[u]];
        RS_TRY(try_places(b));
        while (t >= 0 && place[t] == free - left + t)
            t--;
        if (t < 0)
            return RS_OK;
        place[t]++;
        for (int u = t + 1; u < left; u++)
            place[u] = place[u - 1] + 1;
    }
}

/* by the bound F of the node: is it done? Which rows are out or in? *changed
 * counts those that are out */
static int conclude(double F, int *changed, branching *b)
{
    rs_certify *c = b->c;
    const double cut = rs_certify_cut(c), *h = c->relax.h;
    double smallest, next;
    *changed = 0;
    F += 1e-13 * fabs(F);
    b->mine_bound = fmin(b->mine_bound, F);
    if (F <= cut) {
        rs_certify_prune(F, c);
        return 1;
    }
    rs_relax_sum(b->q, h, b->inside, c->k, &smallest, &next, b->scratch);
    for (int i = 0; i < b->q && isfinite(smallest); i++) {
        unsigned char *row = b->mine + b->active[i];
        const double with = F - smallest + h[i], without = F - h[i] + next;
        if (*row != ROW_FREE)
            continue;
        if (h[i] <= smallest && with <= cut) {
            *row = ROW_OUT;
            ++*changed;
            rs_certify_prune(with, c);
        } else if (h[i] >= smallest && next > -INFINITY && without <= cut) {
            *row = ROW_IN;
            rs_certify_prune(without, c);
        }
    }
    return 0;
}

/* the rows in every set of the node and the largest z of the others */
static rs_status try_rounding(branching *b)
{
    if (b->q < b->c->k)
        return RS_OK;
    rs_relax_round(b->active, b->choice, b->scratch, &b->c->relax);
    return try_places(b);
}

/* the node as it is in `mine`, variables x of the rows in `active`: it is
 * bounded, and stored where something is left of it */
static rs_status bound_node(branching *b)
{
    rs_certify *c = b->c;
    double F;
    int done, changed;
    c->found->nodes += 1.0;
    for (int t = 0; t < RS_BRANCH_ROUNDS; t++) {
        const double before = b->mine_bound;
        RS_TRY(enumerate(&done, b));
        if (done)
            return RS_OK;
        move_to_active(b);
        if (t == 0) {
            RS_TRY(rs_relax_bound(b->x, &F, &c->relax));
            if (conclude(F, &changed, b))
                return RS_OK;
            if (changed > 0)
                continue;
        }
        const double gap = b->mine_bound - c->found->value;
        const double width =
            fmin(fmax(0.05 * gap, 5e-4 * c->unit), 0.05 * c->unit);
        RS_TRY(rs_certify_minimise(width, RS_BRANCH_EVALUATIONS, b->x, c));
        RS_TRY(rs_relax_bound(b->x, &F, &c->relax));
        RS_TRY(try_rounding(b));
        if (conclude(F, &changed, b))
            return RS_OK;
        /* more of it where that is worth its while */
        if (changed == 0 &&
            before - b->mine_bound < 0.2 * (b->mine_bound - rs_certify_cut(c)))
            break;
    }
    RS_TRY(enumerate(&done, b));
    if (done)
        return RS_OK;
    move_to_active(b);
    store(b);
    return RS_OK;
}

/* the free row that is least decided */
static int row_to_branch(branching *b)
{
    double best = INFINITY;
    int row = -1;
    for (int i = 0; i < b->q; i++) {
        const double far = fabs(b->c->relax.z[i] - 0.5);
        if (b->mine[b->active[i]] == ROW_FREE && far < best) {
            best = far;
            row = b->active[i];
        }
    }
    return row;
}

/* z belongs to the variables of the node */
static rs_status branch(int slot, branching *b)
{
    rs_certify *c = b->c;
    double value;
    load(slot, b);
    move_to_active(b);
    c->relax.width =
        fmax(0.05 * (b->mine_bound - c->found->value), 5e-4 * c->unit);
    RS_TRY(rs_relax_smooth(&c->relax, b->x, &value, b->y));
    const int row = row_to_branch(b);
    if (row < 0)
        return RS_BAD_INPUT;
    /* the second child starts from the same slot, which the first may take */
    double *copy = c->x;
    unsigned char *states = (unsigned char *)c->index;
    const double bound = b->mine_bound;
    const int q = b->q;
    rs_copy(rs_relax_size(&c->relax, q), b->x, copy);
    memcpy(states, b->mine, (size_t)b->p);
    for (int child = 0; child < 2; child++) {
        memcpy(b->mine, states, (size_t)b->p);
        b->q = 0;
        for (int i = 0; i < b->p; i++)
            if (b->mine[i] != ROW_OUT)
                b->active[b->q++] = i;
        rs_copy(rs_relax_size(&c->relax, q), copy, b->x);
        b->mine_bound = bound;
        b->mine[row] = child == 0 ? ROW_IN : ROW_OUT;
        RS_TRY(bound_node(b));
    }
    return RS_OK;
}

static void note_bound(branching *b)
{
    rs_certify *c = b->c;
    const double all = fmax(fmax(open_bound(b), c->pruned), c->found->value);
    c->found->bound = fmin(c->found->bound, all);
}

rs_status rs_certify_branch(rs_certify *c)
{
    branching b;
    double reported = 0.0;
    RS_TRY(begin(c, &b));
    for (int i = 0; i < b.p; i++)
        b.mine[i] = c->inside[i] ? ROW_IN : ROW_FREE;
    b.q = b.p;
    for (int i = 0; i < b.p; i++)
        b.active[i] = i;
    rs_copy(b.slot_size, c->x, b.x);
    b.mine_bound = INFINITY;
    RS_TRY(bound_node(&b));
    while (b.open > 0 && !rs_certify_is_late(c) &&
           c->found->nodes < c->settings->nodes) {
        const int slot = take(&b);
        if (b.bound[slot] <= rs_certify_cut(c)) {
            rs_certify_prune(b.bound[slot], c);
            continue;
        }
        RS_TRY(branch(slot, &b));
        RS_TRY(rs_poll(c->ctx));
        if (c->settings->report && c->found->nodes >= reported) {
            note_bound(&b);
            c->settings->report(c->settings->report_state, "branching",
                                c->found->bound, c->found->value, c->left,
                                b.open);
            reported = c->found->nodes + 100.0;
        }
    }
    c->found->complete = b.open == 0 && b.lost == -INFINITY;
    note_bound(&b);
    return RS_OK;
}
