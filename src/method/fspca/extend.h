/*
 * method/fspca/extend.h: the relaxation of row-sparse PCA, solved on some rows,
 * the core, extended to the others so that the eigenvalue part stays, or grows
 * by as little as pays.
 */
#ifndef RS_FSPCA_EXTEND_H
#define RS_FSPCA_EXTEND_H

#include "method/fspca/steps.h"

/* h of the rows that are no core, into s->h, and of those of the core that gave
 * room to them, and the part of the eigenvalues; floor: the smallest of the k
 * largest h of the core; spare: by how much less than that h is to be for a row
 * to be left out */
rs_status rs_certify_extend(double floor, double spare, rs_certify *s);
/* the rows outside press on the core as the extension has them */
void rs_certify_keep_outside(rs_certify *s);
/* the listed rows join the core, their variables as the extension has them */
rs_status rs_certify_join(int count, const int *rows, rs_certify *s);

#endif
