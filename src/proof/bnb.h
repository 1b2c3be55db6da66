/*
 * proof/bnb.h: branch and bound over sets of k features, for a value that is
 * to be as large as possible.
 *
 * A node stands for all sets that hold some features and leave out others; its
 * record is whatever the problem needs to go on from there, and its bound is
 * not exceeded by the value of any of these sets. The engine keeps the open
 * nodes, the best set known (the incumbent), the clock, and one definition of
 * what is better: a set counts as better where its value is above
 *
 *     cut = value of the incumbent + tie.
 *
 * Who wants to know of all sets that come near the best one has a tie below
 * zero (rs_roles_cut() in proof/roles.h), and is shown them by the problem.
 *
 * Nodes that are bounded by the cut are pruned, and the largest bound of what
 * was pruned is kept: at the end no set at all has more than rs_bnb_bound().
 *
 * The node of the largest bound is next, so that the bound of all sets falls on
 * the way; for as long as more than nine tenths of the room are taken the one
 * that was stored last, which needs little.
 */
#ifndef RS_BNB_H
#define RS_BNB_H

#include "base/core.h"

typedef struct rs_bnb rs_bnb;

typedef struct {
    void *state;
    size_t node_size; /* bytes of a record */
    /*
     * What follows from an open node, whose record may be overwritten by the
     * next rs_bnb_push(): children are pushed, sets are offered, what cannot
     * be better is pruned. RS_LATE: the time is over, and the node stays open.
     */
    rs_status (*branch)(void *state, const void *node, double bound,
                        rs_bnb *search);
    void (*report)(void *state, const rs_bnb *search); /* or NULL */
} rs_bnb_problem;

typedef struct {
    double seconds; /* elapsed; INFINITY: any */
    double nodes;   /* most nodes that are branched on */
    double bytes;   /* for the records of open nodes */
    double tie;     /* differences of values that do not count; or see above */
} rs_bnb_limits;

/* the incumbent and the bound over time; thinned out where they are many */
#define RS_BNB_TRACE 256
typedef struct {
    int count;
    double seconds[RS_BNB_TRACE], value[RS_BNB_TRACE], bound[RS_BNB_TRACE];
} rs_bnb_trace;

#define RS_BNB_CHUNKS 32

struct rs_bnb {
    rs_context *ctx;
    rs_bnb_problem problem;
    rs_bnb_limits limits;
    rs_clock clock;
    int k;
    int *set;      /* k: the incumbent */
    double value;  /* of it */
    double pruned; /* the largest bound of what was pruned */
    double lost;   /* of open nodes that there was no room or time for */
    double now;    /* of the node that is branched on */
    double nodes;  /* branched on */
    int stopped;   /* by a limit */
    rs_bnb_trace trace;
    /* open nodes: a heap of slots; records lie in chunks that double */
    int diving; /* depth first for want of room */
    int open, slots, most;
    int chunks;
    char *chunk[RS_BNB_CHUNKS];
    int *heap;     /* slots: those of the open nodes, then the free ones */
    double *bound; /* by slot */
    double *stamp; /* by slot: when it was stored */
    double stored;
};

/*
 * set and value: the incumbent at first. The clock runs from here on; k
 * numbers of `set` are copied.
 */
rs_status rs_bnb_init(rs_context *ctx, const rs_bnb_problem *problem,
                      const rs_bnb_limits *limits, int k, const int *set,
                      double value, rs_bnb *search);
/* another problem and another size of records, before a node is stored: for
 * work on the root that begins before these are known. Its bound is `now`. */
void rs_bnb_pose(const rs_bnb_problem *problem, rs_bnb *search);
/* until no node is open or a limit is reached */
rs_status rs_bnb_run(rs_bnb *search);
/* nothing is open, and nothing was lost */
int rs_bnb_is_complete(const rs_bnb *search);
/* no set has more */
double rs_bnb_bound(const rs_bnb *search);
/* no set that was left out, or is left, has more */
double rs_bnb_rest(const rs_bnb *search);
/* the trace gets the present state, if that differs from the last one */
void rs_bnb_note(rs_bnb *search);

/* ---- for the problem ------------------------------------------------------ */

/* what a set must exceed to be looked at */
static inline double rs_bnb_cut(const rs_bnb *search)
{
    return search->value + search->limits.tie;
}

/* is there nothing better below a node with this bound? Then it is pruned */
int rs_bnb_prune(double bound, rs_bnb *search);
/* a set, which becomes the incumbent if it has more */
void rs_bnb_offer(const int *set, double value, rs_bnb *search);
/* an open node, or what is pruned at once; the record is copied */
rs_status rs_bnb_push(const void *node, double bound, rs_bnb *search);
int rs_bnb_is_late(rs_bnb *search);

#endif
