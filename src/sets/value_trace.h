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
 * with s_jj + sum_{c > m} b_c^2 / (x - l_c), x a lower bound of the m largest
 * eigenvalues with j, as l_m is. That tells when no exchange is left.
 */
#ifndef RS_VALUE_TRACE_H
#define RS_VALUE_TRACE_H

#include "data/covop.h"
#include "la/linalg.h"
#include "sets/search.h"

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    const rs_groups *groups;
    int m, most;    /* most: columns of a set */
    int looks;      /* groups that are looked at exactly */
    int rough;      /* are exchanges that cannot help known only roughly? */
    size_t *block;  /* groups + 1: where S_gg begins in */
    double *blocks; /* these */
    /* the present set */
    rs_members set;
    int *column; /* most: J */
    double *S_J; /* d x most */
    double value;
    /* the set, or the set without a member: r eigenpairs, whose rows of the
     * member are zero, and S times the vectors */
    int p, r;
    double worth;
    double *values;   /* most + widest */
    double *vectors;  /* most x most: p x m, or p x p */
    double *products; /* d x m, or d x most */
    double *small, *promise;
    double work; /* multiplications so far */
    rs_eigen_ws eigen;
} rs_value_trace;

/* for sets of up to k groups */
rs_status rs_value_trace_init(rs_context *ctx, rs_covop *op,
                              const rs_groups *groups, int k, int m,
                              rs_value_trace *trace);
/* S_gg */
const double *rs_value_trace_block(const rs_value_trace *trace, int g);
/* as a value of sets; trace must stay where it is */
rs_value rs_trace_as_value(rs_value_trace *trace);
/* exceeds() of the value, for groups of one, of an S that may be indefinite */
rs_status rs_trace_exceeds(void *trace, int at, double least, int *group);
/* room for all eigenpairs, which that needs */
rs_status rs_value_trace_take_all(rs_value_trace *trace);

/* exchanges of single features in sets of up to k; must stay where it is */
typedef struct {
    rs_groups groups;
    rs_value_trace trace;
    rs_value value;
    rs_search_settings settings;
    rs_search search;
    /* d, or NULL: features that never leave a set, and that never enter. Both
     * may change from call to call, and so may S */
    const unsigned char *first, *barred;
    int *include;
} rs_trace_search;

/* perturb: perturbations in a row that lead to nothing */
rs_status rs_trace_search_init(rs_context *ctx, rs_covop *op, int k, int m,
                               int perturb, rs_trace_search *t);
/* the value is at the set, of k features; *worth of it */
rs_status rs_trace_search_load(rs_trace_search *t, int k, const int *set,
                               double *worth);
/* exchanges from the set, of k features, until none helps or `work`
 * multiplications are over; *worth of its end, where the value is then */
rs_status rs_trace_search_exchange(rs_trace_search *t, int k, double work,
                                   int *set, double *worth);

#endif
