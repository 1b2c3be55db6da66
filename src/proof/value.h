/*
 * proof/value.h: what a set of columns explains, as two numbers that it lies
 * between, shares of ||Y||^2.
 *
 * A = X_J'X_J + ridge I and b = X_J'Y of unit columns, with ||Y|| = 1, are off
 * by at most e in every entry. With any W, 2 <b, W> - <W, A W> is not above
 * what the set explains, and with W near A^{-1} b not far below it; both are
 * off by at most 2 e (2 s + l^2), s and l^2 = the sums over the responses of
 * ||w||_1 and its square: nearly dependent columns have a large W. Where that
 * is too much the data are asked in twice the working precision; columns that
 * depend on others, as far as the data tell, add nothing.
 */
#ifndef RS_SET_VALUE_H
#define RS_SET_VALUE_H

#include "proof/closing.h"

/* 2 e (2 s + l^2) of W (k x c), or less */
double rs_value_error(double e, int k, int c, const double *W);

typedef struct {
    const rs_lsq *problem;
    /* d x d = X'X; or NULL: products are made of columns, where the kernel, if there
     * is one, does not hold them */
    const double *S;
    const rs_closing_kernel *kernel;
    double e;        /* error of a product */
    double enough;   /* error of a value that will do */
    double rounding; /* of the data: how far it may move the last value */
    int k, *set;     /* columns that are not constant, ascending */
    double *columns; /* n x k */
    double *unit;    /* d: 1 / sqrt(||x||^2 + ridge) */
    double *A, *L, *b, *W;
    rs_accurate accurate;
} rs_set_value;

/* for sets of up to k columns; errors up to `enough` will do. The problem is the one
 * that was given; S: its cross-products where they were formed, or NULL */
rs_status rs_set_value_init(rs_context *ctx, const rs_lsq *problem,
                            const double *S, int k, double enough,
                            rs_set_value *value);
/* A and b, of the columns that are not constant: value->k, value->set. The
 * order that they are given in decides nothing */
void rs_set_products(int k, const int *set, rs_set_value *value);
/* of these, from A and b alone: *explained and by how much it may be off; 0 and 1
 * where A is not positive definite */
void rs_set_explained(rs_set_value *value, double *explained, double *error);
/* does a column nearly depend on those before it, by the factor? Then the form
 * may be far below what the set explains, whatever it is off by */
int rs_is_near(int k, const double *L);
/* where *most is below the cut it may be rough */
void rs_set_value_of(int k, const int *set, double cut, double *least,
                     double *most, rs_set_value *value);

#endif
