/*
 * method/cdlsr/cdlsr.h: exactly k features for multi-response least squares,
 *
 *     min ||Y - X W||^2 + ridge ||W||^2   s.t.  W has k nonzero rows,
 *
 * by exchanges with exact refit from a forward selection or from given sets, or
 * by the coordinate descent of Xu, Wang, Nie and Li (2023).
 */
#ifndef RS_CDLSR_H
#define RS_CDLSR_H

#include "base/history.h"
#include "sets/search.h"
#include "sets/value_lsq.h"

typedef enum {
    RS_CDLSR_EXCHANGE = 0, /* to a set that no single exchange improves */
    RS_CDLSR_CD = 1,       /* the paper's sweeps */
    RS_CDLSR_FORWARD = 2   /* no descent after the start */
} rs_cdlsr_method;

typedef struct {
    rs_cdlsr_method method;
    int k;
    int path;         /* also every size below k (forward start only) */
    int forward;      /* 1: one start is the forward selection */
    int starts;       /* number of given starting sets */
    const int *start; /* starts x k, column-major, 0-based */
    int perturb;      /* perturbations in a row that lead to nothing, */
    double work;      /* with so many multiplications, about */
    double tol;       /* exchanges that gain less, relative to ||Y||^2, stop */
    double cd_tol;    /* relative change that counts as none in a sweep */
    int maxit;        /* sweeps per start */
    /* after it has run out the best set until then is kept; the first set of
     * every start is found whatever time that takes */
    const rs_clock *clock;
} rs_cdlsr_settings;

/* a set, and how the descent to it ended */
typedef struct {
    int *set; /* k, those that depend on others among them */
    double explained, objective;
    rs_status status;
    rs_history history; /* objective: the start, then after every sweep */
} rs_cdlsr_end;

typedef struct {
    const rs_cdlsr_settings *settings;
    rs_groups features;
    rs_value_lsq lsq;
    rs_value value;
    rs_search_settings wanted;
    rs_search search;
    rs_search_path path;
    int sizes;         /* are the sets of all sizes in the path? */
    rs_cdlsr_end *end; /* forward + starts of them */
    int best;          /* the winner among them */
} rs_cdlsr_fit;

/* the fit must stay where it is */
rs_status rs_cdlsr(rs_context *ctx, const rs_cdlsr_settings *settings,
                   const rs_lsq *problem, rs_cdlsr_fit *fit);
/*
 * The features of a set that do not depend on others of it, *count of them, in
 * the order in which forward selection among them takes them; explained: by the
 * first of these, V (count x c): their coefficients
 */
rs_status rs_cdlsr_tell(rs_cdlsr_fit *fit, int *count, int *set,
                        double *explained, double *V, double *objective);

/* from a set of k distinct features to one that a sweep no longer changes: at
 * least five sweeps, the last three within cd_tol (method/cdlsr/cd.c) */
rs_status rs_cdlsr_sweeps(rs_context *ctx, const rs_cdlsr_settings *settings,
                          const rs_lsq *problem, rs_columns *cache, int *set,
                          rs_history *history);

#endif
