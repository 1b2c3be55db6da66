/*
 * method/css/frame.h: a set T of features, and the candidates of which m more
 * are to be added, best first by what a set with T and j can explain:
 *
 *     g_j = f(T) + H_jj / R_jj + (m - 1) rest
 *           + the m - 1 largest eigenvalues without j.
 *
 * What is not above the cut is left out. A set whose last candidate in this
 * order is number i has at most g_i, and its others are candidates 0..i.
 */
#ifndef RS_CSS_FRAME_H
#define RS_CSS_FRAME_H

#include "method/css/leaf.h"

typedef struct {
    const rs_css_space *space;
    rs_css_best *best;
    rs_css_projection projection; /* of T */
    rs_css_spectrum spectrum;
    rs_css_leaf leaf;
    int m;     /* features that are to be added */
    int count; /* candidates */
    int *list; /* their places */
    double *g; /* and bounds, descending */
    double *r, *h;
    double pruned; /* the largest bound of what was left out */
    double *R, *H; /* leaf.stride x count: what T leaves; of candidates that
                    * come after the one of the row, or of all */
    double *P, *M; /* count x t: those of the projection, for the candidates */
    int *order, *from;
    double *value; /* scratch */
} rs_css_frame;

/* for sets T of up to as many features as the best set has */
rs_status rs_css_frame_init(const rs_css_space *space, rs_css_best *best,
                            rs_css_frame *frame);
/* T = set, the candidates are list[0..count) */
rs_status rs_css_frame_open(int t, const int *set, int m, int count,
                            const int *list, rs_css_frame *frame);
/* R, H and levels of an open frame, m from 2 to 4 */
void rs_css_frame_fill(rs_css_frame *frame);
/* all sets with T and m more, m from 1 to 3 */
rs_status rs_css_frame_finish(rs_css_frame *frame);
/* those with T, candidate i and three before it */
rs_status rs_css_frame_child(int i, rs_css_frame *frame);

#endif
