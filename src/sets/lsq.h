/*
 * sets/lsq.h: the least-squares problem whose features are to be selected,
 *
 *     min ||Y - X_J W||^2 + ridge ||W||^2,
 *
 * its columns and their products.
 */
#ifndef RS_LSQ_H
#define RS_LSQ_H

#include "base/near.h"
#include "data/centring.h"
#include "data/data.h"

/* The data as they were given, n x d, where they are at hand: doubles, or
 * integers, or in X where that is sparse. */
typedef struct {
    const double *raw;
    const int *whole;
    const double *weight; /* d: 1/scale, or NULL for 1 */
    /* n: how often each sample counts in sums of squares, or NULL. The columns
     * of X, and Y, have its square root in them, those as given have not. */
    const double *counts;
} rs_lsq_given;

/* The problem: X (with Y or K), the cross-products S (with B), or both. */
typedef struct {
    int n, d;
    int c;                       /* responses; 0 for Y = X */
    rs_data *X;                  /* NULL when S is given */
    const double *S;             /* d x d = X'X; NULL when X is given */
    const double *Y;             /* n x c; with X, or NULL where B is given */
    const double *B;             /* d x c = X'Y; c > 0 */
    const double *K;             /* n x n = XX'; with X and c = 0 */
    const double *base;          /* d: ||Y'x_j||^2 */
    const double *square;        /* d: ||x_j||^2 */
    const unsigned char *barred; /* d: never selected (constant features) */
    /* d: features that come before all others and never leave, or NULL */
    const unsigned char *first;
    double total; /* ||Y||^2 */
    double ridge;
    /* Cross-products that were put together from parts: the means, in
     * deviations, of the columns and the response that are farthest from zero.
     * Means of parts are rounded, which their products feel. Else 0. */
    double reach;
    /* columns of S that problems of the same data share, or NULL */
    struct rs_columns *shared;
    rs_lsq_given given;
    rs_centring centring;    /* of the data as given, and of X */
    const double *deviation; /* d: standard deviations before scaling; ties */
} rs_lsq;

/* |mean| / deviation of the column that is farthest from zero */
double rs_lsq_farthest(const rs_lsq *problem);
/* base, and B = X'Y where it was not given; for Y = X also total, and K = XX'
 * where X is given */
rs_status rs_lsq_prepare(rs_context *ctx, rs_lsq *problem);

/* column j as it was given; raw, raw_whole or a sparse X are at hand */
void rs_lsq_raw_column(const rs_lsq *problem, int j, double *z);
/* column j of the data, its sums brought to zero once more: the means that were
 * taken off are off by their rounding errors */
void rs_lsq_column(const rs_lsq *problem, int j, double *z);
/* Features that come near to sets of k, so that their cross-products pay, at most */
int rs_lsq_few(const rs_lsq *problem, int k);
/*
 * Do cross-products pay where sets of k features are searched for? With rows to
 * refit the response from, where all features come near; elsewhere wherever S is
 * the smaller side.
 */
int rs_lsq_prefers_products(const rs_lsq *problem, int k);
/* S beside X */
rs_status rs_lsq_form_products(rs_context *ctx, rs_lsq *problem);
/* S takes the place of X, and B that of Y, from here on */
rs_status rs_lsq_use_products(rs_context *ctx, rs_lsq *problem);
/* The same problem for the listed features alone: their cross-products, and with
 * `data` their columns where these are at hand; Y != X */
rs_status rs_lsq_some(rs_context *ctx, const rs_lsq *all, int count,
                      const int *feature, int data, rs_lsq *some);
/* rounding error of an inner product of two unit columns, at most */
double rs_product_error(const rs_lsq *problem);
/*
 * out (d x width): the cross-products of the columns wanted[0..width) with
 * the columns order[0..d). columns (n x width) and raw (all columns x width)
 * are scratch, and not used where the problem is given by S.
 */
rs_status rs_ordered_products(const rs_lsq *problem, const int *order, int d,
                              const int *wanted, int width, double *columns,
                              double *raw, double *out);

/* ---- columns of the products --------------------------------------------------- */

/* columns X'x_j, made when they are asked for and kept for a while: searches come
 * back to the same features again and again */
typedef struct rs_columns {
    rs_context *ctx;
    int d, slots, next; /* the one that is freed next */
    double **columns;   /* slots: d numbers, from when they are first needed */
    double *z;          /* n; none where the problem has S */
    int *owner;         /* slots; -1: free */
    int *slot_of;       /* d; -1: not here */
} rs_columns;

/* room for the columns of k features, and for some that come and go */
rs_status rs_columns_init(rs_context *ctx, const rs_lsq *problem, int k,
                          rs_columns *cache);
/* where column j is to be put, which is not there, or NULL; that of the column that
 * came first of all */
double *rs_columns_claim(rs_columns *cache, int j);
/* *at = column j, until so many others have come as there is room for */
rs_status rs_columns_get(rs_columns *cache, const rs_lsq *problem, int j,
                         const double **at);

#endif
