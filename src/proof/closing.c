/* The bound of proof/tree.h by eigenvalues and the last features at once. */
#include "proof/closing.h"

#include <math.h>

#include "base/select.h"

/* rounding up to which sets are told apart well enough by products alone */
#define RS_CLOSING_ERROR 1e-10

typedef rs_closing_search search;

rs_status rs_closing_parts(search *c)
{
    c->tree = NULL;
    c->set = rs_alloc_int(c->kernel.ctx, (size_t)c->kernel.k);
    RS_TRY(rs_allocated(c->kernel.ctx));
    RS_TRY(rs_closing_node_init(&c->kernel, &c->node));
    RS_TRY(rs_closing_node_init(&c->kernel, &c->child));
    c->now = &c->node;
    return rs_closing_pairs_init(&c->kernel, &c->pairs);
}

static rs_status value_of(void *state, const int *set, double cut,
                          double *least, double *most)
{
    const search *c = (const search *)state;
    return c->value(c->state, c->kernel.k, set, cut, least, most);
}

static rs_status open_node(const rs_node *node, search *c)
{
    int *list = c->node.order;
    c->tree = node->tree;
    c->node.weight = NULL;
    for (int i = 0; i < node->count; i++)
        c->set[i] = c->place[node->set[i]];
    for (int a = 0; a < node->open; a++)
        list[a] = c->place[node->free[a]];
    RS_TRY(rs_closing_node_open(node->count, c->set, node->m, node->open, list,
                                node->cut, &c->kernel, &c->node));
    if (c->node.in.unresolved)
        rs_tree_hide(node->bound, c->tree);
    return RS_OK;
}

static rs_status bound(void *state, const rs_node *node, rs_node_bound *says)
{
    search *c = (search *)state;
    rs_closing_node *p = &c->node;
    RS_TRY(open_node(node, c));
    says->more = -1;
    says->value = -INFINITY;
    if (p->in.dependent || p->in.unresolved)
        return RS_OK;
    says->value = p->count < p->m ? p->dropped : p->g[p->m - 1];
    says->has = RS_HAS_WITH;
    for (int a = 0; a < node->open; a++)
        says->with[node->free[a]] = p->score[a];
    return RS_OK;
}

static rs_status close_node(void *state, const rs_node *node, rs_closing *says)
{
    search *c = (search *)state;
    if (node->is_root && node->round == 0)
        return RS_OK; /* which a limit of time may leave open */
    if (node->round == 0)
        RS_TRY(open_node(node, c));
    says->done = c->node.in.dependent || c->node.in.unresolved;
    if (says->done || (node->m > 2 && c->node.count > RS_CLOSING_MOST))
        return RS_OK;
    says->done = 1;
    return rs_closing_try_all(&says->left, c);
}

rs_bound rs_closing_bound(search *c)
{
    return (rs_bound){.state = c,
                      .value = value_of,
                      .bound = bound,
                      .ordered = 1,
                      .closes = RS_CLOSING_LAST,
                      .close = close_node};
}

/* ---- how many sets there are --------------------------------------------------- */

/* pairs among weight[from..count) that add up to more than `least` */
static double count_pairs(int from, int count, const double *weight,
                          double least)
{
    double pairs = 0.0;
    int last = count - 1;
    for (int a = from; a < last; a++) {
        while (last > a && weight[a] + weight[last] <= least)
            last--;
        pairs += last - a;
    }
    return pairs;
}

/* how many sets of m of the weights, which fall, add up to more than `least` */
static double count_sets(int count, const double *weight, int m, double least)
{
    double sets = 0.0;
    if (m == 1) {
        while (sets < count && weight[(int)sets] > least)
            sets += 1.0;
        return sets;
    }
    if (m == 2)
        return count_pairs(0, count, weight, least);
    for (int a = 0; a + 2 < count; a++) {
        const double more =
            count_pairs(a + 1, count, weight, least - weight[a]);
        if (more == 0.0)
            break;
        sets += more;
    }
    return sets;
}

/* ---- all sets of a node, by weights --------------------------------------------- */

/* the features that are not in every set, by falling weight, as long as they are
 * in a set that may be better; their number */
static int order_features(int N, const int *id, const unsigned char *in, int m,
                          double least, const double *weight, search *c)
{
    rs_closing_node *p = &c->node;
    double largest = 0.0;
    int f = 0;
    for (int j = 0; j < N; j++)
        if (!in[j])
            p->order[f++] = j;
    rs_sort_indices(weight, f, p->order);
    for (int a = 0; a < rs_min_int(m - 1, f); a++)
        largest += weight[p->order[a]];
    while (f > m && weight[p->order[f - 1]] <= least - largest)
        f--;
    for (int a = 0; a < f; a++) {
        p->g[a] = weight[p->order[a]];
        p->order[a] = id[p->order[a]];
    }
    return f;
}

rs_status rs_closing_enumerate(const rs_closing_weights *of, double most,
                               rs_tree *tree, int *done, search *c)
{
    rs_closing_node *p = &c->node;
    const double least = rs_tree_cut(tree) - of->base;
    const int f =
        order_features(of->N, of->id, of->in, of->m, least, of->weight, c);
    double left;
    int t = 0;
    *done = 0;
    if (count_sets(f, p->g, of->m, least) > most)
        return RS_OK;
    for (int j = 0; j < of->N; j++)
        if (of->in[j])
            c->set[t++] = of->id[j];
    c->tree = tree;
    p->weight = p->g;
    p->base = of->base;
    RS_TRY(rs_closing_node_open(t, c->set, of->m, f, p->order, 0.0, &c->kernel,
                                p));
    *done = !p->in.unresolved && p->in.response_error <= RS_CLOSING_ERROR;
    return *done ? rs_closing_try_all(&left, c) : RS_OK;
}
