/*
 * method/cdlsr/perturb.h: iterated local search. A few features of the best set
 * are drawn and replaced, exchanges follow, and where they end lower the search
 * goes on from there.
 */
#ifndef RS_CDLSR_PERTURB_H
#define RS_CDLSR_PERTURB_H

#include "method/cdlsr/descent.h"

typedef struct {
    int able;     /* 0: there is nothing to exchange */
    int each;     /* perturbations for each one that the settings ask for */
    int most;     /* features that may go at once */
    int *feature; /* k: those that may go, in front those that do */
    size_t draw;  /* next number of the quasi-random sequence */
} rs_perturb;

rs_status rs_perturb_init(rs_context *ctx, const rs_lsq *problem, int k,
                          rs_perturb *perturb);
/*
 * From *end, which no exchange improves, until a number of perturbations in a
 * row have led to nothing better, or five times as many have been made. The
 * factorised set holds *end at the end. Which features go is drawn from the
 * places in the set, and what comes in from the order of the gains, so that
 * the order of the columns decides between ties alone.
 */
rs_status rs_perturb_search(rs_perturb *perturb, rs_descent *descent,
                            rs_cdlsr_end *end);

#endif
