/*
 * method/exact/branch_step.h: one feature more.
 */
#ifndef RS_CDLSR_BRANCH_STEP_H
#define RS_CDLSR_BRANCH_STEP_H

#include "method/exact/branch_search.h"

/*
 * What follows when p joins the node: its loadings, what it explains, and the
 * errors of what comes after. e bounds the errors of the inner products of
 * residuals at the node; with r^2 = left_p those after p are off by at most
 * e (1 + 1/r)^2, as a quotient of them is by e / r and e / r^2.
 */
typedef struct {
    double r;              /* norm of what the node leaves of p */
    const double *loading; /* d: of all candidates; NULL: from left and r */
    double explained, error, slack;
} rs_branch_step;

/* p joins the node; *usable = 0 where p depends on it, or may */
rs_status rs_branch_take_step(rs_branch *s, int depth, int p, double explained,
                              rs_branch_step *to, int *usable);
/* the residual problem of depth + 1: p projected out, for what follows p */
rs_status rs_branch_descend(rs_branch *s, int depth, int p,
                            const rs_branch_step *to);

#endif
