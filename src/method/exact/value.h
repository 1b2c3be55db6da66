/*
 * method/exact/value.h: what one set explains, as two numbers that it lies
 * between.
 *
 * A = X_J'X_J + ridge I and b = X_J'Y of unit columns, with ||Y|| = 1, are off
 * by at most e in every entry. With any W, 2 <b, W> - <W, A W> is not above
 * what the set explains, and with W near A^{-1} b not far below it; both are
 * off by at most 2 e (2 s + l^2), s and l^2 = the sums over the responses of
 * ||w||_1 and its square: nearly dependent features have a large W. Where that is too much the data are
 * asked in twice the working precision.
 */
#ifndef RS_EXACT_VALUE_H
#define RS_EXACT_VALUE_H

#include "sets/accurate.h"

/*
 * From A (k x k) and b (k x c); L, W: room for as much. *explained and by how
 * much it may be off; 0 and 1 where A is not positive definite.
 */
void rs_value_by_products(int k, int c, const double *A, const double *b,
                          double e, double *L, double *W, double *explained,
                          double *error);

typedef struct {
    const rs_lsq *problem;
    double e;        /* error of a product */
    double enough;   /* error of a value that will do */
    double *columns; /* n x k */
    double *A, *L, *b, *W;
    rs_accurate accurate;
} rs_set_value;

/* for sets of up to k features; errors up to `enough` will do */
rs_status rs_set_value_init(rs_context *ctx, const rs_lsq *problem, int k,
                            double enough, rs_set_value *value);
/* as shares of ||Y||^2; *dependent: some features add nothing, as far as the
 * data tell */
void rs_set_value_of(int k, const int *set, double *least, double *most,
                     int *dependent, rs_set_value *value);

#endif
