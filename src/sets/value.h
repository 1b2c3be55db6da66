/*
 * sets/value.h: units of columns, and what a set of them is worth. A unit is a
 * group of columns; a feature is a group of one.
 */
#ifndef RS_VALUE_H
#define RS_VALUE_H

#include "data/covop.h"

/*
 * Sets of unequal numbers of columns are compared by
 *
 *     (total - E) / (freedom - m)^(3/2),   m = shrink times their columns,
 *
 * which is to be small. Sets with m > freedom - 1 are behind all others, and
 * among them those of fewer columns come first. So a group pays that explains
 * 3/2 times the residual variance per column.
 */
typedef struct {
    const int *columns; /* groups: that vary; NULL: E alone decides */
    double shrink;      /* of columns, by a ridge */
    double freedom;     /* degrees of freedom of the samples */
} rs_price;

typedef struct {
    int count;            /* groups */
    const int *start;     /* count + 1: group g has columns ... */
    const int *column;    /* column[start[g]], ..., column[start[g + 1] - 1] */
    const double *second; /* count: decides between groups that tie */
    const unsigned char *barred; /* count: never selected */
    int included;                /* groups that come first and never leave, */
    const int *include;          /* which these are */
    rs_price price;
} rs_groups;

static inline int rs_group_size(const rs_groups *groups, int g)
{
    return groups->start[g + 1] - groups->start[g];
}

static inline const int *rs_group_columns(const rs_groups *groups, int g)
{
    return groups->column + groups->start[g];
}

/* columns of a set that have a price, 0 where there is none */
int rs_priced_columns(const rs_price *price, int count, const int *set);
/* What a set of so many columns is worth, E, as that of a set of `as` columns that
 * compares with all others as this one does: E itself where these are as many */
double rs_priced(const rs_price *price, double total, double E, int columns,
                 int as);
/* do so many columns leave less than a degree of freedom? */
int rs_price_is_spent(const rs_price *price, int columns);

/* columns of the largest group */
int rs_group_widest(const rs_groups *groups);
/* columns of the `most` largest groups together, or of those that are in every
 * set if they have more */
rs_status rs_group_columns_of_largest(rs_context *ctx, const rs_groups *groups,
                                      int most, int *columns);
/* S_gg of all groups, that of group g at *blocks + (*start)[g] */
rs_status rs_group_blocks(rs_context *ctx, const rs_covop *op,
                          const rs_groups *groups, size_t **start,
                          double **blocks);
/* d features as groups of one; marks (d) or NULL: of the features that never
 * leave, and of those that are never selected */
rs_status rs_groups_of_one(rs_context *ctx, int d, const double *second,
                           const unsigned char *first,
                           const unsigned char *barred, rs_groups *groups);

/* ---- a set ------------------------------------------------------------------ */

/* the groups of a set, as it was asked for, and in the order in which a state
 * holds their columns */
typedef struct {
    int count, *asked, *set;
    int *first;            /* count + 1: where the columns of each begin */
    unsigned char *inside; /* groups: is it a member? */
} rs_members;

/* none, out of so many groups */
rs_status rs_members_init(rs_context *ctx, int groups, rs_members *m);
/* number in the order of the state of a member by that of the question */
int rs_members_place(const rs_members *m, int asked);
/* the last member that this set does not have; -1: none */
int rs_members_leaving(const rs_members *m, int count, const int *set);
void rs_members_join(rs_members *m, int g, int columns);
/* those behind it move up */
void rs_members_remove(rs_members *m, int place);

/* ---- its value -------------------------------------------------------------- */

/* A value of sets that is to be large; 0 of the empty set. The state is at one
 * set at a time, and is told by move() of another. */
typedef struct {
    void *state;
    double total; /* no set has more: the unit of ties */
    /* the state moves to this set, and tells what it is worth. What the last
     * set shares with it, in any places, is kept */
    rs_status (*move)(void *state, int count, const int *set, double *value);
    /* value[g], of the present set with group g beside it; -INFINITY for its
     * members and for groups that are barred */
    rs_status (*gains)(void *state, double *value);
    /* or NULL: about what the set loses without each member, in the order of
     * the set; asked where sets shrink */
    rs_status (*losses)(void *state, double *loss);
    /* as gains(), with g in the place of member number `at` of the set, which
     * is -INFINITY itself */
    rs_status (*exchanges)(void *state, int at, double *value);
    /* or NULL: by which share of the total these, told last, may be off */
    void (*errors)(void *state, double *error);
    /* or NULL: a group in the place of member number `at` that makes the set
     * worth more than `least`; -1 only if no group does. Where exchanges() are
     * estimates, this is asked when the search ends */
    rs_status (*exceeds)(void *state, int at, double least, int *group);
    /* or NULL: multiplications of the state so far */
    const double *work;
} rs_value;

#endif
