/*
 * proof/subsets.h: the bound of proof/tree.h for sets of single features in
 * least squares, by the perspective relaxation, where cross-products have a
 * splitting A = M + diag(D): with a ridge, or with more samples than features.
 * Values are shares of ||Y||^2; units are the columns of the problem.
 *
 * A node is bounded by proof/perspective.h, screened by the tree, D is improved
 * for what is left (proof/splitting.h) and the node bounded again. Where at most
 * three features are to choose all sets are looked at (proof/closing.h).
 *
 * D stays valid where features are left out, as A - diag(D) of fewer features
 * is a part of the matrix before; and where features join every set, as their
 * D_j may be any number between 0 and the one before. So children inherit it,
 * and bounds are evaluated in the cross-products of the root: no rounding of
 * one node reaches another.
 *
 * Of more features than there is room for cross-products of, the root's first
 * relaxation is that with D = ridge, whose columns are made where a feature
 * has a share; the others follow once few enough are left.
 */
#ifndef RS_SUBSETS_H
#define RS_SUBSETS_H

#include "proof/closing.h"
#include "proof/perspective.h"
#include "proof/splitting.h"

/* columns of A, of more candidates than are held at once: made on demand */
typedef struct {
    int is_wide, used;
    int *cell; /* d: the place of each in `cells`, or -1 */
    double *cells;
} rs_subsets_wide;

/* the present node */
typedef struct {
    int N;
    int *id; /* N: candidates */
    unsigned char *in;
    double *a, *b;           /* N x N, N x c: of A and C */
    double *slopes, *cost;   /* N */
    double *kept_D, *kept_z; /* of a bound that is kept */
    int improved;            /* how often */
    int finished;            /* is D as good as it gets? */
    int stuck;               /* is nothing more known of it? */
} rs_subsets_node;

/* shared by searches for sets of several sizes; 0 at first */
typedef struct {
    rs_context *ctx;
    rs_bound of; /* but for the value of a set */
    rs_tree *tree;
    const rs_lsq *problem; /* as given */
    const double *YtY;
    rs_lsq narrowed; /* its candidates only */
    int most;        /* columns of the largest sets */
    int able;
    rs_closing_search last; /* the candidates, A, and the ends of nodes */
    double *C, *D;          /* d x c, d: proved for all of them */
    rs_subsets_wide wide;
    rs_perspective relax;
    rs_perspective_lsq lsq;
    rs_splitting split;
    rs_subsets_node node;
    int *place;                    /* d: in records */
    unsigned char *out, *excluded; /* columns */
} rs_subsets;

/* sets of up to `most` columns */
rs_status rs_subsets_init(rs_context *ctx, const rs_lsq *problem,
                          const double *YtY, int most, rs_subsets *state);
/* cross-products of the columns that are not excluded and their splitting,
 * unless they are at hand; state->able = 0 where there is none */
rs_status rs_subsets_open(const unsigned char *excluded, rs_subsets *state);

#endif
