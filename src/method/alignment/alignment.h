/*
 * method/alignment/alignment.h: features whose linear kernel K_J = X_J X_J' is aligned
 * with a kernel K_Y = Y Y',
 *
 *     max over |J| = k of  <K_J, K_Y> / (||K_J||_F^2 + ridge)^(1/2),
 *
 * one feature at a time. Both parts are sums over J: <K_J, K_Y> of the targets
 * t_j = ||x_j'Y||^2, and ||K_J||_F^2 of squared inner products of features.
 */
#ifndef RS_ALIGNMENT_H
#define RS_ALIGNMENT_H

#include "data/data.h"

/* widest product that the functions below ask for */
#define RS_ALIGNMENT_BLOCK 64

#define RS_SUBSTITUTE 0.9

typedef struct {
    const double *target; /* d */
    const double *second; /* d: of equally good features the larger one */
    const unsigned char *usable; /* d: may it be taken? */
    const double *S;             /* d x d: Z'Z where it is known, or NULL */
    double ridge;                /* added to ||K_J||_F^2 */
    int k;                       /* at most the usable ones */
    int included;                /* the first of the k are given */
    const int *include;
} rs_alignment_problem;

typedef struct {
    int *order;        /* k: the features as they entered */
    double *objective; /* k + 1: the alignment of 0, 1, ..., k features */
    double *margin;    /* k: how far the next best one was behind; 0: alone, or
                        * given */
    int *near_copies;  /* k: other usable features whose correlation with this
                        * one is at least RS_SUBSTITUTE, either sign */
    double *next; /* d: what the alignment would be with this feature as well;
                   * 0 where it cannot be taken */
} rs_alignment_fit;

/* X (d features) is not looked at where S is known */
rs_status rs_alignment(rs_context *ctx, const rs_data *X, int d,
                       const rs_alignment_problem *problem,
                       rs_alignment_fit *fit);

#endif
