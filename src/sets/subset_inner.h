/*
 * sets/subset_inner.h: what the files of sets/subset.h share, and nobody
 * else calls.
 */
#ifndef RS_SUBSET_INNER_H
#define RS_SUBSET_INNER_H

#include "la/linalg.h"
#include "sets/subset.h"

static inline int rs_subset_is_self(const rs_subset *s)
{
    return s->problem->c == 0;
}

/* column l of a matrix with `rows` rows */
static inline double *rs_column(double *M, int rows, int l)
{
    return M + (size_t)rows * l;
}

/* y (k) = R^{-1} b or R^{-T} b, in place */
static inline void rs_subset_solve(const rs_subset *s, char trans, int cols,
                                   double *b, int ldb)
{
    if (s->k > 0)
        rs_triangular_solve('L', trans, s->k, cols, s->R, s->capacity, b, ldb);
}

/* squared norm left, relative, that makes a feature independent */
static inline double rs_subset_least_left(const rs_subset *s)
{
    return s->problem->X ? RS_LEFT_NONE : RS_LEFT_SLIGHT;
}

/*
 * The basis gains (sign = 1) or loses (-1) q, c = X'q, h = Y'q:
 * left -= sign c^2, and for a Y of its own rest -= sign c h' and base anew.
 */
void rs_subset_shift_rest(rs_subset *s, double sign, const double *c,
                          const double *h);
/*
 * The same of base and Z for Y = X, kappa = ||c||^2: the basis is to gain q,
 * with c and v = X'(I - QQ')XX'q in pair_d; or has lost u, with g = X'u and z
 * its column of Z.
 */
void rs_subset_grow_self(rs_subset *s, double kappa);
void rs_subset_shrink_self(rs_subset *s, const double *g, const double *z,
                           double kappa);

#endif
