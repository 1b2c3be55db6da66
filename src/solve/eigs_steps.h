/*
 * solve/eigs_steps.h: the steps that the iterative eigen-solvers share. `size` is
 * the number of basis columns in use.
 */
#ifndef RS_EIGS_STEPS_H
#define RS_EIGS_STEPS_H

#include "solve/eigs.h"

/* the first block: the caller's columns, filled up with a fixed sequence */
void rs_eigs_first_block(int nstart, const double *start, rs_eigs_ws *ws);
/* make columns size .. size + width - 1 orthonormal, also to those before */
rs_status rs_eigs_orthonormalise(int size, int width, rs_eigs_ws *ws);
/* H[, new] = basis' images[, new] for the `width` new columns behind `size` */
void rs_eigs_extend(int size, int width, rs_eigs_ws *ws);
/* all Ritz pairs, descending */
rs_status rs_eigs_ritz(int size, rs_eigs_ws *ws);
/* out (d x count) = from Y[, 1..count], Y the Ritz vectors in coordinates */
void rs_eigs_combine(int size, int count, const double *from, double *out,
                     const rs_eigs_ws *ws);
/* keep the `count` leading Ritz vectors as the basis */
void rs_eigs_restart(int size, int count, rs_eigs_ws *ws);

#endif
