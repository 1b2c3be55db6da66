/*
 * sets/group_lsq.h: what sets of groups explain of a response by (ridge)
 * regression, tr(B_J' (S_JJ + ridge I)^-1 B_J) for the columns J of a set,
 * from the columns of the cross-products S that belong to its groups.
 */
#ifndef RS_GROUP_LSQ_H
#define RS_GROUP_LSQ_H

#include "sets/group_products.h"

typedef struct {
    rs_context *ctx;
    const rs_group_products *products;
    int d, c, most;  /* most: columns of a set */
    const double *B; /* d x c */
    double ridge;
    double total; /* squared norm of the response */
    /* the present set */
    int members;
    int *asked;   /* groups: in the order that was asked for */
    int *set;     /* groups: in the order of W */
    int *first;   /* groups + 1: where the columns of a member begin in W */
    int p;        /* columns of the set that are independent */
    int *column;  /* most: which these are */
    int crossed;  /* does a column depend on those of another group? */
    int doubtful; /* was one left out that may not depend on others? */
    unsigned char *inside; /* groups */
    double *W;             /* d x most: S_{., J} R^-1, S_JJ + ridge I = R'R */
    double *R;             /* most x most */
    double *z;             /* most x c: R^-T B_J */
    double *value;         /* most + 1: of the first members */
    /* what the set leaves of the products, and without one of its members */
    double *E, *E_less;       /* blocks: S_gg */
    double *rest, *rest_less; /* d x c: B */
    const double *diagonal;   /* E of the empty set */
    int ready;                /* are E and rest of the present set? */
    /* room */
    double *columns;         /* d x widest */
    double *direction;       /* most x widest */
    double *corner, *factor; /* widest x widest */
    double *part;            /* widest x max(c, widest) */
    int *kept;               /* widest */
    int *aside;              /* two sets */
} rs_group_lsq;

/* k: size of the largest set. With a ridge no column depends on others. */
rs_status rs_group_lsq_init(rs_context *ctx, const rs_group_products *products,
                            int k, int c, const double *B, double ridge,
                            double total, rs_group_lsq *lsq);
/* the same as a value of sets; lsq must stay where it is */
rs_value rs_group_lsq_value(rs_group_lsq *lsq);
/* after a move: rest_J'rest_J of the response Y itself, c x c, YtY given */
void rs_group_lsq_residual(const rs_group_lsq *lsq, const double *YtY,
                           double *residual);

#endif
