/*
 * proof/tree.h: the best set of k units with a proof, by branch and bound,
 * whatever the value of a set is; a unit is a group of columns, or one column.
 *
 * A node is a mark of every unit: in every set of the node, in none, or free.
 * A value supplies bounds of a node (rs_bound); all else is done here: the open
 * nodes and their order, units that no better set holds or all of them do,
 * the choice of the split, sets that are left over, what may be said in spite of
 * rounding, limits, progress and the trace, and which nodes can answer a
 * question about a unit.
 *
 * What a bound says of a node with m units to choose has one of these forms, or
 * several at once:
 *
 *   value          no set of the node has more;
 *   base, weight   no set has more than base + the weights of its free units.
 *                  F = base + w_(1) + ... + w_(m) bounds all sets, F - w_(m) + w_i
 *                  those with i, F - w_i + w_(m+1) those without i;
 *   with           no set that holds the unit has more than with[unit];
 *   without        no set that lacks it has more than without[unit].
 *
 * The course of a node: its children begin with what was recorded (resume), then
 *
 *     close   where at most `closes` units are to choose, until it is done;
 *     bound   (and sets that it comes across, by rs_tree_offer());
 *     units are fixed or excluded; again from `close`, where that changed
 *     anything or the bound says that more of it is worth its while;
 *     split   and two children, or one for each unit (`ordered`).
 *
 * No node is bounded before it is the next one: children have the bound that
 * with[] and without[] of their parent give them. The node of the largest bound
 * is next, so that the bound of all sets falls on the way. A set counts as
 * better where its value is above
 *
 *     cut = value of the best set known + tie,
 *
 * and nodes that are bounded by the cut are pruned; the largest bound of what
 * was pruned is kept.
 */
#ifndef RS_TREE_H
#define RS_TREE_H

#include "sets/rules.h"

/* share of its value that rounding may hide of a set that a search begins with */
#define RS_RESOLVED 1e-2
/* columns that one regression, or eigenproblem, at a node may take together */
#define RS_TOGETHER 300

typedef enum { RS_UNIT_FREE, RS_UNIT_IN, RS_UNIT_OUT } rs_unit;

typedef struct rs_tree rs_tree;

/* what a set of k units has, which need not be independent: between *least and
 * *most, by twice the working precision where the two would fall on different
 * sides of the cut. Where *most is below the cut it may be rough. */
typedef rs_status rs_worth_of_set(void *state, const int *set, double cut,
                                  double *least, double *most);

/* the value and the bound over time; thinned out where they are many */
#define RS_TREE_TRACE 256
typedef struct {
    double seconds, value, bound;
} rs_tree_state;
typedef struct {
    int count;
    rs_tree_state at[RS_TREE_TRACE];
} rs_tree_trace;

typedef struct {
    double seconds, value, bound, nodes;
    int open;
} rs_tree_progress;

/* what is asked of units; see rs_tree_settings */
typedef struct {
    /* 1: whether a set beyond the cut holds the unit, -1: whether one lacks it,
     * 0: nothing (any more) */
    int (*asks)(void *state, int unit);
    /* no set with the unit has more than `with`, none without it more than
     * `without`: from bounds of the root */
    void (*learn)(void *state, int unit, double with, double without);
    /* a set that has something between two numbers, the larger one beyond the
     * cut; it may be met several times. Nonzero: the search is to end */
    int (*meet)(void *state, const int *set, double least, double most);
    void *state;
} rs_questions;

/* the node under work, as a bound sees it */
typedef struct {
    rs_tree *tree;
    int units, k;
    const unsigned char *mark; /* units: rs_unit */
    int count, open;           /* units in every set; free units */
    int m;            /* units to choose: k - count, from 1 to open - 1 */
    int *set;         /* k: those in every set, ascending; room for others */
    int *free;        /* open: the free units, ascending */
    const int *known; /* k: the best set known */
    double bound;     /* no set of the node has more, as far as is known */
    double best;      /* value of the best set known */
    int is_root;      /* does the search begin with this node? */
    int resumed;      /* does it begin with a record? */
    int round;        /* how often it was bounded before, */
    int changed;      /* and whether units were marked since */
} rs_node;

/* what bound() says; at its call: value INFINITY, has 0, more 0 */
enum { RS_HAS_WEIGHT = 1, RS_HAS_WITH = 2, RS_HAS_WITHOUT = 4 };
typedef struct {
    double value;
    int has; /* which of the following are filled in, for the free units */
    double base;
    double *weight, *with, *without; /* units; 0 and INFINITY where unknown */
    int more; /* would another call for the same node give a better bound? */
} rs_node_bound;

/* The bound of a kind of value. Values are in the unit that the caller likes;
 * all functions may return RS_LATE, and the node stays open with its bound. */
typedef struct {
    void *state;
    /* room for rounding that bound() has not added itself */
    double slack;
    rs_worth_of_set *value;
    void *value_state;
    rs_status (*bound)(void *state, const rs_node *node, rs_node_bound *says);
    /* or NULL: *unit <- the free unit of the split, -1: the node cannot be split
     * and stays open. Without it: the unit that costs most to leave out. Called
     * after the last bound(), in the same state. */
    rs_status (*split)(void *state, const rs_node *node, int *unit);
    /* children: one for each free unit, in the order of falling with[]; it holds
     * this unit, and those that come later are out */
    int ordered;
    int closes; /* most units that close() chooses; 0: there is no close() */
    /* called before the first bound() and after each: *done <- have all sets of
     * the node beyond the cut been offered? 0 (as at its call): it is bounded,
     * or goes on */
    rs_status (*close)(void *state, const rs_node *node, int *done);
    /* children begin with these bytes, which the tree keeps for them: of a whole
     * number of doubles, and read when the root was bounded; 0: none, and both
     * functions NULL */
    size_t bytes;
    void (*record)(void *state, const rs_node *node, void *bytes);
    /* before the first bound() of a node that is not the root */
    void (*resume)(void *state, const rs_node *node, const void *bytes);
} rs_bound;

typedef struct {
    int k;
    const unsigned char *excluded; /* units: in no set */
    const unsigned char *fixed;    /* units: in every set; or NULL */
    rs_rules *rules; /* of all sets, whose units are features; or NULL */
    /* a set is of interest where it has more than the best one by this; below
     * zero: all such sets are met (questions), and none becomes the best one */
    double tie;
    int ties; /* are sets that have as much as the best one looked for, too? */
    double seconds, nodes;         /* limits */
    const rs_questions *questions; /* or NULL */
    /* after every node, or NULL */
    void (*report)(void *state, const rs_tree_progress *now);
    void *report_state;
} rs_tree_settings;

typedef struct {
    int *set;     /* k; in: a good set, out: the best one */
    double value; /* of it, at least; in: with questions */
    double bound; /* no set has more; in: as far as is known */
    double rest;  /* nor a set that was pruned, or is left */
    int complete; /* no set has more than value + tie, or all were met */
    int resolved; /* does rounding hide no such set? */
    int tied;     /* was another set met that has as much? */
    double nodes, seconds;
    int excluded, fixed; /* units decided at the root */
    rs_tree_trace trace;
} rs_tree_fit;

rs_status rs_tree_open(rs_context *ctx, int units, int most,
                       const rs_bound *bound, rs_tree **tree);
/* the search; one after the other shares the state of the bound */
rs_status rs_tree_search(const rs_tree_settings *settings, rs_tree *tree,
                         rs_tree_fit *fit);

/* ---- for bounds ------------------------------------------------------------ */

/* a set of k units that bound() or close() has come to */
rs_status rs_tree_offer(const int *set, rs_tree *tree);
/* the cut, which rises as sets are offered */
double rs_tree_cut(const rs_tree *tree);
int rs_tree_is_late(rs_tree *tree);
/* as close() of a bound: all sets of the node, where one unit is to be chosen or to
 * be left out */
rs_status rs_tree_enumerate(void *state, const rs_node *node, int *done);
/* seconds after which what takes so many is broken off */
double rs_tree_grace(double seconds);
/* rounding hides whether a set has so much */
void rs_tree_hide(double value, rs_tree *tree);

/* ---- for questions (proof/roles.c) ------------------------------------------ */

/*
 * The root bounded and kept, questions->learn() told: *done where no set beyond
 * the cut is left. `again`: the root that is kept, for a cut that has risen or
 * after units were decided.
 */
rs_status rs_tree_pose(const rs_tree_settings *settings, int again,
                       rs_tree_fit *fit, int *done, rs_tree *tree);
/* from the root that is kept, the sets with a unit (holds) or without it; all
 * of them where unit is -1 */
rs_status rs_tree_ask(const rs_tree_settings *settings, int unit, int holds,
                      rs_tree_fit *fit, rs_tree *tree);
/* no set beyond the cut holds the unit, or each of them does */
void rs_tree_decide(int unit, int holds, rs_tree *tree);

#endif
