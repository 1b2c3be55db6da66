/*
 * sets/value_lsq.h: what sets of features, or of groups of features, explain
 * of a response by (ridge) regression,
 *
 *     E(J) = tr B_J'(S_JJ)^-1 B_J,   S = X'X + ridge I,  B = X'Y,
 *
 * as a value of sets. With S_JJ = R'R,
 *
 *     C = S_.J R^-1,  D = B_J'R^-1,  rest = B - C D',
 *     left_g = S_gg - C_g C_g',      base_j = ||rest_j||^2,
 *
 * a group adds tr(rest_g' left_g^-1 rest_g), a feature base_j / left_j. With a
 * member J loses the directions T = R^-T I_I made orthonormal, so that exchanges
 * follow from G = C T, H = D T and
 *
 *     left_g + G_g G_g',  rest_g + G_g H',  E(J) - ||H||^2.
 *
 * The response is explicit (Y, or B alone) or the data themselves (Y = X: column
 * subset selection), where D = C and rest is never formed: single features need
 * base and Z = S C - C C'C, of which rest H = Z T.
 *
 * A column of C comes from a column of S, as long as that tells the direction;
 * else from the data, where these are at hand: X'z, z the residual of the column
 * beside J, if need be in twice the precision. What a candidate adds that left
 * does not resolve is computed from such a residual as well.
 */
#ifndef RS_VALUE_LSQ_H
#define RS_VALUE_LSQ_H

#include "sets/accurate.h"
#include "sets/value.h"

/* the columns of a set, and their factor */
typedef struct {
    int most, count;   /* columns, at most and now */
    int *column;       /* most: in the order of R */
    double *R;         /* most x most */
    double *C, *D, *Z; /* d x most, c x most, d x most: Y = X */
    double *panel;     /* n x most: columns of the data, */
    int held;          /* the first of which are here */
    int removals;      /* since it was made anew */
} rs_lsq_factor;

/* what a set explains, and what it leaves */
typedef struct {
    double explained;
    double *left, *whole; /* blocks of the groups; of the empty set */
    double *rest, *base;  /* d x c, d */
} rs_lsq_rest;

typedef struct {
    double *zero, *z, *coef; /* d, n, 2 most */
    double *block, *part;    /* widest x widest, widest x c */
    int *list, *own, *sets;  /* columns: all, of a group; two sets */
    /* of the directions that the set loses with a member: most, d, c, d x widest;
     * M = rest H */
    double *T, *G, *H, *M;
} rs_lsq_room;

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_groups *groups;
    rs_covop products;    /* S, without the ridge */
    int single;           /* is every group one feature, its own number? */
    unsigned char *alone; /* d: independent of the others of its group */
    size_t *block;        /* groups + 1: where S_gg begins */
    rs_members set;
    double error;  /* of `left`, relative to the square of a column */
    int doubtful;  /* was a column beyond what S resolves? */
    double minute; /* columns that keep less of their square have directions in
                    * twice the precision; set by the caller to RS_LEFT_MINUTE
                    * for the coefficients of a set */
    double least;  /* columns by products keep no less of their square */
    double work;   /* multiplications so far */
    rs_lsq_factor f;
    rs_lsq_rest now;
    rs_accurate accurate;
    rs_columns *columns; /* of S: shared ones, or its own */
    rs_lsq_room room;
    rs_value as_value;
} rs_value_lsq;

/* k: groups of the largest set; s must stay where it is */
rs_status rs_value_lsq_init(rs_context *ctx, const rs_lsq *problem,
                            const rs_groups *groups, int k, rs_value_lsq *s);

/* Moves to a set of features, the one next that keeps most of its square beside
 * those before it, so that products hide few of them; those that never leave
 * come first. set (count): in that order */
rs_status rs_value_lsq_unfold(rs_value_lsq *s, int count, int *set);
/* Of the set after a move. ||Y - X_J V||^2 + ridge ||V||^2, from the data where these
 * are at hand; V (count x c, or NULL): the coefficients of the columns of the factor */
rs_status rs_value_lsq_fit(rs_value_lsq *s, double *V, double *objective);

#endif
