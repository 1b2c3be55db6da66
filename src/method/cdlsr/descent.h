/*
 * method/cdlsr/descent.h: from one set of features to a better one.
 */
#ifndef RS_CDLSR_DESCENT_H
#define RS_CDLSR_DESCENT_H

#include "method/cdlsr/cd.h"
#include "method/cdlsr/fit.h"
#include "sets/subset.h"
#include "sets/local_search.h"

/*
 * What one thread works with. Between two descents the factorised set has no
 * meaning: each begins with the features that it is given, which costs nothing
 * where the factorisation is theirs already.
 */
typedef struct {
    const rs_cdlsr_settings *settings;
    rs_subset *set;
    rs_local local;     /* the same for what is only looked at */
    rs_cd cd;           /* without responses, or without descents: not set */
    int *queue;         /* k */
    rs_cdlsr_end other; /* scratch: the end of a second descent */
} rs_descent;

/* everything that a descent needs, before any thread starts; `problem` and
 * `poll` are those of the thread */
rs_status rs_descent_init(rs_context *ctx, const rs_cdlsr_settings *settings,
                          const rs_lsq *problem, rs_context *poll,
                          rs_subset *set, rs_descent *descent);
rs_status rs_cdlsr_end_init(rs_context *ctx, const rs_cdlsr_settings *settings,
                            rs_cdlsr_end *end);

/* the set as it is */
rs_status rs_evaluate_set(rs_descent *descent, int count, const int *feature,
                          rs_cdlsr_end *end);
/* exchanges from what is independent of the set, completed forward to `size`
 * features; with a method that exchanges nothing: the set as it is */
rs_status rs_descend_by_exchange(rs_descent *descent, int count,
                                 const int *feature, int size,
                                 rs_cdlsr_end *end);
/*
 * Exchanges from end->k features in the tableau alone, which passes over nearly
 * dependent ones; where that ends lower, exchanges by the factorised set follow,
 * and their end takes the place of *end.
 */
rs_status rs_descend_in_tableau(rs_descent *descent, const int *feature,
                                rs_cdlsr_end *end);
/*
 * A perturbation in the tableau, which holds *end: the features out[0..count) go,
 * others come in that are drawn among the best, and exchanges of all follow,
 * whose end takes the place of *end where it is lower. RS_SINGULAR where a step
 * is not possible: then by rs_perturb_factorised().
 */
rs_status rs_perturb_in_tableau(rs_descent *descent, int count, const int *out,
                                size_t *draw, rs_cdlsr_end *end);
/* the same by the factorised set, with the best others in the place of those */
rs_status rs_perturb_factorised(rs_descent *descent, int count, const int *out,
                                rs_cdlsr_end *end);
/*
 * The descent that the settings ask for. Where that is exchange, with `swept`
 * exchanges start from the end of the paper's sweeps as well, so that the better
 * of both ends is never above that of the sweeps.
 */
rs_status rs_descend(rs_descent *descent, int count, const int *feature,
                     int swept, rs_cdlsr_end *end);
/*
 * What is left of a descent that broke off with RS_LATE: *end where it is a
 * whole set, else the `count` features that the descent began with, others in
 * place of those that depend on them.
 */
rs_status rs_complete_set(rs_descent *descent, int count, const int *feature,
                          rs_cdlsr_end *end);
/* can another set explain more than *end, by more than rounding? */
int rs_may_improve(const rs_descent *descent, const rs_cdlsr_end *end);
/* the one that explains more, by more than rounding, in `end` */
void rs_keep_better(const rs_descent *descent, rs_cdlsr_end *end,
                    rs_cdlsr_end *other);

#endif
