/*
 * sets/subset.h: a set J of features under exact refit of the response,
 *
 *     f(J) = min_W ||Y - X_J W||^2 + ridge ||W||^2 = ||Y||^2 - E(J),
 *
 * kept as a QR factorisation that gains and loses single features. With the
 * rows sqrt(ridge) I appended to X, [X_J; .] = Q R, and for every feature j
 *
 *     C_j    = x_j'Q            loadings on the basis
 *     left_j = ||x_j||^2 + ridge - ||C_j||^2       squared norm that is left
 *     base_j = ||Y'(x_j - Q C_j')||^2              what it says about the rest
 *
 * so that adding j lowers f by base_j / left_j. Let u = Q t be the direction
 * that J loses with its i-th feature, t = R^{-T} e_i / ||R^{-T} e_i||, and
 * g = X'u, h = Y'u. Exchanging feature i for j then changes E by
 *
 *     (base_j + 2 g_j m_j + g_j^2 kappa) / (left_j + g_j^2) - kappa,
 *
 * m_j = (x_j - Q C_j')'Y h and kappa = ||h||^2: two products with d x k
 * matrices score every candidate for a position, exactly.
 *
 * The response is either explicit (Y, or B = X'Y and Y'Y alone) or the data
 * themselves (Y = X: column subset selection), where Y never gets a column of
 * its own: Z = X'(I - QQ')XX'Q (d x k) takes the place of X'(I - QQ')Y.
 *
 * By step: subset_add.c and subset_remove.c (Q, R, C, D), subset_rest.c (left,
 * rest, base, Z), subset_score.c (the two quotients above), subset_tidy.c,
 * subset_fit.c (f(J), W), subset_order.c; subset.c has the memory and sets
 * that are given whole.
 */
#ifndef RS_SUBSET_H
#define RS_SUBSET_H

#include "base/select.h"
#include "sets/accurate.h"
#include "sets/columns.h"
#include "sets/lsq.h"

/* gains that differ by less tie: relative to the largest, and to ||Y||^2 */
#define RS_TIE 1e-10
#define RS_TIE_FLOOR 1e-14
/* positions scored in one product */
#define RS_SLOTS 16

typedef struct {
    const rs_lsq *problem;
    int capacity, k;
    int *feature;          /* capacity: the columns, in the order of R */
    unsigned char *closed; /* d: in J, or barred */
    double *R;             /* capacity x capacity, upper triangle */
    double *Q;             /* n x capacity; with X */
    double *C;             /* d x capacity */
    double *D;             /* c x capacity: Y'Q */
    double *rest;          /* d x c: X'(I - QQ')Y */
    double *Z;             /* d x capacity; c = 0 */
    double *left, *base;   /* d */
    double explained;      /* E(J) */
    int updates;           /* removals since the last fresh factorisation */
    int doubtful;          /* a candidate was beyond what S can resolve */
    rs_accurate *accurate; /* NULL where it is not to be had */
    rs_columns *columns;   /* NULL where exchanges are not wanted, or Y = X */
    int *list, *position;  /* capacity + 1, capacity; scratch */
    int untidy; /* a nearly dependent feature has come in since the last tidy
                   factorisation */
    /* scratch */
    double *pair_n, *pair_d; /* n x 2, d x 2 */
    double *coef, *shift;    /* capacity */
    double *T, *H;           /* capacity x RS_SLOTS, c x RS_SLOTS */
    double *G, *M;           /* d x RS_SLOTS */
    rs_context *ctx;
} rs_subset;

/* the best candidate of a scan; feature = -1 when there is none */
typedef struct {
    int feature;
    double score; /* what it adds to E */
} rs_candidate;

/* Room for sets of up to `capacity` features; `exchange` = 0 leaves out what
 * only exchanges need (for c = 0 that is all d x capacity arrays). */
rs_status rs_subset_init(rs_context *ctx, const rs_lsq *problem, int capacity,
                         int exchange, rs_subset *s);
void rs_subset_clear(rs_subset *s);
/* J <- J + p; RS_SINGULAR, and nothing done, when p is collinear with J */
rs_status rs_subset_add(rs_subset *s, int p);
/* J <- J without its feature number `slot` */
rs_status rs_subset_remove(rs_subset *s, int slot);
/* J <- the given features, collinear ones left out: a fresh factorisation */
rs_status rs_subset_assign(rs_subset *s, int count, const int *features);
/* the same, with nothing done where J is that already, in that order */
rs_status rs_subset_take(rs_subset *s, int count, const int *features);
/* the same, from the features that J has, by removals and additions; afresh
 * where one proves collinear */
rs_status rs_subset_change_to(rs_subset *s, int count, const int *features);
/* where feature p stands among these; count: nowhere */
int rs_position_among(int count, const int *features, int p);
/* the same k features, in any order? */
int rs_same_features(int k, const int *a, const int *b);

/*
 * The largest of the scores (d, -1: none). Of those that tie within rounding the
 * one with the largest variance before scaling, then the first column.
 */
rs_candidate rs_best_candidate(const rs_lsq *problem, const double *score);
/* score = -1 for all others, where one that comes before all others can come in
 */
void rs_await_first(const rs_lsq *problem, double *score);
/* best feature to add, ties as above */
rs_candidate rs_subset_best_addition(rs_subset *s);
/*
 * A fresh factorisation with every nearly dependent feature right behind those
 * that it nearly depends on: features that stand between them would, when they
 * leave, mix the rounding errors of long columns into its short residual.
 */
rs_status rs_subset_tidy(rs_subset *s);
/* every feature that is not in J or barred may come in again */
void rs_subset_reopen(rs_subset *s);
/*
 * Best replacement of each of the features number slots[0..count), count <=
 * RS_SLOTS; loss[b] is what E loses with the feature alone.
 */
void rs_subset_best_exchange(rs_subset *s, int count, const int *slots,
                             rs_candidate *best, double *loss);

/* score (d x count): what each feature adds to E in place of one of these, -1
 * where it cannot come in; loss as above */
void rs_subset_exchange_scores(rs_subset *s, int count, const int *slots,
                               double *score, double *loss);

/*
 * near[j] = 1 for those among the `each` best replacements of one of the
 * features. kept (d) and choose (d) are scratch.
 */
rs_status rs_subset_nearest(rs_subset *s, int each, rs_choose_ws *choose,
                            unsigned char *kept, unsigned char *near);

/* f(J), as a sum of squares where Y is at hand: right also where it is small
 */
double rs_subset_objective(rs_subset *s);
/* coefficients (k x c) of the features in the order of s->feature */
void rs_subset_coefficients(const rs_subset *s, double *V);
/*
 * Greedy order within J: order[l] is a position in s->feature, explained[l]
 * is E of the first l + 1 of them. work: 3 k^2 numbers.
 */
void rs_subset_order(const rs_subset *s, int *order, double *explained,
                     double *work);
/* explained[l] = the part of E(J) in response l */
void rs_subset_response_shares(const rs_subset *s, double *explained);
/* gain[j] = what j would add to E, 0 where it cannot be added */
void rs_subset_gains(rs_subset *s, double *gain);

#endif
