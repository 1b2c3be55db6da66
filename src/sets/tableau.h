/*
 * sets/tableau.h: a set J among features whose cross-products G = X'X and
 * B = X'Y are at hand, or made as they are asked for, kept as a tableau that one
 * sweep moves a feature into or out of. For searches that look at very many
 * sets: it is fast, and not meant for nearly dependent features, which it passes
 * over. What it finds is to be evaluated by sets/subset.h.
 *
 *     P = G_.J G_JJ^{-1},  V = G_JJ^{-1},  W = V B_J,
 *     rest = B - P B_J,    left_j = G_jj - P_j. G_Jj,   base_j = ||rest_j||^2
 */
#ifndef RS_TABLEAU_H
#define RS_TABLEAU_H

#include "sets/columns.h"

typedef struct {
    int room, capacity, c; /* most features, most in the set, responses */
    int width; /* exchanges of so many places are prepared at once */
    int m, k;  /* features, size of the set */
    /* what is given: m x m, with the ridge on the diagonal, or the columns of a
     * problem, without it; m x c */
    const double *G, *B;
    const rs_lsq *problem;
    rs_columns *columns;
    int *feature;          /* capacity: J */
    unsigned char *member; /* room */
    double *P, *V, *W;     /* m x k, capacity x capacity, capacity x c */
    double *rest;          /* m x c */
    double *square;        /* m: the diagonal of G */
    double *left, *base;   /* m */
    double explained;      /* E(J) */
    double *cross;         /* m x width: rest times rows of W */
    double *chosen;        /* width x c: these rows */
    double *column;        /* room; scratch */
    double *row;           /* 2 capacity + c; scratch */
} rs_tableau;

/* no more than `width` exchanges are prepared at once */
rs_status rs_tableau_init(rs_context *ctx, int room, int capacity, int c,
                          int width, rs_tableau *t);
/* the empty set among m features with these cross-products */
void rs_tableau_give(rs_tableau *t, int m, const double *G, const double *B);
/* the empty set among all features of a problem */
void rs_tableau_give_problem(rs_tableau *t, const rs_lsq *problem,
                             rs_columns *columns);
/* the empty set */
void rs_tableau_clear(rs_tableau *t);
/* RS_SINGULAR, and nothing done, where feature p nearly depends on J */
rs_status rs_tableau_add(rs_tableau *t, int p);
/* the last feature takes the place of number `slot` */
void rs_tableau_remove(rs_tableau *t, int slot);

/* what E loses with feature number `slot` alone */
double rs_tableau_loss(const rs_tableau *t, int slot);
/* exchanges of the features number slots[0..count) are asked for next; slots =
 * NULL: of the first ones */
void rs_tableau_prepare_exchanges(rs_tableau *t, int count, const int *slots);
/* the largest gain of an exchange, and of one that is not barred */
typedef struct {
    double any, open;
} rs_tableau_top;
/*
 * gain[j] = change of E when feature number `slot`, the number `b` of those
 * prepared, is exchanged for j, 0 for itself; -HUGE_VAL where j nearly depends
 * on the others. bar[j] is 0 or -HUGE_VAL.
 */
rs_tableau_top rs_tableau_exchange_gains(rs_tableau *t, int b, int slot,
                                         const double *bar, double *gain);
/* does one that is not barred gain more than `open`, or another one more than
 * `any`? No quotient is formed */
int rs_tableau_exchange_pays(const rs_tableau *t, int b, int slot,
                             const double *bar, double open, double any);

#endif
