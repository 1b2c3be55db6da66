/*
 * method/cdlsr/fit.h: what the descents of method/cdlsr/cdlsr.h are given, and the
 * sets that they return.
 */
#ifndef RS_CDLSR_FIT_H
#define RS_CDLSR_FIT_H

#include "base/clock.h"
#include "base/history.h"

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
    /* the search from the end of the forward start, at most: perturbations in a
     * row that lead to nothing, of wide data; rounds of tabu search; other first
     * features */
    int perturb, tabu, firsts;
    int sweeps; /* 1: given starts are also followed by the paper's sweeps */
    double tol; /* exchanges that gain less, relative to ||Y||^2, stop */
    double cd_tol; /* relative change that counts as none in a sweep */
    int maxit;     /* sweeps per start */
    int threads;
    /* after it has run out the best set until then is kept; the first set of
     * every start is found whatever time that takes */
    const rs_clock *clock;
} rs_cdlsr_settings;

/* a set, and how the descent to it ended */
typedef struct {
    int *feature; /* k */
    int k;        /* fewer than asked for when the features span no more */
    double explained, objective;
    int sweeps;
    rs_status status;
    rs_history history; /* objective: the start, then after every sweep */
} rs_cdlsr_end;

/* the best set of one size, in greedy order */
typedef struct {
    int *feature;         /* as many as the size */
    double *coefficients; /* size x c */
    double explained, objective;
} rs_cdlsr_size;

#endif
