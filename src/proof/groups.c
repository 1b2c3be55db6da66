/* Bounds of sets of groups. */
#include "proof/groups.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* columns up to which all that are left are looked at together: eigenvalues */
#define RS_GROUPS_TOGETHER 300
/* errors of values that will do, and rounding of eigenvalues, as shares */
#define RS_GROUPS_ENOUGH 1e-12
#define RS_GROUPS_SLACK 1e-11
/* rounding of a price, relative to the value */
#define RS_PRICE_ROUNDING 2e-15

typedef rs_bound_groups bound_groups;

/* the columns of a group that are not constant join the list; their number */
static int add_columns(bound_groups *b, int g, int count)
{
    const int *column = rs_group_columns(b->groups, g);
    const int before = count;
    for (int i = 0; i < rs_group_size(b->groups, g); i++)
        if (!b->problem || !b->problem->barred[column[i]]) {
            b->owner[count] = g;
            b->columns[count++] = column[i];
        }
    return count - before;
}

/* the columns of all groups that are not out */
static void list_left(bound_groups *b, const rs_node *node)
{
    b->count = 0;
    for (int g = 0; g < node->units; g++)
        if (node->mark[g] != RS_UNIT_OUT)
            b->count += add_columns(b, g, b->count);
}

static void list_set(bound_groups *b, int count, const int *set)
{
    b->count = 0;
    for (int i = 0; i < count; i++)
        b->count += add_columns(b, set[i], b->count);
}

/* ---- explained sums of squares --------------------------------------------------- */

/* A and b of unit columns of the list, ||Y|| = 1 */
static void gather(bound_groups *b)
{
    const rs_lsq *p = b->problem;
    const size_t count = (size_t)b->count, d = (size_t)b->d;
    for (size_t j = 0; j < count; j++) {
        const int own = b->columns[j];
        const double unit = 1.0 / sqrt(p->square[own] + p->ridge);
        for (size_t i = 0; i < count; i++) {
            const int other = b->columns[i];
            b->A[i + count * j] = b->S[other + d * own] * unit /
                                  sqrt(p->square[other] + p->ridge);
        }
        b->A[j + count * j] = 1.0;
        for (int l = 0; l < p->c; l++)
            b->b[j + count * l] = p->B[own + d * l] * unit / sqrt(p->total);
    }
}

/* is every pivot of the factor more than rounding? */
static int is_plain(int p, const double *L)
{
    for (size_t j = 0; j < (size_t)p; j++)
        if (!(L[j + p * j] * L[j + p * j] > RS_LEFT_SLIGHT))
            return 0;
    return 1;
}

/*
 * Columns that depend on those before them leave the list, and A; if `surely`,
 * only those that do so in twice the working precision. How many have left; -1
 * where some may or may not depend on others.
 */
static int drop_dependent(bound_groups *b, int surely)
{
    const int all = b->count;
    int count = 0;
    for (int j = 0; j < all; j++) {
        const double *column = b->A + (size_t)all * j;
        double *own = b->L + (size_t)all * count, left = 1.0;
        for (int i = 0; i < count; i++) {
            const double *row = b->L + (size_t)all * i;
            own[i] =
                (column[b->sizes[i]] - rs_dot((size_t)i, row, own)) / row[i];
            left -= own[i] * own[i];
        }
        b->columns[count] = b->columns[j];
        b->owner[count] = b->owner[j];
        b->sizes[count] = j; /* its place in A */
        if (left > RS_LEFT_SLIGHT) {
            own[count++] = sqrt(left);
            continue;
        }
        if (!surely)
            continue;
        if (!b->accurate.able)
            return -1;
        rs_accurate_explained(&b->accurate, count + 1, b->columns);
        if (b->accurate.residual[count] > 0.0)
            return -1;
    }
    b->count = count;
    return all - count;
}

/* a regression on the columns of the list: what they explain at most; 0 where
 * that is not known */
static int regress(bound_groups *b, int *dropped, double *value, double *error)
{
    const int c = b->problem->c;
    *dropped = 0;
    gather(b);
    for (int trial = 0; trial < 2; trial++) {
        rs_value_by_products(b->count, c, b->A, b->b, b->value.e, b->L, b->W,
                             value, error);
        if (*error < 1.0 && is_plain(b->count, b->L))
            return 1;
        *dropped = trial == 0 ? drop_dependent(b, 1) : -1;
        if (*dropped < 0)
            return 0;
        gather(b);
    }
    return 0;
}

/*
 * What is explained without the columns from `from` to `to`, whose block of
 * (A)^-1 is C and coefficients W_g: by W_g' C^-1 W_g less. The coefficients
 * without them, W - (A)^-1_{., g} C^-1 W_g, say how far rounding may go.
 */
static rs_status explain_without(bound_groups *b, int from, int to,
                                 double value, double error, double *without)
{
    const int p = b->count, c = b->problem->c, size = to - from;
    double s = 0.0, l = 0.0;
    for (int j = 0; j < size; j++)
        rs_copy((size_t)size, b->L + from + (size_t)p * (from + j),
                b->corner + (size_t)size * j);
    for (int q = 0; q < c; q++)
        rs_copy((size_t)size, b->W + from + (size_t)p * q,
                b->part + (size_t)size * q);
    RS_TRY(rs_cholesky(size, b->corner, size));
    rs_triangular_solve('L', 'T', size, c, b->corner, size, b->part, size);
    const double lost = rs_sum_squares((size_t)size * c, b->part);
    rs_triangular_solve('L', 'N', size, c, b->corner, size, b->part, size);
    rs_copy((size_t)p * c, b->W, b->A);
    rs_gemm('N', 'N', p, c, size, -1.0, b->L + (size_t)p * from, p, b->part,
            size, 1.0, b->A, p);
    for (int q = 0; q < c; q++) {
        double length = 0.0;
        for (int i = 0; i < p; i++)
            if (i < from || i >= to)
                length += fabs(b->A[i + (size_t)p * q]);
        s += length;
        l += length * length;
    }
    *without = value - lost + error +
               rs_value_error(b->value.e + p * DBL_EPSILON, s, l);
    return RS_OK;
}

/* what all groups that are left explain, and without each of them */
static rs_status explained_by_all(bound_groups *b, const rs_node *node,
                                  rs_node_bound *says)
{
    int dropped, to;
    double value, error;
    list_left(b, node);
    if (b->problem->ridge == 0.0 && b->count >= b->rank)
        return RS_OK;
    RS_TRY(rs_poll(b->ctx));
    if (!regress(b, &dropped, &value, &error))
        return RS_OK;
    says->value = fmin(says->value, value + error);
    if (dropped > 0)
        return RS_OK; /* others may do what a group does */
    RS_TRY(rs_cholesky_inverse(b->count, b->L));
    says->has |= RS_HAS_WITHOUT;
    for (int from = 0; from < b->count; from = to) {
        const int g = b->owner[from];
        for (to = from; to < b->count && b->owner[to] == g; to++)
            ;
        if (node->mark[g] == RS_UNIT_FREE &&
            explain_without(b, from, to, value, error, says->without + g) !=
                RS_OK)
            says->without[g] = INFINITY;
    }
    return RS_OK;
}

/* the columns of the m largest (sign = 1) or smallest (-1) of the free groups;
 * columns (groups), or NULL: all that they have */
static int free_columns(bound_groups *b, const rs_node *node,
                        const int *columns, int sign)
{
    int sum = 0;
    for (int a = 0; a < node->open; a++) {
        const int g = node->free[a];
        const int own =
            sign * (columns ? columns[g] : rs_group_size(b->groups, g));
        int at = a;
        for (; at > 0 && b->sizes[at - 1] < own; at--)
            b->sizes[at] = b->sizes[at - 1];
        b->sizes[at] = own;
    }
    for (int i = 0; i < node->m; i++)
        sum += sign * b->sizes[i];
    return sum;
}

/* what the groups of every set explain, and the most that others can in
 * addition, and columns that rounding hides */
static rs_status explained_beside(bound_groups *b, const rs_node *node,
                                  rs_node_bound *says)
{
    const int c = b->problem->c, more = free_columns(b, node, NULL, 1);
    rs_set_value *v = &b->value;
    double value = 0.0, error = 0.0, others;
    list_set(b, node->count, node->set);
    rs_set_products(b->count, b->columns, v);
    memcpy(b->columns, v->set, (size_t)v->k * sizeof(int));
    const int all = b->count;
    rs_copy((size_t)all * all, v->A, b->A);
    const int dropped = drop_dependent(b, 0), p = b->count;
    rs_set_products(p, b->columns, v);
    if (p > 0)
        rs_value_by_products(p, c, v->A, v->b, v->e, v->L, v->W, &value,
                             &error);
    if (error >= 1.0)
        return RS_OK;
    for (size_t i = 0; i < (size_t)c * c; i++)
        b->residual[i] = b->YtY[i] / b->problem->total;
    rs_triangular_solve('L', 'T', p, c, v->L, p, v->b, p);
    rs_gemm('T', 'N', c, c, p, -1.0, v->b, p, v->b, p, 1.0, b->residual, c);
    RS_TRY(rs_eigen_sum(c, b->residual, rs_min_int(more + dropped, c),
                        b->eigenvalues, NULL, &others, &b->eigen));
    says->value = fmin(says->value, value + others + 2.0 * error);
    return RS_OK;
}

/* what a set of so many columns explains, as proofs compare it, with what may be
 * rounding */
static double priced(const bound_groups *b, double explained, int columns,
                     double sign)
{
    const double value =
        rs_priced(&b->groups->price, 1.0, explained, columns, b->as);
    return columns == b->as || !(fabs(value) < INFINITY)
               ? value
               : value + sign * RS_PRICE_ROUNDING * (1.0 + fabs(value));
}

/* no set of the node has fewer columns than its smallest one, and what is
 * explained by more of them is worth less */
static void price_bounds(bound_groups *b, const rs_node *node,
                         rs_node_bound *says)
{
    const rs_price *price = &b->groups->price;
    if (!price->columns)
        return;
    const int columns = rs_priced_columns(price, node->count, node->set) +
                        free_columns(b, node, price->columns, -1);
    says->value = priced(b, says->value, columns, 1.0);
    if (says->has & RS_HAS_WITHOUT)
        for (int a = 0; a < node->open; a++) {
            double *without = says->without + node->free[a];
            *without = priced(b, *without, columns, 1.0);
        }
}

static rs_status of_lsq(void *state, const rs_node *node, rs_node_bound *says)
{
    bound_groups *b = (bound_groups *)state;
    says->value = 1.0;
    if (b->S)
        RS_TRY(explained_by_all(b, node, says));
    if (b->YtY)
        RS_TRY(explained_beside(b, node, says));
    price_bounds(b, node, says);
    return RS_OK;
}

static rs_status value_lsq(void *state, const int *set, double cut,
                           double *least, double *most)
{
    bound_groups *b = (bound_groups *)state;
    const rs_price *price = &b->groups->price;
    const int columns = rs_priced_columns(price, b->k, set);
    list_set(b, b->k, set);
    rs_set_value_of(b->count, b->columns,
                    rs_priced(price, 1.0, cut, b->as, columns), least, most,
                    &b->value);
    *least = priced(b, *least, columns, -1.0);
    *most = priced(b, *most, columns, 1.0);
    return rs_poll(b->ctx);
}

/* all sets with one more group */
static rs_status close_lsq(void *state, const rs_node *node, rs_closing *says)
{
    (void)state;
    for (int a = 0; a < node->open; a++) {
        node->set[node->count] = node->free[a];
        RS_TRY(rs_tree_offer(node->set, node->tree));
    }
    says->done = 1;
    return RS_OK;
}

static rs_status begin(rs_context *ctx, const rs_groups *groups, int d,
                       const double *S, bound_groups *b)
{
    *b = (bound_groups){.ctx = ctx, .groups = groups, .d = d, .S = S};
    b->widest = rs_group_widest(groups);
    RS_ALLOC_INTS(ctx, (size_t)rs_max_int(d, groups->count), &b->columns,
                  &b->owner, &b->sizes);
    return rs_allocated(ctx);
}

rs_status rs_bound_groups_lsq(rs_context *ctx, const rs_groups *groups, int k,
                              const rs_lsq *problem, const double *S,
                              const double *YtY, bound_groups *b,
                              rs_bound *bound)
{
    const size_t d = (size_t)problem->d, c = (size_t)problem->c;
    int most;
    RS_TRY(begin(ctx, groups, problem->d, S ? S : problem->S, b));
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &most));
    const size_t side = b->S ? d : (size_t)most;
    const size_t wide = (size_t)b->widest;
    b->problem = problem;
    b->k = k;
    b->YtY = c > 1 ? YtY : NULL;
    b->rank = problem->n - 1;
    b->A = rs_alloc_double(ctx, side * (side > c ? side : c));
    b->L = rs_alloc_double(ctx, side * side);
    RS_ALLOC_DOUBLES(ctx, side * c, &b->b, &b->W);
    b->corner = rs_alloc_double(ctx, wide * wide);
    b->part = rs_alloc_double(ctx, wide * c);
    b->residual = rs_alloc_double(ctx, b->YtY ? c * c : 0);
    b->eigenvalues = rs_alloc_double(ctx, c);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(
        rs_set_value_init(ctx, problem, S, most, RS_GROUPS_ENOUGH, &b->value));
    RS_TRY(rs_accurate_init(ctx, problem,
                            b->S ? rs_min_int(problem->d, problem->n) + 1 : 1,
                            &b->accurate));
    *bound = (rs_bound){.state = b,
                        .value = value_lsq,
                        .bound = of_lsq,
                        .closes = 1,
                        .close = close_lsq};
    return b->YtY ? rs_eigen_init(ctx, problem->c, &b->eigen) : RS_OK;
}

/* ---- leading eigenvalues --------------------------------------------------------- */

static rs_status of_trace(void *state, const rs_node *node,
                          rs_node_bound *says)
{
    bound_groups *b = (bound_groups *)state;
    const rs_value value = rs_trace_as_value(b->trace);
    const double total = b->total;
    RS_TRY(value.move(value.state, node->count, node->set, &says->base));
    says->base /= total;
    says->has = RS_HAS_WEIGHT;
    for (int a = 0; a < node->open; a++)
        says->weight[node->free[a]] = b->sums[node->free[a]];
    list_left(b, node);
    const int p = b->count;
    if (p > RS_GROUPS_TOGETHER || !b->S)
        return RS_OK;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            b->A[i + (size_t)p * j] =
                b->S[b->columns[i] + (size_t)b->d * b->columns[j]] / total;
    return rs_eigen_sum(p, b->A, rs_min_int(p, b->trace->m), b->eigenvalues,
                        NULL, &says->value, &b->eigen);
}

static rs_status value_trace(void *state, const int *set, double cut,
                             double *least, double *most)
{
    bound_groups *b = (bound_groups *)state;
    const rs_value value = rs_trace_as_value(b->trace);
    (void)cut;
    RS_TRY(value.move(value.state, b->k, set, least));
    *most = *least /= b->total;
    return RS_OK;
}

static rs_status close_trace(void *state, const rs_node *node,
                             rs_closing *says)
{
    bound_groups *b = (bound_groups *)state;
    const rs_value value = rs_trace_as_value(b->trace);
    double worth, *gain = b->eigenvalues;
    RS_TRY(value.move(value.state, node->count, node->set, &worth));
    RS_TRY(value.gains(value.state, gain));
    for (int a = 0; a < node->open; a++) {
        node->set[node->count] = node->free[a];
        if (gain[node->free[a]] > rs_tree_cut(node->tree) * b->total)
            RS_TRY(rs_tree_offer(node->set, node->tree));
    }
    says->done = 1;
    return RS_OK;
}

rs_status rs_bound_groups_trace(rs_context *ctx, const rs_groups *groups,
                                int k, rs_value_trace *trace, bound_groups *b,
                                rs_bound *bound)
{
    RS_TRY(begin(ctx, groups, trace->op->d, trace->op->S, b));
    const int order =
        rs_max_int(b->widest, rs_min_int(trace->op->d, RS_GROUPS_TOGETHER));
    b->trace = trace;
    b->k = k;
    b->total = rs_trace_as_value(trace).total;
    b->sums = rs_alloc_double(ctx, (size_t)groups->count);
    b->A = rs_alloc_double(ctx, (size_t)order * order);
    b->eigenvalues =
        rs_alloc_double(ctx, (size_t)rs_max_int(order, groups->count));
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, order, &b->eigen));
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        RS_TRY(rs_eigen_sum(size, rs_value_trace_block(trace, g),
                            rs_min_int(size, trace->m), b->eigenvalues, NULL,
                            b->sums + g, &b->eigen));
        b->sums[g] /= b->total;
    }
    *bound = (rs_bound){.state = b,
                        .slack = RS_GROUPS_SLACK,
                        .value = value_trace,
                        .bound = of_trace,
                        .closes = 1,
                        .close = close_trace};
    return RS_OK;
}
