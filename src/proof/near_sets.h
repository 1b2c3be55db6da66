/*
 * proof/near_sets.h: the sets of k features that a search met near the best
 * one, each of them once, and how many there are by tolerance.
 *
 * What is known of a set are two numbers that its value lies between, which
 * differ by rounding. Whether the sets met are all there are is for the search
 * to say.
 */
#ifndef RS_NEAR_SETS_H
#define RS_NEAR_SETS_H

#include "base/core.h"

/* most sets that are kept */
#define RS_NEAR_SETS_MOST 2000000

typedef struct {
    rs_context *ctx;
    int d, k;
    int count, room;
    int full;             /* there was no room for a set */
    int *member;          /* k x room, a column for each set, ascending */
    double *least, *most; /* room */
    int *slot;            /* slots: numbers of sets, -1: free */
    size_t slots;
} rs_near_sets;

rs_status rs_near_sets_init(rs_context *ctx, int d, int k, rs_near_sets *near);
/* a set in any order; what was met before stays as it is */
rs_status rs_near_sets_meet(const int *set, double least, double most,
                            rs_near_sets *near);
/*
 * How many have at least the cut, and in how many of them each feature is:
 * frequency (d). *doubtful counts those of which rounding hides whether they
 * have, which do not count.
 */
double rs_near_sets_count(const rs_near_sets *near, double cut,
                          double *frequency, double *doubtful);
/* order <- numbers of the `wanted` best sets that have at least the cut, the
 * best one first; returns how many there are. room: count numbers twice */
int rs_near_sets_best(const rs_near_sets *near, double cut, int wanted,
                      int *order, double *room);

#endif
