/*
 * method/set/find.h: a good set of k units under any value, by exchanges from
 * the set of forward selection or from given sets, and from perturbations of
 * the best one. For multi-response least squares,
 *
 *     min ||Y - X W||^2 + ridge ||W||^2   s.t.  W has k nonzero rows,
 *
 * the coordinate descent of Xu, Wang, Nie and Li (2023) may take the place of
 * exchanges.
 */
#ifndef RS_FIND_H
#define RS_FIND_H

#include "sets/search.h"
#include "sets/value_lsq.h"

typedef struct {
    rs_search_settings search;
    int forward;       /* 1: the first start is the set of forward selection */
    int starts, size;  /* given ones, of so many units each */
    const int *start;  /* size x starts */
    rs_value_lsq *lsq; /* the value, where it is that of least squares */
    int sweeps;        /* the paper's, instead of exchanges? */
    double cd_tol;     /* relative change that counts as none in these */
    /* multiplications for the exchanges from a start, and for perturbations */
    double work, perturb_work;
    /* after so long the best set until then is kept; the set of forward selection
     * is found whatever time that takes */
    double seconds;
} rs_find_settings;

/* ends are in the order of the starts, the forward one first */
typedef struct {
    int *set;      /* ends x k, those that depend on others among them */
    double *value; /* ends */
    int *sweeps, *converged; /* ends */
    double *course; /* maxit + 1: the best end's value after every sweep */
    rs_search search;
    rs_search_path path; /* of the forward start */
    int sizes;           /* are the sets of all sizes in it? */
    int best, *last;     /* the first of the best ends, and its set (k) */
    rs_status ending;    /* of it */
} rs_find;

/* all arrays are given, the path where there is a forward start; fit must stay
 * where it is */
rs_status rs_find_sets(rs_context *ctx, const rs_groups *groups,
                       const rs_value *value, const rs_find_settings *settings,
                       rs_find *fit);

/* from a set of k distinct features to one that a sweep no longer changes: at
 * least five sweeps, the last three within cd_tol; s->course, sweeps and ending
 * as of exchanges */
rs_status rs_cd_sweeps(const rs_find_settings *settings, rs_search *s,
                       int *set);

#endif
