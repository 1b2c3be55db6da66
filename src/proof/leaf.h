/*
 * method/exact/leaf.h: all sets of a node with at most three features to
 * choose, one by one.
 *
 * With the features of the node projected out and the others brought to unit
 * length again, r_ab are their products and p_ab those of their responses.
 * Beyond the node the feature a explains p_aa, and b and c beside it
 *
 *     (p_bb l_c + p_cc l_b - 2 p_bc r_bc) / (l_b l_c - r_bc^2)
 *
 * with a projected out of p and r, l = 1 - r_a^2. Whether that is more than a
 * number g is asked without the quotient. Features come by their weights of
 * method/exact/perspective.h: only sets whose weights add up to enough are
 * looked at.
 *
 * Products are off by at most `error` (base/core.h: a unit column); a set that
 * may be better when that is added is offered to the caller, who evaluates it.
 */
#ifndef RS_CDLSR_LEAF_H
#define RS_CDLSR_LEAF_H

#include "base/core.h"

#define RS_LEAF_MOST 3

typedef struct {
    rs_context *ctx;
    int room, most_in, c;
    /* a set of the node may be better: the places of count <= 3 features */
    rs_status (*offer)(void *state, int count, const int *places);
    /* what a set must explain */
    double (*cut)(void *state);
    void *state;
    /* of the node */
    int f, m;
    int *place;       /* f: places in the node, by falling weight */
    int *list;        /* most_in: those in every set */
    double *weight;   /* f */
    double *r, *p;    /* f x f */
    double explained; /* by the features of the node */
    double error;
    double base; /* no set explains more than base + the sum of its weights */
    double *own; /* f: p_aa */
    double *left, *mixed, *rest; /* f: l, p_a. - r_a. p_aa, p_.. without a */
    double *V, *X, *W;           /* most_in x room twice, most_in x c */
    double *A;                   /* most_in^2 */
    double *C;                   /* room x c */
    double *score;               /* 2 room */
} rs_leaf;

/* room for N features, most_in of them in a node; c responses */
rs_status rs_leaf_init(rs_context *ctx, int N, int most_in, int c,
                       rs_leaf *leaf);
/* how many sets of m of the listed weights add up to more than `least`; the
 * weights fall */
double rs_leaf_count(int f, const double *weight, int m, double least);
/*
 * A node: A (N x N) of unit columns, C (N x c), the features in every set, m to
 * choose from the others, the bound base + weights. error: of an entry of A or
 * C. *able = 0 where rounding would hide too much, or there are more than so
 * many sets.
 */
rs_status rs_leaf_load(int N, const double *A, const double *C,
                       const unsigned char *in, int m, double base,
                       const double *weight, double error, double most,
                       int *able, rs_leaf *leaf);
/* all sets of the node that may be better are offered */
rs_status rs_leaf_enumerate(rs_leaf *leaf);

#endif
