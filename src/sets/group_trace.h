/*
 * sets/group_trace.h: the sum of the m leading eigenvalues of S on the columns
 * of a set of groups. What a group would add is bounded from below by the
 * eigenvalues on the leading eigenvectors of the set and the group's columns;
 * of the groups that promise most it is computed.
 */
#ifndef RS_GROUP_TRACE_H
#define RS_GROUP_TRACE_H

#include "la/linalg.h"
#include "sets/group_products.h"

typedef struct {
    rs_context *ctx;
    const rs_group_products *products;
    int d, m, most; /* most: columns of a set */
    double total;
    int looks; /* of how many groups, those that promise most, the value is
                * computed */
    int members;
    int *set, *first; /* groups; groups + 1: columns of a member in S_J */
    int *aside;       /* two sets */
    unsigned char *inside;
    int *column;     /* most: J */
    double *S_J;     /* d x most */
    double *value;   /* groups + 1 */
    double *blocks;  /* S_gg */
    double *columns; /* d x widest */
    /* of the set, or the set without a member: its columns and eigenpairs */
    int p, r;         /* r = min(m, p) */
    int *own;         /* most: their places in S_J */
    double *vectors;  /* most x m */
    double *values;   /* most + widest */
    double *SV;       /* d x m */
    double *small;    /* (most + widest) squared */
    double *gathered; /* most x widest */
    double *promise;  /* groups */
    int *first_looks; /* the groups of the largest estimates */
    double *order;    /* groups: room */
    rs_eigen_ws eigen;
} rs_group_trace;

rs_status rs_group_trace_init(rs_context *ctx,
                              const rs_group_products *products, int k, int m,
                              double total, rs_group_trace *trace);
/* as a value of sets; trace must stay where it is */
rs_value rs_group_trace_value(rs_group_trace *trace);

#endif
