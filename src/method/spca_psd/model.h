/*
 * method/spca_psd/model.h: the data of the SPCA-PSD problems, the centre, the
 * objective, and how an iteration ends.
 */
#ifndef RS_SPCA_MODEL_H
#define RS_SPCA_MODEL_H

#include "method/spca_psd/spca_psd.h"

/* eigenvalues of Omega below this count as zero (they lie in [0, 1]) */
#define RS_SPCA_RANK_TOL 1e-10

/* Y (n x m) = Xt W and W (d x m) = Xt'Y with Xt = Xc - 1 c' */
rs_status rs_spca_times(const rs_spca *pr, int m, const double *W, double *Y);
rs_status rs_spca_crossprod(const rs_spca *pr, int m, const double *Y,
                            double *W);
/* the same with Xc */
rs_status rs_spca_times_plain(const rs_spca *pr, int m, const double *W,
                              double *Y);
rs_status rs_spca_crossprod_plain(const rs_spca *pr, int m, const double *Y,
                                  double *W);
/* c = sum_i t_i x_i / sum_i t_i, the best centre for the weights t */
rs_status rs_spca_set_centre(rs_spca *pr, const double *t);
/* A, C, the squares and the trace from at->F */
rs_status rs_spca_measure(const rs_spca *pr, rs_spca_point *at);
/* t_i = 2 or 1/sqrt(||r_i||^2 + floor), D_j = 1/sqrt(||omega_j||^2 + floor) */
void rs_spca_weights(const rs_spca *pr, const rs_spca_floors *floors,
                     rs_spca_point *at);
/* the objective with floors under the roots */
double rs_spca_objective(const rs_spca *pr, const rs_spca_floors *floors,
                         const rs_spca_point *at);
/* columns from .. from + width - 1 of Xt into pr->panel */
void rs_spca_panel(const rs_spca *pr, int from, int width);
typedef enum {
    RS_SPCA_GOES_ON = 0,
    RS_SPCA_DONE,
    RS_SPCA_STALLED
} rs_spca_end;

/* Keeps the objective f of an iteration; *end says whether it was the last: f
 * changed by less than tol, relative, or only rounding moves it. */
rs_status rs_spca_record(const rs_spca *pr, double f, double tol,
                         rs_history *history, rs_spca_end *end);
/* what an iteration that ended so returns */
rs_status rs_spca_ending(rs_spca_end end);
/* rows of M (rows x cols) times scale */
void rs_scale_rows(int rows, int cols, const double *scale, double *M);

#endif
