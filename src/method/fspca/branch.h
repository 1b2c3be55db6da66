/*
 * method/fspca/branch.h: branch and bound on the relaxation of row-sparse PCA,
 * where the core holds all rows that are left.
 */
#ifndef RS_FSPCA_BRANCH_H
#define RS_FSPCA_BRANCH_H

#include "method/fspca/steps.h"

/* a set that reaches the cut, by numbers of its rows; nonzero: that is enough */
typedef struct {
    int (*see)(void *state, const int *set, double value);
    void *state;
} rs_certify_visitor;

typedef struct rs_certify_tree rs_certify_tree;

/* for several searches of what is left, on the core, which must hold all of it
 * and may shrink in between */
rs_status rs_certify_tree_init(rs_certify *s, rs_certify_tree **tree);
/*
 * The question of the row in this place of the core: until a witness answers it,
 * nothing is left, or a limit. Its bound is kept; a row that no set needs, or
 * that none can do without, is marked so.
 */
rs_status rs_certify_tree_ask(int place, rs_certify_tree *tree);
/* every set that reaches the cut; *complete: were these all, each of them seen? */
rs_status rs_certify_tree_visit(const rs_certify_visitor *visitor,
                                int *complete, rs_certify_tree *tree);
/* from the variables of the core; until nothing is left, or a limit */
rs_status rs_certify_branch(rs_certify *s);

#endif
