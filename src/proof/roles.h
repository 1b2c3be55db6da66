/*
 * proof/roles.h: what searches show of every feature among the sets of k
 * features whose value comes near the best: Rashomon sets, feature by feature.
 *
 * Of the best set known, J*, and of every feature there is one question: for
 * a feature of J*, what is the largest value of a set without it; for any other,
 * what is the largest value of a set with it? The other side is answered by J*
 * itself. A set that was evaluated and answers the question is a witness, and
 * its value is a lower bound of the answer; a search gives upper bounds. Both
 * sides are kept for the upper bounds, as a better J* turns questions round.
 */
#ifndef RS_ROLES_H
#define RS_ROLES_H

#include "base/core.h"

typedef struct {
    int d, k;
    int *best;            /* k, ascending: J* */
    double value;         /* of it */
    unsigned char *holds; /* d: is the feature in J*? */
    double *low;  /* d: value of the witness; -INFINITY where there is none */
    int *witness; /* d x k, a column of k each, ascending; see low */
    double *with; /* d: no set with the feature has more */
    double *without;     /* d: no set without it has more */
    unsigned char *mark; /* d, zeros between calls */
    int *set;            /* k */
} rs_roles;

/* set and value: the best known; bound: no set has more */
rs_status rs_roles_init(rs_context *ctx, int d, int k, const int *set,
                        double value, double bound, rs_roles *roles);
/* a set was evaluated: its value, or a lower bound of it. Takes time in k. */
void rs_roles_meet(const int *set, double value, rs_roles *roles);
/* no set with feature i has more than this; no set without it */
void rs_roles_bound_with(int i, double bound, rs_roles *roles);
void rs_roles_bound_without(int i, double bound, rs_roles *roles);
/* no set has more than this */
void rs_roles_bound_all(double bound, rs_roles *roles);

/*
 * Sets near J* reach this cut: they have less by no more than a share of its
 * value, and by `spare`, which covers rounding. The cut of a search for all of them
 * lies below the value of its incumbent by as much, as its tie; as it rises
 * with that value, what was pruned before stays out.
 */
static inline double rs_roles_cut(double share, double spare,
                                  const rs_roles *roles)
{
    return (1.0 - share) * roles->value - spare;
}

/* the upper bound of the answer to i's question */
static inline double rs_roles_high(int i, const rs_roles *roles)
{
    return roles->holds[i] ? roles->without[i] : roles->with[i];
}

/* Is it decided whether the answer to i's question reaches the cut? */
static inline int rs_roles_is_decided(int i, double cut, const rs_roles *roles)
{
    return roles->low[i] >= cut || rs_roles_high(i, roles) < cut;
}

#endif
