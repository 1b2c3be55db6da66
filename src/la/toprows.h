/*
 * la/toprows.h: the k rows of largest norm. Ties are decided as in
 * base/select.h: by a second value, then by the smaller index.
 */
#ifndef RS_TOPROWS_H
#define RS_TOPROWS_H

#include "base/select.h"

typedef struct {
    int d;
    double *norms;       /* d: of the rows, at the last choice */
    unsigned char *keep; /* d: 1 for the rows that were chosen */
    rs_choose_ws choose;
} rs_toprows_ws;

rs_status rs_toprows_init(rs_context *ctx, int d, rs_toprows_ws *ws);
/*
 * W (d x m) <- its k rows of largest norm, the others 0; second: d values, or
 * NULL. RS_NOT_FINITE where a norm is not finite: W is as it was then.
 */
rs_status rs_toprows_keep(int m, int k, const double *second, double *W,
                          rs_toprows_ws *ws);

#endif
