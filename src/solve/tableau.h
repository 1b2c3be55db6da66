/*
 * solve/tableau.h: a set J among some features whose cross-products G = X'X and
 * B = X'Y are at hand, kept as a tableau that one sweep moves a feature into or
 * out of. For searches that look at very many sets: it is fast where the
 * features are few, and not meant for nearly dependent ones, which it passes
 * over. What it finds is to be evaluated by solve/subset.h.
 *
 *     P = G_.J G_JJ^{-1},  V = G_JJ^{-1},  W = V B_J,
 *     rest = B - P B_J,    left_j = G_jj - P_j. G_Jj,   base_j = ||rest_j||^2
 */
#ifndef RS_TABLEAU_H
#define RS_TABLEAU_H

#include "base/core.h"

/* squared norm left, relative, of a feature that is nearly dependent */
#define RS_TABLEAU_LEFT 1e-4

typedef struct {
    int room, capacity, c; /* most features, most in the set, responses */
    int m, k;              /* features, size of the set */
    double *G, *B;         /* m x m, with the ridge on the diagonal; m x c */
    int *feature;          /* capacity: J */
    unsigned char *member; /* room */
    double *P, *V, *W;     /* m x k, capacity x capacity, capacity x c */
    double *rest;          /* m x c */
    double *square;        /* m: the diagonal of G */
    double *left, *base;   /* m */
    double explained;      /* E(J) */
    double *cross;         /* m x k: rest W' */
    double *column;        /* room; scratch */
    double *row;           /* capacity + c; scratch */
} rs_tableau;

rs_status rs_tableau_init(rs_context *ctx, int room, int capacity, int c,
                          rs_tableau *t);
/* the empty set; G, B and m are given */
void rs_tableau_clear(rs_tableau *t);
/* 1, or 0 and nothing done where feature p nearly depends on J */
int rs_tableau_add(rs_tableau *t, int p);
/* the last feature takes the place of number `slot` */
void rs_tableau_remove(rs_tableau *t, int slot);
/* the largest gain of an exchange, and of one that is not barred */
typedef struct {
    double any, open;
} rs_tableau_top;

/* what the exchanges of the present set have in common */
void rs_tableau_prepare_exchanges(rs_tableau *t);
/*
 * gain[j] = change of E when feature number `slot` is exchanged for j, 0 for
 * itself; -HUGE_VAL where j nearly depends on the others. bar[j] is 0 or
 * -HUGE_VAL.
 */
rs_tableau_top rs_tableau_exchange_gains(rs_tableau *t, int slot,
                                         const double *bar, double *gain);

#endif
