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
/* values of sets that tie differ by no more than this share */
#define RS_TREE_TIED 1e-11
/* room for open nodes */
#define RS_TREE_BYTES 1e9

struct rs_tree {
    rs_context *ctx;
    const rs_bound *of;
    const rs_tree_settings *settings;
    rs_arena arena; /* for the open nodes of one search */
    rs_bnb search;
    int posed; /* is the size of its records known? */
    rs_node node;
    rs_node_bound says;
    unsigned char *mark;
    double *work;
    int *order;
    double hidden;       /* rounding hides whether a set has so much */
    double most;         /* what the best set has at most */
    double rival;        /* of sets beside the best one: what one had */
    int excluded, fixed; /* units, at the root */
    char *record;        /* of the node that is stored */
    char *parent, *root; /* of one that is read, of the root that is kept */
    size_t record_bytes;
    int kept; /* is there such a root? */
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
    t->node.set = rs_alloc_int(ctx, (size_t)most);
    RS_ALLOC_DOUBLES(ctx, count, &t->says.weight, &t->says.with,
                     &t->says.without);
    t->work = rs_alloc_double(ctx, 2 * count);
    rs_arena_init(ctx, &t->arena);
    return rs_allocated(ctx);
}

double rs_tree_cut(const rs_tree *t)
{
    return rs_bnb_cut(&t->search);
}

int rs_tree_is_late(rs_tree *t)
{
    return rs_bnb_is_late(&t->search);
}

void rs_tree_hide(double value, rs_tree *t)
{
    t->hidden = fmax(t->hidden, value);
}

/* ---- records: what the bound keeps, and the marks, four to a byte ----------- */

static void pack(const rs_tree *t, char *record)
{
    unsigned char *to = (unsigned char *)record + t->of->bytes;
    memset(to, 0, t->record_bytes - t->of->bytes);
    for (int i = 0; i < t->node.units; i++)
        to[i / 4] |= (unsigned char)(t->mark[i] << (2 * (i % 4)));
}

static void unpack(const char *record, rs_tree *t)
{
    const unsigned char *from = (const unsigned char *)record + t->of->bytes;
    for (int i = 0; i < t->node.units; i++)
        t->mark[i] = from[i / 4] >> (2 * (i % 4)) & 3;
}

static rs_status branch(void *tree, const void *node, double bound,
                        rs_bnb *search);

static void report(void *tree, const rs_bnb *search)
{
    const rs_tree_settings *settings = ((rs_tree *)tree)->settings;
    if (settings->report)
        settings->report(settings->report_state, search);
}

/* the size of records is known once the root was bounded */
static rs_status know_records(rs_tree *t)
{
    const size_t marks = ((size_t)t->node.units + 3) / 4;
    const size_t bytes = t->of->bytes + (marks + sizeof(double) - 1) /
                                            sizeof(double) * sizeof(double);
    const rs_bnb_problem problem = {t, bytes, branch, report};
    if (t->record_bytes != bytes) {
        t->record_bytes = bytes;
        t->record = (char *)rs_alloc(t->ctx, bytes, 1);
        t->parent = (char *)rs_alloc(t->ctx, bytes, 1);
        t->root = (char *)rs_alloc(t->ctx, bytes, 1);
        RS_TRY(rs_allocated(t->ctx));
    }
    rs_bnb_pose(&problem, &t->search);
    t->posed = 1;
    return RS_OK;
}

/* a child, as it is marked, of the node that was recorded last */
static rs_status push(double bound, rs_tree *t)
{
    pack(t, t->record);
    return rs_bnb_push(t->record, bound, &t->search);
}

static rs_status write_down(rs_tree *t)
{
    if (!t->posed)
        RS_TRY(know_records(t));
    if (t->of->record)
        t->of->record(t->of->state, &t->node, t->record);
    return RS_OK;
}

/* ---- sets -------------------------------------------------------------------- */

static int is_best(const int *set, const rs_tree *t)
{
    int found = 1;
    for (int i = 0; i < t->node.k && found; i++) {
        found = 0;
        for (int j = 0; j < t->node.k && !found; j++)
            found = set[i] == t->search.set[j];
    }
    return found;
}

/* what ties with the best set has so much */
static double near_best(const rs_tree *t)
{
    return t->search.value * (1.0 - RS_TREE_TIED);
}

/* sets that tie with the best one are of interest until one was met */
static void look_for_ties(rs_tree *t)
{
    t->search.limits.tie = t->settings->ties && t->rival < near_best(t)
                               ? near_best(t) - t->search.value
                               : t->settings->tie;
}

static double claimed_cut(const rs_tree *t)
{
    return t->search.value + t->settings->tie;
}

rs_status rs_tree_offer(const int *set, rs_tree *t)
{
    const rs_questions *questions = t->settings->questions;
    const double cut = rs_tree_cut(t);
    double least, most;
    RS_TRY(t->of->value(t->of->value_state, set,
                        questions ? cut : near_best(t), &least, &most));
    if (questions) {
        if (most > cut)
            t->search.stopped |=
                questions->meet(questions->state, set, least, most);
        return RS_OK;
    }
    if (most >= near_best(t) && !is_best(set, t)) {
        t->rival = fmax(t->rival, fmin(most, t->search.value));
        if (most > claimed_cut(t) && least <= t->search.value)
            t->hidden = fmax(t->hidden, most);
    }
    if (least > t->search.value) {
        const double before = t->most;
        rs_bnb_offer(set, least, &t->search);
        t->most = most;
        /* the last one may have more all the same */
        if (before > claimed_cut(t))
            t->hidden = fmax(t->hidden, before);
    }
    look_for_ties(t);
    return RS_OK;
}

/* ---- the node ------------------------------------------------------------------ */

static void refresh(rs_tree *t)
{
    t->node.cut = rs_tree_cut(t);
    t->node.best = t->search.value;
    t->node.known = t->search.set;
}

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
    refresh(t);
}

/* is nothing left to choose? Then no set or one is left: *done */
static rs_status end_choice(int *done, rs_tree *t)
{
    const rs_node *node = &t->node;
    *done = node->m <= 0 || node->open <= node->m;
    if (!*done || node->m < 0 || node->open < node->m)
        return RS_OK;
    for (int i = 0; i < node->m; i++)
        node->set[node->count + i] = node->free[i];
    return rs_tree_offer(node->set, t);
}

/* the bound's own end of the node */
static rs_status close_node(int *done, rs_tree *t)
{
    *done = 0;
    if (t->node.m > t->of->closes)
        return RS_OK;
    RS_TRY(t->of->close(t->of->state, &t->node, done));
    refresh(t);
    if (*done)
        rs_bnb_prune(rs_tree_cut(t), &t->search);
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
    refresh(t);
    if (node->is_root)
        t->search.now = node->bound;
    return RS_OK;
}

/* sets that were pruned before are bounded by the cut */
static void tell(const rs_tree *t)
{
    const rs_questions *questions = t->settings->questions;
    const double pruned = t->search.pruned;
    if (!questions || !questions->learn || !t->node.is_root)
        return;
    for (int a = 0; a < t->node.open; a++) {
        const int i = t->node.free[a];
        questions->learn(questions->state, i, fmax(t->says.with[i], pruned),
                         fmax(t->says.without[i], pruned));
    }
}

/* units that no better set of the node holds are out, those that every better
 * one holds are in */
static void screen(rs_tree *t)
{
    rs_node *node = &t->node;
    node->changed = 0;
    tell(t);
    for (int a = 0; a < node->open; a++) {
        const int i = node->free[a];
        if (rs_bnb_prune(t->says.with[i], &t->search)) {
            t->mark[i] = RS_UNIT_OUT;
            t->excluded += node->is_root;
        } else if (rs_bnb_prune(t->says.without[i], &t->search)) {
            t->mark[i] = RS_UNIT_IN;
            t->fixed += node->is_root;
        } else {
            continue;
        }
        node->changed = 1;
    }
}

/* ---- questions ---------------------------------------------------------------------- */

/* can some set of the node answer any question? */
static int is_asked(const rs_tree *t)
{
    const rs_questions *q = t->settings->questions;
    if (!q || !q->asks)
        return 1;
    for (int i = 0; i < t->node.units; i++) {
        const int asked = q->asks(q->state, i);
        if ((asked > 0 && t->mark[i] != RS_UNIT_OUT) ||
            (asked < 0 && t->mark[i] != RS_UNIT_IN))
            return 1;
    }
    return 0;
}

/* the bound of sets that answer a question; *only: the unit that all of these
 * hold, -1: there is no such one */
static double bound_answers(int *only, const rs_tree *t)
{
    const rs_questions *q = t->settings->questions;
    double answers = -INFINITY;
    int count = 0;
    *only = -1;
    for (int i = 0; i < t->node.units; i++) {
        const int asked = q->asks(q->state, i);
        const int is_free = t->mark[i] == RS_UNIT_FREE;
        double bound = t->node.bound;
        if (asked == 0 || t->mark[i] == (asked > 0 ? RS_UNIT_OUT : RS_UNIT_IN))
            continue;
        if (is_free)
            bound = asked > 0 ? t->says.with[i] : t->says.without[i];
        answers = fmax(answers, bound);
        if (bound > t->node.cut) {
            count += asked > 0 && is_free ? 1 : 2;
            *only = i;
        }
    }
    if (count != 1)
        *only = -1;
    return answers;
}

/* is no question left that a set of the node may answer? *only: as above */
static int answers_nothing(int *only, rs_tree *t)
{
    const rs_questions *q = t->settings->questions;
    *only = -1;
    if (!q || !q->asks)
        return 0;
    t->node.bound = fmin(t->node.bound, bound_answers(only, t));
    return rs_bnb_prune(t->node.bound, &t->search);
}

/* ---- the course of a node ------------------------------------------------------------- */

/* bounds, screening, ends: *done where nothing is left to do */
static rs_status work_on(int *done, int *only, rs_tree *t)
{
    rs_node *node = &t->node;
    int again = 1;
    *only = -1;
    node->round = node->changed = 0;
    count_units(t);
    RS_TRY(end_choice(done, t));
    if (!*done)
        RS_TRY(close_node(done, t));
    while (!*done && again) {
        RS_TRY(bound_node(t));
        *done = rs_bnb_prune(node->bound, &t->search);
        if (*done)
            return RS_OK;
        screen(t);
        count_units(t);
        RS_TRY(end_choice(done, t));
        if (!*done)
            *done = answers_nothing(only, t);
        if (!*done)
            RS_TRY(close_node(done, t));
        again = t->says.more > 0 || (t->says.more == 0 && node->changed);
        if (t->search.stopped)
            return RS_OK;
    }
    return RS_OK;
}

/* the free unit that costs most to leave out; of equal ones the first */
static int costliest(const rs_tree *t)
{
    int unit = t->node.free[0];
    for (int a = 1; a < t->node.open; a++)
        if (t->says.without[t->node.free[a]] < t->says.without[unit])
            unit = t->node.free[a];
    return unit;
}

/* with one more unit and those that come before it, for each of them */
static rs_status push_ordered(rs_tree *t)
{
    const rs_node *node = &t->node;
    for (int a = 0; a < node->open; a++)
        t->order[a] = node->free[a];
    rs_sort_indices(t->says.with, node->open, t->order);
    for (int a = 0; a < node->open; a++)
        t->mark[t->order[a]] = RS_UNIT_OUT;
    for (int a = 0; a < node->open; a++) {
        t->mark[t->order[a]] = RS_UNIT_IN;
        if (a >= node->m - 1)
            RS_TRY(push(t->says.with[t->order[a]], t));
        t->mark[t->order[a]] = RS_UNIT_FREE;
    }
    return RS_OK;
}

/* children of the node, of which `unit` is the split, if it is a unit */
static rs_status divide(int unit, rs_tree *t)
{
    RS_TRY(write_down(t));
    if (t->of->ordered)
        return push_ordered(t);
    if (unit < 0 && t->of->split)
        RS_TRY(t->of->split(t->of->state, &t->node, &unit));
    else if (unit < 0)
        unit = costliest(t);
    if (unit < 0) {
        t->search.lost = fmax(t->search.lost, t->node.bound);
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
    int done, unit;
    RS_TRY(work_on(&done, &unit, t));
    if (t->search.stopped && !done)
        t->search.lost = fmax(t->search.lost, t->node.bound);
    return done || t->search.stopped ? RS_OK : divide(unit, t);
}

static rs_status branch(void *tree, const void *record, double bound,
                        rs_bnb *search)
{
    rs_tree *t = (rs_tree *)tree;
    (void)search;
    memcpy(t->parent, record, t->record_bytes);
    unpack(t->parent, t);
    if (!is_asked(t))
        return RS_OK;
    t->node.is_root = 0;
    t->node.resumed = 1;
    t->node.bound = bound;
    count_units(t);
    if (t->of->resume)
        RS_TRY(t->of->resume(t->of->state, &t->node, t->parent));
    return process(t);
}

/* ---- searches ------------------------------------------------------------------------ */

static rs_status begin(const rs_tree_settings *settings,
                       const rs_tree_fit *fit, rs_tree *t)
{
    const rs_bnb_problem nothing = {t, sizeof(double), branch, report};
    const rs_bnb_limits limits = {settings->seconds, settings->nodes,
                                  RS_TREE_BYTES, settings->tie};
    t->settings = settings;
    t->node.k = settings->k;
    t->node.questions = settings->questions;
    t->posed = t->excluded = t->fixed = 0;
    t->hidden = t->rival = -INFINITY;
    rs_arena_clear(&t->arena);
    RS_TRY(rs_bnb_init(&t->arena.ctx, &nothing, &limits, settings->k, fit->set,
                       0.0, &t->search));
    RS_TRY(t->of->value(t->of->value_state, fit->set, -INFINITY,
                        &t->search.value, &t->most));
    look_for_ties(t);
    return RS_OK;
}

double rs_tree_grace(double seconds)
{
    return RS_TREE_GRACE_SECONDS +
           (1.0 + RS_TREE_GRACE_SHARE) * fmax(seconds, 0.0);
}

/* `work` on the node that a search begins with, whose bound is that of the
 * search for as long; what is late stays open */
static rs_status in_time(rs_status (*work)(rs_tree *t), rs_tree *t)
{
    const rs_clock *outer = t->ctx->clock;
    rs_clock clock;
    rs_clock_start(rs_tree_grace(t->settings->seconds), &clock);
    t->ctx->clock = &clock;
    t->search.now = t->node.bound;
    rs_status status = work(t);
    t->search.now = -INFINITY;
    if (status == RS_LATE) {
        t->search.lost = fmax(t->search.lost, t->node.bound);
        t->search.stopped = 1;
        status = RS_OK;
    }
    if (status == RS_OK && !t->search.stopped)
        status = rs_bnb_run(&t->search);
    else
        rs_bnb_note(&t->search);
    t->ctx->clock = outer;
    return status;
}

static void conclude(const rs_tree *t, rs_tree_fit *fit)
{
    const rs_bnb *s = &t->search;
    memcpy(fit->set, s->set, (size_t)t->node.k * sizeof *fit->set);
    fit->value = s->value;
    fit->bound = fmax(rs_bnb_bound(s), t->hidden);
    fit->rest = rs_bnb_rest(s);
    fit->resolved = t->hidden <= claimed_cut(t);
    fit->tied = t->rival >= near_best(t);
    fit->complete =
        fit->resolved && ((rs_bnb_is_complete(s) && !s->stopped) ||
                          (t->settings->ties && fit->bound <= claimed_cut(t)));
    fit->nodes = s->nodes;
    fit->seconds = rs_clock_seconds(&s->clock);
    fit->excluded = t->excluded;
    fit->fixed = t->fixed;
    fit->trace = s->trace;
}

static void mark_root(rs_tree *t)
{
    const rs_tree_settings *settings = t->settings;
    for (int i = 0; i < t->node.units; i++) {
        t->mark[i] = RS_UNIT_FREE;
        if (settings->excluded && settings->excluded[i])
            t->mark[i] = RS_UNIT_OUT;
        if (settings->fixed && settings->fixed[i])
            t->mark[i] = RS_UNIT_IN;
    }
    t->node.is_root = 1;
    t->node.resumed = 0;
}

rs_status rs_tree_search(const rs_tree_settings *settings, rs_tree *t,
                         rs_tree_fit *fit)
{
    RS_TRY(begin(settings, fit, t));
    mark_root(t);
    t->node.bound = fit->bound;
    RS_TRY(in_time(process, t));
    conclude(t, fit);
    return RS_OK;
}

/* ---- questions, from a root that is kept ------------------------------------- */

/* the root is bounded, and kept unless nothing is left of it or it is half done */
static rs_status keep_root(rs_tree *t)
{
    int done, unit;
    RS_TRY(work_on(&done, &unit, t));
    if (done || t->search.stopped)
        return RS_OK;
    RS_TRY(write_down(t));
    memcpy(t->root, t->record, t->of->bytes);
    pack(t, t->root);
    t->kept = 1;
    t->search.lost = t->node.bound;
    t->search.stopped = 1; /* there is nothing to run */
    return RS_OK;
}

/* the root that is kept, as a node, with a unit marked; *none: no set beyond the
 * cut is left of it */
static rs_status load_root(int unit, rs_unit mark, int *none, rs_tree *t)
{
    *none = 0;
    t->node.is_root = 0;
    t->node.resumed = 1;
    if (t->kept) {
        RS_TRY(know_records(t));
        /* what has left the root has no more than the cut */
        t->search.pruned = rs_bnb_cut(&t->search);
        unpack(t->root, t);
    } else {
        mark_root(t);
    }
    if (unit >= 0) {
        *none = t->mark[unit] != RS_UNIT_FREE && t->mark[unit] != mark;
        t->mark[unit] = (unsigned char)mark;
    }
    count_units(t);
    if (t->kept && t->of->resume)
        RS_TRY(t->of->resume(t->of->state, &t->node, t->root));
    return RS_OK;
}

rs_status rs_tree_pose(const rs_tree_settings *settings, int again,
                       rs_tree_fit *fit, int *done, rs_tree *t)
{
    int none;
    RS_TRY(begin(settings, fit, t));
    t->kept = t->kept && again;
    t->node.bound = fit->bound;
    RS_TRY(load_root(-1, RS_UNIT_FREE, &none, t));
    t->node.is_root = 1;
    RS_TRY(in_time(keep_root, t));
    conclude(t, fit);
    fit->bound = fmax(t->node.bound, t->search.pruned);
    *done = fit->complete;
    return RS_OK;
}

rs_status rs_tree_ask(const rs_tree_settings *settings, int unit, int holds,
                      rs_tree_fit *fit, rs_tree *t)
{
    int none;
    RS_TRY(begin(settings, fit, t));
    t->node.bound = fit->bound;
    RS_TRY(load_root(unit, holds ? RS_UNIT_IN : RS_UNIT_OUT, &none, t));
    if (!none)
        RS_TRY(in_time(process, t));
    conclude(t, fit);
    return RS_OK;
}

void rs_tree_decide(int unit, int holds, rs_tree *t)
{
    if (!t->kept)
        return;
    unpack(t->root, t);
    t->mark[unit] = holds ? RS_UNIT_IN : RS_UNIT_OUT;
    pack(t, t->root);
}
