/*
 * sets/search.h: good sets of k groups under any value of a set. Forward
 * selection, exchanges of one group, and exchanges from perturbed sets.
 */
#ifndef RS_SEARCH_H
#define RS_SEARCH_H

#include "sets/rules.h"
#include "sets/value.h"

typedef struct {
    int k;        /* size of the largest set */
    int exchange; /* exchange groups after forward selection? */
    int sizes;    /* also for the sizes before k? */
    int perturb;  /* perturbations in a row that lead to no better set */
    int maxit;    /* sweeps of exchanges */
    double tol;   /* gains that count, as a share of the total */
    rs_rules
        *rules; /* of sets of k, where each group is one feature; or NULL */
} rs_search_settings;

typedef struct {
    rs_context *ctx;
    const rs_groups *groups;
    const rs_value *of;
    const rs_search_settings *settings;
    double end;    /* of->work after which exchanges stop; INFINITY: none */
    double ask;    /* exceeds() is asked of sets that are worth more */
    double *merit; /* groups, or NULL: raised to the largest share of the best
                    * addition that each was worth as sets grew, INFINITY for
                    * those taken */
    /* of the exchanges so far: sweeps, how they ended (RS_OK or RS_MAXIT), and
     * the value after each sweep, maxit + 1 numbers, or NULL */
    int sweeps;
    rs_status ending;
    double *course;
    size_t draws; /* numbers of the fixed sequence so far */
    /* room */
    double *value, *loss;  /* groups */
    int *set, *trial;      /* groups */
    unsigned char *closed; /* groups that are not to be added: they lead to no
                            * set within the rules */
    unsigned char
        *known; /* groups of the best set: back there, exchanges end */
} rs_search;

rs_status rs_search_init(rs_context *ctx, const rs_groups *groups,
                         const rs_value *value,
                         const rs_search_settings *settings,
                         rs_search *search);
/* the best addition to the set, which is worth so much and where the state is; -1:
 * there is none */
rs_status rs_search_addition(rs_search *s, int count, const int *set,
                             double worth, int *best);
/* set[0..from) gets its best additions, up to `to` groups, the included ones
 * first; worth and margin (to each, or NULL): of every size, and how far the
 * next best addition was behind */
rs_status rs_search_grow(rs_search *s, int from, int to, int *set,
                         double *worth, double *margin);
/* set[0..from) loses the members without which it loses least, down to `to` */
rs_status rs_search_shrink(rs_search *s, int from, int to, int *set);
/* groups of the set are exchanged as long as that helps; the included ones,
 * which are in it, stay. *worth is of the set before and after. After RS_LATE
 * the set is the best so far */
rs_status rs_search_exchange(rs_search *s, int count, int *set, double *worth);
/* exchanges from sets of which some members were replaced */
rs_status rs_search_perturb(rs_search *s, int count, int *set, double *worth);
/* set[0..count) in the order in which forward selection within the set takes
 * its groups, those of the included ones that it holds first; explained
 * (count): values of its beginnings */
rs_status rs_search_order(rs_search *s, int count, int *set,
                          double *explained);

/* Sets of the sizes 1, ..., k, those of size i one after the other from
 * set[(i - 1) * k] on, in the order in which they were found. */
typedef struct {
    int *set;        /* k x k */
    double *value;   /* k */
    double *forward; /* k: of forward selection alone */
    double *margin;  /* k: as rs_search_grow() has it */
} rs_search_path;

/* Exchanges from the sets of the path of the sizes from, ..., k; of several sizes,
 * first from the set of the one before and its best addition. The course is of size
 * k alone. After RS_LATE the sets are the best so far */
rs_status rs_search_improve(rs_search *s, int from, rs_search_path *path);

#endif
