/*
 * method/spca_psd/paper.h: the published iteration, which solves for Omega with
 * fixed weights and projects on the PSD cone.
 */
#ifndef RS_SPCA_PAPER_H
#define RS_SPCA_PAPER_H

#include "method/spca_psd/model.h"

typedef enum { RS_ROUTE_DENSE = 0, RS_ROUTE_LOWRANK } rs_spca_route;

typedef struct {
    rs_spca_route route;
    rs_spca_floors floors;
    double ridge;     /* added to the diagonal of the linear system */
    int record_start; /* is the start a point whose objective is known? */
    double tol, inner_tol;
    int maxit, inner_maxit;
} rs_spca_paper_settings;

/*
 * Smoothing and ridge of the published code, in the units of the data: column
 * norms are smoothed by machine epsilon (||R||^2) or 1e-3, residual norms and
 * the diagonal by small multiples of their mean.
 */
void rs_spca_published(const rs_spca *pr, rs_spca_paper_settings *set);
/* which route costs fewer flops, for about r positive eigenvalues */
rs_spca_route rs_spca_cheaper_route(const rs_spca *pr, double r);
/* from the weights at->t, at->D; the point receives the last Omega. RS_OK,
 * RS_MAXIT. */
rs_status rs_spca_paper(const rs_spca *pr, const rs_spca_paper_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit);

#endif
