/*
 * method/spca_psd/screen.h: screening of columns of Omega that vanish, and the
 * multipliers of the column norms, both from the gradient at F.
 */
#ifndef RS_SPCA_SCREEN_H
#define RS_SPCA_SCREEN_H

#include "method/spca_psd/hessian.h"

/* takes columns out and back; returns how many. s->g is the gradient at F */
int rs_exact_screen(rs_exact *s);
/* the dual's Z = F B' + diag(extra) */
void rs_exact_dual_columns(rs_exact *s, double *B, double *extra);

#endif
