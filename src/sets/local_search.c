/* Local search by exchanges of single features in a tableau of all features. */
#include "sets/local_search.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

/* numbers that the tableau may take */
#define RS_LOCAL_NUMBERS ((size_t)1 << 24)
/* sweeps after which the tableau is made afresh, at least */
#define RS_LOCAL_REFRESH 128

rs_status rs_local_init(rs_context *ctx, const rs_lsq *problem, int capacity,
                        rs_columns *columns, rs_local *local)
{
    const size_t d = (size_t)problem->d;
    const size_t wide = (size_t)capacity + problem->c + RS_SLOTS;
    memset(local, 0, sizeof *local);
    local->able =
        columns != NULL && problem->c > 0 && d * wide <= RS_LOCAL_NUMBERS;
    if (!local->able)
        return RS_OK;
    local->problem = problem;
    local->ctx = ctx;
    local->closed = (unsigned char *)rs_alloc(ctx, d, 1);
    RS_ALLOC_DOUBLES(ctx, d, &local->bar, &local->gain);
    RS_ALLOC_INTS(ctx, (size_t)capacity, &local->order, &local->queue,
                  &local->list);
    RS_TRY(rs_allocated(ctx));
    memset(local->closed, 0, d);
    RS_TRY(rs_tableau_init(ctx, problem->d, capacity, problem->c, RS_SLOTS,
                           &local->t));
    rs_tableau_give_problem(&local->t, problem, columns);
    return RS_OK;
}

/* ---- sets ---------------------------------------------------------------- */

static int slot_of(const rs_tableau *t, int p)
{
    return rs_position_among(t->k, t->feature, p);
}

static rs_status add(rs_local *local, int p)
{
    RS_TRY(rs_tableau_add(&local->t, p));
    local->order[local->t.k - 1] = p;
    local->moves++;
    return RS_OK;
}

void rs_local_remove(rs_local *local, int p)
{
    const int at = rs_position_among(local->t.k, local->order, p);
    rs_tableau_remove(&local->t, slot_of(&local->t, p));
    memmove(local->order + at, local->order + at + 1,
            (size_t)(local->t.k - at) * sizeof(int));
    local->moves++;
}

/* the tableau made anew, from the features in the list */
static rs_status make_afresh(rs_local *local, int count)
{
    local->moves = 0;
    rs_tableau_clear(&local->t);
    for (int l = 0; l < count; l++)
        RS_TRY(add(local, local->list[l]));
    return RS_OK;
}

/* against drift */
static rs_status refresh(rs_local *local)
{
    const rs_tableau *t = &local->t;
    if (local->moves < RS_LOCAL_REFRESH || local->moves < 4 * t->k)
        return RS_OK;
    memcpy(local->list, local->order, (size_t)t->k * sizeof(int));
    return make_afresh(local, t->k);
}

rs_status rs_local_change_to(rs_local *local, int count, const int *features)
{
    rs_tableau *t = &local->t;
    int shared = 0;
    for (int l = 0; l < count; l++)
        shared += t->member[features[l]];
    memcpy(local->list, features, (size_t)count * sizeof(int));
    if (t->k - shared + count - shared > count)
        return make_afresh(local, count);
    for (int l = t->k - 1; l >= 0; l--)
        if (rs_position_among(count, local->list, local->order[l]) == count)
            rs_local_remove(local, local->order[l]);
    for (int l = 0; l < count; l++)
        if (!t->member[local->list[l]])
            RS_TRY(add(local, local->list[l]));
    return RS_OK;
}

rs_status rs_local_take(rs_local *local, int count, const int *features)
{
    RS_TRY(rs_local_change_to(local, count, features));
    memcpy(local->order, local->list, (size_t)count * sizeof(int));
    return refresh(local);
}

/* bar = 0 for the features that may come in */
static void set_bar(rs_local *local)
{
    const rs_tableau *t = &local->t;
    const unsigned char *barred = local->problem->barred;
    for (int j = 0; j < t->m; j++)
        local->bar[j] = barred[j] || local->closed[j] ? -HUGE_VAL : 0.0;
    for (int l = 0; l < t->k; l++)
        local->bar[t->feature[l]] = -HUGE_VAL;
}

int rs_local_resolves(const rs_local *local)
{
    const rs_tableau *t = &local->t;
    const unsigned char *barred = local->problem->barred;
    const double total = local->problem->total;
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
static void score_additions(rs_local *local)
{
    const rs_tableau *t = &local->t;
    const double *base = t->base, *left = t->left, *square = t->square;
    const double *bar = local->bar;
    double *gain = local->gain;
    const int m = t->m;
#pragma omp simd
    for (int j = 0; j < m; j++) {
        double value = base[j] / left[j] + bar[j];
        int sure = left[j] > RS_LEFT_DOUBTFUL * square[j];
        gain[j] = sure && value >= 0.0 ? value : -1.0;
    }
}

/* the addition that `passed` others come before, or the last one */
static int addition(rs_local *local, int passed)
{
    set_bar(local);
    score_additions(local);
    rs_await_first(local->problem, local->gain);
    int last = -1;
    for (int i = 0; i <= passed; i++) {
        rs_candidate best = rs_best_candidate(local->problem, local->gain);
        if (best.feature < 0)
            break;
        last = best.feature;
        local->gain[last] = -1.0;
    }
    return last;
}

rs_status rs_local_grow_among(rs_local *local, int size, int among,
                              size_t *draw)
{
    while (local->t.k < size) {
        int passed = among > 1 ? rs_quasi_below(among, (*draw)++) : 0;
        int next = addition(local, passed);
        if (next < 0)
            return RS_SINGULAR;
        RS_TRY(add(local, next));
    }
    return RS_OK;
}

rs_status rs_local_grow(rs_local *local, int size)
{
    return rs_local_grow_among(local, size, 1, NULL);
}

/* ---- exchanges ----------------------------------------------------------- */

static int is_locked(const rs_local *local, int p)
{
    return local->problem->first && local->problem->first[p];
}

/* gain[j] = what j would add in the place of the one number `slot`, which is
 * number `b` of those prepared, -1 where it may not come in; returns the largest
 * change of E */
static double score_place(rs_local *local, int b, int slot)
{
    rs_tableau *t = &local->t;
    double *gain = local->gain;
    const double *bar = local->bar, kappa = rs_tableau_loss(t, slot);
    rs_tableau_top top = rs_tableau_exchange_gains(t, b, slot, bar, gain);
    for (int j = 0; j < t->m; j++)
        gain[j] = bar[j] == 0.0 && gain[j] > -kappa ? gain[j] + kappa : -1.0;
    return top.open;
}

/* the best feature for that place; -1 where none gains more than `least` */
static int best_for(rs_local *local, int b, int slot, double least)
{
    if (!rs_tableau_exchange_pays(&local->t, b, slot, local->bar, least,
                                  HUGE_VAL) ||
        !(score_place(local, b, slot) > least))
        return -1;
    return rs_best_candidate(local->problem, local->gain).feature;
}

static rs_status exchange_for(rs_local *local, int slot, int in)
{
    rs_tableau *t = &local->t;
    const int out = t->feature[slot];
    local->bar[out] = 0.0;
    local->bar[in] = -HUGE_VAL;
    rs_local_remove(local, out);
    return add(local, in);
}

/* the features queue[from..from + width) until one can be exchanged; *looked of
 * them were passed */
static rs_status look_at(rs_local *local, double least, int from, int width,
                         int *looked, int *done)
{
    rs_tableau *t = &local->t;
    int slots[RS_SLOTS];
    for (int b = 0; b < width; b++)
        slots[b] = slot_of(t, local->queue[from + b]);
    rs_tableau_prepare_exchanges(t, width, slots);
    *done = 0;
    for (int b = 0; b < width && !*done; b++) {
        int in = is_locked(local, local->queue[from + b])
                     ? -1
                     : best_for(local, b, slots[b], least);
        *looked = b + 1;
        if (in < 0)
            continue;
        RS_TRY(exchange_for(local, slots[b], in));
        local->queue[from + b] = in;
        *done = 1;
    }
    return RS_OK;
}

static double response_left(const rs_local *local)
{
    double left = local->problem->total - local->t.explained;
    return left > 0.0 ? left : 0.0;
}

static int is_known(const rs_local *local)
{
    const rs_tableau *t = &local->t;
    for (int l = 0; local->known && l < t->k; l++)
        if (!t->member[local->known[l]])
            return 0;
    return local->known != NULL;
}

static void note(const rs_local *local, rs_history *history)
{
    if (history)
        rs_history_add(history, response_left(local));
}

/*
 * The places are visited in turn; `quiet` counts those passed since the last
 * exchange, and k of them in a row make a one-exchange optimum. Quiet stretches
 * are looked at in wider and wider blocks.
 */
rs_status rs_local_exchange(rs_local *local, double least, int maxit,
                            rs_history *history)
{
    rs_tableau *t = &local->t;
    const int k = t->k;
    int quiet = 0, width = RS_SLOTS;
    note(local, history);
    if (k == 0 || response_left(local) <= least)
        return RS_OK;
    for (int sweep = 0; sweep < maxit; sweep++) {
        RS_TRY(refresh(local));
        set_bar(local);
        memcpy(local->queue, local->order, (size_t)k * sizeof(int));
        for (int at = 0; at < k && quiet < k;) {
            int looked = 0, done = 0;
            RS_TRY(look_at(local, least, at, rs_min_int(width, k - at),
                           &looked, &done));
            at += looked;
            quiet = done ? 1 : quiet + looked;
            width = done ? 2 : rs_min_int(2 * width, RS_SLOTS);
            if (done && is_known(local))
                return RS_OK;
            RS_TRY(rs_poll(local->ctx));
        }
        note(local, history);
        if (quiet >= k || response_left(local) <= least)
            return RS_OK;
    }
    return RS_MAXIT;
}
