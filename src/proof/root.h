/*
 * proof/root.h: what every search reads at its root: the candidates in
 * an order, in columns of unit length (the ridge included) with ||Y|| = 1, and
 * their inner products.
 */
#ifndef RS_EXACT_ROOT_H
#define RS_EXACT_ROOT_H

#include "sets/lsq.h"

typedef struct {
    const rs_lsq *problem;
    rs_context *ctx;
    int d;        /* candidates: features that are not barred */
    int *list;    /* d: their columns of the problem */
    double *unit; /* d: 1 / sqrt(||x||^2 + ridge) */
    double error; /* of an inner product of two unit columns, at most */
    /* scratch of the products: n x width, all columns x width, width */
    double *columns, *raw;
    int *wanted;
} rs_root;

/* the candidates as they come; products of up to `width` of them at a time */
rs_status rs_root_init(rs_context *ctx, const rs_lsq *problem, int width,
                       rs_root *root);
/* C (d x responses) = X'Y */
void rs_root_responses(const rs_root *root, double *C);
/*
 * C (d x *c) = X'Y V, with the eigenvectors V (responses x *c) of Y'Y whose
 * eigenvalues lambda, relative to ||Y||^2, are not rounding. There is room for
 * all responses in each of them.
 */
rs_status rs_root_turn(const rs_root *root, const double *YtY, int *c,
                       double *lambda, double *V, double *C);
/* out (d x width): products of the candidates at[0..width) with all of them */
rs_status rs_root_products(const rs_root *root, const int *at, int width,
                           double *out);

#endif
