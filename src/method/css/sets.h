/*
 * method/css/sets.h: column subsets of css() as the searches for proofs have
 * them: what a set reproduces, and its bound (proof/closing.h). A set in which a
 * feature keeps less of its square beside the others than the bound's `least`
 * counts for nothing.
 *
 * A value comes from the cross-products of all features, off by their errors
 * times tr C_JJ^{-1}; where that does not do, and the data are at hand, from
 * these, whose rounding errors count times the root of it.
 */
#ifndef RS_CSS_SETS_H
#define RS_CSS_SETS_H

#include "proof/closing.h"

/* what is known beside the problem */
typedef struct {
    const double *YtY; /* c x c, where there is a response */
    rs_data *X;        /* the data, also where the problem is given by S; NULL
                        * where they are not at hand */
} rs_css_input;

typedef struct {
    const rs_lsq *problem;
    rs_data *X;
    double column_error; /* of a column of these, at most */
    rs_closing_search closing;
    rs_bound bound;
    rs_tree *tree;        /* its units are features that are not barred: */
    const int *list;      /* their columns, */
    int *place;           /* d: and where these are */
    unsigned char *fixed; /* units that are in every set */
    int width;            /* columns of a product with X' */
    double *room;         /* 4 k^2 */
    double *Q, *R, *D;    /* n x k, k x k, d or c x k */
} rs_css_sets;

/* for sets of k features */
rs_status rs_css_sets_open(rs_context *ctx, const rs_lsq *problem,
                           const rs_css_input *input, int k,
                           rs_css_sets *sets);
/* of k columns, as shares of the total: see rs_bound */
rs_status rs_css_value(void *sets, int k, const int *columns, double cut,
                       double *least, double *most);

#endif
