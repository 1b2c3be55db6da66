/*
 * proof/role_exchange.h: witnesses of the questions about single features by
 * exchanges of single features, whatever the value of a set is: all exchanges of
 * the best set, and local search from other witnesses with a feature held in or
 * kept out.
 */
#ifndef RS_ROLE_EXCHANGE_H
#define RS_ROLE_EXCHANGE_H

#include "proof/role_search.h"
#include "sets/subset.h"

/* sets of k features that are moved by exchanges */
typedef struct {
    void *state;
    /* the set becomes the present one, afresh or from the one before;
     * RS_SINGULAR: it cannot, as its features depend on each other */
    rs_status (*take)(void *state, const int *set, int afresh);
    /* its features, place by place, and its value */
    const int *(*members)(void *state);
    double (*value)(void *state);
    /* value[j + d b] of the present set with feature j in place slots[b], for up
     * to RS_SLOTS places; -INFINITY where j may not come in */
    void (*score)(void *state, int count, const int *slots, double *value);
    /* a set is evaluated and met; `about` is what exchanges say of its value */
    void (*consider)(void *state, const int *set, double about);
} rs_role_sets;

typedef struct {
    rs_context *ctx;
    int d, k;
    const unsigned char *first; /* d: features that never leave, or NULL */
    rs_role_sets of;
    rs_role_fit *fit;
    double *score; /* d x RS_SLOTS */
    double *best;  /* d: of the best exchange by feature, */
    int *place;    /* d: and its place */
    int *slot; /* k: places of the features of the best set, -1: no exchange */
    int *set;  /* k */
} rs_role_exchange;

rs_status rs_old_role_exchange_init(rs_context *ctx, int d, int k,
                                    const unsigned char *first,
                                    const rs_role_sets *of, rs_role_fit *fit,
                                    rs_role_exchange *exchange);
/* all exchanges of the best set, fit->exchange: again from the start where one is
 * better */
rs_status rs_old_role_sweep(rs_role_exchange *exchange);
/* from the best witness of feature i, with it held in or kept out as its question
 * says, until no exchange gains more than `least`; sets that reach the cut are
 * met where they answer questions that are open */
rs_status rs_old_role_climb(int i, double cut, double least,
                            rs_role_exchange *exchange);

#endif
