/*
 * solve/palm.h: proximal alternating minimisation over W'W = I_m and two
 * copies of W that carry the penalties,
 *
 *     f(W, U_1, U_2) = -tr(W'SW) + sum_i (h_i(U_i) + beta_i/2 ||W - U_i||^2).
 *
 * A round takes W from problem (Q) with C = sum_i beta_i U_i + tau W, and then
 * every copy as the proximal point of h_i that belongs to
 *     (beta_i W + rho_i U_i) / (beta_i + rho_i),   rho_i = inertia_i beta_i,
 * so that it cannot rise. The round is first tried with an extrapolated C
 * (solve/momentum.h), and again without where f falls short of the decrease
 * that the plain one guarantees.
 */
#ifndef RS_PALM_H
#define RS_PALM_H

#include "base/history.h"
#include "solve/palm_copy.h"
#include "solve/qsolve.h"

typedef struct {
    double tau;         /* proximal weight of the W step */
    rs_q_control inner; /* its solver */
    int extrapolates;   /* try extrapolated rounds? */
    int turns;          /* turn W in its span once the nonzero rows stay? */
    int turns_at_ends;  /* and at the ends of runs, where there are several? */
    int counts_copies;  /* is a decrease for moving the copies asked for? */
    int replaces_rejected; /* one MM step for a PenCF step that would rise? */
    /* is the last change of f small? `unit` is the mean variance */
    int (*has_converged)(const rs_history *history, double unit, double tol);
    double tol;
    int maxit;
} rs_palm_settings;

typedef struct {
    rs_history history;   /* f */
    double kkt;           /* first-order residual, relative */
    int inner_iterations; /* summed over the W steps */
    int rejected;         /* W steps that rose and were replaced */
} rs_palm_fit;

/*
 * W (d x m, orthonormal) is the start and receives the end, as do the copies.
 * RS_OK: f is flat and kkt within rs_residual_limit(); RS_STALLED: f stands
 * at a point that is not stationary.
 */
rs_status rs_palm(rs_context *ctx, rs_covop *op, int m,
                  const rs_palm_settings *settings, double *W,
                  const rs_palm_copy *copies, rs_palm_fit *fit);

/*
 * The same in two steps, for several runs that follow each other: each goes on
 * from the point, and with the momentum, of the one before, while the caller
 * changes penalties behind the copies in between. The histories share their
 * memory.
 */
typedef struct rs_palm_loop rs_palm_loop;

rs_status rs_palm_open(rs_context *ctx, rs_covop *op, int m,
                       const rs_palm_settings *settings, double *W,
                       const rs_palm_copy *copies, rs_palm_loop **palm);
rs_status rs_palm_run(rs_palm_loop *palm, rs_palm_fit *fit);

#endif
