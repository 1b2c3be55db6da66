/* Bounds of sets of features by the perspective relaxation: what is relaxed and
 * improved at a node, from the root's cross-products. */
#include "proof/subsets.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* Newton steps for one splitting, and how much of the gap may be left to them:
 * at the root, and at nodes */
#define RS_SUBSETS_STEPS 60
#define RS_SUBSETS_ROOT_SHARE 0.003
#define RS_SUBSETS_NODE_SHARE 0.03
/* barrier of the splitting, as a share of the gap for each feature: at first,
 * its factor from round to round, and least; at nodes */
#define RS_SUBSETS_BARRIER 0.3
#define RS_SUBSETS_BARRIER_FACTOR 0.5
#define RS_SUBSETS_BARRIER_LEAST 0.03
#define RS_SUBSETS_BARRIER_NODE 0.15
/* relaxations of a splitting, while features leave; splittings of the root, as
 * long as each takes such a share off the gap */
#define RS_SUBSETS_RELAXATIONS 3
#define RS_SUBSETS_ROUNDS 12
#define RS_SUBSETS_PROGRESS 0.01
#define RS_SUBSETS_HALVINGS 2
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
/* what working precision may have missed of a value, where every feature keeps
 * more than RS_LEFT_MINUTE of its square beside those before it */
#define RS_SUBSETS_DOUBT 1e-8
/* features that are chosen at once at the end */
#define RS_SUBSETS_LAST 3
/* errors of values that will do */
#define RS_SUBSETS_ENOUGH 1e-11

typedef rs_subsets subsets;

/* ---- the root ------------------------------------------------------------------- */

static int column_of(const subsets *s, int j)
{
    return s->root.list[s->id[j]];
}

/* the candidates: columns that are not excluded */
static rs_status list_candidates(const unsigned char *excluded, int *same,
                                 subsets *s)
{
    int count = 0;
    *same = s->root.d > 0;
    for (int j = 0; j < s->problem->d; j++)
        if (!excluded[j]) {
            *same = *same && count < s->root.d && s->root.list[count] == j;
            count++;
        }
    *same = *same && count == s->root.d;
    if (*same)
        return RS_OK;
    for (int j = 0; j < s->problem->d; j++)
        s->at[j] = -1;
    memcpy(s->excluded, excluded, (size_t)s->problem->d);
    s->narrowed = *s->problem;
    s->narrowed.barred = s->excluded;
    return rs_root_init(s->ctx, &s->narrowed, RS_PANEL, &s->root);
}

/* A; where the candidates are most of the columns, from all cross-products at
 * once */
static rs_status fill_root(subsets *s)
{
    const int d = s->root.d;
    rs_lsq whole = *s->problem;
    int at[RS_PANEL];
    if (whole.X && 2 * d > whole.d)
        RS_TRY(rs_lsq_use_products(s->ctx, &whole));
    rs_root root = s->root;
    root.problem = &whole;
    for (int q = 0; q < d; q += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, d - q);
        for (int b = 0; b < width; b++)
            at[b] = q + b;
        RS_TRY(rs_root_products(&root, at, width, s->A + (size_t)d * q));
    }
    return RS_OK;
}

/* room for a relaxation about all candidates, with so many features that have a
 * share */
static rs_status make_room(int support, subsets *s)
{
    rs_context *ctx = s->ctx;
    const size_t d = (size_t)s->root.d, c = (size_t)s->problem->c;
    RS_ALLOC_INTS(ctx, d, &s->id, &s->place);
    RS_ALLOC_BYTES(ctx, d, &s->in);
    RS_ALLOC_DOUBLES(ctx, d, &s->D, &s->slopes, &s->cost, &s->kept_D,
                     &s->kept_z);
    RS_ALLOC_DOUBLES(ctx, d * c, &s->C, &s->b);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_perspective_init(
        ctx, s->root.d, s->problem->c,
        rs_min_int(s->root.d, rs_max_int(support, 4 * s->most)), &s->relax));
    s->relax.D = rs_alloc_double(ctx, d);
    s->relax.error = s->root.error;
    s->relax.state = s;
    rs_root_responses(&s->root, s->C);
    return rs_allocated(ctx);
}

static rs_status node_column(void *state, int j, const double **at)
{
    const subsets *s = (const subsets *)state;
    *at = s->a + (size_t)s->N * j;
    return RS_OK;
}

/* room for no more columns never have a share */
static rs_status made_column(void *state, int j, const double **at)
{
    subsets *s = (subsets *)state;
    const size_t d = (size_t)s->root.d;
    const int q = s->id[j];
    if (s->cell[q] < 0) {
        if (s->cells_used == 2 * s->relax.room)
            return RS_NO_MEMORY;
        RS_TRY(
            rs_root_products(&s->root, &q, 1, s->cells + d * s->cells_used));
        s->cell[q] = s->cells_used++;
    }
    *at = s->cells + d * s->cell[q];
    return RS_OK;
}

/* too many candidates: D = ridge of unit columns, and no other splitting */
static rs_status open_wide(subsets *s)
{
    const rs_lsq *p = s->problem;
    const size_t d = (size_t)s->root.d;
    const int cells = rs_max_int(
        8 * s->most, rs_min_int(RS_SUBSETS_WIDE_SUPPORT,
                                (int)(RS_SUBSETS_WIDE_NUMBERS / s->root.d)));
    s->is_wide = 1;
    s->able = p->ridge > 0.0 && p->X;
    if (!s->able)
        return RS_OK;
    RS_TRY(make_room(cells / 2, s));
    s->cell = rs_alloc_int(s->ctx, d);
    s->cells = rs_alloc_double(s->ctx, d * 2 * (size_t)s->relax.room);
    RS_TRY(rs_allocated(s->ctx));
    s->cells_used = 0;
    s->relax.column = made_column;
    for (size_t q = 0; q < d; q++) {
        s->cell[q] = -1;
        s->D[q] =
            p->ridge / (p->square[s->root.list[q]] + p->ridge) * (1.0 - 1e-15);
    }
    return RS_OK;
}

rs_status rs_subsets_open(const unsigned char *excluded, subsets *s)
{
    int same;
    RS_TRY(list_candidates(excluded, &same, s));
    if (same)
        return RS_OK;
    if (s->root.d > RS_SUBSETS_MOST)
        return open_wide(s);
    const size_t d = (size_t)s->root.d;
    s->is_wide = 0;
    RS_TRY(make_room(RS_SUBSETS_SUPPORT, s));
    s->relax.column = node_column;
    RS_ALLOC_DOUBLES(s->ctx, d * d, &s->A, &s->a);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(fill_root(s));
    for (int q = 0; q < s->root.d; q++)
        s->at[s->root.list[q]] = q;
    RS_TRY(rs_splitting_init(s->ctx, s->root.d, s->root.error, &s->split));
    RS_TRY(rs_closing_given(s->ctx, &s->root, s->problem->c, s->most, s->A,
                            s->C, &s->last));
    RS_TRY(rs_closing_parts(&s->last));
    return rs_splitting_first(s->root.d, s->A, s->D, &s->able, &s->split);
}

/* ---- values of sets --------------------------------------------------------------- */

/* what columns explain, in working precision; -1 where that is not known, or
 * some are so nearly dependent that it does not say */
static double quick_value(int count, const int *set, subsets *s)
{
    double *R = s->R, *w = s->w;
    const size_t k = (size_t)count, d = (size_t)s->root.d;
    for (size_t j = 0; j < k; j++) {
        const int q = s->is_wide ? -1 : s->at[set[j]];
        if (q < 0)
            return -1.0;
        for (size_t i = 0; i <= j; i++)
            R[i + k * j] = s->A[s->at[set[i]] + d * q];
        for (int l = 0; l < s->problem->c; l++)
            w[j + k * l] = s->C[q + d * l];
    }
    if (rs_cholesky(count, R, count) != RS_OK)
        return -1.0;
    for (size_t j = 0; j < k; j++)
        if (R[j + k * j] * R[j + k * j] < RS_LEFT_MINUTE)
            return -1.0;
    rs_triangular_solve('L', 'T', count, s->problem->c, R, count, w, count);
    return rs_sum_squares(k * s->problem->c, w);
}

static rs_status value_of(void *state, const int *set, double cut,
                          double *least, double *most)
{
    subsets *s = (subsets *)state;
    if (cut > -INFINITY) {
        *least = *most = quick_value(s->k, set, s);
        if (*most >= 0.0 && *most < cut - RS_SUBSETS_DOUBT)
            return RS_OK;
    }
    rs_set_value_of(s->k, set, cut, least, most, &s->value);
    return rs_poll(s->ctx);
}

/* ---- the node in memory -------------------------------------------------------------- */

/* a and b for the features in `id`, and the relaxation about them */
static void gather(int m, subsets *s)
{
    const size_t N = (size_t)s->N, d = (size_t)s->root.d;
    for (size_t j = 0; j < N; j++) {
        const double *column = s->is_wide ? NULL : s->A + d * s->id[j];
        for (size_t i = 0; column && i < N; i++)
            s->a[i + N * j] = column[s->id[i]];
        for (int l = 0; l < s->problem->c; l++)
            s->b[j + N * l] = s->C[s->id[j] + d * l];
    }
    s->relax.N = s->N;
    s->relax.m = m;
    s->relax.in = s->in;
    s->relax.C = s->b;
    s->relax.solved = 0;
}

/* as the tree has marked the node since: features leave, or join every set */
static void follow(const rs_node *node, subsets *s)
{
    rs_perspective *p = &s->relax;
    int at = 0, changed = 0;
    for (int j = 0; j < s->N; j++) {
        const int mark = node->mark[column_of(s, j)];
        if (mark == RS_UNIT_OUT)
            continue;
        const int joins = mark == RS_UNIT_IN && !s->in[j];
        if (joins)
            p->best_base += p->best_weight[j];
        changed |= joins;
        s->id[at] = s->id[j];
        s->in[at] = mark == RS_UNIT_IN;
        p->D[at] = p->D[j];
        p->best_z[at] = p->best_z[j];
        p->best_weight[at++] = p->best_weight[j];
    }
    if (at == s->N && !changed)
        return;
    s->N = at;
    rs_copy((size_t)at, p->best_z, p->z);
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
    s->N = s->root.d;
    rs_copy((size_t)s->N, s->D, s->relax.D);
    for (int j = 0; j < s->N; j++) {
        s->id[j] = j;
        s->in[j] = node->mark[column_of(s, j)] == RS_UNIT_IN;
        s->relax.z[j] = 0.0;
        for (int i = 0; i < node->k; i++)
            if (node->known[i] == column_of(s, j))
                s->relax.z[j] = 1.0;
    }
    gather(node->m, s);
    return RS_OK;
}

static void number_places(subsets *s)
{
    for (int j = 0; j < s->N; j++)
        s->place[s->id[j]] = j;
    s->bound->bytes = 2 * (size_t)s->N * sizeof(double);
}

/* D and z */
static void record(void *state, const rs_node *node, void *bytes)
{
    subsets *s = (subsets *)state;
    double *D = (double *)bytes;
    double *z = D + s->bound->bytes / (2 * sizeof(double));
    follow(node, s);
    for (int j = 0; j < s->N; j++) {
        D[s->place[s->id[j]]] = s->relax.D[j];
        z[s->place[s->id[j]]] = s->relax.best_z[j];
    }
}

static rs_status resume(void *state, const rs_node *node, const void *bytes)
{
    subsets *s = (subsets *)state;
    const double *D = (const double *)bytes;
    const double *z = D + s->bound->bytes / (2 * sizeof(double));
    s->N = 0;
    for (int q = 0; q < s->root.d; q++) {
        const int mark = node->mark[s->root.list[q]];
        if (mark == RS_UNIT_OUT)
            continue;
        s->id[s->N] = q;
        s->in[s->N] = mark == RS_UNIT_IN;
        s->relax.D[s->N] = D[s->place[q]];
        s->relax.z[s->N] = z[s->place[q]];
        s->relax.best_z[s->N++] = z[s->place[q]];
    }
    gather(node->m, s);
    return RS_OK;
}

/* ---- bounding ------------------------------------------------------------------------- */

/* the bound with the present D, from z */
static rs_status relax(double share, const rs_node *node, subsets *s)
{
    RS_TRY(rs_perspective_start(&s->relax));
    return rs_perspective_minimise(node->cut, share, RS_SUBSETS_STEPS,
                                   &s->relax);
}

/* the set of the m largest weights */
static rs_status round_up(const rs_node *node, subsets *s)
{
    double smallest, next;
    rs_perspective_top(s->relax.best_weight, &smallest, &next, &s->relax);
    for (int i = 0; i < node->m; i++)
        node->set[node->count + i] = column_of(s, s->relax.order[i]);
    return rs_tree_offer(node->set, node->tree);
}

/* slopes of the bound in D, those of features near the support above zero */
static void find_slopes(subsets *s)
{
    const rs_perspective *p = &s->relax;
    double smallest, next;
    rs_perspective_slopes(p, s->slopes);
    rs_perspective_top(p->weight, &smallest, &next, &s->relax);
    const double width = RS_SUBSETS_NEAR_WIDTH * smallest;
    for (int j = 0; j < s->N; j++)
        if (p->z[j] <= 0.0)
            s->slopes[j] = RS_SUBSETS_NEAR *
                           exp(fmin(p->weight[j] - smallest, 0.0) / width) *
                           p->weight[j] / p->D[j];
}

/* D half of the way back to the one that is kept, which is proved as well as
 * this one: so is their mean */
static void halve_step(subsets *s)
{
    for (int j = 0; j < s->N; j++)
        s->relax.D[j] += 0.5 * (s->kept_D[j] - s->relax.D[j]);
}

/* a better splitting, and the bound with it; where that is no better after
 * some halvings of the step, all is as it was */
static rs_status improve(const rs_node *node, subsets *s)
{
    const size_t N = (size_t)s->N;
    const int root = node->is_root;
    const double share = root ? RS_SUBSETS_ROOT_SHARE : RS_SUBSETS_NODE_SHARE;
    const double gap = s->relax.best_most - node->cut;
    int moved;
    s->kept = s->relax.best_most;
    rs_copy(N, s->relax.D, s->kept_D);
    rs_copy(N, s->relax.best_z, s->kept_z);
    find_slopes(s);
    for (int j = 0; j < s->N; j++)
        if (s->in[j])
            s->relax.D[j] = fmin(s->relax.D[j], RS_SUBSETS_FIXED);
    RS_TRY(rs_splitting_ascend(
        s->N, s->a, s->slopes, s->in, s->barrier * gap / s->N, root ? 2 : 1,
        root ? 0.0 : 0.5, s->relax.D, &moved, &s->split));
    for (int trial = 0; moved && trial <= (root ? RS_SUBSETS_HALVINGS : 0);
         trial++) {
        if (trial > 0)
            halve_step(s);
        rs_copy(N, s->kept_z, s->relax.z);
        RS_TRY(relax(share, node, s));
        if (s->relax.best_most < s->kept)
            break;
    }
    if (!moved || !(s->relax.best_most < s->kept)) {
        rs_copy(N, s->kept_D, s->relax.D);
        rs_copy(N, s->kept_z, s->relax.z);
        RS_TRY(rs_perspective_start(&s->relax));
    }
    /* the root's splittings end where they take too little off the gap */
    const double left = s->relax.best_most - node->cut;
    s->finished = !root || ++s->improved == RS_SUBSETS_ROUNDS ||
                  (left > (1.0 - RS_SUBSETS_PROGRESS) * gap &&
                   s->barrier <= RS_SUBSETS_BARRIER_LEAST);
    s->barrier =
        fmax(s->barrier * RS_SUBSETS_BARRIER_FACTOR, RS_SUBSETS_BARRIER_LEAST);
    return RS_OK;
}

static void begin_node(const rs_node *node, subsets *s)
{
    s->relaxed = s->improved = s->finished = s->stuck = 0;
    s->barrier = node->is_root ? RS_SUBSETS_BARRIER : RS_SUBSETS_BARRIER_NODE;
}

/* one relaxation, or one more splitting where features no longer leave */
static rs_status bound_features(const rs_node *node, rs_node_bound *says,
                                subsets *s)
{
    const double share =
        node->is_root ? RS_SUBSETS_ROOT_SHARE : RS_SUBSETS_NODE_SHARE;
    const int whole = s->N == s->root.d;
    if (s->relaxed == 0 ||
        (node->changed && s->relaxed < RS_SUBSETS_RELAXATIONS)) {
        RS_TRY(relax(share, node, s));
        s->relaxed++;
    } else {
        if (node->changed)
            RS_TRY(rs_perspective_start(&s->relax));
        if (!s->finished)
            RS_TRY(improve(node, s));
        s->relaxed = 1;
        if (whole)
            rs_copy((size_t)s->N, s->relax.D, s->D);
    }
    says->more = !s->finished                          ? 1
                 : s->relaxed < RS_SUBSETS_RELAXATIONS ? 0
                                                       : -1;
    return RS_OK;
}

/* by columns on demand; then the others can be made, or nothing more is known */
static rs_status bound_wide(const rs_node *node, rs_node_bound *says,
                            subsets *s)
{
    const rs_status status = relax(RS_SUBSETS_ROOT_SHARE, node, s);
    says->more = 1;
    /* no room for more columns: the bound until then holds */
    return status == RS_NO_MEMORY && !s->ctx->out_of_memory ? RS_OK : status;
}

static rs_status of_features(void *state, const rs_node *node,
                             rs_node_bound *says)
{
    subsets *s = (subsets *)state;
    const int narrows = s->is_wide && node->round > 0;
    if (node->round == 0)
        begin_node(node, s);
    if ((node->round == 0 && !node->resumed) ||
        (narrows && node->count + node->open <= RS_SUBSETS_MOST))
        RS_TRY(start_root(node, s));
    else if (!narrows)
        follow(node, s);
    s->stuck = !s->able || (narrows && s->is_wide);
    if (s->stuck) {
        says->value = 1.0;
        says->more = -1;
        return RS_OK;
    }
    RS_TRY(s->is_wide ? bound_wide(node, says, s)
                      : bound_features(node, says, s));
    if (node->is_root && !node->resumed)
        number_places(s);
    says->value = s->relax.best_most;
    says->base = s->relax.best_base;
    says->has = RS_HAS_WEIGHT;
    for (int j = 0; j < s->N; j++)
        says->weight[column_of(s, j)] = s->relax.best_weight[j];
    return round_up(node, s);
}

/* the feature that costs most to leave out */
static rs_status find_split(void *state, const rs_node *node, int *unit)
{
    subsets *s = (subsets *)state;
    *unit = -1;
    if (s->stuck)
        return RS_OK;
    follow(node, s);
    RS_TRY(rs_perspective_costs(s->cost, &s->relax));
    int best = -1;
    for (int j = 0; j < s->N; j++)
        if (!s->in[j] && (best < 0 || s->cost[j] > s->cost[best]))
            best = j;
    *unit = column_of(s, best);
    return RS_OK;
}

/* ---- all sets of a node ----------------------------------------------------------------- */

/* where there are no more sets than cost as much as a node */
static rs_status close_features(void *state, const rs_node *node,
                                rs_closing *says)
{
    subsets *s = (subsets *)state;
    if (node->round == 0 || s->stuck || s->is_wide)
        return RS_OK;
    follow(node, s);
    const double N = s->N, enough = fmax(1e5, N * N * N / 6.0);
    const int early = !node->is_root && !s->finished;
    const rs_closing_weights weights = {
        s->N, node->m, s->id, s->in, s->relax.best_base, s->relax.best_weight};
    return rs_closing_enumerate(&weights, early ? 0.1 * enough : enough,
                                node->tree, &says->done, &s->last);
}

rs_status rs_subsets_init(rs_context *ctx, const rs_lsq *problem, int most,
                          subsets *s, rs_bound *bound)
{
    const size_t k = (size_t)most, d = (size_t)problem->d;
    *s = (subsets){
        .ctx = ctx, .problem = problem, .bound = bound, .most = most};
    *bound = (rs_bound){.state = s,
                        .value = value_of,
                        .bound = of_features,
                        .split = find_split,
                        .closes = RS_SUBSETS_LAST,
                        .close = close_features,
                        .record = record,
                        .resume = resume};
    s->at = rs_alloc_int(ctx, d);
    RS_ALLOC_BYTES(ctx, d, &s->excluded, &s->out);
    s->R = rs_alloc_double(ctx, k * k);
    s->w = rs_alloc_double(ctx, k * problem->c);
    RS_TRY(rs_allocated(ctx));
    for (size_t j = 0; j < d; j++)
        s->at[j] = -1;
    return rs_set_value_init(ctx, problem, NULL, most, RS_SUBSETS_ENOUGH,
                             &s->value);
}
