/*
 * method/regression/crfs.h: correntropy-induced robust feature selection (He, Tan, Wang and
 * Zheng, 2012), for residuals e_i = y_i - W'x_i and a width s = 2 sigma^2,
 *
 *     min over W of  sum_i s (1 - exp(-||e_i||^2 / s)) + lambda sum_j ||w_j||,
 *
 * by half-quadratic steps: regressions with the weights exp(-||e_i||^2 / s) of
 * the samples and 1 / (2 ||w_j||) of the rows.
 */
#ifndef RS_CRFS_H
#define RS_CRFS_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;
    const double *Y; /* n x c */
    int c;
    double lambda;
    const double *u; /* d: 1 / weights of the rows in the first regression */
    double eps;   /* ||w||^2 + eps; negative: a share of the first W's rows */
    double width; /* s; 0: 4 times the mean ||e_i||^2 */
    double least; /* s is not below */
    int width_steps; /* iterations that estimate s; it is held afterwards */
    double tol;
    int maxit;
} rs_crfs_problem;

typedef struct {
    double *W;      /* d x c */
    double *sample; /* n: weights of the samples at the end */
    double width;   /* s at the end */
    double eps;
    /* objective at the first regression and after each iteration, all of them
     * with the last s and rows smoothed by eps */
    rs_history history;
} rs_crfs_fit;

rs_status rs_crfs(rs_context *ctx, const rs_crfs_problem *p, rs_crfs_fit *fit);

#endif
