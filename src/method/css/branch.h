/*
 * method/css/branch.h: the nodes of method/css/exact.h, for proof/bnb.h.
 */
#ifndef RS_CSS_BRANCH_H
#define RS_CSS_BRANCH_H

#include "method/css/frame.h"
#include "proof/bnb.h"

typedef struct {
    const rs_css_space *space;
    rs_css_best best;
    rs_css_frame frame;
    int k;
    int opened, *opened_set; /* features of the frame's set; -1: not open */
    int words;               /* of a mask of candidates */
    int *node, *child;       /* records: see branch.c */
    int *list;               /* scratch */
} rs_css_branch;

rs_status rs_css_branch_init(const rs_css_space *space, int k, double tie,
                             rs_css_branch *b);
size_t rs_css_node_size(const rs_css_branch *b);
/* all sets with these features, as a node of the search; its bound is returned
 */
rs_status rs_css_branch_root(int t, const int *set, rs_bnb *search,
                             rs_css_branch *b, double *bound);
/* for rs_bnb_problem; state: an rs_css_branch */
rs_status rs_css_branch_on(void *state, const void *node, double bound,
                           rs_bnb *search);

#endif
