/*
 * method/exact/branch_search.h: what branch and bound carries along, the
 * formulas are in method/exact/branch.h.
 */
#ifndef RS_CDLSR_BRANCH_SEARCH_H
#define RS_CDLSR_BRANCH_SEARCH_H

#include "la/linalg.h"
#include "proof/bnb.h"
#include "sets/accurate.h"
#include "method/exact/proof.h"
#include "proof/root.h"

/* most candidates for which all of them together are tried as a bound */
#define RS_LEAPS 96

/* the residual problem with the first t features of a node projected out */
typedef struct {
    double *loading; /* d: of all candidates on the t-th basis vector */
    double *left;    /* d */
    double *rest;    /* d x c */
    double *base;    /* d */
    double *YtY;     /* c x c */
    double largest;  /* eigenvalue of YtY */
    /* at most: the rounding errors of the inner products of residuals here,
     * and of what the node explains */
    double error, slack;
} rs_branch_level;

typedef struct {
    const rs_lsq *problem;
    const rs_exact_settings *set;
    rs_exact_fit *fit;
    rs_context *ctx;
    rs_root root; /* the candidates in their order */
    int d, k;
    int first; /* features in every set, which come first in the order */
    int c;     /* eigenvalues of Y'Y that are not zero, */
    double *
        turn; /* (all responses) x c: and eigenvectors, to which Y is turned */
    int *chosen;   /* k: positions of the node */
    double size;   /* ||Y|| */
    double *G;     /* d x d in the order, or NULL: a panel at a time */
    double *panel; /* d x PANEL */
    int panel_start;
    rs_branch_level *at; /* 0..k-2 */
    double *alone;       /* d: s_j */
    double *sums; /* d x (k + 1): the m largest s_j from a position on */
    double *mu;   /* d: largest |correlation| from a position on */
    double *h;    /* c */
    double *form; /* c x c: of the filter */
    double *power, *square; /* c x c: scratch */
    double *raw_h;          /* all responses */
    double *values;         /* c */
    rs_eigen_ws eigen;
    double *joint, *joint_B; /* RS_LEAPS^2, RS_LEAPS x c */
    rs_accurate accurate;
    int *members;      /* k: scratch, columns of a set */
    double *direction; /* n: a basis vector */
    double *image;     /* all: X'direction */
    double *edge;      /* d: the same for unit columns in the order */
    double unresolved; /* sets that rounding hides explain no more */
    rs_bnb search;
} rs_branch;

/* is the bound no better than the best set so far? */
static inline int rs_cannot_win(const rs_branch *s, double bound)
{
    return bound <= rs_bnb_cut(&s->search);
}

#endif
