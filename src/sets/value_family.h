/*
 * sets/value_family.h: how far a set of features, or of groups of features,
 * lowers the penalised loss of a family,
 *
 *     E(J) = F(none) - F(J),
 *     F(J) = min over b0, B of L(b0 + X_J B) + ridge ||B||^2 / 2,
 *
 * as a value of sets, by Newton's method from the coefficients of the set before.
 *
 * What additions and exchanges are worth is told by the quadratic model at the
 * fit of the set, least squares with the weights w: with P = (1, X_J),
 * R'R = P'WP + ridge, C = X'WP R^-1, rest = -X'g and
 * left_g = X_g'WX_g + ridge I - C_g C_g' a group adds rest_g' left_g^-1 rest_g / 2.
 * Without a member I the model loses ||h||^2 / 2, h = U^-T b_I, where
 * T = R^-T I_I = Q U with orthonormal Q, and then
 *
 *     rest_g + G_g h,   left_g + G_g G_g',   G = C Q.
 *
 * Several predictors add up, each with its own w. These are estimates: exchanges
 * hold where the fit of the set says so.
 *
 * A feature whose sign is wrong adds nothing.
 */
#ifndef RS_VALUE_FAMILY_H
#define RS_VALUE_FAMILY_H

#include "data/data.h"
#include "sets/family.h"
#include "sets/value.h"

typedef struct {
    const rs_family *family;
    const rs_data *X;
    const double
        *root; /* n: the rows of X are multiplied by these; NULL: by 1 */
    double ridge;
    double unit; /* of values in R: the objective of least squares is 2 L */
    const int *sign; /* d: of coefficients, 1, -1 or 0 (any); NULL: any */
} rs_family_problem;

/* out (n x count) <- these columns of X, without the roots */
rs_status rs_family_columns(const rs_family_problem *problem, int count,
                            const int *index, double *out);

/* a fit to some columns, each of them times a number: 1 at first */
typedef struct {
    rs_newton_fit of;
    double *P, *ridge, *times;
    int *sign;
    int *column; /* of those behind the intercept */
} rs_family_fit;

/* room for so many columns beside the intercept */
rs_status rs_family_open_fit(rs_context *ctx, const rs_family_problem *problem,
                             int columns, rs_family_fit *fit);

/* a set and its fit */
typedef struct {
    int count, *set; /* groups, as asked for */
    rs_family_fit fit;
    int ready; /* is the model at hand? */
    double *R, *C, *rest, *left;
} rs_family_set;

typedef struct {
    double *panel, *weighed; /* columns of a group, and one of them times w */
    double *product;         /* n x most: WP R^-1 */
    double *T, *U, *h;       /* of the member that leaves */
    double *G;               /* d x widest */
    double *rest, *left;     /* of a group */
} rs_family_room;

typedef struct {
    rs_context *ctx;
    const rs_family_problem *problem;
    const rs_groups *groups;
    int d, most; /* columns, and those of the largest set with the intercept */
    size_t *block; /* groups + 1: where left_g begins */
    double null;   /* F(none) */
    double tol;    /* what Newton's last step promises, as a share of that */
    double work;   /* multiplications so far */
    rs_newton newton;
    rs_family_set sets[2];
    int now; /* which of them the state is at */
    rs_family_room room;
    rs_value as_value;
} rs_value_family;

/* k: groups of the largest set; s must stay where it is */
rs_status rs_value_family_init(rs_context *ctx,
                               const rs_family_problem *problem,
                               const rs_groups *groups, int k,
                               rs_value_family *s);
/* from here on fits are as exact as numbers are, for the coefficients of sets */
void rs_value_family_refine(rs_value_family *s);
#endif
