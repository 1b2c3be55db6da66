#include "sets/walk.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

/* numbers that the tableau may take */
#define RS_WALK_NUMBERS ((size_t)1 << 24)
/* sweeps after which the tableau is made afresh, at least */
#define RS_WALK_REFRESH 128

rs_status rs_walk_init(rs_context *ctx, const rs_lsq *problem, int capacity,
                       rs_columns *columns, rs_walk *walk)
{
    const size_t d = (size_t)problem->d;
    const size_t wide = (size_t)capacity + problem->c + RS_SLOTS;
    memset(walk, 0, sizeof *walk);
    walk->able =
        columns != NULL && problem->c > 0 && d * wide <= RS_WALK_NUMBERS;
    if (!walk->able)
        return RS_OK;
    walk->problem = problem;
    walk->ctx = ctx;
    walk->closed = (unsigned char *)rs_alloc(ctx, d, 1);
    walk->bar = rs_alloc_double(ctx, d);
    walk->gain = rs_alloc_double(ctx, d);
    walk->order = rs_alloc_int(ctx, (size_t)capacity);
    walk->queue = rs_alloc_int(ctx, (size_t)capacity);
    walk->list = rs_alloc_int(ctx, (size_t)capacity);
    walk->aside_order = rs_alloc_int(ctx, (size_t)capacity);
    RS_TRY(rs_allocated(ctx));
    memset(walk->closed, 0, d);
    RS_TRY(rs_tableau_init(ctx, problem->d, capacity, problem->c, RS_SLOTS,
                           &walk->t));
    RS_TRY(rs_tableau_copy_init(ctx, &walk->t, &walk->aside));
    rs_tableau_give_problem(&walk->t, problem, columns);
    return RS_OK;
}

/* ---- sets ---------------------------------------------------------------- */

static int slot_of(const rs_tableau *t, int p)
{
    return rs_position_among(t->k, t->feature, p);
}

static rs_status add(rs_walk *walk, int p)
{
    RS_TRY(rs_tableau_add(&walk->t, p));
    walk->order[walk->t.k - 1] = p;
    walk->moves++;
    return RS_OK;
}

void rs_walk_remove(rs_walk *walk, int p)
{
    const int at = rs_position_among(walk->t.k, walk->order, p);
    rs_tableau_remove(&walk->t, slot_of(&walk->t, p));
    memmove(walk->order + at, walk->order + at + 1,
            (size_t)(walk->t.k - at) * sizeof(int));
    walk->moves++;
}

/* the tableau made anew, from the features in the list */
static rs_status make_afresh(rs_walk *walk, int count)
{
    walk->moves = 0;
    rs_tableau_clear(&walk->t);
    for (int l = 0; l < count; l++)
        RS_TRY(add(walk, walk->list[l]));
    return RS_OK;
}

/* against drift */
static rs_status refresh(rs_walk *walk)
{
    const rs_tableau *t = &walk->t;
    if (walk->moves < RS_WALK_REFRESH || walk->moves < 4 * t->k)
        return RS_OK;
    memcpy(walk->list, walk->order, (size_t)t->k * sizeof(int));
    return make_afresh(walk, t->k);
}

rs_status rs_walk_change_to(rs_walk *walk, int count, const int *features)
{
    rs_tableau *t = &walk->t;
    int shared = 0;
    for (int l = 0; l < count; l++)
        shared += t->member[features[l]];
    memcpy(walk->list, features, (size_t)count * sizeof(int));
    if (t->k - shared + count - shared > count)
        return make_afresh(walk, count);
    for (int l = t->k - 1; l >= 0; l--)
        if (rs_position_among(count, walk->list, walk->order[l]) == count)
            rs_walk_remove(walk, walk->order[l]);
    for (int l = 0; l < count; l++)
        if (!t->member[walk->list[l]])
            RS_TRY(add(walk, walk->list[l]));
    return RS_OK;
}

rs_status rs_walk_take(rs_walk *walk, int count, const int *features)
{
    RS_TRY(rs_walk_change_to(walk, count, features));
    memcpy(walk->order, walk->list, (size_t)count * sizeof(int));
    return refresh(walk);
}

void rs_walk_put_aside(rs_walk *walk)
{
    rs_tableau_put_aside(&walk->t, &walk->aside);
    memcpy(walk->aside_order, walk->order, (size_t)walk->t.k * sizeof(int));
    walk->aside_moves = walk->moves;
}

void rs_walk_bring_back(rs_walk *walk)
{
    rs_tableau_bring_back(&walk->t, &walk->aside);
    memcpy(walk->order, walk->aside_order, (size_t)walk->t.k * sizeof(int));
    walk->moves = walk->aside_moves;
}

/* bar = 0 for the features that may come in */
static void set_bar(rs_walk *walk)
{
    const rs_tableau *t = &walk->t;
    const unsigned char *barred = walk->problem->barred;
    for (int j = 0; j < t->m; j++)
        walk->bar[j] = barred[j] || walk->closed[j] ? -HUGE_VAL : 0.0;
    for (int l = 0; l < t->k; l++)
        walk->bar[t->feature[l]] = -HUGE_VAL;
}

int rs_walk_resolves(const rs_walk *walk)
{
    const rs_tableau *t = &walk->t;
    const unsigned char *barred = walk->problem->barred;
    const double total = walk->problem->total;
    if (!(total - t->explained > RS_LEFT_MINUTE * total))
        return 0;
    for (int j = 0; j < t->m; j++)
        if (!(t->left[j] > RS_LEFT_DOUBTFUL * t->square[j]) && !t->member[j] &&
            !barred[j])
            return 0;
    return 1;
}

/* ---- additions ----------------------------------------------------------- */

/* gain[j] = what j adds to E, -1 where it cannot be added */
static void score_additions(rs_walk *walk)
{
    const rs_tableau *t = &walk->t;
    const double *base = t->base, *left = t->left, *square = t->square;
    const double *bar = walk->bar;
    double *gain = walk->gain;
    const int m = t->m;
#pragma omp simd
    for (int j = 0; j < m; j++) {
        double value = base[j] / left[j] + bar[j];
        int sure = left[j] > RS_LEFT_DOUBTFUL * square[j];
        gain[j] = sure && value >= 0.0 ? value : -1.0;
    }
}

/* the addition that `passed` others come before, or the last one */
static int addition(rs_walk *walk, int passed)
{
    set_bar(walk);
    score_additions(walk);
    rs_await_first(walk->problem, walk->gain);
    int last = -1;
    for (int i = 0; i <= passed; i++) {
        rs_candidate best = rs_best_candidate(walk->problem, walk->gain);
        if (best.feature < 0)
            break;
        last = best.feature;
        walk->gain[last] = -1.0;
    }
    return last;
}

rs_status rs_walk_grow_among(rs_walk *walk, int size, int among, size_t *draw)
{
    while (walk->t.k < size) {
        int passed = among > 1 ? rs_quasi_below(among, (*draw)++) : 0;
        int next = addition(walk, passed);
        if (next < 0)
            return RS_SINGULAR;
        RS_TRY(add(walk, next));
    }
    return RS_OK;
}

rs_status rs_walk_grow(rs_walk *walk, int size)
{
    return rs_walk_grow_among(walk, size, 1, NULL);
}

/* ---- exchanges ----------------------------------------------------------- */

static int is_locked(const rs_walk *walk, int p)
{
    return walk->problem->first && walk->problem->first[p];
}

/* gain[j] = what j would add in the place of the one number `slot`, which is
 * number `b` of those prepared, -1 where it may not come in; returns the largest
 * change of E */
static double score_place(rs_walk *walk, int b, int slot)
{
    rs_tableau *t = &walk->t;
    double *gain = walk->gain;
    const double *bar = walk->bar, kappa = rs_tableau_loss(t, slot);
    rs_tableau_top top = rs_tableau_exchange_gains(t, b, slot, bar, gain);
    for (int j = 0; j < t->m; j++)
        gain[j] = bar[j] == 0.0 && gain[j] > -kappa ? gain[j] + kappa : -1.0;
    return top.open;
}

/* the best feature for that place; -1 where none gains more than `least` */
static int best_for(rs_walk *walk, int b, int slot, double least)
{
    if (!rs_tableau_exchange_pays(&walk->t, b, slot, walk->bar, least,
                                  HUGE_VAL) ||
        !(score_place(walk, b, slot) > least))
        return -1;
    return rs_best_candidate(walk->problem, walk->gain).feature;
}

static rs_status exchange_for(rs_walk *walk, int slot, int in)
{
    rs_tableau *t = &walk->t;
    const int out = t->feature[slot];
    walk->bar[out] = 0.0;
    walk->bar[in] = -HUGE_VAL;
    rs_walk_remove(walk, out);
    return add(walk, in);
}

/* the features queue[from..from + width) until one can be exchanged; *looked of
 * them were passed */
static rs_status look_at(rs_walk *walk, double least, int from, int width,
                         int *looked, int *done)
{
    rs_tableau *t = &walk->t;
    int slots[RS_SLOTS];
    for (int b = 0; b < width; b++)
        slots[b] = slot_of(t, walk->queue[from + b]);
    rs_tableau_prepare_exchanges(t, width, slots);
    *done = 0;
    for (int b = 0; b < width && !*done; b++) {
        int in = is_locked(walk, walk->queue[from + b])
                     ? -1
                     : best_for(walk, b, slots[b], least);
        *looked = b + 1;
        if (in < 0)
            continue;
        RS_TRY(exchange_for(walk, slots[b], in));
        walk->queue[from + b] = in;
        *done = 1;
    }
    return RS_OK;
}

static double response_left(const rs_walk *walk)
{
    double left = walk->problem->total - walk->t.explained;
    return left > 0.0 ? left : 0.0;
}

static int is_known(const rs_walk *walk)
{
    const rs_tableau *t = &walk->t;
    for (int l = 0; walk->known && l < t->k; l++)
        if (!t->member[walk->known[l]])
            return 0;
    return walk->known != NULL;
}

static void note(const rs_walk *walk, rs_history *history)
{
    if (history)
        rs_history_add(history, response_left(walk));
}

/*
 * The places are visited in turn; `quiet` counts those passed since the last
 * exchange, and k of them in a row make a one-exchange optimum. Quiet stretches
 * are looked at in wider and wider blocks.
 */
rs_status rs_walk_exchange(rs_walk *walk, double least, int maxit,
                           rs_history *history)
{
    rs_tableau *t = &walk->t;
    const int k = t->k;
    int quiet = 0, width = RS_SLOTS;
    note(walk, history);
    if (k == 0 || response_left(walk) <= least)
        return RS_OK;
    for (int sweep = 0; sweep < maxit; sweep++) {
        RS_TRY(refresh(walk));
        set_bar(walk);
        memcpy(walk->queue, walk->order, (size_t)k * sizeof(int));
        for (int at = 0; at < k && quiet < k;) {
            int looked, done;
            RS_TRY(look_at(walk, least, at, rs_min_int(width, k - at), &looked,
                           &done));
            at += looked;
            quiet = done ? 1 : quiet + looked;
            width = done ? 2 : rs_min_int(2 * width, RS_SLOTS);
            if (done && is_known(walk))
                return RS_OK;
            RS_TRY(rs_poll(walk->ctx));
        }
        note(walk, history);
        if (quiet >= k || response_left(walk) <= least)
            return RS_OK;
    }
    return RS_MAXIT;
}

/* ---- what comes near ----------------------------------------------------- */

rs_status rs_walk_nearest(rs_walk *walk, int each, rs_choose_ws *choose,
                          unsigned char *kept, unsigned char *near)
{
    rs_tableau *t = &walk->t;
    const rs_lsq *p = walk->problem;
    const size_t d = (size_t)p->d;
    int slots[RS_SLOTS];
    each = rs_min_int(each, p->d);
    memset(near, 0, d);
    set_bar(walk);
    for (int from = 0; from < t->k; from += RS_SLOTS) {
        const int count = rs_min_int(RS_SLOTS, t->k - from);
        for (int b = 0; b < count; b++)
            slots[b] = from + b;
        rs_tableau_prepare_exchanges(t, count, slots);
        for (int b = 0; b < count; b++) {
            if (is_locked(walk, t->feature[from + b]))
                continue;
            score_place(walk, b, from + b);
            RS_TRY(rs_choose_mask(d, walk->gain, p->deviation, d, (size_t)each,
                                  kept, choose));
            for (size_t j = 0; j < d; j++)
                near[j] |= kept[j] && walk->gain[j] >= 0.0;
        }
        RS_TRY(rs_poll(walk->ctx));
    }
    return RS_OK;
}
