#include "proof/bnb.h"

#include <math.h>
#include <string.h>

/* slots of the first chunk; each later one has as many as all before it, and
 * the first as many again */
#define RS_BNB_FIRST 64
/* room that is left before a best-first search dives, and after which it goes
 * on best first, as shares of all */
#define RS_BNB_SHORT 0.9
#define RS_BNB_EASED 0.75
/* steps of the bound that the trace keeps, as shares of the first gap */
#define RS_BNB_STEP (1.0 / 128.0)

rs_status rs_bnb_init(rs_context *ctx, const rs_bnb_problem *problem,
                      const rs_bnb_limits *limits, int k, const int *set,
                      double value, rs_bnb *search)
{

    *search = (rs_bnb){.ctx = ctx, .limits = *limits, .k = k, .value = value};
    search->pruned = search->lost = search->now = -INFINITY;
    search->set = rs_alloc_int(ctx, (size_t)k);
    RS_TRY_ALLOC(search->set);
    memcpy(search->set, set, (size_t)k * sizeof *set);
    rs_bnb_pose(problem, search);
    rs_clock_start(limits->seconds, &search->clock);
    return RS_OK;
}

void rs_bnb_pose(const rs_bnb_problem *problem, rs_bnb *s)
{
    s->problem = *problem;
    s->most =
        (int)fmin(1e8, s->limits.bytes / ((double)problem->node_size + 24.0));
    if (s->most < 2)
        s->most = 2;
}

/* ---- the heap of open nodes ------------------------------------------------ */

/* does the node in slot a come before the one in slot b? */
static int comes_first(const rs_bnb *s, int a, int b)
{
    if (s->diving || s->bound[a] == s->bound[b])
        return s->stamp[a] > s->stamp[b];
    return s->bound[a] > s->bound[b];
}

static void exchange_places(int i, int j, rs_bnb *s)
{
    int slot = s->heap[i];
    s->heap[i] = s->heap[j];
    s->heap[j] = slot;
}

static void sift_up(int i, rs_bnb *s)
{
    while (i > 0 && comes_first(s, s->heap[i], s->heap[(i - 1) / 2])) {
        exchange_places(i, (i - 1) / 2, s);
        i = (i - 1) / 2;
    }
}

static void sift_down(int i, rs_bnb *s)
{
    for (;;) {
        int first = i;
        for (int child = 2 * i + 1; child <= 2 * i + 2; child++)
            if (child < s->open &&
                comes_first(s, s->heap[child], s->heap[first]))
                first = child;
        if (first == i)
            return;
        exchange_places(i, first, s);
        i = first;
    }
}

/* is room short, or no longer? Then the order of the open nodes changes */
static void choose_order(rs_bnb *s)
{
    const double share = (double)s->open / s->most;
    if (s->diving ? share > RS_BNB_EASED : share <= RS_BNB_SHORT)
        return;
    s->diving = !s->diving;
    for (int i = s->open / 2; i >= 0; i--)
        sift_down(i, s);
}

/* ---- records ---------------------------------------------------------------- */

static char *record(const rs_bnb *s, int slot)
{
    int chunk = 0, first = 0, size = RS_BNB_FIRST;
    while (slot >= first + size) {
        first += size;
        size = first + RS_BNB_FIRST;
        chunk++;
    }
    return s->chunk[chunk] + (size_t)(slot - first) * s->problem.node_size;
}

/* one more chunk, and longer lists */
static rs_status make_room(rs_bnb *s)
{
    const int more = rs_min_int(s->slots + RS_BNB_FIRST, s->most - s->slots);
    const int all = s->slots + more;
    const size_t kept = (size_t)s->slots;
    char *chunk = (char *)rs_alloc(s->ctx, (size_t)more, s->problem.node_size);
    int *heap = rs_alloc_int(s->ctx, (size_t)all);
    double *bound, *stamp;
    RS_ALLOC_DOUBLES(s->ctx, (size_t)all, &bound, &stamp);
    RS_TRY(rs_allocated(s->ctx));
    if (kept > 0) {
        memcpy(heap, s->heap, kept * sizeof *heap);
        memcpy(bound, s->bound, kept * sizeof *bound);
        memcpy(stamp, s->stamp, kept * sizeof *stamp);
    }
    for (int slot = s->slots; slot < all; slot++)
        heap[slot] = slot;
    s->chunk[s->chunks++] = chunk;
    s->heap = heap;
    s->bound = bound;
    s->stamp = stamp;
    s->slots = all;
    return RS_OK;
}

rs_status rs_bnb_push(const void *node, double bound, rs_bnb *s)
{
    if (rs_bnb_prune(bound, s))
        return RS_OK;
    if (s->open == s->most || s->chunks == RS_BNB_CHUNKS) {
        s->lost = fmax(s->lost, bound);
        return RS_OK;
    }
    if (s->open == s->slots)
        RS_TRY(make_room(s));
    const int slot = s->heap[s->open];
    memcpy(record(s, slot), node, s->problem.node_size);
    s->bound[slot] = bound;
    s->stamp[slot] = s->stored++;
    s->open++;
    sift_up(s->open - 1, s);
    return RS_OK;
}

/* the next open node leaves the heap; its record stays until one is stored */
static int take(rs_bnb *s)
{
    choose_order(s);
    const int slot = s->heap[0];
    s->open--;
    exchange_places(0, s->open, s);
    sift_down(0, s);
    return slot;
}

/* ---- values and bounds ------------------------------------------------------ */

int rs_bnb_prune(double bound, rs_bnb *s)
{
    if (!(bound <= rs_bnb_cut(s)))
        return 0;
    s->pruned = fmax(s->pruned, bound);
    return 1;
}

void rs_bnb_offer(const int *set, double value, rs_bnb *s)
{
    if (!(value > s->value))
        return;
    s->value = value;
    memcpy(s->set, set, (size_t)s->k * sizeof *set);
    rs_bnb_note(s);
}

int rs_bnb_is_late(rs_bnb *s)
{
    if (!s->stopped)
        s->stopped = rs_clock_is_over(&s->clock);
    return s->stopped;
}

int rs_bnb_is_complete(const rs_bnb *s)
{
    return s->open == 0 && s->lost == -INFINITY;
}

double rs_bnb_rest(const rs_bnb *s)
{
    const int heads = s->diving ? s->open : rs_min_int(s->open, 1);
    double most = fmax(s->pruned, fmax(s->lost, s->now));
    for (int i = 0; i < heads; i++)
        most = fmax(most, s->bound[s->heap[i]]);
    return most;
}

double rs_bnb_bound(const rs_bnb *s)
{
    return fmax(s->value, rs_bnb_rest(s));
}

/* ---- the trace --------------------------------------------------------------- */

/* every other state leaves, never the first one */
static void thin_out(rs_bnb_trace *t)
{
    int kept = 0;
    for (int i = 0; i < t->count; i += 2, kept++) {
        t->seconds[kept] = t->seconds[i];
        t->value[kept] = t->value[i];
        t->bound[kept] = t->bound[i];
    }
    t->count = kept;
}

void rs_bnb_note(rs_bnb *s)
{
    rs_bnb_trace *t = &s->trace;
    const double bound = rs_bnb_bound(s);
    if (t->count > 0 && t->value[t->count - 1] == s->value &&
        t->bound[t->count - 1] == bound)
        return;
    if (t->count == RS_BNB_TRACE)
        thin_out(t);
    t->seconds[t->count] = rs_clock_seconds(&s->clock);
    t->value[t->count] = s->value;
    t->bound[t->count] = bound;
    t->count++;
}

/* has the bound fallen far enough since the last state? */
static void note_step(rs_bnb *s)
{
    const rs_bnb_trace *t = &s->trace;
    if (s->diving || t->count == 0)
        return;
    const double step = RS_BNB_STEP * (t->bound[0] - t->value[0]);
    if (t->bound[t->count - 1] - rs_bnb_bound(s) >= step)
        rs_bnb_note(s);
}

/* ---- the search -------------------------------------------------------------- */

rs_status rs_bnb_run(rs_bnb *s)
{
    rs_bnb_note(s);
    while (s->open > 0 && !rs_bnb_is_late(s)) {
        if (s->nodes >= s->limits.nodes) {
            s->stopped = 1;
            break;
        }
        const int slot = take(s);
        if (rs_bnb_prune(s->bound[slot], s))
            continue;
        s->nodes += 1.0;
        s->now = s->bound[slot];
        rs_status status =
            s->problem.branch(s->problem.state, record(s, slot), s->now, s);
        if (status == RS_LATE)
            s->lost = fmax(s->lost, s->now);
        else
            RS_TRY(status);
        s->now = -INFINITY;
        if (status == RS_OK)
            status = rs_poll(s->ctx);
        if (status == RS_LATE)
            s->stopped = 1;
        else
            RS_TRY(status);
        note_step(s);
        if (s->problem.report)
            s->problem.report(s->problem.state, s);
    }
    rs_bnb_note(s);
    return RS_OK;
}
