/*
 * method/fspca/exchange.h: the default solver of FSPCA. Projection updates
 * (sets/trace_subset) from several sets, exchanges of single features
 * (sets/swaps) from the best ends, and again after two or three features
 * were replaced. The best set is never worse than that of any start.
 */
#ifndef RS_FSPCA_EXCHANGE_H
#define RS_FSPCA_EXCHANGE_H

#include "method/fspca/fspca.h"

typedef struct {
    int maxit;         /* projection updates from a start */
    int count;         /* further starts */
    const int *starts; /* k x count features */
    double work;       /* multiplications for the exchanges, about */
    int perturbations; /* sets that are looked at after replacements */
    double seconds;    /* that the search may take; INFINITY: any */
} rs_fspca_search;

rs_status rs_fspca_exchange(rs_context *ctx, rs_covop *op, int k, int m,
                            const double *values, const double *vectors,
                            const rs_fspca_search *search, rs_fspca_fit *fit);

#endif
