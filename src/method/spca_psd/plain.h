/*
 * method/spca_psd/plain.h: CSPCA and AW-SPCA, the problems without the PSD cone,
 *
 *   min  loss(R) + lambda sum_j ||w^j|| + eta ||W||_*,   R = (Xc - 1 c')(I - W)
 *
 * with w^j the rows of W (d x d) and ||W||_* its nuclear norm, by iteratively
 * reweighted least squares: each step minimises a quadratic above the smoothed
 * objective, which therefore never rises; less smoothing lowers it. For n >= d
 * the steps are extrapolated as long as that lowers it.
 */
#ifndef RS_SPCA_PLAIN_H
#define RS_SPCA_PLAIN_H

#include "method/spca_psd/paper.h"

/*
 * The published smoothing and ridge leave the objective itself some per cent
 * above its minimum where the penalties matter. The iterations below therefore
 * start with them, and where they would end go on with smaller ones, `levels`
 * times; the Frobenius loss needs none.
 */
typedef struct {
    rs_spca_paper_settings set;
    int levels; /* still to come */
    int steps;  /* at this one */
} rs_spca_smoothing;

rs_spca_smoothing rs_spca_plain_smoothing(const rs_spca *pr,
                                          const rs_spca_paper_settings *set);
/* after each iteration: 1 when the smoothing was made smaller, so that weights
 * are to be computed again; *end then is that it goes on */
int rs_spca_refine(rs_spca_smoothing *smoothing, rs_spca_end *end);

/*
 * at->t and at->D give the first weights (the nuclear norm's are those of
 * `start`, a d-vector w: W = diag(w); NULL: of W = I/2, weight 1). W (d x d)
 * receives the end. The point receives squares of the rows and residuals.
 */
rs_status rs_spca_plain(const rs_spca *pr, const rs_spca_paper_settings *set,
                        const double *start, rs_spca_point *at, double *W,
                        rs_spca_fit *fit);

/*
 * The same without a d x d matrix, for n < d: W = left right' with both d x n,
 * O(n^2 d) a step.
 */
rs_status rs_spca_plain_wide(const rs_spca *pr,
                             const rs_spca_paper_settings *set,
                             const double *start, rs_spca_point *at,
                             double *left, double *right, rs_spca_fit *fit);

#endif
