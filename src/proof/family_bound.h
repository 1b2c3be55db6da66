/*
 * proof/family_bound.h: the bound of proof/tree.h for sets of single features in
 * a family, E(T) = F(none) - F(T) as sets/value_family.h has it.
 *
 * L is convex: with g its gradient at any H, whose columns sum to 0 where there
 * are intercepts, L(H') >= L* + <g, H'> for all H', and the least of <g, X_T B>
 * + ridge ||B||^2 / 2 separates:
 *
 *     E(T) <= F(none) - L* + sum_T w_j,   w_j = ||x_j'g||^2 / (2 ridge).
 *
 * Of a feature whose coefficient has a sign s_j only max(-s_j x_j'g, 0) counts.
 * L* comes from g alone by the conjugate of L (rs_family_dual()). So no claim
 * rests on convergence, and no property of a family is used but that it is convex.
 *
 * The best H is that of the perspective relaxation (proof/perspective.h) with
 * D = ridge / 2, Q = -X'g / 2 and M half of X'(curvature)X, from which the
 * intercepts are taken out. Coefficients are those of the columns sqrt(z_j) x_j,
 * which all have the same penalty, by Newton's method from the ones before.
 */
#ifndef RS_FAMILY_BOUND_H
#define RS_FAMILY_BOUND_H

#include "proof/perspective.h"
#include "proof/tree.h"
#include "sets/value_family.h"

/* features that are not barred: as units, and back (-1: none); their columns */
typedef struct {
    int count, *list, *place;
    double *columns, *length;
} rs_family_candidates;

/* N x q: x_j'g, as far as the sign lets it count; N: columns in the relaxation's fit,
 * and 1 / what they are times; scratch of the Hessian */
typedef struct {
    double *Q, *per_unit;
    int *at;
    double *X, *moved, *factor;
} rs_family_model;

/* N: candidates of the node, is it in every set; count: shares of a root */
typedef struct {
    int *id;
    unsigned char *in;
    double *z;
} rs_family_node;

/* shared by searches for sets of several sizes */
typedef struct {
    rs_context *ctx;
    rs_bound of;
    rs_tree *tree;
    int k; /* of the sets that are searched for: for the caller to set */
    const rs_family_problem *problem;
    double total; /* F(none) */
    rs_family_candidates all;
    rs_newton newton;
    rs_family_fit relaxed, own; /* of the relaxation, and of single sets */
    double *B, *intercept;      /* count x q, q: fits begin with these */
    double *g, norm;            /* n x q, and its length */
    double tol; /* what coefficients may leave of the objective */
    rs_perspective relax;
    rs_family_model model;
    rs_family_node node;
} rs_family_bound;

/* sets of up to `most` of the features that are not barred (d marks); the problem
 * stays where it is */
rs_status rs_family_bound_init(rs_context *ctx,
                               const rs_family_problem *problem,
                               const unsigned char *barred, int most,
                               rs_family_bound *b);

#endif
