/*
 * method/exact/branch_strip.h: loadings of a strip of candidates. Three vectors
 * of 64 doubles stay in the first-level cache, and a constant length lets the
 * compiler vectorise.
 */
#ifndef RS_CDLSR_BRANCH_STRIP_H
#define RS_CDLSR_BRANCH_STRIP_H

#include "method/exact/branch_search.h"

#define RS_BRANCH_STRIP 64

/* a = inverse (g - sum_t loading_t loading_t[p]) for positions q, q + 1, ...;
 * g: products with p from position q on */
static inline void rs_strip_loading(const rs_branch *s, int depth, int p,
                                    int q, int length, double inverse,
                                    const double *restrict g,
                                    double *restrict a)
{
    if (depth > 0) {
        const double *restrict loading = s->at[1].loading + q;
        const double at_p = s->at[1].loading[p];
        for (int b = 0; b < length; b++)
            a[b] = inverse * (g[b] - at_p * loading[b]);
    } else {
        for (int b = 0; b < length; b++)
            a[b] = inverse * g[b];
    }
    for (int t = 2; t <= depth; t++) {
        const double *restrict loading = s->at[t].loading + q;
        const double at_p = inverse * s->at[t].loading[p];
        for (int b = 0; b < length; b++)
            a[b] -= at_p * loading[b];
    }
}

#endif
