/*
 * sets/group_sets.h: sets of whole groups of features. Forward selection,
 * exchanges and restarts from perturbed sets, for any value of a set that can
 * tell what each group would add to it and what it is worth without each.
 */
#ifndef RS_GROUP_SETS_H
#define RS_GROUP_SETS_H

#include "sets/rules.h"

typedef struct {
    int count;            /* groups */
    const int *start;     /* count + 1: group g has columns ... */
    const int *column;    /* column[start[g]], ..., column[start[g + 1] - 1] */
    const double *second; /* count: decides between groups that tie */
    const unsigned char *barred; /* count: never selected */
    int included;                /* groups that come first and never leave, */
    const int *include;          /* which these are */
} rs_groups;

static inline int rs_group_size(const rs_groups *groups, int g)
{
    return groups->start[g + 1] - groups->start[g];
}

static inline const int *rs_group_columns(const rs_groups *groups, int g)
{
    return groups->column + groups->start[g];
}

/* columns of the largest group */
int rs_group_widest(const rs_groups *groups);
/* columns of the `most` largest groups together, or of those that are in every
 * set if they have more */
rs_status rs_group_columns_of_largest(rs_context *ctx, const rs_groups *groups,
                                      int most, int *columns);

/* A value of sets that is to be large; 0 of the empty set. */
typedef struct {
    void *state;
    double total; /* no set has more: the unit of ties */
    /* the state moves to this set, and tells what it is worth; of a set that
     * begins as the last one only the rest is made anew */
    rs_status (*move)(void *state, int count, const int *set, double *value);
    /* value[g], of the present set with group g beside it; -INFINITY for its
     * members and for groups that are barred */
    rs_status (*gains)(void *state, double *value);
    /* the same with g in the place of member number `at`, which is
     * -INFINITY itself */
    rs_status (*exchanges)(void *state, int at, double *value);
    /* or NULL; after gains(): about what the set loses without each member.
     * Within rules, members of large sets that are worth more than any other
     * group adds are passed by */
    void (*losses)(void *state, double *loss);
} rs_group_value;

typedef struct {
    int k;
    int exchange; /* exchange groups after forward selection? */
    int sizes;    /* also for the sizes before k? */
    int perturb;  /* perturbations in a row that lead to no better set */
    int maxit;    /* sweeps of exchanges */
    double tol;   /* gains that count, as a share of the total */
    rs_rules
        *rules; /* of sets of k, where each group is one feature; or NULL */
} rs_group_search;

/* Sets of the sizes 1, ..., k, those of size i one after the other from
 * set[(i - 1) * k] on, in the order in which they were found. */
typedef struct {
    int *set;        /* k x k */
    double *value;   /* k */
    double *forward; /* k: of forward selection alone */
    int sweeps;
    rs_status ending; /* RS_OK or RS_MAXIT */
    double *course;   /* value at the start of the last size and after each
                       * sweep: maxit + 1 */
} rs_group_path;

rs_status rs_group_search_all(rs_context *ctx, const rs_groups *groups,
                              const rs_group_value *value,
                              const rs_group_search *search,
                              rs_group_path *path);
/* set[0..count) in the order in which forward selection within the set takes
 * its groups, the included ones first; explained (count): values of its
 * beginnings */
rs_status rs_group_order(rs_context *ctx, const rs_groups *groups,
                         const rs_group_value *value, int count, int *set,
                         double *explained);

#endif
