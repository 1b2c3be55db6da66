/* proof/tree.c: nodes, screening, splits and answers, see tree.h. */
#include "proof/tree.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/select.h"

/* A search looks at the clock itself, and then bounds what is left. So many
 * seconds beyond its limit, and a share of that, what is under way is broken
 * off: nothing is known of it then. */
#define RS_TREE_GRACE_SECONDS 0.3
#define RS_TREE_GRACE_SHARE 0.05
/* room for open nodes; records of the first chunk, each later one has as many as
 * all before it */
#define RS_TREE_BYTES 1e9
#define RS_TREE_FIRST 64
/* steps of the bound that the trace keeps, as shares of the first gap */
#define RS_TREE_STEP (1.0 / 128.0)

typedef struct {
    double bound, stamp; /* stamp: when it was stored */
    char *record;
} open_node;

/* a heap of the open nodes, the largest bound first; those behind them have free
 * records */
typedef struct {
    open_node *heap;
    int count, made;
    int most; /* 0: the size of records is not known yet */
    double stored;
} open_nodes;

/* the best set known, and what is known of others */
typedef struct {
    int *set;
    double value, most; /* of it, at least and at most */
    double hidden;      /* rounding hides whether a set has so much */
    double rival;       /* what another set than the best one had */
    double pruned;      /* the largest bound of what was pruned, */
    double lost;        /* of what there was no room or time for, */
    double now;         /* of the node under work */
} known_sets;

typedef struct {
    size_t bytes;
    char *now;           /* of the node that is stored */
    char *parent, *root; /* of one that is read, of the root that is kept */
    int kept;            /* is there a root that is kept? */
} records;

struct rs_tree {
    rs_context *ctx;
    const rs_bound *of;
    const rs_tree_settings *settings;
    rs_arena arena; /* for the open nodes of one search */
    rs_clock clock;
    open_nodes open;
    known_sets best;
    records record;
    rs_tree_trace trace;
    double nodes; /* branched on */
    int stopped;  /* by a limit */
    rs_node node;
    rs_node_bound says;
    unsigned char *mark;
    double *work;
    int *order;
    int excluded, fixed; /* units, at the root */
};

rs_status rs_tree_open(rs_context *ctx, int units, int most,
                       const rs_bound *bound, rs_tree **opened)
{
    rs_tree *t = (rs_tree *)rs_alloc(ctx, 1, sizeof *t);
    const size_t count = (size_t)units;
    RS_TRY_ALLOC(t);
    memset(t, 0, sizeof *t);
    *opened = t;
    t->ctx = ctx;
    t->of = bound;
    t->node.tree = t;
    t->node.units = units;
    RS_ALLOC_BYTES(ctx, count, &t->mark);
    t->node.mark = t->mark;
    RS_ALLOC_INTS(ctx, count, &t->node.free, &t->order);
    RS_ALLOC_INTS(ctx, (size_t)most, &t->node.set, &t->best.set);
    t->node.known = t->best.set;
    RS_ALLOC_DOUBLES(ctx, count, &t->says.weight, &t->says.with,
                     &t->says.without);
    t->work = rs_alloc_double(ctx, 2 * count);
    rs_arena_init(ctx, &t->arena);
    return rs_allocated(ctx);
}

int rs_tree_is_late(rs_tree *t)
{
    t->stopped = t->stopped || rs_clock_is_over(&t->clock);
    return t->stopped;
}

void rs_tree_hide(double value, rs_tree *t)
{
    t->best.hidden = fmax(t->best.hidden, value);
}

/* no set that was left out, or is left, has more */
static double bound_of_rest(const rs_tree *t)
{
    const known_sets *best = &t->best;
    const double next = t->open.count > 0 ? t->open.heap[0].bound : -INFINITY;
    return fmax(fmax(best->pruned, best->lost), fmax(best->now, next));
}

/* is there nothing better below a node with this bound? */
static int prune(double bound, rs_tree *t)
{
    if (!(bound <= rs_tree_cut(t)))
        return 0;
    t->best.pruned = fmax(t->best.pruned, bound);
    return 1;
}

/* the node stays open: it has this bound, and is not looked at again */
static void lose(double bound, rs_tree *t)
{
    t->best.lost = fmax(t->best.lost, bound);
}

/* ---- the trace --------------------------------------------------------------- */

/* the present state, where its value is another one than that of the last state
 * or the bound is lower by more than `step` */
static void note(double step, rs_tree *t)
{
    rs_tree_trace *trace = &t->trace;
    const int last = trace->count - 1;
    const double bound = fmax(t->best.value, bound_of_rest(t));
    if (last >= 0 && trace->at[last].value == t->best.value &&
        trace->at[last].bound - bound <= step)
        return;
    if (trace->count == RS_TREE_TRACE) /* every other state leaves */
        for (trace->count = 0; 2 * trace->count < RS_TREE_TRACE;
             trace->count++)
            trace->at[trace->count] = trace->at[2 * trace->count];
    trace->at[trace->count++] =
        (rs_tree_state){rs_clock_seconds(&t->clock), t->best.value, bound};
}

static void note_step(rs_tree *t)
{
    const rs_tree_settings *settings = t->settings;
    note(RS_TREE_STEP * (t->trace.at[0].bound - t->trace.at[0].value), t);
    if (settings->report) {
        const rs_tree_progress now = {
            rs_clock_seconds(&t->clock), t->best.value,
            fmax(t->best.value, bound_of_rest(t)), t->nodes, t->open.count};
        settings->report(settings->report_state, &now);
    }
}

/* ---- the heap of open nodes ------------------------------------------------ */

/* nodes with equal bounds: the last one first */
static int comes_first(const open_node *a, const open_node *b)
{
    return a->bound > b->bound ||
           (a->bound == b->bound && a->stamp > b->stamp);
}

static void exchange(open_node *a, open_node *b)
{
    const open_node kept = *a;
    *a = *b;
    *b = kept;
}

/* one more chunk of records, and a longer heap */
static rs_status make_room(rs_tree *t)
{
    open_nodes *s = &t->open;
    rs_context *ctx = &t->arena.ctx;
    const int more = rs_min_int(s->made + RS_TREE_FIRST, s->most - s->made);
    const size_t made = (size_t)s->made, all = made + (size_t)more;
    char *chunk = (char *)rs_alloc(ctx, (size_t)more, t->record.bytes);
    open_node *heap = (open_node *)rs_alloc(ctx, all, sizeof *heap);
    RS_TRY(rs_allocated(ctx));
    if (made > 0)
        memcpy(heap, s->heap, made * sizeof *heap);
    for (size_t i = made; i < all; i++)
        heap[i].record = chunk + (i - made) * t->record.bytes;
    s->heap = heap;
    s->made = (int)all;
    return RS_OK;
}

/* the next open node leaves the heap; its record stays until one is stored */
static const open_node *take(rs_tree *t)
{
    open_nodes *s = &t->open;
    s->count--;
    exchange(s->heap, s->heap + s->count);
    for (int i = -1, first = 0;
         first != i;) { /* the one that came first sinks */
        i = first;
        for (int child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < s->count &&
                comes_first(s->heap + child, s->heap + first))
                first = child;
        exchange(s->heap + i, s->heap + first);
    }
    return s->heap + s->count;
}

/* ---- records: what the bound keeps, and the marks, four to a byte ----------- */

static void pack(const rs_tree *t, char *record)
{
    unsigned char *to = (unsigned char *)record + t->of->bytes;
    memset(to, 0, t->record.bytes - t->of->bytes);
    for (int i = 0; i < t->node.units; i++)
        to[i / 4] |= (unsigned char)(t->mark[i] << (2 * (i % 4)));
}

static void unpack(const char *record, rs_tree *t)
{
    const unsigned char *from = (const unsigned char *)record + t->of->bytes;
    for (int i = 0; i < t->node.units; i++)
        t->mark[i] = from[i / 4] >> (2 * (i % 4)) & 3;
}

/* the size of records is known once the root was bounded */
static rs_status know_records(rs_tree *t)
{
    const size_t marks = ((size_t)t->node.units + 3) / 4;
    const size_t bytes = t->of->bytes + (marks + sizeof(double) - 1) /
                                            sizeof(double) * sizeof(double);
    records *r = &t->record;
    if (r->bytes != bytes) {
        r->bytes = bytes;
        r->now = (char *)rs_alloc(t->ctx, bytes, 1);
        r->parent = (char *)rs_alloc(t->ctx, bytes, 1);
        r->root = (char *)rs_alloc(t->ctx, bytes, 1);
        RS_TRY(rs_allocated(t->ctx));
    }
    t->open.most =
        (int)fmin(1e8, RS_TREE_BYTES / (double)(bytes + sizeof(open_node)));
    return RS_OK;
}

/* a child, as it is marked, of the node that was recorded last */
static rs_status push(double bound, rs_tree *t)
{
    open_nodes *s = &t->open;
    if (prune(bound, t))
        return RS_OK;
    if (s->count >= s->most) {
        lose(bound, t);
        return RS_OK;
    }
    if (s->count == s->made)
        RS_TRY(make_room(t));
    open_node *node = s->heap + s->count++;
    pack(t, t->record.now);
    memcpy(node->record, t->record.now, t->record.bytes);
    node->bound = bound;
    node->stamp = s->stored++;
    for (int i = s->count - 1; i > 0; i = (i - 1) / 2)
        if (comes_first(s->heap + i, s->heap + (i - 1) / 2))
            exchange(s->heap + i, s->heap + (i - 1) / 2);
    return RS_OK;
}

static rs_status write_down(rs_tree *t)
{
    if (t->open.most == 0)
        RS_TRY(know_records(t));
    if (t->of->record)
        t->of->record(t->of->state, &t->node, t->record.now);
    return RS_OK;
}

/* ---- sets -------------------------------------------------------------------- */

static int is_best(const int *set, const rs_tree *t)
{
    int found = 1;
    for (int i = 0; i < t->node.k && found; i++) {
        found = 0;
        for (int j = 0; j < t->node.k && !found; j++)
            found = set[i] == t->best.set[j];
    }
    return found;
}

/* what ties with the best set has so much */
static double near_best(const rs_tree *t)
{
    return t->best.value * (1.0 - RS_CHOOSE_TIE);
}

/* what a set must exceed to be better; sets that tie with the best one are of
 * interest, too, until one was met */
static double claimed_cut(const rs_tree *t)
{
    return t->best.value + t->settings->tie;
}

double rs_tree_cut(const rs_tree *t)
{
    return t->settings->ties && t->best.rival < near_best(t) ? near_best(t)
                                                             : claimed_cut(t);
}

rs_status rs_tree_offer(const int *set, rs_tree *t)
{
    const rs_questions *questions = t->settings->questions;
    known_sets *best = &t->best;
    const double cut = rs_tree_cut(t);
    double least, most;
    int obeys = 1;
    if (t->settings->rules)
        RS_TRY(rs_rules_completes(t->settings->rules, t->node.k, set, NULL,
                                  &obeys));
    if (!obeys)
        return RS_OK;
    RS_TRY(t->of->value(t->of->value_state, set,
                        questions ? cut : near_best(t), &least, &most));
    if (questions) {
        if (most > cut)
            t->stopped |= questions->meet(questions->state, set, least, most);
        return RS_OK;
    }
    if (most >= near_best(t) && !is_best(set, t)) {
        best->rival = fmax(best->rival, fmin(most, best->value));
        if (most > claimed_cut(t) && least <= best->value)
            rs_tree_hide(most, t);
    }
    if (least > best->value) {
        const double before = best->most;
        best->value = least;
        best->most = most;
        memcpy(best->set, set, (size_t)t->node.k * sizeof *set);
        note(0.0, t);
        /* the last one may have more all the same */
        if (before > claimed_cut(t))
            rs_tree_hide(before, t);
    }
    return RS_OK;
}

rs_status rs_tree_enumerate(void *state, const rs_node *node, int *done)
{
    (void)state;
    *done = node->m == 1 || node->open == node->m + 1;
    for (int a = 0; a < node->open && *done; a++) {
        int *to = node->set + node->count;
        for (int b = 0; b < node->open; b++)
            if ((a == b) == (node->m == 1))
                *to++ = node->free[b];
        RS_TRY(rs_tree_offer(node->set, node->tree));
    }
    return RS_OK;
}

/* ---- the node ------------------------------------------------------------------ */

static void count_units(rs_tree *t)
{
    rs_node *node = &t->node;
    int count = 0;
    node->open = 0;
    for (int i = 0; i < node->units; i++) {
        if (t->mark[i] == RS_UNIT_FREE)
            node->free[node->open++] = i;
        else if (t->mark[i] == RS_UNIT_IN && count++ < node->k)
            node->set[count - 1] = i;
    }
    node->count = count;
    node->m = node->k - count;
}

/* the units are counted, without those that rules keep from joining, which are
 * out: of a class the dearest come first */
static rs_status obey(rs_tree *t)
{
    rs_rules *rules = t->settings->rules;
    rs_node *node = &t->node;
    count_units(t);
    for (int c = 0; rules && node->m > 0 && c < rules->classes; c++)
        for (int i = rules->start[c + 1] - 1, joins = 0;
             !joins && i >= rules->start[c]; i--) {
            const int j = node->set[node->count] = rules->sorted[i];
            if (t->mark[j] != RS_UNIT_FREE)
                continue;
            RS_TRY(rs_rules_completes(rules, node->count + 1, node->set,
                                      t->mark, &joins));
            t->mark[j] = joins ? RS_UNIT_FREE : RS_UNIT_OUT;
            node->changed |= !joins;
        }
    count_units(t);
    return RS_OK;
}

/* ---- what the bound says of units ------------------------------------------------ */

/* with[] and without[] by the weights */
static void weigh(rs_tree *t)
{
    const rs_node *node = &t->node;
    rs_node_bound *says = &t->says;
    double *score = t->work + node->units, sum = says->base;
    for (int a = 0; a < node->open; a++)
        score[a] = says->weight[node->free[a]];
    rs_topk_order(node->open, score, node->m + 1, t->order, t->work);
    for (int a = 0; a < node->m; a++)
        sum += score[t->order[a]];
    const double smallest = score[t->order[node->m - 1]];
    const double next = score[t->order[node->m]];
    says->value = fmin(says->value, sum);
    for (int a = 0; a < node->open; a++) {
        const int i = node->free[a];
        const double w = says->weight[i];
        const double with = w < smallest ? sum - smallest + w : sum;
        const double without = w < smallest ? sum : sum - w + next;
        says->with[i] = fmin(says->with[i], with);
        says->without[i] = fmin(says->without[i], without);
    }
}

/* of the r free units that leave, the one that costs most costs at least the
 * r-th smallest cost: no set has more than the r-th largest without[] */
static void leave_out(rs_tree *t)
{
    const rs_node *node = &t->node;
    const int r = node->open - node->m;
    double *score = t->work + node->units;
    for (int a = 0; a < node->open; a++)
        score[a] = t->says.without[node->free[a]];
    rs_topk_order(node->open, score, r, t->order, t->work);
    t->says.value = fmin(t->says.value, score[t->order[r - 1]]);
}

/* one more bound of the node, and of its sets with and without each unit */
static rs_status bound_node(rs_tree *t)
{
    rs_node *node = &t->node;
    rs_node_bound *says = &t->says;
    node->best = t->best.value;
    says->value = INFINITY;
    says->base = 0.0;
    says->has = says->more = 0;
    for (int a = 0; a < node->open; a++) {
        const int i = node->free[a];
        says->weight[i] = 0.0;
        says->with[i] = says->without[i] = INFINITY;
    }
    RS_TRY(t->of->bound(t->of->state, node, says));
    if (says->has & RS_HAS_WEIGHT)
        weigh(t);
    if (says->has & RS_HAS_WITHOUT)
        leave_out(t);
    node->bound = fmin(node->bound, says->value + t->of->slack);
    for (int a = 0; a < node->open; a++) {
        const int i = node->free[a];
        says->with[i] = fmin(node->bound, says->with[i] + t->of->slack);
        says->without[i] = fmin(node->bound, says->without[i] + t->of->slack);
    }
    node->round++;
    if (node->is_root)
        t->best.now = node->bound;
    return RS_OK;
}

/* units that no better set of the node holds are out, those that every better
 * one holds are in */
static void screen(rs_tree *t)
{
    const rs_questions *q = t->node.is_root ? t->settings->questions : NULL;
    const double pruned =
        t->best.pruned; /* sets before are bounded by the cut */
    rs_node *node = &t->node;
    node->changed = 0;
    for (int a = 0; a < node->open; a++) {
        const int i = node->free[a];
        if (q)
            q->learn(q->state, i, fmax(t->says.with[i], pruned),
                     fmax(t->says.without[i], pruned));
        if (prune(t->says.with[i], t)) {
            t->mark[i] = RS_UNIT_OUT;
            t->excluded += node->is_root;
        } else if (prune(t->says.without[i], t)) {
            t->mark[i] = RS_UNIT_IN;
            t->fixed += node->is_root;
        } else {
            continue;
        }
        node->changed = 1;
    }
}

/* ---- questions ---------------------------------------------------------------------- */

/* is no question left that a set of the node may answer? Before the first bound by
 * the marks alone */
static int answers_nothing(rs_tree *t)
{
    const rs_questions *q = t->settings->questions;
    double answers = -INFINITY;
    if (!q || !q->asks)
        return 0;
    for (int i = 0; i < t->node.units; i++) {
        const int asked = q->asks(q->state, i);
        if (asked == 0 || t->mark[i] == (asked > 0 ? RS_UNIT_OUT : RS_UNIT_IN))
            continue;
        if (t->mark[i] != RS_UNIT_FREE || t->node.round == 0)
            return 0;
        answers =
            fmax(answers, asked > 0 ? t->says.with[i] : t->says.without[i]);
    }
    t->node.bound = fmin(t->node.bound, answers);
    return prune(t->node.bound, t);
}

/* ---- the course of a node ------------------------------------------------------------- */

/* is nothing left to choose, or to answer, or does the bound end the node? *done */
static rs_status end_node(int *done, rs_tree *t)
{
    const rs_node *node = &t->node;
    *done = node->m <= 0 || node->open <= node->m;
    if (*done && (node->m < 0 || node->open < node->m))
        return RS_OK;
    if (*done) { /* one set is left */
        for (int i = 0; i < node->m; i++)
            node->set[node->count + i] = node->free[i];
        return rs_tree_offer(node->set, t);
    }
    *done = answers_nothing(t);
    if (*done || node->m > t->of->closes)
        return RS_OK;
    RS_TRY(t->of->close(t->of->state, node, done));
    if (*done)
        prune(rs_tree_cut(t), t);
    return RS_OK;
}

/* bounds, screening, ends: *done where nothing is left to do */
static rs_status work_on(int *done, rs_tree *t)
{
    rs_node *node = &t->node;
    node->round = node->changed = 0;
    for (;;) {
        RS_TRY(end_node(done, t));
        if (*done)
            return RS_OK;
        if (node->round > 0 && (t->stopped || t->says.more < 0 ||
                                (t->says.more == 0 && !node->changed)))
            return RS_OK;
        RS_TRY(bound_node(t));
        *done = prune(node->bound, t);
        if (*done)
            return RS_OK;
        screen(t);
        RS_TRY(obey(t));
    }
}

/* with one more unit and those that come before it, for each of them */
static rs_status push_ordered(rs_tree *t)
{
    const rs_node *node = &t->node;
    for (int a = 0; a < node->open; a++)
        t->mark[t->order[a] = node->free[a]] = RS_UNIT_OUT;
    rs_sort_indices(t->says.with, node->open, t->order);
    for (int a = 0; a < node->open; a++) {
        t->mark[t->order[a]] = RS_UNIT_IN;
        if (a >= node->m - 1)
            RS_TRY(push(t->says.with[t->order[a]], t));
        t->mark[t->order[a]] = RS_UNIT_FREE;
    }
    return RS_OK;
}

/* children of the node */
static rs_status divide(rs_tree *t)
{
    const rs_node *node = &t->node;
    int unit = node->free[0];
    RS_TRY(write_down(t));
    if (t->of->ordered)
        return push_ordered(t);
    if (t->of->split)
        RS_TRY(t->of->split(t->of->state, node, &unit));
    for (int a = 1; !t->of->split && a < node->open; a++)
        if (t->says.without[node->free[a]] < t->says.without[unit])
            unit = node->free[a];
    if (unit < 0) {
        lose(node->bound, t);
        return RS_OK;
    }
    t->mark[unit] = RS_UNIT_OUT;
    RS_TRY(push(t->says.without[unit], t));
    t->mark[unit] = RS_UNIT_IN;
    return push(t->says.with[unit], t);
}

/* the node as it is marked, all that follows from it */
static rs_status process(rs_tree *t)
{
    int done;
    RS_TRY(work_on(&done, t));
    if (t->stopped && !done)
        lose(t->node.bound, t);
    return done || t->stopped ? RS_OK : divide(t);
}

/* the one that was read last */
static rs_status branch(rs_tree *t)
{
    unpack(t->record.parent, t);
    t->node.round = 0;
    t->node.bound = t->best.now;
    if (answers_nothing(t))
        return RS_OK;
    t->node.is_root = 0;
    t->node.resumed = 1;
    RS_TRY(obey(t));
    if (t->of->resume && t->node.open > t->node.m)
        t->of->resume(t->of->state, &t->node, t->record.parent);
    return process(t);
}

/* ---- searches ------------------------------------------------------------------------ */

/* a node with this bound; where that is late it stays open, as no search goes on then */
static rs_status attempt(rs_status (*work)(rs_tree *t), double bound,
                         rs_tree *t)
{
    t->best.now = bound;
    const rs_status status = work(t);
    if (status == RS_LATE) {
        lose(t->best.now, t);
        t->stopped = 1;
    }
    t->best.now = -INFINITY;
    return status == RS_LATE ? RS_OK : status;
}

/* until no node is open or a limit is reached */
static rs_status run(rs_tree *t)
{
    note(0.0, t);
    while (t->open.count > 0 && !rs_tree_is_late(t)) {
        if (t->nodes >= t->settings->nodes) {
            t->stopped = 1;
            break;
        }
        const open_node *next = take(t);
        if (prune(next->bound, t))
            continue;
        memcpy(t->record.parent, next->record, t->record.bytes);
        t->nodes += 1.0;
        RS_TRY(attempt(branch, next->bound, t));
        const rs_status status = rs_poll(t->ctx);
        if (status != RS_LATE)
            RS_TRY(status);
        note_step(t);
    }
    note(0.0, t);
    return RS_OK;
}

static rs_status begin(const rs_tree_settings *settings,
                       const rs_tree_fit *fit, rs_tree *t)
{
    known_sets *best = &t->best;
    t->settings = settings;
    t->node.k = settings->k;
    t->node.bound = fit->bound;
    t->excluded = t->fixed = t->stopped = 0;
    t->trace.count = 0;
    t->nodes = 0.0;
    t->open = (open_nodes){.heap = NULL};
    rs_arena_clear(&t->arena);
    *best = (known_sets){.set = best->set};
    best->hidden = best->rival = best->pruned = best->lost = best->now =
        -INFINITY;
    memcpy(best->set, fit->set, (size_t)settings->k * sizeof *fit->set);
    rs_clock_start(settings->seconds, &t->clock);
    if (settings->questions) {
        best->value = best->most = fit->value;
        return RS_OK;
    }
    return t->of->value(t->of->value_state, fit->set, -INFINITY, &best->value,
                        &best->most);
}

double rs_tree_grace(double seconds)
{
    return RS_TREE_GRACE_SECONDS +
           (1.0 + RS_TREE_GRACE_SHARE) * fmax(seconds, 0.0);
}

/* `work` on the node that a search begins with, and the search */
static rs_status in_time(rs_status (*work)(rs_tree *t), rs_tree *t)
{
    const rs_clock *outer = t->ctx->clock;
    rs_clock clock;
    rs_clock_start(rs_tree_grace(t->settings->seconds), &clock);
    t->ctx->clock = &clock;
    rs_status status = attempt(work, t->node.bound, t);
    if (status == RS_OK)
        status = run(t);
    t->ctx->clock = outer;
    return status;
}

static void conclude(const rs_tree *t, rs_tree_fit *fit)
{
    const known_sets *best = &t->best;
    memcpy(fit->set, best->set, (size_t)t->node.k * sizeof *fit->set);
    fit->value = best->value;
    fit->rest = bound_of_rest(t);
    fit->bound = fmax(best->most, fmax(fit->rest, best->hidden));
    /* of this set, or of others: where sets are met both may be beyond the cut */
    fit->resolved = best->hidden <= claimed_cut(t) &&
                    (t->settings->tie < 0.0 || best->most <= claimed_cut(t));
    fit->tied = best->rival >= near_best(t);
    fit->complete =
        fit->resolved &&
        ((t->open.count == 0 && best->lost == -INFINITY && !t->stopped) ||
         (t->settings->ties && fit->bound <= claimed_cut(t)));
    fit->nodes = t->nodes;
    fit->seconds = rs_clock_seconds(&t->clock);
    fit->excluded = t->excluded;
    fit->fixed = t->fixed;
    fit->trace = t->trace;
    for (int i = 0; i < fit->trace.count; i++)
        fit->trace.at[i].bound = fmax(fit->trace.at[i].bound, best->most);
}

rs_status rs_tree_search(const rs_tree_settings *settings, rs_tree *t,
                         rs_tree_fit *fit)
{
    t->record.kept = 0;
    return rs_tree_ask(settings, -1, 0, fit, t);
}

/* ---- questions, from a root that is kept ------------------------------------- */

/* the root is bounded, and kept unless nothing is left of it or it is half done */
static rs_status keep_root(rs_tree *t)
{
    int done;
    RS_TRY(work_on(&done, t));
    if (done || t->stopped)
        return RS_OK;
    RS_TRY(write_down(t));
    memcpy(t->record.root, t->record.now, t->of->bytes);
    pack(t, t->record.root);
    t->record.kept = 1;
    lose(t->node.bound, t);
    t->stopped = 1; /* there is nothing to run */
    return RS_OK;
}

/* the root, or that which is kept, as a node, with a unit marked; *none: no set beyond the
 * cut is left of it */
static rs_status load_root(int unit, rs_unit mark, int *none, rs_tree *t)
{
    const rs_tree_settings *settings = t->settings;
    *none = 0;
    t->node.is_root = !t->record.kept;
    t->node.resumed = t->record.kept;
    if (t->record.kept) {
        RS_TRY(know_records(t));
        /* what has left the root has no more than the cut */
        t->best.pruned = rs_tree_cut(t);
        unpack(t->record.root, t);
    }
    for (int i = 0; i < t->node.units && !t->record.kept; i++) {
        t->mark[i] = settings->excluded[i] ? RS_UNIT_OUT : RS_UNIT_FREE;
        if (settings->fixed && settings->fixed[i])
            t->mark[i] = RS_UNIT_IN;
    }
    if (unit >= 0) {
        *none = t->mark[unit] != RS_UNIT_FREE && t->mark[unit] != mark;
        t->mark[unit] = (unsigned char)mark;
    }
    RS_TRY(obey(t));
    if (t->record.kept && t->of->resume && t->node.open > t->node.m)
        t->of->resume(t->of->state, &t->node, t->record.root);
    return RS_OK;
}

rs_status rs_tree_pose(const rs_tree_settings *settings, int again,
                       rs_tree_fit *fit, int *done, rs_tree *t)
{
    int none;
    RS_TRY(begin(settings, fit, t));
    t->record.kept = t->record.kept && again;
    RS_TRY(load_root(-1, RS_UNIT_FREE, &none, t));
    t->node.is_root = 1;
    RS_TRY(in_time(keep_root, t));
    conclude(t, fit);
    fit->bound = fmax(t->node.bound, t->best.pruned);
    *done = fit->complete;
    return RS_OK;
}

rs_status rs_tree_ask(const rs_tree_settings *settings, int unit, int holds,
                      rs_tree_fit *fit, rs_tree *t)
{
    int none;
    RS_TRY(begin(settings, fit, t));
    RS_TRY(load_root(unit, holds ? RS_UNIT_IN : RS_UNIT_OUT, &none, t));
    if (!none)
        RS_TRY(in_time(process, t));
    conclude(t, fit);
    return RS_OK;
}

void rs_tree_decide(int unit, int holds, rs_tree *t)
{
    if (!t->record.kept)
        return;
    unpack(t->record.root, t);
    t->mark[unit] = holds ? RS_UNIT_IN : RS_UNIT_OUT;
    pack(t, t->record.root);
}
