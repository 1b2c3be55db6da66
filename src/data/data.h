/*
 * data/data.h: a data matrix Z, n samples x d features, centred (all rows, or
 * the rows of each level of a factor) and scaled, that the solvers only
 * multiply.
 *
 * How Z is stored is the business of a kind, a table of operations and what
 * it keeps: dense.h, sparse.h, blocks.h. Nothing outside these files asks for
 * the kind of some data. A new kind is a file with a table and a function that
 * fills an rs_data.
 */
#ifndef RS_DATA_H
#define RS_DATA_H

#include "base/core.h"

typedef struct rs_data rs_data;

/* what a task costs: multiplications, weighed by how fast they are beside
 * those of a product of two large dense matrices */
typedef enum {
    RS_TASK_PRODUCT,       /* Z w, or Z'y, per column */
    RS_TASK_GRAM_FEATURES, /* Z'Z */
    RS_TASK_GRAM_SAMPLES   /* Z Z' */
} rs_data_task;

/*
 * How a kind does what the functions below ask for. Vectors e (d) and t (n) of
 * weights are >= 0, and NULL stands for ones. No product is wider than `block`:
 * the functions below slice wider ones.
 */
typedef struct {
    rs_status (*times)(const rs_data *X, int m, const double *W, double *Y);
    rs_status (*crossprod)(const rs_data *X, int m, const double *Y,
                           double *W);
    rs_status (*columns)(const rs_data *X, int count, const int *index,
                         int from, double *out);
    /* the same in every call */
    rs_status (*rows)(const rs_data *X, int count, const int *index, int from,
                      double *out);
    /* NULL: by `times` */
    rs_status (*row_products)(const rs_data *X, int count, const int *index,
                              int from, const double *rows, double *out);
    /* of all features; where data are read in passes, of listed ones, too */
    rs_status (*add_gram)(const rs_data *X, const double *t, int count,
                          const int *index, double *room, double *G);
    rs_status (*gram_samples)(const rs_data *X, const double *e, double *K);
    rs_status (*column_squares)(const rs_data *X, double *squares);
    rs_status (*row_squares)(const rs_data *X, const double *e,
                             double *squares);
    /* in one pass; NULL: by two products */
    rs_status (*scatter)(const rs_data *X, int m, double factor,
                         const double *W, double *SW);
    /* each column as cheap alone as with others, or in one pass; NULL: by
     * `columns` and `crossprod` */
    rs_status (*column_products)(const rs_data *X, int count, const int *index,
                                 double *C);
} rs_data_ops;

struct rs_data {
    const rs_data_ops *ops;
    void *kept; /* what the kind keeps */
    int n, d;
    int block; /* widest product that was provided for */
    /* of data whose means are taken off products at their end: the squared
     * length of these means, scaled, at most; 0: all are centred beforehand */
    double shift_square;
    const struct rs_sparse_slots
        *given;         /* data/sparse.h: as it came, or NULL */
    double work[3];     /* by rs_data_task */
    size_t subset_room; /* numbers of scratch for rs_data_add_gram() */
    int contiguous;     /* one array in memory: products run as BLAS does */
    int is_read;        /* every product is a pass that reads the data */
    rs_context *ctx;
};

/* Y (n x m) = Z W, W is d x m; by slices as wide as was provided for.
 * RS_BAD_INPUT where no product was. */
rs_status rs_data_times(const rs_data *X, int m, const double *W, double *Y);
/* W (d x m) = Z'Y, Y is n x m; likewise */
rs_status rs_data_crossprod(const rs_data *X, int m, const double *Y,
                            double *W);
/* SW (d x m) = factor Z'(Z W); room: n x m */
rs_status rs_data_scatter(const rs_data *X, int m, double factor,
                          const double *W, double *room, double *SW);
/* W = Z'Y for the first `rows` features, which are such data themselves, or all where
 * data are read: W has *stride rows */
rs_status rs_data_crossprod_first(const rs_data *X, int rows, int m,
                                  const double *Y, double *W, int *stride);
/* t (d): t_j = ||z_j'Y||^2 for Y (n x m), whatever m */
rs_status rs_data_product_squares(const rs_data *X, int m, const double *Y,
                                  double *t);
/* R (n x m) = T - Z W, in the place of neither */
rs_status rs_data_residual(const rs_data *X, int m, const double *T,
                           const double *W, double *R);
/* t_j = ||z_j'Y|| */
rs_status rs_data_product_norms(const rs_data *X, int m, const double *Y,
                                double *t);
/* C (d x count) = Z'Z[, I] for the listed features, however many; room:
 * rs_data_column_room() numbers, 0 where several columns are no cheaper together
 * than one by one, or share a pass */
rs_status rs_data_column_products(const rs_data *X, int count,
                                  const int *index, double *room, double *C);
size_t rs_data_column_room(const rs_data *X);
/* out (n x count) = the columns index[0..count) of Z; index = NULL: those from
 * `from` on, as in what follows */
rs_status rs_data_columns(const rs_data *X, int count, const int *index,
                          int from, double *out);
/* out (d x count) = such rows of Z, each contiguous; ascending indices are read
 * fastest */
rs_status rs_data_rows(const rs_data *X, int count, const int *index, int from,
                       double *out);
/* out (n x count) = the inner products of all rows with such rows, which
 * rs_data_rows() gave in `rows`; count <= block */
rs_status rs_data_row_products(const rs_data *X, int count, const int *index,
                               int from, const double *rows, double *out);
/* upper triangle of G (count x count) += Z[, I]' diag(t) Z[, I] for the listed
 * features I, NULL: all d, where no room is needed */
rs_status rs_data_add_gram(const rs_data *X, const double *t, int count,
                           const int *index, double *room, double *G);
/* the same by panels of columns, for kinds that have nothing better; room: two panels */
rs_status rs_data_add_panels(const rs_data *X, const double *t, int count,
                             const int *index, double *room, double *G);
/* G = Z[, I]' diag(t) Z[, I], both triangles */
rs_status rs_data_gram_subset(const rs_data *X, const double *t, int count,
                              const int *index, double *room, double *G);
/* G (d x d) = Z' diag(t) Z, both triangles */
rs_status rs_data_gram_weighted(const rs_data *X, const double *t, double *G);
/* K (n x n) = Z diag(e) Z', e >= 0 (NULL: the identity), both triangles;
 * features with e_j = 0 cost nothing */
rs_status rs_data_gram_samples(const rs_data *X, const double *e, double *K);
/* sum of squares of every column of Z */
rs_status rs_data_column_squares(const rs_data *X, double *squares);
/* squares[i] = sum_j e_j z_ij^2 (e = NULL: all ones), n numbers */
rs_status rs_data_row_squares(const rs_data *X, const double *e,
                              double *squares);
#endif
