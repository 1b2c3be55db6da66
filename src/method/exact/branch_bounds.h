/*
 * method/exact/branch_bounds.h: what the sets below a node cannot exceed, as
 * shares of ||Y||^2.
 */
#ifndef RS_CDLSR_BRANCH_BOUNDS_H
#define RS_CDLSR_BRANCH_BOUNDS_H

#include "method/exact/branch_search.h"

/* E(I) + the m largest eigenvalues of Y_I'Y_I */
double rs_branch_response_bound(rs_branch *s, rs_branch_level *at, int m,
                                double explained);
/* what one more feature explains, after the one whose Y'q is in s->h */
double rs_branch_last_bound(rs_branch *s, const rs_branch_level *at);
/* (sum s over the node + the m largest s from p on) / (1 - (k - 1) mu) */
double rs_branch_coherence_bound(const rs_branch *s, int depth, int m, int p);
/* E(I + F), F = the candidates from position p on; 1 where that is costly */
double rs_branch_joint_bound(rs_branch *s, int depth, int m, int p,
                             double explained);
/* the least of these for the sets that add m candidates from position p on */
double rs_branch_node_bound(rs_branch *s, int depth, int m, int p,
                            double explained);

#endif
