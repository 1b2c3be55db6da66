/*
 * method/css/leaf.h: the two or three features that are best added to a set T,
 * exactly. With R and H what T leaves, a pair adds
 *
 *     (H_aa R_bb + H_bb R_aa - 2 R_ab H_ab) / (R_aa R_bb - R_ab^2),
 *
 * and a better set of three holds three pairs of which each has
 *
 *     what it adds + the largest eigenvalue of K_{T + pair} > what is needed.
 *
 * That eigenvalue is at most the one without either feature alone (first
 * test); then it is compared with a level x by inertia (second test, see
 * method/css/spectrum.h). The pairs that pass make a graph: its triangles are
 * evaluated, row by row from the last.
 */
#ifndef RS_CSS_LEAF_H
#define RS_CSS_LEAF_H

#include "method/css/best.h"
#include "method/css/spectrum.h"

typedef struct {
    rs_context *ctx;
    rs_css_best *best;
    const rs_css_spectrum *spectrum; /* of T without `extra` */
    int capacity, stride;
    /* the question */
    int count;           /* candidates 0..count */
    const int *list;     /* their places */
    const double *R, *H; /* stride x count: what T without `extra` leaves */
    int extra;           /* candidate that T holds beyond, or -1 */
    double value;        /* f(T) */
    double product_error, response_error; /* of what T leaves */
    double *p, *m; /* capacity: taken off for `extra`, else 0 */
    double *r, *h; /* diagonals of what T leaves */
    /* the eigenvalues that are left */
    double *diagonal; /* stride x levels: of S, T without `extra` */
    double *own;      /* stride x levels: the same for T */
    double *cross;    /* stride x levels: S of a candidate and `extra` */
    double pivot[RS_CSS_LEVELS];  /* S of `extra` */
    double spread[RS_CSS_LEVELS]; /* error of entries of S */
    int open[RS_CSS_LEVELS];      /* eigenvalues beyond the level, with T */
    double *cap;                  /* capacity: of the largest without each */
    /* one row */
    double *row_r, *row_h; /* capacity */
    double *excess;
    double *weighted;           /* W_a by level */
    int weighed[RS_CSS_LEVELS]; /* for which row */
    /* a and its neighbours: what is left of these with a in T, and of the
     * products of one of them with the others */
    int near, *at;                       /* their number, where they are */
    double *pa, *ma, *ra, *ha, *pt, *mt; /* capacity */
    double *near_r, *near_h;
    /* the graph */
    unsigned char
        *joined;         /* stride x count: row a of those that pass with a */
    double work, polled; /* pairs and triangles looked at, about */
} rs_css_leaf;

rs_status rs_css_leaf_init(const rs_css_space *space, rs_css_best *best,
                           rs_css_leaf *leaf);
/* the diagonals of S for all candidates, of which r is left */
void rs_css_leaf_levels(int count, const double *r, rs_css_leaf *leaf);
/* best->trial begins with T, t = k - 2 features */
rs_status rs_css_leaf_pairs(rs_css_leaf *leaf);
/* the same, t = k - 3 */
rs_status rs_css_leaf_triples(rs_css_leaf *leaf);

#endif
