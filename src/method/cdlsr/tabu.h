/*
 * method/cdlsr/tabu.h: exchanges that may also go up, among few features: from
 * a set that no exchange improves, the features that come closest to improving
 * it make a pool, in which a tabu search takes the best exchange again and
 * again; what has just left or come in stays so for a while.
 */
#ifndef RS_CDLSR_TABU_H
#define RS_CDLSR_TABU_H

#include "base/choose.h"
#include "method/cdlsr/descent.h"
#include "sets/tableau.h"

typedef struct {
    int able; /* 0: the data do not allow it, or there is nothing to search */
    int each; /* features of the pool for each place in the set */
    rs_tableau t;
    rs_choose_ws choose;
    unsigned char *near, *kept; /* d */
    double *panel;              /* n x room; where the problem has no S */
    double *G, *B;              /* room x room, room x c: of the pool */
    int count;                  /* features in the pool */
    int *feature;               /* room: the pool */
    double *gain, *bar;         /* room */
    int *enter, *leave;         /* room: closed before this exchange */
    int *best;                  /* k: the best set met, by its features */
    double best_explained;
    size_t drawn; /* of the quasi-random sequence */
} rs_tabu;

rs_status rs_tabu_init(rs_context *ctx, const rs_lsq *problem, int k,
                       rs_tabu *tabu);
/*
 * From the factorised set, which no exchange improves: a search in the pool,
 * then exchanges among all features from the best set that it has met, where
 * this is better than *end, and else from the last one, so that the next round
 * begins at another set. *end becomes the better one.
 */
rs_status rs_tabu_round(rs_tabu *tabu, rs_descent *descent, rs_cdlsr_end *end,
                        int *better);

#endif
