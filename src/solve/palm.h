/*
 * solve/palm.h: proximal alternating minimisation over W'W = I_m and two
 * copies of W that carry the penalties,
 *
 *     f(W, U_1, U_2) = -tr(W'SW) + sum_i (h_i(U_i) + beta_i/2 ||W - U_i||^2).
 *
 * A round takes W from problem (Q) with C = sum_i beta_i U_i + tau W, and then
 * every copy as the proximal point of h_i that belongs to
 *     (beta_i W + rho_i U_i) / (beta_i + rho_i),   rho_i = inertia_i beta_i,
 * so that it cannot rise. With M = 2 S W + C the W step of the solver "mm" is
 * polar(M): extrapolating M, M + weight (M - M_last), moves with the momentum of
 * the whole point and costs no product with S. A round is first tried so, and
 * again without where f falls short of the decrease that the plain one
 * guarantees.
 */
#ifndef RS_PALM_H
#define RS_PALM_H

#include "base/history.h"
#include "solve/q.h"

#define RS_PALM_COPIES 2

typedef struct {
    double *U;      /* d x m */
    int is_active;  /* 0: U = W, without penalty or coupling */
    double beta;    /* coupling */
    double inertia; /* proximal weight of its step, relative to beta */
    void *state;    /* of the callbacks */
    /* U <- argmin h(U') + weight/2 ||U' - U||^2, and h there */
    rs_status (*prox)(void *state, double weight, double *U, double *h);
    /* h(U); NULL where h only says which U are allowed */
    double (*penalty)(void *state, const double *U);
    /* how far U is from stationary at W; NULL: the distance between U and the
     * proximal point of W */
    double (*gap)(void *state, const double *W, const double *U);
} rs_palm_copy;

typedef struct {
    double tau;         /* proximal weight of the W step */
    rs_q_control inner; /* its solver */
    int extrapolates;   /* try extrapolated rounds? */
    double
        tol; /* on the change of f, relative to it or to the mean variance */
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

#endif
