/*
 * method/css/space.h: what the search for the best column subset knows of all
 * features. Let K = YY' for the response Y of method/css/css.h (Y = X, or the
 * scores of the leading components), columns of X of unit length, and
 * everything a share of tr K. A set J then explains
 *
 *     f(J) = tr(K P_J) = tr(C_JJ^{-1} H_JJ),   C = X'X, H = X'K X,
 *
 * P_J the projector on its span. Of K the q leading eigenvectors E are kept,
 * with what their eigenvalues exceed the rest by:
 *
 *     K <= E A E' + rest I,     Z = A^{1/2} E'X  (q x d).
 *
 * A response of few columns needs none of this: Z = Y'X, A = Y'Y, rest = 0.
 */
#ifndef RS_CSS_SPACE_H
#define RS_CSS_SPACE_H

#include "sets/lsq.h"

/* candidates that the inner loops take at a time; arrays have a multiple */
#define RS_CSS_STRIP 32

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_data *X;    /* the data, or NULL where they are not at hand */
    double column_error; /* of a column of these, at most */
    int count;           /* candidates */
    int stride;    /* of C and H: count, to the next multiple of a strip */
    int *list;     /* count: the features that they are */
    int *place;    /* d: where a feature is in the list, or -1 */
    double *C, *H; /* stride x count */
    int q;
    double *Z; /* q x count */
    double *A; /* q x q */
    double rest;
    double least;          /* share of its square that a feature must keep when
                            * the others of its set are projected out */
    double product_error;  /* of entries of C, at most */
    double response_error; /* of entries of H and A, at most */
} rs_css_space;

/* what is known beside the problem */
typedef struct {
    const double *YtY; /* c x c, where there is a response */
    const rs_data *X;  /* the data, also where the problem is given by S; NULL
                        * where they are not at hand */
} rs_css_input;

/* every feature that is not barred; for sets of k features */
rs_status rs_css_space_init(rs_context *ctx, const rs_lsq *problem,
                            const rs_css_input *input, int k,
                            rs_css_space *space);

static inline int rs_css_padded(int count)
{
    return (count + RS_CSS_STRIP - 1) / RS_CSS_STRIP * RS_CSS_STRIP;
}
/* the set in places of the space, locked features first; their number */
int rs_css_take_set(const rs_lsq *problem, const rs_css_space *space, int k,
                    const int *set, int *places);

#endif
