/*
 * sets/rules.h: which sets of exactly k features obey the rules of a panel: a
 * budget of costs, and at least and at most so many members of some sets.
 */
#ifndef RS_RULES_H
#define RS_RULES_H

#include "base/core.h"

/* the sets that are completed at present, and how */
typedef struct {
    unsigned char *inside; /* d: in the set, or out */
    double *price;         /* classes x k: of those that may join */
    int *low, *high;       /* classes: how many join, within */
    int *join;             /* classes */
    int *number;           /* sets: members, those of the set included */
    int *fixed;            /* sets: members in the set */
    double *shift;         /* classes: multipliers of its sets */
    double *multiplier;    /* sets */
    int missing;           /* how many join together */
    double left;           /* of the budget */
    double slack;          /* what rounding takes of it */
} rs_rules_state;

/* Features that are members of the same sets are a class; of a class the
 * cheapest serve first. */
typedef struct {
    int d, k, classes, sets;
    const int *of;           /* d: class of each feature */
    const unsigned char *in; /* classes x sets: are its features members? */
    const int *least, *most; /* sets: how many members */
    const double *cost;      /* d: at least 0 */
    double budget;           /* INFINITY: any, and then 0 as the costs are */
    const unsigned char *barred; /* d: never taken, unless included */
    /* made by rs_rules_init() */
    rs_context *ctx;
    int *start, *sorted; /* features of class c, cheapest first, without barred
                          * ones: sorted[start[c]], ... */
    int nested;          /* sets of which each two are disjoint or nested, */
    int *chain;          /* smaller ones first, and then the other sets */
    rs_rules_state at;
} rs_rules;

rs_status rs_rules_init(rs_context *ctx, rs_rules *rules);
/* is there a set of k features that holds these, and no others that are marked `out`
 * (d, or NULL), and obeys the rules? Decided exactly: sets that are nested or disjoint
 * by taking the cheapest, others by branch and bound over the classes. */
rs_status rs_rules_completes(rs_rules *rules, int count, const int *set,
                             const unsigned char *out, int *possible);
/* value[j] = -INFINITY where j in the place of member number `at` breaks a rule */
void rs_rules_bar_exchanges(rs_rules *rules, int count, const int *set, int at,
                            double *value);
/* does feature j ask for no less than `than` of the same class? If no set with
 * `than` obeys the rules, neither does one with j */
int rs_rules_is_dearer(const rs_rules *rules, int j, int than);

#endif
