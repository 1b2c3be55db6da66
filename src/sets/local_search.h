/*
 * sets/local_search.h: local search among sets by exchanges of single features,
 * in a tableau: what sets/exchange.h does, several times as fast, where no feature
 * nearly depends on others. The tableau resolves fewer of these than
 * sets/subset.h, so that
 *   - a step that would need one ends in RS_SINGULAR: what is asked for is then
 *     to be done by sets/exchange.h;
 *   - rs_local_resolves() tells whether every feature was looked at.
 */
#ifndef RS_LOCAL_SEARCH_H
#define RS_LOCAL_SEARCH_H

#include "base/history.h"
#include "sets/subset.h"
#include "sets/tableau.h"

typedef struct {
    int able; /* 0: not for this problem */
    rs_tableau t;
    const rs_lsq *problem;
    unsigned char *closed; /* d: must not come in for now; set by the caller */
    int moves;             /* sweeps since the last fresh tableau */
    /* k features that no exchange improves, where exchanges end as soon as they
     * come there; NULL: none. Set by the caller */
    const int *known;
    double *bar, *gain; /* d */
    int *order;         /* capacity: J, the last that came in last */
    int *queue, *list;  /* capacity */
    rs_context *ctx;
} rs_local;

/* columns: those of the problem, shared with whoever works in turns; NULL: none,
 * and no search */
rs_status rs_local_init(rs_context *ctx, const rs_lsq *problem, int capacity,
                        rs_columns *columns, rs_local *local);
/* J <- the given features, from the ones that it has, which come first in its
 * order */
rs_status rs_local_change_to(rs_local *local, int count, const int *features);
/* the same in the given order */
rs_status rs_local_take(rs_local *local, int count, const int *features);
/* J grows by the best additions; RS_SINGULAR where there are no more */
rs_status rs_local_grow(rs_local *local, int size);
/* the same by additions that are drawn among the best `among` each time, by
 * number *draw of the quasi-random sequence and those that follow it */
rs_status rs_local_grow_among(rs_local *local, int size, int among,
                              size_t *draw);
/* J <- J without its feature p */
void rs_local_remove(rs_local *local, int p);
/* exchanges, place by place, until none gains more than `least`; RS_MAXIT where
 * maxit sweeps do not suffice. history: NULL, or what is left of ||Y||^2 at the
 * start and after every sweep */
rs_status rs_local_exchange(rs_local *local, double least, int maxit,
                            rs_history *history);
/* is no feature that may come in nearly dependent on J, and some of the response
 * left? */
int rs_local_resolves(const rs_local *local);

#endif
