/*
 * method/exact/tree_search.h: what the search of method/exact/tree.h carries
 * along, and its steps, which questions about single features use as well
 * (method/exact/tree_roles.h).
 */
#ifndef RS_EXACT_TREE_SEARCH_H
#define RS_EXACT_TREE_SEARCH_H

#include "base/arena.h"
#include "sets/accurate.h"
#include "proof/leaf.h"
#include "proof/newton.h"
#include "method/exact/proof.h"
#include "proof/root.h"
#include "proof/splitting.h"

/* a splitting, and the bound that belongs to it */
typedef struct {
    double most;
    double *D, *z;
} rs_tree_kept;

/* what the root's relaxations say of every feature */
typedef struct {
    /* no set with the column explains more than `with`, none without it more
     * than `without` */
    void (*bound)(void *state, int column, double with, double without);
    void *state;
} rs_tree_watch;

/*
 * A search for the answers to many questions about features at once: nodes whose
 * sets answer none that is left are of no use.
 */
typedef struct {
    /* what is asked of the column: 1: a set with it, -1: one without it, 0:
     * nothing */
    int (*asks)(void *state, int column);
    int (*without)(void *state); /* questions of the latter kind */
    void *state;
} rs_tree_questions;

struct rs_cdlsr_tree {
    rs_context *ctx;
    rs_lsq given;
    const rs_lsq *problem; /* the one that was given */
    int d, most, k, c;     /* most: largest k */
    rs_root root;
    double *A, *C; /* of unit columns, ||Y|| = 1: d x d, d x c */
    const rs_exact_settings *settings; /* of the search under way */
    rs_arena arena;                    /* for the open nodes of one search */
    rs_bnb search;
    double *D; /* d: proved for all features, where a root begins */
    rs_perspective relax;
    rs_splitting split;
    rs_leaf leaf;
    rs_accurate accurate;
    double unresolved;      /* sets that rounding hides explain no more */
    double dropped, joined; /* features, at the root */
    /* the present node */
    int N, m;
    int *id; /* N: features of the root */
    unsigned char *in;
    double *a, *b;  /* N x N, N x c: of A and C */
    double bound;   /* of its sets */
    double *slopes; /* d */
    rs_tree_kept kept;
    int *members, *columns;  /* k */
    double *R, *w;           /* k x k, k x c: equations of a set */
    unsigned char *out;      /* N: features that leave */
    double *record, *parent; /* of a child, of the node that is branched on */
    double *cost;            /* d */
    /* for questions about features: see tree_roles.h */
    const rs_tree_watch *watch;         /* or NULL */
    const rs_tree_questions *questions; /* or NULL */
    double *begin; /* record of the root they begin with */
};

/* a search with no open node, from an incumbent */
rs_status rs_tree_begin(rs_cdlsr_tree *tree, const rs_exact_settings *settings,
                        const rs_exact_fit *fit);
/* the node of all features that are not barred; z is 1 for the incumbent */
void rs_tree_start_root(const rs_exact_fit *fit, rs_cdlsr_tree *tree);
/* is nothing left to choose? Then no set or one is left */
int rs_tree_has_no_choice(rs_cdlsr_tree *tree);
/* the parts of the tree ask it for columns, cuts, and what to do with sets */
void rs_tree_connect(rs_cdlsr_tree *tree);
/* relaxations and splittings of the root; *done where nothing is left to do */
rs_status rs_tree_refine_root(int *done, rs_cdlsr_tree *tree);
/* the same, and the root is stored unless it is done */
rs_status rs_tree_process_root(rs_cdlsr_tree *tree);
/* the same for any other node */
rs_status rs_tree_process_node(rs_cdlsr_tree *tree);
/* the present node as one that is split at the feature in this place */
size_t rs_tree_record_size(const rs_cdlsr_tree *tree);
void rs_tree_write(int place, double *record, rs_cdlsr_tree *tree);
/* the child that holds the feature of the split, or the one that does not; with
 * a split nowhere (-1) and holds = 0 the node itself */
void rs_tree_read(const double *record, int holds, double bound,
                  rs_cdlsr_tree *tree);
/* all that follows from the open nodes */
rs_status rs_tree_branch(void *tree, const void *node, double bound,
                         rs_bnb *search);

#endif
