/* Local search by exchanges of single features in a factorised set. */
#include "sets/exchange.h"

#include <string.h>

/* removals after which the factorisation is made afresh, at least */
#define RS_REFRESH 64

rs_status rs_subset_grow(rs_subset *s, int size, double *explained)
{
    while (s->k < size) {
        rs_candidate best = rs_subset_best_addition(s);
        if (best.feature < 0)
            break;
        rs_status status = rs_subset_add(s, best.feature);
        if (status == RS_SINGULAR) {
            s->closed[best.feature] = 1;
            continue;
        }
        RS_TRY(status);
        if (explained)
            explained[s->k - 1] = s->explained;
    }
    return RS_OK;
}

static int slot_of(const rs_subset *s, int feature)
{
    return rs_position_among(s->k, s->feature, feature);
}

/* the factorisation made afresh, against drift */
static rs_status refresh(rs_subset *s, int *queue)
{
    int k = s->k;
    if (s->updates < RS_REFRESH || s->updates < 2 * k)
        return RS_OK;
    memcpy(queue, s->feature, (size_t)k * sizeof(int));
    RS_TRY(rs_subset_assign(s, k, queue));
    return s->k == k ? RS_OK : rs_subset_grow(s, k, NULL);
}

/*
 * Feature `out` for `in`. A candidate that proves collinear, or gains nothing
 * once it is in, is barred and the old feature comes back.
 */
static rs_status swap(rs_subset *s, int out, int in, double least, int *done)
{
    const int k = s->k;
    double before = s->explained;
    RS_TRY(rs_subset_remove(s, slot_of(s, out)));
    rs_status status = rs_subset_add(s, in);
    *done = status == RS_OK && s->explained > before + least;
    if (*done) {
        RS_TRY(rs_subset_tidy(s));
        rs_subset_reopen(s);
    }
    if (*done || (status != RS_OK && status != RS_SINGULAR))
        return status;
    if (status == RS_OK)
        RS_TRY(rs_subset_remove(s, s->k - 1));
    s->closed[in] = 1;
    status = rs_subset_add(s, out);
    return status == RS_SINGULAR ? rs_subset_grow(s, k, NULL) : status;
}

/*
 * Look at the features queue[from..], up to `width` of them at once, until one
 * can be exchanged; *looked says how many were passed.
 */
static rs_status next_swap(rs_subset *s, double least, int *queue, int from,
                           int width, int *looked, int *done)
{
    int slots[RS_SLOTS] = {0};
    rs_candidate best[RS_SLOTS];
    double loss[RS_SLOTS];
    for (int b = 0; b < width; b++) {
        slots[b] = slot_of(s, queue[from + b]);
        if (slots[b] == s->k)
            width = b;
    }
    rs_subset_best_exchange(s, width, slots, best, loss);
    *looked = width;
    *done = 0;
    const unsigned char *first = s->problem->first;
    for (int b = 0; b < width; b++) {
        if (best[b].feature < 0 || best[b].score <= loss[b] + least ||
            (first && first[queue[from + b]]))
            continue;
        RS_TRY(swap(s, queue[from + b], best[b].feature, least, done));
        *looked = *done ? b + 1 : b; /* else the position is scored again */
        if (*done)
            queue[from + b] = best[b].feature;
        return RS_OK;
    }
    return RS_OK;
}

/*
 * The positions are visited in turn; `quiet` counts those passed since the
 * last exchange, and k of them in a row make a one-exchange optimum. Quiet
 * stretches are scored in wider and wider blocks. Nothing is to be gained where
 * no more than `least` is left of the response.
 */
rs_status rs_subset_exchange(rs_subset *s, double tol, int maxit, int *queue,
                             rs_history *history)
{
    const double least = tol * s->problem->total;
    int quiet = 0, width = RS_SLOTS;

    RS_TRY(rs_subset_tidy(s));
    rs_subset_reopen(s);
    rs_history_add(history, rs_subset_objective(s));
    if (s->k == 0 || s->problem->total - s->explained <= least)
        return RS_OK;
    for (int sweep = 0; sweep < maxit; sweep++) {
        RS_TRY(refresh(s, queue));
        memcpy(queue, s->feature, (size_t)s->k * sizeof(int));
        for (int at = 0; at < s->k && quiet < s->k;) {
            int looked, done;
            if (slot_of(s, queue[at]) == s->k)
                break; /* lost as collinear: take the set as it is now */
            RS_TRY(next_swap(s, least, queue, at, rs_min_int(width, s->k - at),
                             &looked, &done));
            at += looked;
            quiet = done ? 1 : quiet + looked;
            width = done ? 2 : rs_min_int(2 * width, RS_SLOTS);
            RS_TRY(rs_poll(s->ctx));
        }
        rs_history_add(history, rs_subset_objective(s));
        if (quiet >= s->k || s->problem->total - s->explained <= least)
            return RS_OK;
    }
    return RS_MAXIT;
}
