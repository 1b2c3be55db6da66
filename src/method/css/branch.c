#include "method/css/branch.h"

#include <math.h>
#include <string.h>

/* pairs looked at before a node goes back among the open ones */
#define RS_CSS_CHUNK 5e7

/* A record: t, the first child that was not searched, the set (k places), and
 * a mask of the candidates */
enum { AT_T, AT_FROM, AT_SET };

static int words_before_mask(const rs_css_branch *b)
{
    return AT_SET + b->k;
}

size_t rs_css_node_size(const rs_css_branch *b)
{
    return (size_t)(words_before_mask(b) + b->words) * sizeof(int);
}

rs_status rs_css_branch_init(const rs_css_space *space, int k, double tie,
                             rs_css_branch *b)
{
    rs_context *ctx = space->ctx;
    *b = (rs_css_branch){.space = space,
                         .k = k,
                         .opened = -1,
                         .words = (space->count + 30) / 31};
    b->opened_set = rs_alloc_int(ctx, (size_t)k);
    b->list = rs_alloc_int(ctx, (size_t)space->count);
    b->node = (int *)rs_alloc(ctx, 1, rs_css_node_size(b));
    b->child = (int *)rs_alloc(ctx, 1, rs_css_node_size(b));
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_css_best_init(space, k, tie, &b->best));
    return rs_css_frame_init(space, &b->best, &b->frame);
}

/* ---- records -------------------------------------------------------------------- */

static void mark(int j, int *mask)
{
    mask[j / 31] |= 1 << (j % 31);
}

static int read_mask(const rs_css_branch *b, const int *mask, int *list)
{
    int count = 0;
    for (int j = 0; j < b->space->count; j++)
        if (mask[j / 31] >> (j % 31) & 1)
            list[count++] = j;
    return count;
}

/* the frame of the node b->node, unless it is open */
static rs_status open_frame(rs_css_branch *b)
{
    const int t = b->node[AT_T], *set = b->node + AT_SET;
    if (b->opened == t &&
        memcmp(b->opened_set, set, (size_t)t * sizeof *set) == 0)
        return RS_OK;
    b->opened = -1;
    const int count = read_mask(b, b->node + words_before_mask(b), b->list);
    RS_TRY(rs_css_frame_open(t, set, b->k - t, count, b->list, &b->frame));
    if (b->k - t <= 4)
        rs_css_frame_fill(&b->frame);
    b->opened = t;
    memcpy(b->opened_set, set, (size_t)t * sizeof *set);
    return RS_OK;
}

/* ---- what follows from a node ---------------------------------------------------- */

/* a better set that was found on the way */
static void offer(rs_css_branch *b, rs_bnb *search)
{
    rs_bnb_offer(b->best.set, b->best.value, search);
}

/* the rest of a node with four features missing: no set of it has more than
 * the bound of the first child that is left */
static rs_status put_back(int i, double bound, rs_bnb *search,
                          rs_css_branch *b)
{
    if (i >= b->frame.count)
        return RS_OK;
    b->node[AT_FROM] = i;
    return rs_bnb_push(b->node, fmin(bound, b->frame.g[i]), search);
}

static rs_status search_children(double bound, rs_bnb *search,
                                 rs_css_branch *b)
{
    const double until = b->frame.leaf.work + RS_CSS_CHUNK;
    for (int i = rs_max_int(b->node[AT_FROM], 3); i < b->frame.count; i++) {
        if (rs_bnb_prune(b->frame.g[i], search))
            return RS_OK;
        if (rs_bnb_is_late(search) || b->frame.leaf.work > until)
            return put_back(i, bound, search, b);
        const rs_status status = rs_css_frame_child(i, &b->frame);
        offer(b, search);
        if (status == RS_LATE)
            return put_back(i, bound, search, b);
        RS_TRY(status);
        search->nodes += 1.0;
    }
    return RS_OK;
}

/* one child for each candidate that has enough before it */
static rs_status push_children(double bound, rs_bnb *search, rs_css_branch *b)
{
    const int t = b->node[AT_T], m = b->k - t;
    int *mask = b->child + words_before_mask(b);
    memcpy(b->child, b->node, (size_t)words_before_mask(b) * sizeof(int));
    memset(mask, 0, (size_t)b->words * sizeof(int));
    b->child[AT_T] = t + 1;
    b->child[AT_FROM] = 0;
    for (int i = 0; i < b->frame.count; i++) {
        b->child[AT_SET + t] = b->frame.list[i];
        if (i >= m - 1)
            RS_TRY(rs_bnb_push(b->child, fmin(bound, b->frame.g[i]), search));
        mark(b->frame.list[i], mask);
    }
    return RS_OK;
}

rs_status rs_css_branch_on(void *state, const void *node, double bound,
                           rs_bnb *search)
{
    rs_css_branch *b = (rs_css_branch *)state;
    memcpy(b->node, node, rs_css_node_size(b));
    const rs_status status = open_frame(b);
    if (status == RS_SINGULAR) /* none of its sets is independent */
        return RS_OK;
    RS_TRY(status);
    search->pruned = fmax(search->pruned, b->frame.pruned);
    const int m = b->k - b->node[AT_T];
    memcpy(b->best.trial, b->node + AT_SET,
           (size_t)b->node[AT_T] * sizeof(int));
    if (m > 4)
        return push_children(bound, search, b);
    if (m == 4)
        return search_children(bound, search, b);
    const rs_status ending = rs_css_frame_finish(&b->frame);
    offer(b, search);
    return ending;
}

rs_status rs_css_branch_root(int t, const int *set, rs_bnb *search,
                             rs_css_branch *b, double *bound)
{
    int *mask = b->node + words_before_mask(b);
    memset(b->node, 0, rs_css_node_size(b));
    b->node[AT_T] = t;
    memcpy(b->node + AT_SET, set, (size_t)t * sizeof *set);
    for (int j = 0; j < b->space->count; j++)
        mark(j, mask);
    for (int i = 0; i < t; i++)
        mask[set[i] / 31] &= ~(1 << (set[i] % 31));
    RS_TRY(open_frame(b));
    *bound = fmax(b->frame.pruned, rs_css_cut(&b->best));
    search->pruned = fmax(search->pruned, b->frame.pruned);
    if (b->frame.count >= b->k - t) {
        *bound = b->frame.g[b->k - t - 1];
        return rs_bnb_push(b->node, *bound, search);
    }
    return RS_OK;
}
