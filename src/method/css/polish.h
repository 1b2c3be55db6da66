/*
 * method/css/polish.h: column subsets that no exchange of up to three features
 * improves. Three features leave, T stays, and the best three for T are found
 * exactly (method/css/frame.h); with the set itself as the incumbent, few
 * candidates are looked at. What T leaves follows from what the whole set
 * leaves and the three directions U that it loses:
 *
 *     C_T = C_S + GG',   H_T = H_S + GM' + MG',   G = X'U.
 */
#ifndef RS_CSS_POLISH_H
#define RS_CSS_POLISH_H

#include "method/css/frame.h"
#include "method/css/restart.h"

typedef struct {
    const rs_css_space *space;
    rs_css_best *best;
    rs_css_frame *frame;
    rs_css_projection whole; /* of the set */
    int k, fixed;            /* features, and how many of them never leave */
    int *set;                /* k: those first */
    double *C, *H;           /* stride x count: what the set leaves */
    double *directions;      /* k x 3 */
    double *image;           /* k x 3 */
    double *P, *M;           /* stride x 3 */
    int *stay, *list;        /* k, count */
    double work;             /* done, in pairs of candidates */
} rs_css_polish;

/* best holds a set whose first `fixed` features never leave */
rs_status rs_css_polish_init(const rs_css_space *space, int fixed,
                             rs_css_best *best, rs_css_frame *frame,
                             rs_css_polish *p);
/*
 * Until no exchange improves the set, or about `most` pairs have been looked
 * at; *complete says which.
 */
rs_status rs_css_polish_run(double most, rs_css_polish *p, int *complete);

/* can a pass of exchanges be made with so much work, and in moderate room? */
int rs_css_exchange_pays(const rs_lsq *problem, int k, double work);
/* restarts, then exchanges of three, where these fit into the effort. set: k
 * features, of which those that are locked in stay. *complete: no exchange of up
 * to three improves it. */
rs_status rs_css_exchange(rs_context *ctx, const rs_lsq *problem, int k,
                          const rs_css_input *input,
                          const rs_css_effort *effort, double tol, int *set,
                          int *complete);
/* the set in places of the space, locked features first; their number */
int rs_css_take_set(const rs_lsq *problem, const rs_css_space *space, int k,
                    const int *set, int *places);

#endif
