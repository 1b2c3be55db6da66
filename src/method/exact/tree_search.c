/* Nodes of branch and bound on the perspective relaxation: bounding, screening
 * and branching, from the root's cross-products. */
#include "method/exact/tree_search.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* Newton steps for one splitting, and how much of the gap may be left to them:
 * at the root, and at nodes */
#define RS_TREE_STEPS 60
#define RS_TREE_ROOT_SHARE 0.003
#define RS_TREE_NODE_SHARE 0.03
/* barrier of the splitting, as a share of the gap for each feature: at first,
 * its factor from round to round, and least; at nodes */
#define RS_TREE_BARRIER 0.3
#define RS_TREE_BARRIER_FACTOR 0.5
#define RS_TREE_BARRIER_LEAST 0.03
#define RS_TREE_BARRIER_NODE 0.15
/* rounds at the root, as long as each takes such a share off the gap */
#define RS_TREE_ROUNDS 12
#define RS_TREE_PROGRESS 0.01
#define RS_TREE_HALVINGS 2
/* slopes of features that are nearly in the support: their share, and the
 * distance from the price where they fall by a factor e */
#define RS_TREE_NEAR 0.02
#define RS_TREE_NEAR_WIDTH 0.15
/* D of features in every set where the others' D is improved */
#define RS_TREE_FIXED 1e-8
/* bytes for open nodes */
#define RS_TREE_BYTES 1e9

typedef rs_cdlsr_tree tree;

/* ---- values of sets ------------------------------------------------------------- */

/* room for what working precision may have missed of a value, where every
 * feature keeps such a share of its square beside those before it */
#define RS_TREE_DOUBT 1e-8

/* what the given features of the root explain, in working precision; -1 where
 * some are so nearly dependent that this is not known */
static double quick_value(int count, const int *features, tree *t)
{
    double *R = t->R, *w = t->w;
    for (int j = 0; j < count; j++) {
        for (int i = 0; i <= j; i++)
            R[i + (size_t)count * j] =
                t->A[features[i] + (size_t)t->d * features[j]];
        for (int l = 0; l < t->c; l++)
            w[j + (size_t)count * l] = t->C[features[j] + (size_t)t->d * l];
    }
    if (rs_cholesky(count, R, count) != RS_OK)
        return -1.0;
    for (size_t j = 0; j < (size_t)count; j++)
        if (R[j + count * j] * R[j + count * j] < RS_LEFT_MINUTE)
            return -1.0;
    rs_triangular_solve('L', 'T', count, t->c, R, count, w, count);
    return rs_sum_squares((size_t)count * t->c, w);
}

/* a set of k features of the root: the incumbent, if it is better; or it is
 * met */
static void offer(const int *features, tree *t)
{
    const rs_exact_near *near = t->settings->near;
    const double least = near ? rs_bnb_cut(&t->search) : t->search.value;
    double value = quick_value(t->k, features, t);
    if (value >= 0.0 && value < least - RS_TREE_DOUBT)
        return;
    for (int i = 0; i < t->k; i++)
        t->columns[i] = t->root.list[features[i]];
    if (near) {
        t->search.stopped |= near->meet(near->state, t->columns);
        return;
    }
    if (t->accurate.able)
        value = rs_accurate_explained(&t->accurate, t->k, t->columns) /
                t->problem->total;
    else if (value < 0.0 || value > rs_bnb_cut(&t->search))
        t->unresolved = fmax(t->unresolved, value < 0.0 ? t->bound : value);
    rs_bnb_offer(t->columns, value, &t->search);
}

/* features in every set of the node, and those in the given places */
static int members_with(int count, const int *places, tree *t)
{
    int at = 0;
    for (int j = 0; j < t->N; j++)
        if (t->in[j])
            t->members[at++] = t->id[j];
    for (int i = 0; i < count && at < t->k; i++)
        t->members[at++] = t->id[places[i]];
    return at;
}

static rs_status offer_leaf(void *self, int count, const int *places)
{
    tree *t = (tree *)self;
    if (members_with(count, places, t) == t->k)
        offer(t->members, t);
    return rs_poll(t->ctx);
}

static double cut_of(void *self)
{
    return rs_bnb_cut(&((tree *)self)->search);
}

/* ---- the node in memory ------------------------------------------------------------ */

static rs_status node_column(void *self, int j, const double **at)
{
    tree *t = (tree *)self;
    *at = t->a + (size_t)t->N * j;
    return RS_OK;
}

/* a and b for the features in `id`, and the relaxation about them */
static void gather(tree *t)
{
    const size_t N = (size_t)t->N, d = (size_t)t->d;
    for (size_t j = 0; j < N; j++) {
        const double *column = t->A + d * t->id[j];
        for (size_t i = 0; i < N; i++)
            t->a[i + N * j] = column[t->id[i]];
        for (int l = 0; l < t->c; l++)
            t->b[j + N * l] = t->C[t->id[j] + d * l];
    }
    t->relax.N = t->N;
    t->relax.m = t->m;
    t->relax.in = t->in;
    t->relax.C = t->b;
}

/* features that are marked leave the node */
static void compact(tree *t)
{
    int at = 0;
    for (int j = 0; j < t->N; j++)
        if (!t->out[j]) {
            t->id[at] = t->id[j];
            t->in[at] = t->in[j];
            t->relax.D[at] = t->relax.D[j];
            t->relax.best_z[at] = t->relax.best_z[j];
            t->relax.best_weight[at] = t->relax.best_weight[j];
            at++;
        }
    t->N = at;
}

static void keep(tree *t)
{
    const size_t N = (size_t)t->N;
    t->kept.most = t->relax.best_most;
    rs_copy(N, t->relax.D, t->kept.D);
    rs_copy(N, t->relax.best_z, t->kept.z);
}

/* ---- bounding ------------------------------------------------------------------------- */

/* the bound with the present D, from z */
static rs_status relax(double share, tree *t)
{
    const double enough = rs_bnb_cut(&t->search);
    RS_TRY(rs_perspective_start(&t->relax));
    RS_TRY(rs_perspective_minimise(enough, share, RS_TREE_STEPS, &t->relax));
    t->bound = fmin(t->bound, t->relax.best_most);
    if (t->search.nodes == 0.0)
        t->search.now = t->bound; /* of the root, which is no open node */
    return RS_OK;
}

/* the set of the m largest weights */
static void round_up(tree *t)
{
    double smallest, next;
    rs_perspective_top(t->relax.best_weight, &smallest, &next, &t->relax);
    if (members_with(t->m, t->relax.order, t) == t->k)
        offer(t->members, t);
}

/* what the bound says of each feature of the root; sets that were left out before
 * are bounded by the cut */
static void tell(double most, double smallest, double next, const tree *t)
{
    const double least = t->search.pruned;
    for (int j = 0; j < t->N; j++) {
        const double w = t->relax.best_weight[j];
        double with = most, without = most;
        if (!t->in[j] && w <= smallest)
            with = most - smallest + w;
        else if (!t->in[j] && next >= 0.0)
            without = most - w + next;
        if (!t->in[j])
            t->watch->bound(t->watch->state, t->root.list[t->id[j]],
                            fmax(with, least), fmax(without, least));
    }
}

/* features that are in no better set of the node leave, those in every better
 * one join; *changed counts both */
static void screen(int *changed, tree *t)
{
    const rs_perspective *p = &t->relax;
    double smallest, next;
    const double sum =
        rs_perspective_top(p->best_weight, &smallest, &next, &t->relax);
    const double most = p->best_base + sum;
    int gone = 0, come = 0;
    if (t->watch)
        tell(most, smallest, next, t);
    for (int j = 0; j < t->N; j++) {
        const double w = p->best_weight[j];
        t->out[j] = 0;
        if (t->in[j])
            continue;
        if (w <= smallest && rs_bnb_prune(most - smallest + w, &t->search)) {
            t->out[j] = 1;
            gone++;
        } else if (w >= smallest && next >= 0.0 &&
                   rs_bnb_prune(most - w + next, &t->search)) {
            t->in[j] = 1;
            t->relax.best_base += w;
            come++;
        }
    }
    *changed = gone + come;
    t->dropped += gone;
    t->joined += come;
    t->m -= come;
    if (gone > 0)
        compact(t);
    if (*changed > 0) {
        rs_copy((size_t)t->N, t->relax.best_z, t->relax.z);
        gather(t);
    }
}

/* slopes of the bound in D, those of features near the support above zero */
static void find_slopes(tree *t)
{
    const rs_perspective *p = &t->relax;
    double smallest, next;
    rs_perspective_slopes(p, t->slopes);
    rs_perspective_top(p->weight, &smallest, &next, &t->relax);
    const double width = RS_TREE_NEAR_WIDTH * smallest;
    for (int j = 0; j < t->N; j++)
        if (p->z[j] <= 0.0)
            t->slopes[j] = RS_TREE_NEAR *
                           exp(fmin(p->weight[j] - smallest, 0.0) / width) *
                           p->weight[j] / p->D[j];
}

/* D half of the way back to the one that is kept, which is proved as well as
 * this one: so is their mean */
static void halve_step(tree *t)
{
    for (int j = 0; j < t->N; j++)
        t->relax.D[j] += 0.5 * (t->kept.D[j] - t->relax.D[j]);
}

/* a better splitting, and the bound with it; where that is no better after
 * some halvings of the step, all is as it was */
static rs_status improve(double barrier, int passes, double back, int halvings,
                         double share, tree *t)
{
    const size_t N = (size_t)t->N;
    const double gap = t->relax.best_most - rs_bnb_cut(&t->search);
    int moved;
    keep(t);
    find_slopes(t);
    for (int j = 0; j < t->N; j++)
        if (t->in[j])
            t->relax.D[j] = fmin(t->relax.D[j], RS_TREE_FIXED);
    RS_TRY(rs_splitting_ascend(t->N, t->a, t->slopes, t->in,
                               barrier * gap / t->N, passes, back, t->relax.D,
                               &moved, &t->split));
    for (int trial = 0; moved && trial <= halvings; trial++) {
        if (trial > 0)
            halve_step(t);
        rs_copy(N, t->kept.z, t->relax.z);
        RS_TRY(relax(share, t));
        if (t->relax.best_most < t->kept.most)
            return RS_OK;
    }
    rs_copy(N, t->kept.D, t->relax.D);
    rs_copy(N, t->kept.z, t->relax.z);
    return rs_perspective_start(&t->relax);
}

/* ---- a node ---------------------------------------------------------------------------- */

/* is nothing left to choose? Then no set or one is left */
int rs_tree_has_no_choice(tree *t)
{
    int free = 0;
    for (int j = 0; j < t->N; j++)
        if (!t->in[j])
            t->relax.order[free++] = j;
    if (t->m > 0 && free > t->m)
        return 0;
    if (t->m >= 0 && free >= t->m &&
        members_with(t->m, t->relax.order, t) == t->k)
        offer(t->members, t);
    return 1;
}

/* all sets of the node, where there are no more than so many: *done */
static rs_status enumerate(double most, int *done, tree *t)
{
    *done = 0;
    if (t->m > RS_LEAF_MOST)
        return RS_OK;
    RS_TRY(rs_leaf_load(t->N, t->a, t->b, t->in, t->m, t->relax.best_base,
                        t->relax.best_weight, t->root.error, most, done,
                        &t->leaf));
    if (!*done)
        return RS_OK;
    RS_TRY(rs_leaf_enumerate(&t->leaf));
    rs_bnb_prune(rs_bnb_cut(&t->search), &t->search);
    return RS_OK;
}

/* what the sets of the node explain at most that answer a question; *only: the
 * place of the one feature that such sets must hold, -1: there is no such one */
static double bound_answers(int *only, tree *t)
{
    const rs_tree_questions *q = t->questions;
    const double *weight = t->relax.best_weight;
    const double cut = rs_bnb_cut(&t->search);
    double smallest, next, alive = -INFINITY;
    const double most =
        t->relax.best_base +
        rs_perspective_top(weight, &smallest, &next, &t->relax);
    int without = 0, count = 0;
    *only = -1;
    for (int j = 0; j < t->N; j++) {
        const int asked = q->asks(q->state, t->root.list[t->id[j]]);
        double bound = most;
        if (asked == 0)
            continue;
        without += asked < 0;
        if (asked < 0 && t->in[j])
            continue;
        if (asked > 0 && !t->in[j] && weight[j] < smallest)
            bound = most - smallest + weight[j];
        if (asked < 0 && weight[j] >= smallest && next >= 0.0)
            bound = most - weight[j] + next;
        alive = fmax(alive, bound);
        if (bound > cut) {
            count += asked > 0 && !t->in[j] ? 1 : 2;
            *only = j;
        }
    }
    if (without < q->without(q->state)) {
        alive = most;
        count = 2;
    }
    if (count != 1)
        *only = -1;
    return alive;
}

/* is no question left that a set of the node may answer? */
static int answers_nothing(tree *t)
{
    int only;
    if (!t->questions)
        return 0;
    t->bound = fmin(t->bound, bound_answers(&only, t));
    return rs_bnb_prune(t->bound, &t->search);
}

/* relaxation, rounding, screening; *done where nothing is left to do */
static rs_status bound_node(double share, double most_sets, int *done, tree *t)
{
    int changed = 1;
    *done = 0;
    for (int round = 0; round < 3 && changed; round++) {
        RS_TRY(relax(share, t));
        round_up(t);
        *done = rs_bnb_prune(t->bound, &t->search);
        if (*done)
            return RS_OK;
        screen(&changed, t);
        *done = rs_tree_has_no_choice(t) || answers_nothing(t);
        if (!*done)
            RS_TRY(enumerate(most_sets, done, t));
        if (*done)
            return RS_OK;
    }
    if (changed)
        RS_TRY(rs_perspective_start(&t->relax));
    return RS_OK;
}

/* the feature that costs most to leave out */
static rs_status find_branch(int *place, tree *t)
{
    RS_TRY(rs_perspective_costs(t->cost, &t->relax));
    *place = -1;
    for (int j = 0; j < t->N; j++)
        if (!t->in[j] && (*place < 0 || t->cost[j] > t->cost[*place]))
            *place = j;
    return RS_OK;
}

/* ---- records of nodes: D, z, features (in every set: negative), sizes ----------------- */

size_t rs_tree_record_size(const tree *t)
{
    const size_t d = (size_t)t->d;
    return 2 * d * sizeof(double) + (d + 4) * sizeof(int);
}

void rs_tree_write(int place, double *record, tree *t)
{
    double *D = record, *z = D + t->d;
    int *id = (int *)(z + t->d), *size = id + t->d;
    rs_copy((size_t)t->N, t->relax.D, D);
    rs_copy((size_t)t->N, t->relax.best_z, z);
    for (int j = 0; j < t->N; j++)
        id[j] = t->in[j] ? -1 - t->id[j] : t->id[j];
    size[0] = t->N;
    size[1] = t->m;
    size[2] = place;
}

/* the child that holds the feature of the branch, or the one that does not */
void rs_tree_read(const double *record, int holds, double bound, tree *t)
{
    const double *D = record, *z = D + t->d;
    const int *id = (const int *)(z + t->d), *size = id + t->d;
    int at = 0;
    for (int j = 0; j < size[0]; j++) {
        if (j == size[2] && !holds)
            continue;
        t->in[at] = id[j] < 0 || j == size[2];
        t->id[at] = id[j] < 0 ? -1 - id[j] : id[j];
        t->relax.D[at] = D[j];
        t->relax.z[at] = z[j];
        at++;
    }
    t->N = at;
    t->m = size[1] - holds;
    t->bound = bound;
    gather(t);
}

static rs_status push(tree *t)
{
    int place = -1;
    if (t->questions)
        t->bound = fmin(t->bound, bound_answers(&place, t));
    if (place < 0)
        RS_TRY(find_branch(&place, t));
    rs_tree_write(place, t->record, t);
    return rs_bnb_push(t->record, t->bound, &t->search);
}

/* is there a question left that sets of a node may answer? */
static int is_asked(const double *record, const tree *t)
{
    const rs_tree_questions *q = t->questions;
    const int *id = (const int *)(record + 2 * (size_t)t->d);
    const int N = id[t->d];
    if (!q || q->without(q->state) > 0)
        return 1;
    for (int j = 0; j < N; j++)
        if (q->asks(q->state, t->root.list[id[j] < 0 ? -1 - id[j] : id[j]]) >
            0)
            return 1;
    return 0;
}

/* sets of a leaf that cost as much as a node */
static double affordable(const tree *t)
{
    const double N = t->N;
    return fmax(1e5, N * N * N / 6.0);
}

rs_status rs_tree_process_node(tree *t)
{
    int done;
    if (rs_tree_has_no_choice(t))
        return RS_OK;
    RS_TRY(bound_node(RS_TREE_NODE_SHARE, 0.1 * affordable(t), &done, t));
    if (done)
        return RS_OK;
    RS_TRY(improve(RS_TREE_BARRIER_NODE, 1, 0.5, 0, RS_TREE_NODE_SHARE, t));
    RS_TRY(bound_node(RS_TREE_NODE_SHARE, affordable(t), &done, t));
    return done ? RS_OK : push(t);
}

rs_status rs_tree_branch(void *self, const void *node, double bound,
                         rs_bnb *search)
{
    tree *t = (tree *)self;
    (void)search;
    memcpy(t->parent, node, rs_tree_record_size(t));
    if (!is_asked(t->parent, t))
        return RS_OK;
    for (int holds = 1; holds >= 0; holds--) {
        rs_tree_read(t->parent, holds, bound, t);
        RS_TRY(rs_tree_process_node(t));
    }
    return RS_OK;
}

static void report(void *self, const rs_bnb *search)
{
    const tree *t = (const tree *)self;
    if (t->settings->report)
        t->settings->report(t->settings->report_state, search);
}

rs_status rs_tree_refine_root(int *done, tree *t)
{
    double barrier = RS_TREE_BARRIER;
    RS_TRY(bound_node(RS_TREE_ROOT_SHARE, affordable(t), done, t));
    for (int round = 0; round < RS_TREE_ROUNDS && !*done; round++) {
        if (t->N == t->d)
            rs_copy((size_t)t->d, t->relax.D, t->D);
        const double before = t->relax.best_most - rs_bnb_cut(&t->search);
        RS_TRY(
            improve(barrier, 2, 0.0, RS_TREE_HALVINGS, RS_TREE_ROOT_SHARE, t));
        RS_TRY(bound_node(RS_TREE_ROOT_SHARE, affordable(t), done, t));
        if (*done)
            return RS_OK;
        const double after = t->relax.best_most - rs_bnb_cut(&t->search);
        if (after > (1.0 - RS_TREE_PROGRESS) * before &&
            barrier <= RS_TREE_BARRIER_LEAST)
            break;
        barrier =
            fmax(barrier * RS_TREE_BARRIER_FACTOR, RS_TREE_BARRIER_LEAST);
    }
    return RS_OK;
}

rs_status rs_tree_process_root(tree *t)
{
    int done;
    RS_TRY(rs_tree_refine_root(&done, t));
    return done ? RS_OK : push(t);
}

/* ---- where a search begins ------------------------------------------------------- */

/* z: 1 for the incumbent */
void rs_tree_start_root(const rs_exact_fit *fit, tree *t)
{
    const unsigned char *first = t->problem->first;
    t->N = t->d;
    t->m = t->k;
    t->bound = 1.0;
    rs_copy((size_t)t->d, t->D, t->relax.D);
    for (int j = 0; j < t->d; j++) {
        t->id[j] = j;
        t->in[j] = first && first[t->root.list[j]];
        t->m -= t->in[j];
        t->relax.z[j] = 0.0;
        for (int i = 0; i < t->k; i++)
            if (t->root.list[j] == fit->feature[i])
                t->relax.z[j] = 1.0;
    }
    gather(t);
}

rs_status rs_tree_begin(tree *t, const rs_exact_settings *settings,
                        const rs_exact_fit *fit)
{
    const rs_bnb_problem what = {t, rs_tree_record_size(t), rs_tree_branch,
                                 report};
    const rs_bnb_limits limits = {RS_BEST_FIRST, settings->time_limit,
                                  INFINITY, RS_TREE_BYTES, settings->tol};
    t->settings = settings;
    t->k = settings->k;
    rs_arena_clear(&t->arena);
    RS_TRY(rs_bnb_init(&t->arena.ctx, &what, &limits, t->k, fit->feature,
                       fit->explained / t->problem->total, &t->search));
    t->unresolved = t->dropped = t->joined = 0.0;
    return RS_OK;
}

void rs_tree_connect(tree *t)
{
    t->relax.column = node_column;
    t->relax.state = t;
    t->leaf.offer = offer_leaf;
    t->leaf.cut = cut_of;
    t->leaf.state = t;
}
