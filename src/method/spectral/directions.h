/*
 * method/spectral/directions.h: what UDFS, SOGFS and SLAP share: directions W of
 * eigen/minor.h with a penalty whose size may be left to the data.
 */
#ifndef RS_DIRECTIONS_H
#define RS_DIRECTIONS_H

#include "base/history.h"
#include "eigen/minor.h"

typedef struct {
    rs_data *X;           /* made for rs_minor_block(m) columns */
    const double *square; /* d: as for rs_minor_init() */
    int m, neighbours;
    rs_minor_control asked;      /* eps in units of the mean of ||w_j||^2 */
    int relative_gamma;          /* as in rs_minor_scaled() */
    const rs_row_groups *groups; /* rows penalised together, or NULL */
    double tol;                  /* relative change of the objective */
    int maxit;
} rs_directions_problem;

typedef struct {
    rs_minor minor;        /* W */
    rs_minor_control used; /* in the units of the objective */
    rs_history history;    /* the objective */
    double kkt;            /* of W */
} rs_directions_fit;

rs_status rs_directions_init(rs_context *ctx, const rs_directions_problem *p,
                             rs_directions_fit *fit);
/* the penalty, once T is known */
void rs_directions_scale(const rs_directions_problem *p,
                         rs_directions_fit *fit);

#endif
