/*
 * method/spca_companion.h: the published iteration along a path, beside the
 * optima of method/spca_path.h, which give its bounds.
 */
#ifndef RS_SPCA_COMPANION_H
#define RS_SPCA_COMPANION_H

#include "method/spca_paper.h"
#include "method/spca_path.h"

typedef struct {
    rs_spca_paper_settings set;
    rs_spca_point at;
    rs_spca_fit fit;
    rs_spca_paper_ws ws;
    rs_spca_trail trail;
    double eta; /* of the trail */
    int known;  /* is there an Omega to go on from? */
} rs_spca_companion;

/* set and at, with the first weights, are given; they stay where they are */
rs_status rs_spca_companion_init(rs_spca *pr, rs_spca_companion *paper);
/* its end for the penalties of the path's last optimum: paper->at, paper->fit.
 * RS_OK, RS_MAXIT */
rs_status rs_spca_companion_next(const rs_spca_path *path,
                                 rs_spca_companion *paper);

#endif
