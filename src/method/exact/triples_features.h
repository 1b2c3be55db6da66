/*
 * method/exact/triples_features.h: the problem as the search for three features
 * sees it. Features have unit length and stand in the order of what each
 * explains alone, best first; ||Y|| = 1, and the response is turned to the
 * eigenvectors of Y'Y. "Feature j" is a position in that order here and in the
 * other files of the search.
 */
#ifndef RS_CDLSR_TRIPLES_FEATURES_H
#define RS_CDLSR_TRIPLES_FEATURES_H

#include "method/exact/root.h"

typedef struct {
    const rs_lsq *problem;
    rs_context *ctx;
    rs_root root;
    int d;          /* features that may be selected */
    int c;          /* eigenvalues of Y'Y that are not zero */
    double *lambda; /* c: eigenvalues of Y'Y, descending */
    double *V;      /* (all responses) x c: eigenvectors of Y'Y */
    double *B;      /* d x c: b_i = Y'x_i along these */
    double *alone;  /* d: e_i = ||b_i||^2 */
    double *beside; /* d: lambda_1(R_i'R_i), most that one more explains */
    double ceiling; /* no three features explain more */
    /* the columns of A and C asked for last, d x RS_EXACT_PANEL */
    double *A, *C;
    double *few; /* RS_EXACT_PANEL x c; scratch */
} rs_triple_features;

rs_status rs_triple_features_init(rs_context *ctx, const rs_lsq *problem,
                                  const double *YtY, rs_triple_features *f);
/* f->A, f->C <- the columns of the features k[0..width) */
rs_status rs_triple_columns(rs_triple_features *f, const int *k, int width);
/* A_ji, in double precision whatever the other entries are kept in */
double rs_triple_product(rs_triple_features *f, int j, int i);

#endif
