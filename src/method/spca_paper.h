/*
 * method/spca_paper.h: the published iteration with what it keeps from one pair
 * of penalties to the next.
 */
#ifndef RS_SPCA_PAPER_H
#define RS_SPCA_PAPER_H

#include "method/spca_dense.h"
#include "method/spca_lowrank.h"
#include "method/spca_psd.h"

typedef struct {
    rs_spca *pr;
    const rs_spca_paper_settings *set;
    rs_spca_point *at;
    rs_spca_fit *fit;
    double *c; /* d: (lambda/2) D + ridge */
    rs_spca_dense_ws dense;
    rs_spca_lowrank_ws lowrank;
    int keeps;         /* is the best Omega so far kept? */
    int best_rank;     /* its rank */
    int best_room;     /* columns there is room for */
    double best_value; /* its objective */
    double *best;      /* d x best_rank: its F */
} rs_spca_paper_ws;

/* all four stay where they are; the point has the first weights */
rs_status rs_spca_paper_init(rs_spca *pr, const rs_spca_paper_settings *set,
                             rs_spca_point *at, rs_spca_fit *fit,
                             rs_spca_paper_ws *s);
/* for the penalties of the problem as they are now, from the weights of the
 * point; `known`: is it one whose objective is known? RS_OK, RS_MAXIT */
rs_status rs_spca_paper_run(rs_spca_paper_ws *s, int known);

#endif
