/* Branch and bound on the perspective relaxation: the root's cross-products, and
 * the search. */
#include "method/exact/tree.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/exact/tree_search.h"

/* features with z > 0, at most */
#define RS_TREE_SUPPORT 600

typedef rs_cdlsr_tree tree;

/* ---- the root ----------------------------------------------------------------------------- */

/* A and C of the candidates; where they are most of the features, from all
 * cross-products at once */
static rs_status fill_root(tree *t)
{
    rs_lsq whole = *t->problem;
    int at[RS_EXACT_PANEL];
    if (whole.X && 2 * t->d > whole.d)
        RS_TRY(rs_lsq_use_products(t->ctx, &whole));
    rs_root root = t->root;
    root.problem = &whole;
    rs_root_responses(&root, t->C);
    for (int q = 0; q < t->d; q += RS_EXACT_PANEL) {
        const int width = rs_min_int(RS_EXACT_PANEL, t->d - q);
        for (int b = 0; b < width; b++)
            at[b] = q + b;
        RS_TRY(rs_root_products(&root, at, width, t->A + (size_t)t->d * q));
    }
    return RS_OK;
}

static rs_status make_room(tree *t)
{
    const size_t d = (size_t)t->d, c = (size_t)t->c, k = (size_t)t->most;
    const int room =
        rs_min_int(t->d, rs_max_int(RS_TREE_SUPPORT, 4 * t->most));
    rs_context *ctx = t->ctx;
    RS_ALLOC_DOUBLES(ctx, d * d, &t->A, &t->a);
    RS_ALLOC_DOUBLES(ctx, d * c, &t->C, &t->b);
    t->id = rs_alloc_int(ctx, d);
    RS_ALLOC_BYTES(ctx, d, &t->in, &t->out);
    RS_ALLOC_DOUBLES(ctx, d, &t->slopes, &t->cost, &t->kept.D, &t->kept.z);
    RS_ALLOC_INTS(ctx, k, &t->members, &t->columns);
    t->R = rs_alloc_double(ctx, k * k);
    t->w = rs_alloc_double(ctx, k * c);
    t->record = (double *)rs_alloc(ctx, rs_tree_record_size(t), 1);
    t->parent = (double *)rs_alloc(ctx, rs_tree_record_size(t), 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_perspective_init(ctx, t->d, t->c, room, &t->relax));
    RS_ALLOC_DOUBLES(ctx, d, &t->relax.D, &t->D);
    t->relax.error = t->root.error;
    RS_TRY(rs_splitting_init(ctx, t->d, t->root.error, &t->split));
    RS_TRY(rs_leaf_init(ctx, t->d, t->most, t->c, &t->leaf));
    rs_tree_connect(t);
    RS_TRY(rs_accurate_init(ctx, t->problem, t->most, &t->accurate));
    return rs_allocated(ctx);
}

static rs_status run(tree *t)
{
    t->search.now = t->bound;
    const rs_status status = rs_tree_process_root(t);
    const double dropped = t->dropped, joined = t->joined;
    t->search.now = -INFINITY;
    if (status == RS_LATE) {
        t->search.lost = fmax(t->search.lost, t->bound);
        t->search.stopped = 1;
        return RS_OK;
    }
    RS_TRY(status);
    RS_TRY(rs_bnb_run(&t->search));
    t->dropped = dropped;
    t->joined = joined;
    return RS_OK;
}

rs_status rs_cdlsr_tree_open(rs_context *ctx, const rs_lsq *problem, int most,
                             int *able, rs_cdlsr_tree **opened)
{
    tree *t = (tree *)rs_alloc(ctx, 1, sizeof *t);
    RS_TRY_ALLOC(t);
    memset(t, 0, sizeof *t);
    t->ctx = ctx;
    t->given = *problem;
    t->problem = &t->given;
    t->most = most;
    t->c = problem->c;
    *able = 0;
    *opened = t;
    for (int j = 0; j < problem->d; j++)
        t->d += !problem->barred[j];
    if (t->d > RS_TREE_MOST)
        return RS_OK;
    RS_TRY(rs_root_init(ctx, t->problem, RS_EXACT_PANEL, &t->root));
    RS_TRY(make_room(t));
    RS_TRY(fill_root(t));
    rs_arena_init(ctx, &t->arena);
    return rs_splitting_first(t->d, t->A, t->D, able, &t->split);
}

int rs_cdlsr_tree_serves(const rs_cdlsr_tree *t, const rs_lsq *problem, int k)
{
    int at = 0;
    if (k > t->most)
        return 0;
    for (int j = 0; j < problem->d; j++)
        if (!problem->barred[j]) {
            if (at == t->d || t->root.list[at] != j)
                return 0;
            at++;
        }
    return at == t->d;
}

rs_status rs_cdlsr_tree_search(rs_cdlsr_tree *t,
                               const rs_exact_settings *settings,
                               rs_exact_fit *fit)
{
    const double total = t->problem->total;
    RS_TRY(rs_tree_begin(t, settings, fit));
    rs_tree_start_root(fit, t);
    RS_TRY(run(t));
    memcpy(fit->feature, t->search.set, (size_t)t->k * sizeof(int));
    fit->explained = t->search.value * total;
    fit->resolved = t->unresolved <= rs_bnb_cut(&t->search);
    fit->complete = rs_bnb_is_complete(&t->search) && fit->resolved;
    fit->bound =
        fmin(fmax(rs_bnb_bound(&t->search), t->unresolved), 1.0) * total;
    fit->nodes = t->search.nodes;
    fit->dropped = t->dropped;
    fit->joined = t->joined;
    fit->trace = t->search.trace;
    return RS_OK;
}
