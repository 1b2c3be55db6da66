/*
 * proof/near_sets.c: sets near the best in a table by their members, see
 * near_sets.h.
 */
#include "proof/near_sets.h"

#include <math.h>
#include <string.h>

#include "base/select.h"

#define RS_NEAR_SETS_FIRST 1024

/* room for so many sets, and a table that is never more than half full */
static rs_status make_room(int room, rs_near_sets *near)
{
    const size_t k = (size_t)near->k, wide = (size_t)room;
    int *member = rs_alloc_int(near->ctx, k * wide);
    double *least, *most;
    RS_ALLOC_DOUBLES(near->ctx, wide, &least, &most);
    int *slot = rs_alloc_int(near->ctx, 2 * wide);
    RS_TRY(rs_allocated(near->ctx));
    if (near->count > 0) {
        const size_t kept = (size_t)near->count;
        memcpy(member, near->member, k * kept * sizeof *member);
        memcpy(least, near->least, kept * sizeof *least);
        memcpy(most, near->most, kept * sizeof *most);
    }
    for (size_t i = 0; i < 2 * wide; i++)
        slot[i] = -1;
    near->member = member;
    near->least = least;
    near->most = most;
    near->slot = slot;
    near->slots = 2 * wide;
    near->room = room;
    return RS_OK;
}

rs_status rs_near_sets_init(rs_context *ctx, int d, int k, rs_near_sets *near)
{
    memset(near, 0, sizeof *near);
    near->ctx = ctx;
    near->d = d;
    near->k = k;
    return make_room(RS_NEAR_SETS_FIRST, near);
}

static const int *members_of(const rs_near_sets *near, int number)
{
    return near->member + (size_t)near->k * (size_t)number;
}

/* the place of a set in the table, or the free one where it belongs */
static size_t place_of(const int *sorted, const rs_near_sets *near)
{
    unsigned long long key = 14695981039346656037ULL;
    for (int i = 0; i < near->k; i++) {
        key = (key ^ (unsigned long long)sorted[i]) * 1099511628211ULL;
        key ^= key >> 29;
    }
    size_t at = (size_t)(key % near->slots);
    while (near->slot[at] >= 0 &&
           memcmp(members_of(near, near->slot[at]), sorted,
                  (size_t)near->k * sizeof *sorted) != 0)
        at = at + 1 == near->slots ? 0 : at + 1;
    return at;
}

static rs_status grow(rs_near_sets *near)
{
    RS_TRY(make_room(rs_min_int(2 * near->room, RS_NEAR_SETS_MOST), near));
    for (int number = 0; number < near->count; number++)
        near->slot[place_of(members_of(near, number), near)] = number;
    return RS_OK;
}

rs_status rs_near_sets_meet(const int *set, double least, double most,
                            rs_near_sets *near)
{
    if (near->count == RS_NEAR_SETS_MOST) {
        near->full = 1;
        return RS_OK;
    }
    if (near->count == near->room)
        RS_TRY(grow(near));
    int *sorted = near->member + (size_t)near->k * (size_t)near->count;
    for (int a = 0, b; a < near->k; a++) {
        for (b = a; b > 0 && sorted[b - 1] > set[a]; b--)
            sorted[b] = sorted[b - 1];
        sorted[b] = set[a];
    }
    const size_t at = place_of(sorted, near);
    if (near->slot[at] >= 0)
        return RS_OK;
    near->slot[at] = near->count;
    near->least[near->count] = least;
    near->most[near->count] = most;
    near->count++;
    return RS_OK;
}

double rs_near_sets_count(const rs_near_sets *near, double cut,
                          double *frequency, double *doubtful)
{
    double count = 0.0;
    *doubtful = 0.0;
    for (int j = 0; j < near->d; j++)
        frequency[j] = 0.0;
    for (int number = 0; number < near->count; number++) {
        const int *set = members_of(near, number);
        if (near->least[number] < cut) {
            *doubtful += near->most[number] >= cut;
            continue;
        }
        count += 1.0;
        for (int i = 0; i < near->k; i++)
            frequency[set[i]] += 1.0;
    }
    return count;
}

int rs_near_sets_best(const rs_near_sets *near, double cut, int wanted,
                      int *order, double *room)
{
    int enough = 0;
    for (int number = 0; number < near->count; number++) {
        const int counts = near->least[number] >= cut;
        room[number] = counts ? near->least[number] : -INFINITY;
        enough += counts;
    }
    wanted = rs_min_int(wanted, enough);
    if (wanted > 0)
        rs_topk_order(near->count, room, wanted, order, room + near->count);
    return wanted;
}
