/*
 * method/spca_psd/newton.h: Newton steps in a trust region for f(F), by truncated
 * conjugate gradients (solve/tcg.h), preconditioned by
 *
 *   2 ((eta + b_k) I + L_k (S_T + (lambda/2) D))   for column k,
 *
 * with b_k = f_k'(S_T + (lambda/2) D) f_k. Columns of about the same
 * (eta + b_k) / L_k share one factorisation.
 */
#ifndef RS_SPCA_NEWTON_H
#define RS_SPCA_NEWTON_H

#include "method/spca_psd/hessian.h"

/*
 * Newton steps with the number of columns fixed, until the squared
 * preconditioned gradient norm falls below tol * f. RS_OK, RS_MAXIT.
 */
rs_status rs_exact_newton(rs_exact *s, double tol);
/* keeps f where F or the floors have changed since */
rs_status rs_exact_record(rs_exact *s);

#endif
