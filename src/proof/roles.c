/*
 * proof/roles.c: the best set known, witnesses and bounds of every feature's
 * question, see roles.h.
 */
#include "proof/roles.h"

#include <math.h>
#include <string.h>

/* the members of a set in ascending order, by insertion: k is small, and sets
 * come nearly sorted */
static void sort_set(int k, const int *set, int *sorted)
{
    int a, b;

    for (a = 0; a < k; a++) {
        for (b = a; b > 0 && sorted[b - 1] > set[a]; b--) {
            sorted[b] = sorted[b - 1];
        }
        sorted[b] = set[a];
    }
}

rs_status rs_roles_init(rs_context *ctx, int d, int k, const int *set,
                        double value, double bound, rs_roles *roles)
{
    int a, i;

    roles->d = d;
    roles->k = k;
    roles->value = value;
    RS_ALLOC_INTS(ctx, (size_t)k, &roles->best, &roles->set);
    roles->witness = rs_alloc_int(ctx, (size_t)d * (size_t)k);
    RS_ALLOC_DOUBLES(ctx, (size_t)d, &roles->low, &roles->with,
                     &roles->without);
    RS_ALLOC_BYTES(ctx, (size_t)d, &roles->holds, &roles->mark);
    RS_TRY(rs_allocated(ctx));
    memset(roles->holds, 0, (size_t)d);
    memset(roles->mark, 0, (size_t)d);
    sort_set(k, set, roles->best);
    for (a = 0; a < k; a++) {
        roles->holds[set[a]] = 1;
    }
    for (i = 0; i < d; i++) {
        roles->low[i] = -INFINITY;
        roles->with[i] = roles->without[i] = bound;
    }
    return RS_OK;
}

static void take_witness(int i, const int *sorted, double value,
                         rs_roles *roles)
{
    roles->low[i] = value;
    memcpy(roles->witness + (size_t)i * (size_t)roles->k, sorted,
           (size_t)roles->k * sizeof(int));
}

/*
 * The features in which the set differs from J* have a set of this value as
 * their witness, where it is better than the one at hand, or `anew`.
 */
static void answer(const int *sorted, const int *witness, double value,
                   int anew, rs_roles *roles)
{
    int a;

    for (a = 0; a < roles->k; a++) {
        roles->mark[sorted[a]] = 1;
    }
    for (a = 0; a < roles->k; a++) {
        int in = sorted[a], out = roles->best[a];

        if (!roles->holds[in] && (anew || value > roles->low[in])) {
            take_witness(in, witness, value, roles);
        }
        if (!roles->mark[out] && (anew || value > roles->low[out])) {
            take_witness(out, witness, value, roles);
        }
    }
    for (a = 0; a < roles->k; a++) {
        roles->mark[sorted[a]] = 0;
    }
}

/*
 * J* becomes the set. Where the two differ, the question turns round, and the
 * former J* is the best answer known: no set met so far had more.
 */
static void replace_best(const int *sorted, double value, rs_roles *roles)
{
    int a;

    answer(sorted, roles->best, roles->value, 1, roles);
    for (a = 0; a < roles->k; a++) {
        roles->holds[roles->best[a]] = 0;
    }
    for (a = 0; a < roles->k; a++) {
        roles->holds[sorted[a]] = 1;
    }
    memcpy(roles->best, sorted, (size_t)roles->k * sizeof(int));
    roles->value = value;
}

void rs_roles_meet(const int *set, double value, rs_roles *roles)
{
    sort_set(roles->k, set, roles->set);
    if (value > roles->value) {
        replace_best(roles->set, value, roles);
    } else {
        answer(roles->set, roles->set, value, 0, roles);
    }
}

void rs_roles_bound_with(int i, double bound, rs_roles *roles)
{
    roles->with[i] = fmin(roles->with[i], bound);
}

void rs_roles_bound_without(int i, double bound, rs_roles *roles)
{
    roles->without[i] = fmin(roles->without[i], bound);
}

void rs_roles_bound_all(double bound, rs_roles *roles)
{
    int i;

    for (i = 0; i < roles->d; i++) {
        rs_roles_bound_with(i, bound, roles);
        rs_roles_bound_without(i, bound, roles);
    }
}
