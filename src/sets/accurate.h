/*
 * sets/accurate.h: what a few features explain of the response, in twice the
 * working precision and from the data as they were given.
 *
 * The columns of a set are centred, brought to unit length and
 * orthogonalised, twice, with numbers that are sums of two doubles. A feature
 * whose residual is s of its length would lose eps / s of its direction to
 * rounding in double precision; here nothing is lost that the data hold.
 *
 * A feature counts as dependent on those before it when its residual is at the
 * rounding level of the data themselves,
 *
 *     ||residual|| <= 16 eps ||x_j||,  x_j before centring,
 *
 * or at that of those before it, |u_l| times as much where x_j takes u_l of x_l,
 * so that the order of the features does not matter, and keeps less of its square
 * than double precision resolves (RS_LEFT_NONE), and then adds nothing.
 */
#ifndef RS_ACCURATE_H
#define RS_ACCURATE_H

#include "sets/lsq.h"

/* the sum of the two */
typedef struct {
    double high, low;
} rs_twofold;

typedef struct {
    const rs_lsq *problem;
    int able; /* 0: the data are not at hand, or Y = X */
    int rows; /* n, and with a ridge one for every feature of the set */
    /* of weighted samples: roots of counts / 4^shift (n), their squares' sum */
    rs_twofold *root, mass;
    int shift;
    int capacity;  /* most features */
    int count;     /* of the set that is held */
    int *feature;  /* capacity */
    rs_twofold *Q; /* rows x (capacity + 1): the basis, and scratch */
    rs_twofold *R; /* capacity x capacity: Q'x of unit columns */
    rs_twofold *D; /* c x capacity: Y'Q */
    double
        *residual; /* capacity: ||residual|| of unit columns; 0: dependent */
    double *none;  /* capacity: what counts as no residual */
    double *explained; /* capacity: E of the first features */
    double *raw, *u;   /* n, capacity: scratch */
} rs_accurate;

rs_status rs_accurate_init(rs_context *ctx, const rs_lsq *problem,
                           int capacity, rs_accurate *acc);
/*
 * E of the set, features in the given order; what is known of a set that
 * begins alike is used again.
 */
double rs_accurate_explained(rs_accurate *acc, int count, const int *feature);
/* is what the set leaves of Y rounding of the data, as far as these tell? */
int rs_accurate_is_whole(rs_accurate *acc, int count, const int *feature);
/* R[l, at], of the unit column of feature number `at` along basis vector number l;
 * l = at: the length of its residual, whatever counts as none */
static inline rs_twofold *rs_accurate_entry(const rs_accurate *acc, int l,
                                            int at)
{
    return acc->R + l + (size_t)acc->capacity * at;
}
/* basis vector number l of the set that is held: n numbers; h (c) = Y'q */
void rs_accurate_basis(const rs_accurate *acc, int l, double *q, double *h);

/*
 * *barred = problem->barred and all but one of the features that are affine
 * images of one another, exactly: they explain the same beside any others.
 * The k features of `keep` stay. With a ridge, or without the data,
 * problem->barred itself. of (d): the feature that each is a copy of, or -1.
 */
rs_status rs_bar_copies(rs_context *ctx, const rs_lsq *problem, int k,
                        const int *keep, const unsigned char **barred,
                        int *of);

#endif
