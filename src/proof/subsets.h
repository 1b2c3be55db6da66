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
#include "proof/root.h"
#include "proof/splitting.h"
#include "proof/tree.h"
#include "proof/value.h"

/* most features whose cross-products are held */
#define RS_SUBSETS_MOST 5000

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem; /* as given */
    rs_lsq narrowed;       /* its candidates only */
    rs_bound *bound;
    int k, most; /* of the sets that are searched, and the largest */
    rs_set_value value;
    rs_root root; /* the candidates */
    int *at;      /* columns: their places among the candidates, or -1 */
    /* of unit columns, ||Y|| = 1: d x d, d x c; D (d): proved for all of them */
    int able;
    double *A, *C, *D;
    /* columns made on demand: the place of each in `cells`, or -1 */
    int is_wide, cells_used;
    int *cell;
    double *cells;
    rs_perspective relax;
    rs_splitting split;
    rs_closing_search last;
    /* the present node */
    int N;
    int *id; /* N: candidates */
    unsigned char *in;
    double *a, *b;                 /* N x N, N x c: of A and C */
    double *slopes, *cost;         /* N */
    double kept, *kept_D, *kept_z; /* a bound, and its splitting and point */
    int relaxed, improved;         /* how often */
    int finished;                  /* is D as good as it gets? */
    int stuck;
    double barrier;
    int *place;    /* d: in records */
    double *R, *w; /* most x most, most x c: equations of a set */
    unsigned char *out, *excluded; /* columns */
} rs_subsets;

/* sets of up to `most` columns */
rs_status rs_subsets_init(rs_context *ctx, const rs_lsq *problem, int most,
                          rs_subsets *state, rs_bound *bound);
/* cross-products of the columns that are not excluded and their splitting,
 * unless they are at hand; state->able = 0 where there is none */
rs_status rs_subsets_open(const unsigned char *excluded, rs_subsets *state);

#endif
