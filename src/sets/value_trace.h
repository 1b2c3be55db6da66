/*
 * sets/value_trace.h: the value of a set of groups that is T(J), the sum of the
 * m largest eigenvalues of S[J, J], J the columns of its groups.
 *
 * With (l_c, v_c) the eigenpairs of a set and b_c = v_c'S[J, j], column j beside
 * it makes an arrow of the leading ones,
 *
 *     [diag(l), b; b', s_jj],
 *
 * in whose space the sum of the m largest eigenvalues, all but its smallest, is
 * what T is at least. The groups that promise most are looked at exactly.
 *
 * Where all pairs are taken, T is at most the sum for the arrow of the first m
 * with s_jj + sum_{c > m} b_c^2 / (l_m - l_c), as l_m is not above the m largest
 * eigenvalues with j. That tells when no exchange is left.
 */
#ifndef RS_VALUE_TRACE_H
#define RS_VALUE_TRACE_H

#include "data/covop.h"
#include "la/linalg.h"
#include "sets/value.h"

/* of the set, or of the set without a member: r eigenpairs, whose rows of the
 * member are zero, and S times the vectors */
typedef struct {
    int p, r;
    double worth;
    double *values;   /* most + widest */
    double *vectors;  /* most x most: p x m, or p x p */
    double *products; /* d x most: r of these */
} rs_trace_pairs;

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    const rs_groups *groups;
    int m, most;    /* most: columns of a set */
    int looks;      /* groups that are looked at exactly */
    size_t *block;  /* groups + 1: where S_gg begins in */
    double *blocks; /* these */
    /* the present set */
    rs_members set;
    int *column; /* most: J */
    double *S_J; /* d x most */
    double value;
    rs_trace_pairs pairs;
    double *small, *order; /* order: groups, room */
    int *best;             /* groups: those that promise most */
    double work;           /* multiplications so far */
    rs_eigen_ws eigen;
    rs_value as_value;
} rs_value_trace;

/* for sets of up to k groups; trace must stay where it is */
rs_status rs_value_trace_init(rs_context *ctx, rs_covop *op,
                              const rs_groups *groups, int k, int m,
                              rs_value_trace *trace);
/* S_gg */
const double *rs_value_trace_block(const rs_value_trace *trace, int g);
/* exceeds() of the value, for groups of one, of an S that may be indefinite */
rs_status rs_trace_exceeds(void *trace, int at, double least, int *group);

#endif
