/* Bounds of sets of features by the perspective relaxation: what is relaxed and
 * improved at a node, from the root's cross-products. */
#include "proof/subsets.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* Newton steps for one splitting, and how much of the gap may be left to them */
#define RS_SUBSETS_STEPS 60
#define RS_SUBSETS_SHARE 0.03
/* barrier of the splitting, as a share of the gap for each feature */
#define RS_SUBSETS_BARRIER 0.15
/* splittings of the root, as long as each takes such a share off the gap */
#define RS_SUBSETS_ROUNDS 12
#define RS_SUBSETS_PROGRESS 0.01
/* slopes of features that are nearly in the support: their share, and the
 * distance from the price where they fall by a factor e */
#define RS_SUBSETS_NEAR 0.02
#define RS_SUBSETS_NEAR_WIDTH 0.15
/* D of features in every set where the others' D is improved */
#define RS_SUBSETS_FIXED 1e-8
/* features with z > 0, at most, of all and of those whose columns are made on
 * demand; numbers of these */
#define RS_SUBSETS_SUPPORT 600
#define RS_SUBSETS_WIDE_SUPPORT 1500
#define RS_SUBSETS_WIDE_NUMBERS 1.0e8
/* cubes of the features to choose the last three of, at nodes that may yet be
 * bounded better */
#define RS_SUBSETS_EARLY 1e6

typedef rs_subsets subsets;

/* ---- the root ------------------------------------------------------------------- */

static int column_of(const subsets *s, int j)
{
    return s->last.kernel.list[s->node.id[j]];
}

/* room for a relaxation about all candidates, with so many features that have a share */
static rs_status make_room(int support, subsets *s)
{
    rs_context *ctx = s->ctx;
    const rs_closing_kernel *all = &s->last.kernel;
    const size_t d = (size_t)all->count, c = (size_t)all->q;
    rs_subsets_node *node = &s->node;
    RS_ALLOC_INTS(ctx, d, &node->id, &s->place);
    RS_ALLOC_BYTES(ctx, d, &node->in);
    RS_ALLOC_DOUBLES(ctx, d, &s->D, &node->slopes, &node->cost, &node->kept_D,
                     &node->kept_z);
    RS_ALLOC_DOUBLES(ctx, d * c, &s->C, &node->b);
    RS_TRY(rs_allocated(ctx));
    for (size_t j = 0; j < d; j++)
        for (size_t l = 0; l < c; l++)
            s->C[j + d * l] = all->Z[l + c * j];
    RS_TRY(rs_perspective_lsq_init(
        ctx, all->count, all->q,
        rs_min_int(all->count, rs_max_int(support, 4 * s->most)), &s->lsq,
        &s->relax));
    s->lsq.error = all->product_error;
    s->lsq.state = s;
    return rs_allocated(ctx);
}

static rs_status node_column(void *state, int j, const double **at)
{
    const subsets *s = (const subsets *)state;
    *at = s->node.a + (size_t)s->node.N * j;
    return RS_OK;
}

/* room for no more columns never have a share */
static rs_status made_column(void *state, int j, const double **at)
{
    subsets *s = (subsets *)state;
    rs_subsets_wide *wide = &s->wide;
    const size_t d = (size_t)s->last.kernel.count;
    const int q = s->node.id[j];
    if (wide->cell[q] < 0) {
        if (wide->used == 2 * s->relax.room)
            return RS_NO_MEMORY;
        RS_TRY(rs_closing_products(&s->last.kernel, 1, &q,
                                   wide->cells + d * wide->used));
        wide->cell[q] = wide->used++;
    }
    *at = wide->cells + d * wide->cell[q];
    return RS_OK;
}

/* too many candidates: D = ridge of unit columns, and no other splitting */
static rs_status open_wide(subsets *s)
{
    const rs_lsq *p = s->problem;
    const rs_closing_kernel *all = &s->last.kernel;
    const size_t d = (size_t)all->count;
    const int cells = rs_max_int(
        8 * s->most, rs_min_int(RS_SUBSETS_WIDE_SUPPORT,
                                (int)(RS_SUBSETS_WIDE_NUMBERS / all->count)));
    s->able = p->ridge > 0.0 && p->X;
    if (!s->able)
        return RS_OK;
    RS_TRY(make_room(cells / 2, s));
    s->wide.cell = rs_alloc_int(s->ctx, d);
    s->wide.cells = rs_alloc_double(s->ctx, d * 2 * (size_t)s->relax.room);
    RS_TRY(rs_allocated(s->ctx));
    s->wide.used = 0;
    s->lsq.column = made_column;
    for (size_t q = 0; q < d; q++) {
        s->wide.cell[q] = -1;
        s->D[q] = p->ridge * all->unit[q] * all->unit[q] * (1.0 - 1e-15);
    }
    return RS_OK;
}

rs_status rs_subsets_open(const unsigned char *excluded, subsets *s)
{
    rs_closing_kernel *all = &s->last.kernel;
    const size_t columns = (size_t)s->problem->d;
    if (all->count > 0 && memcmp(s->excluded, excluded, columns) == 0)
        return RS_OK;
    memcpy(s->excluded, excluded, columns);
    s->narrowed = *s->problem;
    s->narrowed.barred = s->excluded;
    RS_TRY(rs_closing_open(s->ctx, &s->narrowed, s->most, s->YtY, 1, 0.0,
                           &s->last));
    s->of.slack = all->response_error;
    s->wide.is_wide = !all->C;
    if (s->wide.is_wide)
        return open_wide(s);
    const size_t d = (size_t)all->count;
    RS_TRY(make_room(RS_SUBSETS_SUPPORT, s));
    s->lsq.column = node_column;
    s->node.a = rs_alloc_double(s->ctx, d * d);
    RS_TRY_ALLOC(s->node.a);
    RS_TRY(
        rs_splitting_init(s->ctx, all->count, all->product_error, &s->split));
    return rs_splitting_first(all->count, all->C, s->D, &s->able, &s->split);
}

/* ---- the node in memory -------------------------------------------------------------- */

/* a and b for the features in `id`, and the relaxation about them */
static void gather(int m, subsets *s)
{
    const size_t N = (size_t)s->node.N, d = (size_t)s->last.kernel.count;
    for (size_t j = 0; j < N; j++) {
        const double *column =
            s->wide.is_wide ? NULL : s->last.kernel.C + d * s->node.id[j];
        for (size_t i = 0; column && i < N; i++)
            s->node.a[i + N * j] = column[s->node.id[i]];
        for (int l = 0; l < s->last.kernel.q; l++)
            s->node.b[j + N * l] = s->C[s->node.id[j] + d * l];
    }
    s->relax.of.N = s->node.N;
    s->relax.of.m = m;
    s->relax.of.in = s->node.in;
    s->lsq.C = s->node.b;
    s->relax.solved = 0;
}

/* as the tree has marked the node since: features leave, or join every set */
static void follow(const rs_node *node, subsets *s)
{
    rs_perspective *p = &s->relax;
    int at = 0, changed = 0;
    for (int j = 0; j < s->node.N; j++) {
        const int mark = node->mark[column_of(s, j)];
        if (mark == RS_UNIT_OUT)
            continue;
        const int joins = mark == RS_UNIT_IN && !s->node.in[j];
        if (joins)
            p->best.base += p->best.weight[j];
        changed |= joins;
        s->node.id[at] = s->node.id[j];
        s->node.in[at] = mark == RS_UNIT_IN;
        s->lsq.D[at] = s->lsq.D[j];
        p->best.z[at] = p->best.z[j];
        p->best.weight[at++] = p->best.weight[j];
    }
    if (at == s->node.N && !changed)
        return;
    s->node.N = at;
    rs_copy((size_t)at, p->best.z, p->z);
    gather(node->m, s);
}

/* the node of all candidates; z is 1 for the best set that is known. Of records
 * as many features have a place as the root is left with */
static rs_status start_root(const rs_node *node, subsets *s)
{
    unsigned char *excluded = s->out;
    for (int j = 0; j < node->units; j++)
        excluded[j] = node->mark[j] == RS_UNIT_OUT;
    RS_TRY(rs_subsets_open(excluded, s));
    s->node.N = s->last.kernel.count;
    rs_copy((size_t)s->node.N, s->D, s->lsq.D);
    for (int j = 0; j < s->node.N; j++) {
        s->node.id[j] = j;
        s->node.in[j] = node->mark[column_of(s, j)] == RS_UNIT_IN;
        s->relax.z[j] = 0.0;
        for (int i = 0; i < node->k; i++)
            if (node->known[i] == column_of(s, j))
                s->relax.z[j] = 1.0;
    }
    gather(node->m, s);
    return RS_OK;
}

/* D and z */
static void record(void *state, const rs_node *node, void *bytes)
{
    subsets *s = (subsets *)state;
    double *D = (double *)bytes;
    double *z = D + s->of.bytes / (2 * sizeof(double));
    follow(node, s);
    for (int j = 0; j < s->node.N; j++) {
        D[s->place[s->node.id[j]]] = s->lsq.D[j];
        z[s->place[s->node.id[j]]] = s->relax.best.z[j];
    }
}

static void resume(void *state, const rs_node *node, const void *bytes)
{
    subsets *s = (subsets *)state;
    const double *D = (const double *)bytes;
    const double *z = D + s->of.bytes / (2 * sizeof(double));
    s->node.N = 0;
    for (int q = 0; q < s->last.kernel.count; q++) {
        const int mark = node->mark[s->last.kernel.list[q]];
        if (mark == RS_UNIT_OUT)
            continue;
        s->node.id[s->node.N] = q;
        s->node.in[s->node.N] = mark == RS_UNIT_IN;
        s->lsq.D[s->node.N] = D[s->place[q]];
        s->relax.z[s->node.N] = z[s->place[q]];
        s->relax.best.z[s->node.N++] = z[s->place[q]];
    }
    gather(node->m, s);
}

/* ---- bounding ------------------------------------------------------------------------- */

/* the bound with the present D, from z */
static rs_status relax(const rs_node *node, subsets *s)
{
    RS_TRY(rs_perspective_start(&s->relax));
    return rs_perspective_minimise(rs_tree_cut(node->tree), RS_SUBSETS_SHARE,
                                   RS_SUBSETS_STEPS, &s->relax);
}

/* the set of the m largest weights */
static rs_status round_up(const rs_node *node, subsets *s)
{
    double smallest;
    rs_perspective_top(s->relax.best.weight, &smallest, &s->relax);
    for (int i = 0; i < node->m; i++)
        node->set[node->count + i] = column_of(s, s->relax.order[i]);
    return rs_tree_offer(node->set, node->tree);
}

/* slopes of the bound in D, dG/dD_j = ||B_j||^2 (1/z_j - 1), those of features near
 * the support above zero */
static void find_slopes(subsets *s)
{
    const rs_perspective *p = &s->relax;
    double smallest;
    rs_perspective_top(p->weight, &smallest, &s->relax);
    const double width = RS_SUBSETS_NEAR_WIDTH * smallest;
    for (int i = 0; i < p->s; i++)
        s->node.slopes[p->support[i]] = rs_perspective_row_square(p, i) *
                                        (1.0 / p->z[p->support[i]] - 1.0);
    for (int j = 0; j < s->node.N; j++)
        if (p->z[j] <= 0.0)
            s->node.slopes[j] =
                RS_SUBSETS_NEAR *
                exp(fmin(p->weight[j] - smallest, 0.0) / width) *
                p->weight[j] / s->lsq.D[j];
}

/* a better splitting, and the bound with it; where that is no better all is as it was */
static rs_status improve(const rs_node *node, subsets *s)
{
    rs_subsets_node *own = &s->node;
    rs_perspective *p = &s->relax;
    const size_t N = (size_t)own->N;
    const double kept = p->best.most, cut = rs_tree_cut(node->tree);
    const double gap = kept - cut;
    int moved;
    rs_copy(N, s->lsq.D, own->kept_D);
    rs_copy(N, p->best.z, own->kept_z);
    find_slopes(s);
    for (int j = 0; j < own->N; j++)
        if (own->in[j])
            s->lsq.D[j] = fmin(s->lsq.D[j], RS_SUBSETS_FIXED);
    RS_TRY(rs_splitting_ascend(own->N, own->a, own->slopes, own->in,
                               RS_SUBSETS_BARRIER * gap / own->N, s->lsq.D,
                               &moved, &s->split));
    rs_copy(N, own->kept_z, p->z);
    if (moved)
        RS_TRY(relax(node, s));
    if (!moved || !(p->best.most < kept)) {
        rs_copy(N, own->kept_D, s->lsq.D);
        rs_copy(N, own->kept_z, p->z);
        RS_TRY(rs_perspective_start(p));
    }
    /* the root's splittings end where they take too little off the gap */
    own->finished = !node->is_root || ++own->improved == RS_SUBSETS_ROUNDS ||
                    p->best.most - cut > (1.0 - RS_SUBSETS_PROGRESS) * gap;
    return RS_OK;
}

/* a relaxation at first, and after the last splitting; else one more of these */
static rs_status bound_features(const rs_node *node, rs_node_bound *says,
                                subsets *s)
{
    const int whole = s->node.N == s->last.kernel.count;
    if (node->round == 0 || s->node.finished) {
        RS_TRY(relax(node, s));
    } else {
        if (node->changed)
            RS_TRY(rs_perspective_start(&s->relax));
        RS_TRY(improve(node, s));
        if (whole)
            rs_copy((size_t)s->node.N, s->lsq.D, s->D);
    }
    says->more = !s->node.finished;
    return RS_OK;
}

/* by columns on demand; then the others can be made, or nothing more is known */
static rs_status bound_wide(const rs_node *node, rs_node_bound *says,
                            subsets *s)
{
    const rs_status status = relax(node, s);
    says->more = 1;
    /* no room for more columns: the bound until then holds */
    return status == RS_NO_MEMORY && !s->ctx->out_of_memory ? RS_OK : status;
}

static rs_status of_features(void *state, const rs_node *node,
                             rs_node_bound *says)
{
    subsets *s = (subsets *)state;
    const int narrows = s->wide.is_wide && node->round > 0;
    if (node->round == 0)
        s->node.improved = s->node.finished = s->node.stuck = 0;
    if ((node->round == 0 && !node->resumed) ||
        (narrows && node->count + node->open <= RS_CLOSING_MOST))
        RS_TRY(start_root(node, s));
    else if (!narrows)
        follow(node, s);
    /* columns on demand are those of the root: no question may change it */
    s->node.stuck =
        !s->able || ((narrows || node->resumed) && s->wide.is_wide);
    if (s->node.stuck) {
        says->value = 1.0;
        says->more = -1;
        return RS_OK;
    }
    RS_TRY(s->wide.is_wide ? bound_wide(node, says, s)
                           : bound_features(node, says, s));
    if (node->is_root && !node->resumed) {
        for (int j = 0; j < s->node.N; j++)
            s->place[s->node.id[j]] = j;
        s->of.bytes = 2 * (size_t)s->node.N * sizeof(double);
    }
    says->value = s->relax.best.most;
    says->base = s->relax.best.base;
    says->has = RS_HAS_WEIGHT;
    for (int j = 0; j < s->node.N; j++)
        says->weight[column_of(s, j)] = s->relax.best.weight[j];
    return round_up(node, s);
}

/* the feature that costs most to leave out */
static rs_status find_split(void *state, const rs_node *node, int *unit)
{
    subsets *s = (subsets *)state;
    *unit = -1;
    if (s->node.stuck)
        return RS_OK;
    follow(node, s);
    RS_TRY(rs_perspective_costs(s->node.cost, &s->relax));
    int best = -1;
    for (int j = 0; j < s->node.N; j++)
        if (!s->node.in[j] &&
            (best < 0 || s->node.cost[j] > s->node.cost[best]))
            best = j;
    *unit = column_of(s, best);
    return RS_OK;
}

/* ---- all sets of a node ----------------------------------------------------------------- */

/* where there are no more sets than cost as much as a node */
static rs_status close_features(void *state, const rs_node *node, int *done)
{
    subsets *s = (subsets *)state;
    const double open = node->open;
    const int early = !node->is_root && !s->node.finished;
    if (node->round == 0 || s->node.stuck || s->wide.is_wide ||
        (early && node->m == 3 && open * open * open > RS_SUBSETS_EARLY))
        return RS_OK;
    return rs_closing_close(node, done, &s->last);
}

rs_status rs_subsets_init(rs_context *ctx, const rs_lsq *problem,
                          const double *YtY, int most, subsets *s)
{
    *s = (subsets){.ctx = ctx, .problem = problem, .YtY = YtY, .most = most};
    s->of = (rs_bound){.state = s,
                       .bound = of_features,
                       .split = find_split,
                       .closes = RS_CLOSING_LAST,
                       .close = close_features,
                       .record = record,
                       .resume = resume};
    RS_ALLOC_BYTES(ctx, (size_t)problem->d, &s->excluded, &s->out);
    RS_TRY(rs_allocated(ctx));
    return rs_tree_open(ctx, problem->d, most, &s->of, &s->tree);
}
