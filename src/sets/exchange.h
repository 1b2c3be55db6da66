/*
 * sets/exchange.h: sets of features that grow by the best addition, and that
 * no single exchange improves.
 */
#ifndef RS_EXCHANGE_H
#define RS_EXCHANGE_H

#include "base/history.h"
#include "sets/subset.h"

/* grow to `size` features, best first; explained[k'-1] = E at every size
 * (or NULL); ends early when nothing independent is left */
rs_status rs_subset_grow(rs_subset *s, int size, double *explained);
/* exchange until no single exchange gains more than tol ||Y||^2; queue has
 * room for capacity features */
rs_status rs_subset_exchange(rs_subset *s, double tol, int maxit, int *queue,
                             rs_history *history);

#endif
