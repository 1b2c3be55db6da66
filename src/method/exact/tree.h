/*
 * method/exact/tree.h: the best set of k features with a proof, by branch and
 * bound on the perspective relaxation, where cross-products have a splitting
 * A = M + diag(D): with a ridge, or with more samples than features.
 *
 * A node is bounded by method/exact/perspective.h; features that no better set
 * of the node holds are dropped, and those that every better set holds join it;
 * D is improved for what is left (method/exact/splitting.h) and the node
 * bounded again. Where at most three features are to choose all sets are looked
 * at (method/exact/leaf.h). Else the node is split at the feature that costs
 * most to leave out.
 *
 * D stays valid where features are left out, as A - diag(D) of fewer features
 * is a part of the matrix before; and where features join every set, as their
 * D_j may be any number between 0 and the one before. So children inherit it,
 * and bounds are evaluated in the cross-products of the root: no rounding of
 * one node reaches another.
 */
#ifndef RS_CDLSR_TREE_H
#define RS_CDLSR_TREE_H

#include "proof/bnb.h"
#include "method/exact/proof.h"

/* most features that the search takes: it holds some matrices of so many rows
 * and columns */
#define RS_TREE_MOST 5000

/*
 * Cross-products of the features that are not barred and their splitting, for
 * sets of up to `most` features. *able = 0 where there is none, or there are
 * too many features.
 */
rs_status rs_cdlsr_tree_open(rs_context *ctx, const rs_lsq *problem, int most,
                             int *able, rs_cdlsr_tree **tree);
/* do these features make the same search? */
int rs_cdlsr_tree_serves(const rs_cdlsr_tree *tree, const rs_lsq *problem,
                         int k);
/*
 * As rs_cdlsr_ordered(). One search after the other shares what was opened, and
 * begins with the splitting that the one before ended its root with.
 */
rs_status rs_cdlsr_tree_search(rs_cdlsr_tree *tree,
                               const rs_exact_settings *settings,
                               rs_exact_fit *fit);

#endif
