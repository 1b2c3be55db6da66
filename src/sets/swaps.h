/*
 * sets/swaps.h: exchanges of single features in a set I of k,
 *
 *   max over I of T(I), the sum of the m largest eigenvalues of S[I, I].
 *
 * Without one of its features the set has the eigenpairs (l_c, v_c); feature j
 * in its place borders them by b_c = v_c'S[I, j] and s_jj. The m leading ones
 * and j span a space in which the sum of the m largest eigenvalues is that of
 * an arrow matrix without its smallest root: what T is at least. The
 * most promising features are looked at exactly.
 *
 * A thorough search looks at every feature that may be an improvement, of an S
 * that may be indefinite. It takes all eigenpairs: as the m largest eigenvalues
 * with j are not below l_m, T is at most the sum for the arrow with
 * s_jj + sum_{c > m} b_c^2 / (l_m - l_c).
 */
#ifndef RS_SWAPS_H
#define RS_SWAPS_H

#include "data/covop.h"
#include "la/linalg.h"
#include "sets/value_trace.h"

/* relative differences that count as none */
#define RS_SWAPS_TIE 1e-10

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    int k, m;
    const unsigned char *fixed;  /* d: never taken out; or NULL */
    const unsigned char *barred; /* d: never taken in; or NULL */
    int *set;                    /* k features, in any order */
    unsigned char *in;           /* d: the set as marks */
    double *rows;                /* d x k: S[, set] */
    double value;                /* T(set) */
    double *A;                   /* k x k */
    double *values;              /* k */
    int thorough;                /* V and B with k columns, not m */
    double gain;                 /* thorough: less than this is none */
    double *poles;               /* k: thorough, all l_c without a place */
    double *squares;             /* k: thorough, b_c^2 of one feature */
    double *V;                   /* k x m */
    double *B;                   /* d x m: the b_c of every feature */
    double *promise;             /* d: what T is at least with it */
    double work;                 /* multiplications so far */
    rs_eigen_ws eigen;
} rs_swaps;

/* for 1 <= m < k; k is the largest size of a set */
rs_status rs_swaps_init(rs_context *ctx, rs_covop *op, int k, int m,
                        const unsigned char *fixed, rs_swaps *s);
/* from now on a search is thorough; s->gain is 0 */
rs_status rs_swaps_make_thorough(rs_swaps *s);
/* the set of s->k, given in any order, and its value */
rs_status rs_swaps_load(const int *set, rs_swaps *s);
/* the feature in place `slot` gives way to the best other one where that is an
 * improvement; *improved says whether */
rs_status rs_swaps_try(int slot, int *improved, rs_swaps *s);
/* s->promise: what T is at least with each feature outside in place `slot` */
rs_status rs_swaps_promise(int slot, rs_swaps *s);
/* slot <- feature j, and the value of the set then */
rs_status rs_swaps_put(int slot, int j, rs_swaps *s);
/* s->k features more or less: one at a time, the one that promises most, or
 * without which T is the most at least; those that are fixed stay */
rs_status rs_swaps_grow(int to, rs_swaps *s);
rs_status rs_swaps_shrink(int to, rs_swaps *s);
/* places in turn until none improves, or `work` is used up; *improvements
 * counts */
rs_status rs_swaps_climb(double work, int *improvements, rs_swaps *s);

#endif
