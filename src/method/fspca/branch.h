/*
 * method/fspca/branch.h: branch and bound on the relaxation of row-sparse PCA,
 * where the core holds all rows that are left.
 */
#ifndef RS_FSPCA_BRANCH_H
#define RS_FSPCA_BRANCH_H

#include "method/fspca/steps.h"

/* from the variables of the core; until nothing is left, or a limit */
rs_status rs_certify_branch(rs_certify *s);

#endif
