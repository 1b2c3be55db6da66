/*
 * method/score/covth.h: covariance thresholding (Krauthgamer, Nadler and Vilenchik,
 * 2015). The correlations c_ij of the features, i != j, that are beyond a cut
 * stay, as they are (hard) or nearer to zero by it (soft):
 *
 *     T_ij = c_ij 1[|c_ij| > cut]   or   sign(c_ij) (|c_ij| - cut)_+,
 *
 * and the leading eigenvector of T scores the features. The diagonal would add
 * the same number to every eigenvalue.
 */
#ifndef RS_COVTH_H
#define RS_COVTH_H

#include "data/covop.h"

/* columns of correlations that are made at a time */
#define RS_COVTH_BLOCK 128

typedef struct {
    double cut;
    int soft;
    double room;       /* most entries of T, above the diagonal, to be kept */
    const int *usable; /* d: 0 for constant features */
    double tol;        /* of the eigenvector, see eigen/ritz.h */
    int maxit;
} rs_covth_settings;

typedef struct {
    double *score;     /* d: norm of its row in the leading eigenspace */
    double *vector;    /* d: the eigenvector, where there is one */
    double *strongest; /* d: largest |c_ij| over the other features */
    double survivors;  /* entries of T above the diagonal */
    int kept;          /* was there room for them? Without it no scores */
    double value;      /* leading eigenvalue of T, 0 where T is */
    int multiplicity;  /* of that */
    int components;    /* groups of features that T connects */
    double residual;   /* ||Tv - value v|| / value */
} rs_covth_fit;

/* op: made for products with RS_COVTH_BLOCK columns. RS_MAXIT: the eigenvector
 * is less accurate than asked for */
rs_status rs_covth(rs_covop *op, const rs_covth_settings *set,
                   rs_covth_fit *fit);

#endif
