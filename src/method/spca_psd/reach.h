/*
 * method/spca_psd/reach.h: the penalties from which on Omega = 0 is optimal, from
 * below, by trying directions.
 */
#ifndef RS_SPCA_REACH_H
#define RS_SPCA_REACH_H

#include "method/spca_psd/model.h"

/* penalties eta0 + s eta1 on the trace, lambda0 + s lambda1 on the columns */
typedef struct {
    double eta0, eta1, lambda0, lambda1;
} rs_spca_line;

/*
 * A lower bound of the s from which on Omega = 0 is optimal for the penalties
 * of the line (centre 0); the search ends early once it reaches `enough`.
 */
rs_status rs_spca_reach(const rs_spca *pr, const rs_spca_line *line,
                        double enough, double *reach);

#endif
