/*
 * solve/leading.h: the leading eigenpairs of the covariance operator, by
 * LAPACK where a small matrix tells them and iteratively elsewhere.
 */
#ifndef RS_LEADING_H
#define RS_LEADING_H

#include "data/covop.h"

/* at or below this order a dense eigen-solver beats an iterative one */
#define RS_DENSE_EIGEN_ORDER 256

/* columns that op must allow for in a product */
int rs_leading_block(int d, int m);
/* V (d x m): eigenvectors of the m largest eigenvalues; values has m */
rs_status rs_leading(rs_covop *op, int m, double *values, double *V);

#endif
