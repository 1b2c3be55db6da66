/*
 * method/css/refine.h: what a set explains, from the columns of the data. Their
 * rounding errors count times the root of tr C_JJ^{-1}, those of cross-products
 * times its square.
 */
#ifndef RS_CSS_REFINE_H
#define RS_CSS_REFINE_H

#include "method/css/project.h"

typedef struct {
    const rs_css_space *space;
    int k, width;
    double *Q; /* n x k */
    double *R; /* k x k */
    double *D; /* c x k, or d x width */
} rs_css_refiner;

/* for sets of k features; space->X may be NULL: then nothing is refined */
rs_status rs_css_refiner_init(const rs_css_space *space, int k,
                              rs_css_refiner *r);
/* a better value in place of one of css_project.h, where there is one */
rs_status rs_css_refine(rs_css_refiner *r, const int *set,
                        rs_css_value *value);

#endif
