/*
 * method/spca_psd/slack.h: the dual slack M = eta I - sym(Xc'Y) + sym(Z) of a
 * point, and the basis of [Xc', F, B] on which its spectrum is computed.
 */
#ifndef RS_SPCA_SLACK_H
#define RS_SPCA_SLACK_H

#include "base/arena.h"
#include "la/linalg.h"
#include "method/spca_psd/model.h"

/* columns of one product with the slack */
#define RS_SLACK_BLOCK 64

/* the dual slack M at a point; zero at first, the bound makes room */
typedef struct {
    const rs_spca *pr;
    const rs_spca_point *at;
    const double *B;      /* d x r */
    const double *extra;  /* d or NULL */
    int units;            /* entries of extra above 0 */
    int columns, rank;    /* there is room for */
    int k;                /* columns of the basis */
    double *Q, *MQ;       /* d x k */
    double *H;            /* k x k: -Q'MQ */
    double *values, *U;   /* k; k x k */
    double *XV, *YV;      /* n x RS_SLACK_BLOCK */
    double *V1, *V2, *V3; /* r x RS_SLACK_BLOCK */
    double *W;            /* d x RS_SLACK_BLOCK */
    double *Xq, *Y, *WX;  /* n x k, for the sum of row norms as the rest */
    double *Fq, *Bq, *HF; /* k x r; Bq: of the columns of Z that are fixed */
    double *range;        /* k x r: orthonormal columns with the range of F */
    double *Zq, *T;       /* k x k */
    double *K1, *K2;      /* k x k */
    int moved;            /* columns of Z that may move */
    double level;         /* without F, Z = level I */
    double fixed;         /* length of the longest column that may not */
    double *QJ, *ZJ, *u;  /* k x k; k x k; k */
    double *length, *w;   /* n */
    double *panel;        /* k x RS_SLACK_BLOCK: columns of Z */
    double *ZP, *VP;      /* the same size: U'Z; rows of Q U, transposed */
    double lowest;        /* smallest eigenvalue of M */
    rs_eigen_ws eigen;
    rs_qr_ws qr;
    rs_arena arena; /* of one search for eigenpairs, or of one short basis */
} rs_spca_slack;

/*
 * Rounding errors are taken to be at most so many machine epsilons times the
 * root of the number of terms times the product of the norms involved.
 */
#define RS_MARGIN 8.0

#endif
