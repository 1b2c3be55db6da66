/*
 * solve/palm_copy.h: a copy U of W that carries a penalty h, coupled to W by
 * beta/2 ||W - U||^2, and its proximal step.
 */
#ifndef RS_PALM_COPY_H
#define RS_PALM_COPY_H

#include "base/core.h"

#define RS_PALM_COPIES 2

typedef struct {
    double *U;      /* d x m */
    int is_active;  /* 0: U = W, without penalty or coupling */
    double beta;    /* coupling */
    double inertia; /* proximal weight of its step, relative to beta */
    void *state;    /* of the callbacks */
    /* U <- argmin h(U') + weight/2 ||U' - U||^2, and h there: of all d m entries,
     * or of the next `count` where h is a sum over entries */
    rs_status (*prox)(void *state, double weight, size_t count, double *U,
                      double *h);
    int is_sum;
    /* h(U); NULL where h only says which U are allowed */
    double (*penalty)(void *state, const double *U);
    /* how far U is from stationary at W; NULL: the distance between U and the
     * proximal point of W */
    double (*gap)(void *state, const double *W, const double *U);
    int sees_rows; /* h knows the norms of the rows only: h(U R) = h(U) */
} rs_palm_copy;

/* U: the proximal point of (W + inertia U) / (1 + inertia), or W where the
 * copy is not active */
rs_status rs_palm_copy_update(const rs_palm_copy *copy, size_t size,
                              const double *W, double inertia);
/* the same, and rs_palm_copy_value(), while the entries are at hand */
rs_status rs_palm_copy_step(const rs_palm_copy *copy, size_t size,
                            const double *W, double inertia, double *value);
/* h(U) + beta/2 ||W - U||^2, 0 where the copy is not active */
double rs_palm_copy_value(const rs_palm_copy *copy, size_t size,
                          const double *W);
/* does the value stay when W and U are turned alike? */
static inline int rs_palm_copy_follows(const rs_palm_copy *copy)
{
    return !copy->is_active || copy->sees_rows;
}

#endif
