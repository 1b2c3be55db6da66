/*
 * proof/role_engine.h: the role of every unit among the sets of k units whose
 * value comes near the best, whatever the value is: what is asked, of which
 * values and trees.
 */
#ifndef RS_ROLE_ENGINE_H
#define RS_ROLE_ENGINE_H

#include "proof/role_search.h"
#include "proof/tree.h"
#include "sets/value.h"

/* A tree, made when it is first needed. */
typedef struct rs_role_tree {
    /* *tree NULL: there is none; its units are what sets consist of */
    rs_status (*open)(struct rs_role_tree *self, rs_tree **tree);
    void *state;
    int asks; /* does its bound tell units apart? Else all sets are listed, */
    double share; /* in this share of the time */
    int dear;     /* does a node take long? Then questions come one by one */
} rs_role_tree;

#define RS_ROLE_TREES 2

typedef struct {
    int d; /* columns, or groups: what sets consist of */
    const unsigned char *excluded, *fixed; /* d, or NULL */
    double bound;                          /* no set has more */
    rs_worth_of_set *value;                /* as rs_bound has it */
    void *state;
    const rs_value *sets; /* of exchanges; their total is 1 here */
    int trees;            /* one is asked after the other */
    rs_role_tree *tree;
} rs_role_problem;

rs_status rs_find_roles(rs_context *ctx, const rs_role_problem *problem,
                        const rs_role_settings *asked, rs_role_fit *fit);

/* ---- exchanges (proof/role_exchange.c) ----------------------------------------- */

typedef struct {
    rs_context *ctx;
    const rs_role_problem *problem;
    const rs_role_settings *asked;
    rs_role_fit *fit;
    rs_clock clock;
    int d, k;
    double cut;           /* of the present tolerance */
    int question;         /* the unit that is asked about; -1: none */
    int *present, *trial; /* k: the set that exchanges are of, one of them */
    double value;         /* of the present set */
    double *score;        /* d: exchanges of one member */
    double *best;         /* d: of the best exchange by unit, */
    int *place;           /* d: and its place */
} rs_role_search;

rs_status rs_role_search_init(rs_context *ctx, const rs_role_problem *problem,
                              const rs_role_settings *asked, rs_role_fit *fit,
                              rs_role_search *search);
/* all exchanges of the best set, fit->exchange: again from the start where one is
 * better */
rs_status rs_role_sweep(rs_role_search *search);
/* from the best witness of a unit, with it held in or kept out as its question
 * says, until no exchange gains; sets that reach the cut are met where they
 * answer questions that are open */
rs_status rs_role_climb(int unit, rs_role_search *search);

#endif
