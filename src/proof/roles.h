/*
 * proof/roles.h: the role of every unit among the sets of k units whose value
 * comes near the best: Rashomon sets, unit by unit, whatever the value is.
 *
 * Of the best set known, J*, and of every unit there is one question: for a
 * unit of J*, what is the largest value of a set without it; for any other, what
 * is the largest value of a set with it? The other side is answered by J*
 * itself. A set that was evaluated and answers the question is a witness, and
 * its value is a lower bound of the answer; a search gives upper bounds. Both
 * sides are kept for the upper bounds, as a better J* turns questions round.
 *
 * With v the value of J* and a tolerance eps, the sets near it have at least
 *
 *     cut = (1 - eps) v - slack,
 *
 * where the slack covers rounding: roles are read with this cut, so that
 * rounding can only leave a question undecided.
 */
#ifndef RS_ROLES_H
#define RS_ROLES_H

#include "proof/tree.h"
#include "sets/value.h"

/* shares of the time that is left: for what others come after, and for what is
 * likely to be the last */
#define RS_TIME_SHARE 0.5
#define RS_TIME_MOST 0.75
/* slack, as a share of the value of the best set */
#define RS_ROLE_SLACK 1e-9

typedef struct {
    int k;
    const int *given, *best; /* k: a set, ascending, and one to begin with */
    rs_rules *rules;         /* that these and all others obey; or NULL */
    int tolerances;
    const double *tolerance; /* ascending */
    int list;                /* are all sets wanted, and how many there are? */
    double time_limit;
} rs_role_settings;

/* ---- what is known ----------------------------------------------------------- */

/* the sets met near J*, each of them once: what is known of a set are two numbers
 * that its value lies between, which differ by rounding */
typedef struct {
    int count, room, full; /* full: there was no room for a set */
    int *member;           /* k x room, a column for each set, ascending */
    double *least, *most;  /* room */
    int *slot;             /* 2 x room: numbers of sets, -1: free */
} rs_near_sets;

typedef struct {
    rs_context *ctx;
    int d, k;
    int *best;            /* k, ascending: J* */
    double value;         /* of it */
    unsigned char *holds; /* d: is the unit in J*? */
    double *low;  /* d: value of the witness; -INFINITY where there is none */
    int *witness; /* k x d, each ascending; see low */
    double *with; /* d: no set with the unit has more */
    double *without;     /* d: no set without it has more */
    unsigned char *mark; /* d, zeros between calls */
    int *set;            /* k */
    rs_near_sets near;
} rs_roles;

typedef struct {
    rs_roles roles;
    unsigned char *open; /* d: may sets hold the unit, or not? */
    /* k x d: the value of the best set, and of the given one where that is
     * another one, with a unit in the place of its i-th; NaN: not known */
    double *exchange, *of_given;
    double given; /* of the given set */
    double bound; /* no set has more */
    double slack;
    int *complete; /* tolerances: were all sets met? */
    int *stuck;    /* tolerances: would more time decide no question of it? */
    int proved;    /* do the bounds come from a search? */
    int late;      /* are questions left that more time might decide? */
    int better;    /* has a better set been met? Reset by the search */
    rs_status status; /* of keeping sets */
    double nodes, questions, seconds;
} rs_role_fit;

/* values of sets near the best are not below this */
double rs_role_cut(const rs_role_settings *asked, int tolerance,
                   const rs_role_fit *fit);
/* the upper bound of the answer to j's question */
double *rs_role_high(int j, const rs_roles *roles);
/*
 * How many of the sets met have at least the cut, and in how many of them each
 * unit is: frequency (d). *doubtful counts those of which rounding hides whether
 * they have, which do not count.
 */
double rs_role_count(const rs_roles *roles, double cut, double *frequency,
                     double *doubtful);
/* order <- numbers of the `wanted` best sets that have at least the cut, the
 * best one first; returns how many there are. room: count numbers twice */
int rs_role_best(const rs_near_sets *near, double cut, int wanted, int *order,
                 double *room);

/* ---- the search ---------------------------------------------------------------- */

/* A tree, made when it is first needed. */
typedef struct rs_role_tree {
    /* *tree NULL: there is none; its units are what sets consist of */
    rs_status (*open)(struct rs_role_tree *self, rs_tree **tree);
    void *state;
    int asks; /* does its bound tell units apart? Else all sets are listed, */
    double share; /* in this share of the time */
    int dear;     /* does a node take long? Then questions come one by one */
    int opened, none; /* was it asked for; is there no such tree? */
    rs_tree *tree;
} rs_role_tree;

typedef struct {
    int d; /* columns, or groups: what sets consist of */
    const unsigned char *excluded, *fixed; /* d, or NULL */
    double bound;                          /* no set has more */
    /* what a set has, as rs_bound has it */
    rs_worth_of_set *value;
    void *state;
    /* how far rounding of the data may move the value that was told last */
    const double *rounding;
    const rs_value *sets; /* of exchanges; their total is 1 here */
    int trees;            /* one is asked after the other */
    rs_role_tree *tree;
} rs_role_problem;

rs_status rs_find_roles(rs_context *ctx, const rs_role_problem *problem,
                        const rs_role_settings *asked, rs_role_fit *fit);

#endif
