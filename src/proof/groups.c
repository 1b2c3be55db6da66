/* Bounds of sets of groups. */
#include "proof/groups.h"

#include <float.h>
#include <math.h>

#include "base/select.h"

/* rounding of eigenvalues, as a share of the trace */
#define RS_GROUPS_SLACK 1e-11

typedef rs_bound_groups bound_groups;

/* the columns of a set of groups; their number */
static int list_set(bound_groups *b, int count, const int *set)
{
    int listed = 0;
    for (int i = 0; i < count; i++) {
        const int *column = rs_group_columns(b->groups, set[i]);
        for (int a = 0; a < rs_group_size(b->groups, set[i]); a++)
            b->columns[listed++] = column[a];
    }
    return listed;
}

/* the columns of all groups that are not out */
static int list_left(bound_groups *b, int d, const rs_node *node)
{
    int listed = 0;
    for (int j = 0; j < d; j++)
        if (node->mark[b->owner[j]] != RS_UNIT_OUT)
            b->columns[listed++] = j;
    return listed;
}

/* ---- explained sums of squares --------------------------------------------------- */

/*
 * Without the columns that depend on those before them; if `surely`, only those
 * that do so in twice the working precision. How many have left; -1 where some
 * may or may not depend on others.
 */
static int drop_dependent(bound_groups *b, int surely, rs_set_value *v)
{
    const int all = v->k;
    int count = 0, *column = b->columns, *place = v->set;
    for (int j = 0; j < all; j++) {
        const double *product = v->A + (size_t)all * j;
        double *own = v->L + (size_t)all * count, left = 1.0;
        for (int i = 0; i < count; i++) {
            const double *row = v->L + (size_t)all * i;
            own[i] =
                (product[place[i]] - rs_dot((size_t)i, row, own)) / row[i];
            left -= own[i] * own[i];
        }
        column[count] = v->set[j];
        place[count] = j; /* in A; what stood there has been read */
        if (left > RS_LEFT_SLIGHT) {
            own[count++] = sqrt(left);
            continue;
        }
        if (!surely)
            continue;
        /* which has room for as many as are independent without a ridge */
        if (!v->accurate.able || count >= v->accurate.capacity)
            return -1;
        rs_accurate_explained(&v->accurate, count + 1, column);
        if (v->accurate.residual[count] > 0.0)
            return -1;
    }
    rs_set_products(count, column, v);
    return all - count;
}

/*
 * What is explained without a group, the block of whose columns in (A)^-1 is C
 * and their coefficients W_g: by W_g' C^-1 W_g less. The coefficients without
 * them, W - (A)^-1_{., g} C^-1 W_g, say how far rounding may go.
 */
static rs_status explain_without(bound_groups *b, int g, double value,
                                 double error, double *without)
{
    const rs_set_value *v = &b->all;
    const int p = v->k, c = b->problem->c;
    double *inverse = v->A, *rest = v->b;
    int size = 0, *place = b->columns;
    for (int i = 0; i < p; i++)
        if (b->owner[v->set[i]] == g) {
            rs_copy((size_t)p, v->L + (size_t)p * i,
                    inverse + (size_t)p * size);
            place[size++] = i;
        }
    if (size == 0)
        return RS_SINGULAR;
    double *part = b->corner + (size_t)size * size;
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < size; i++)
            b->corner[i + (size_t)size * j] =
                inverse[place[i] + (size_t)p * j];
        for (int q = 0; q < c; q++)
            part[j + (size_t)size * q] = v->W[place[j] + (size_t)p * q];
    }
    RS_TRY(rs_cholesky(size, b->corner, size));
    rs_triangular_solve('L', 'T', size, c, b->corner, size, part, size);
    const double lost = rs_sum_squares((size_t)size * c, part);
    rs_triangular_solve('L', 'N', size, c, b->corner, size, part, size);
    rs_copy((size_t)p * c, v->W, rest);
    rs_gemm('N', 'N', p, c, size, -1.0, inverse, p, part, size, 1.0, rest, p);
    *without = value - lost + error +
               rs_value_error(v->e + p * DBL_EPSILON, p, c, rest);
    return RS_OK;
}

/* what all groups that are left explain, and without each of them: *kept */
static rs_status explained_by_all(bound_groups *b, const rs_node *node,
                                  int left)
{
    const rs_lsq *p = b->problem;
    rs_set_value *v = &b->all;
    int dropped = 0;
    double value, error;
    b->kept[0] = left;
    b->kept[1] = 1.0;
    rs_fill((size_t)b->groups->count, INFINITY, b->kept + 2);
    rs_set_products(left, b->columns, v);
    if (p->ridge == 0.0 && v->k >= p->n - 1)
        return RS_OK;
    RS_TRY(rs_poll(b->ctx));
    rs_set_explained(v, &value, &error);
    if (!(error < 1.0) || rs_is_near(v->k, v->L)) {
        dropped = drop_dependent(b, 1, v);
        if (dropped < 0)
            return RS_OK;
        rs_set_explained(v, &value, &error);
        if (!(error < 1.0) || rs_is_near(v->k, v->L))
            return RS_OK;
    }
    b->kept[1] = fmin(value + error, 1.0);
    if (dropped > 0)
        return RS_OK; /* others may do what a group does */
    RS_TRY(rs_cholesky_inverse(v->k, v->L));
    for (int a = 0; a < node->open; a++) {
        double *without = b->kept + 2 + node->free[a];
        if (explain_without(b, node->free[a], value, error, without) != RS_OK)
            *without = INFINITY;
    }
    return RS_OK;
}

/* the same as before, where groups have only joined every set since */
static rs_status bound_all(bound_groups *b, const rs_node *node,
                           rs_node_bound *says)
{
    const int left = list_left(b, b->problem->d, node);
    if ((node->round == 0 && !node->resumed) || b->kept[0] != left)
        RS_TRY(explained_by_all(b, node, left));
    says->value = b->kept[1];
    says->has |= RS_HAS_WITHOUT;
    for (int a = 0; a < node->open; a++)
        says->without[node->free[a]] = b->kept[2 + node->free[a]];
    return RS_OK;
}

static void record(void *state, const rs_node *node, void *bytes)
{
    const bound_groups *b = (const bound_groups *)state;
    rs_copy((size_t)node->units + 2, b->kept, (double *)bytes);
}

static void resume(void *state, const rs_node *node, const void *bytes)
{
    bound_groups *b = (bound_groups *)state;
    rs_copy((size_t)node->units + 2, (const double *)bytes, b->kept);
}

/* the columns of the m largest (sign = 1) or smallest (-1) of the free groups;
 * columns (groups), or NULL: all that they have */
static int free_columns(bound_groups *b, const rs_node *node,
                        const int *columns, int sign)
{
    double *size = b->work + 2 * (size_t)b->groups->count;
    int sum = 0, *order = b->columns;
    for (int a = 0; a < node->open; a++) {
        const int g = node->free[a];
        size[a] = sign * (columns ? columns[g] : rs_group_size(b->groups, g));
    }
    rs_topk_order(node->open, size, node->m, order, b->work);
    for (int i = 0; i < node->m; i++)
        sum += sign * (int)size[order[i]];
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
    rs_set_products(list_set(b, node->count, node->set), b->columns, v);
    const int dropped = drop_dependent(b, 0, v), p = v->k;
    if (p > 0)
        rs_set_explained(v, &value, &error);
    if (error >= 1.0)
        return RS_OK;
    for (size_t i = 0; i < (size_t)c * c; i++)
        b->A[i] = b->YtY[i] / b->problem->total;
    rs_triangular_solve('L', 'T', p, c, v->L, p, v->b, p);
    rs_gemm('T', 'N', c, c, p, -1.0, v->b, p, v->b, p, 1.0, b->A, c);
    RS_TRY(rs_eigen_sum(c, b->A, rs_min_int(more + dropped, c), b->eigenvalues,
                        &others, &b->eigen));
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
               : value + sign * RS_ERRORS * DBL_EPSILON * (1.0 + fabs(value));
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
    if (b->all.S)
        RS_TRY(bound_all(b, node, says));
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
    rs_set_value_of(list_set(b, b->k, set), b->columns,
                    rs_priced(price, 1.0, cut, b->as, columns), least, most,
                    &b->value);
    *least = priced(b, *least, columns, -1.0);
    *most = priced(b, *most, columns, 1.0);
    return rs_poll(b->ctx);
}

int rs_groups_are_whole(bound_groups *b, const int *set)
{
    return rs_accurate_is_whole(&b->value.accurate, list_set(b, b->k, set),
                                b->columns);
}

static rs_status begin(rs_context *ctx, const rs_groups *groups, int k, int d,
                       bound_groups *b)
{
    const size_t count = (size_t)rs_max_int(d, groups->count);
    *b = (bound_groups){.ctx = ctx, .groups = groups, .k = k};
    RS_ALLOC_INTS(ctx, count, &b->columns, &b->owner);
    b->work = rs_alloc_double(ctx, 3 * (size_t)groups->count);
    RS_TRY(rs_allocated(ctx));
    for (int g = 0; g < groups->count; g++)
        for (int a = 0; a < rs_group_size(groups, g); a++)
            b->owner[rs_group_columns(groups, g)[a]] = g;
    return RS_OK;
}

rs_status rs_bound_groups_lsq(rs_context *ctx, const rs_groups *groups, int k,
                              const rs_lsq *problem, const double *S,
                              const double *YtY, bound_groups *b)
{
    const size_t d = (size_t)problem->d, c = (size_t)problem->c;
    const size_t widest = (size_t)rs_group_widest(groups);
    int most;
    RS_TRY(begin(ctx, groups, k, problem->d, b));
    RS_TRY(rs_group_columns_of_largest(ctx, groups, k, &most));
    b->problem = problem;
    b->YtY = c > 1 ? YtY : NULL;
    RS_TRY(rs_set_value_init(ctx, problem, S, most, RS_NOTHING, &b->value));
    b->all = b->value;
    if (b->all.S) {
        RS_ALLOC_DOUBLES(ctx, d * d, &b->all.A, &b->all.L);
        RS_ALLOC_DOUBLES(ctx, d * c, &b->all.b, &b->all.W);
        b->all.set = rs_alloc_int(ctx, d);
        b->corner = rs_alloc_double(ctx, widest * (widest + c));
        RS_TRY(rs_accurate_init(ctx, problem,
                                rs_min_int(problem->d, problem->n) + 1,
                                &b->all.accurate));
    }
    const size_t kept = (size_t)groups->count + 2;
    b->kept = rs_alloc_double(ctx, kept);
    b->A = rs_alloc_double(ctx, b->YtY ? c * c : 0);
    b->eigenvalues = rs_alloc_double(ctx, c);
    RS_TRY(rs_allocated(ctx));
    b->of = (rs_bound){.state = b,
                       .value = value_lsq,
                       .value_state = b,
                       .bound = of_lsq,
                       .closes = 1,
                       .close = rs_tree_enumerate};
    if (b->all.S) {
        b->kept[0] = -1.0;
        b->of.bytes = kept * sizeof(double);
        b->of.record = record;
        b->of.resume = resume;
    }
    return b->YtY ? rs_eigen_init(ctx, problem->c, &b->eigen) : RS_OK;
}

/* ---- leading eigenvalues --------------------------------------------------------- */

static rs_status of_trace(void *state, const rs_node *node,
                          rs_node_bound *says)
{
    bound_groups *b = (bound_groups *)state;
    const rs_value value = b->trace->as_value;
    const double *S = b->trace->op->S;
    const int d = b->trace->op->d;
    RS_TRY(value.move(value.state, node->count, node->set, &says->base));
    says->base /= value.total;
    says->has = RS_HAS_WEIGHT;
    for (int a = 0; a < node->open; a++)
        says->weight[node->free[a]] = b->sums[node->free[a]];
    const int p = list_left(b, d, node);
    if (p > RS_TOGETHER || !S)
        return RS_OK;
    for (int j = 0; j < p; j++)
        for (int i = 0; i < p; i++)
            b->A[i + (size_t)p * j] =
                S[b->columns[i] + (size_t)d * b->columns[j]] / value.total;
    return rs_eigen_sum(p, b->A, rs_min_int(p, b->trace->m), b->eigenvalues,
                        &says->value, &b->eigen);
}

static rs_status value_trace(void *state, const int *set, double cut,
                             double *least, double *most)
{
    bound_groups *b = (bound_groups *)state;
    const rs_value value = b->trace->as_value;
    (void)cut;
    RS_TRY(value.move(value.state, b->k, set, least));
    *most = *least /= value.total;
    return RS_OK;
}

static rs_status close_trace(void *state, const rs_node *node, int *done)
{
    bound_groups *b = (bound_groups *)state;
    const rs_value value = b->trace->as_value;
    double worth;
    RS_TRY(value.move(value.state, node->count, node->set, &worth));
    RS_TRY(value.gains(value.state, b->work));
    for (int a = 0; a < node->open; a++) {
        node->set[node->count] = node->free[a];
        if (b->work[node->free[a]] > rs_tree_cut(node->tree) * value.total)
            RS_TRY(rs_tree_offer(node->set, node->tree));
    }
    *done = 1;
    return RS_OK;
}

rs_status rs_bound_groups_trace(rs_context *ctx, const rs_groups *groups,
                                int k, rs_value_trace *trace, bound_groups *b)
{
    const int order = rs_max_int(rs_group_widest(groups),
                                 rs_min_int(trace->op->d, RS_TOGETHER));
    RS_TRY(begin(ctx, groups, k, trace->op->d, b));
    b->trace = trace;
    b->sums = rs_alloc_double(ctx, (size_t)groups->count);
    b->A = rs_alloc_double(ctx, (size_t)order * order);
    b->eigenvalues = rs_alloc_double(ctx, (size_t)order);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, order, &b->eigen));
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        RS_TRY(rs_eigen_sum(size, rs_value_trace_block(trace, g),
                            rs_min_int(size, trace->m), b->eigenvalues,
                            b->sums + g, &b->eigen));
        b->sums[g] /= trace->as_value.total;
    }
    b->of = (rs_bound){.state = b,
                       .slack = RS_GROUPS_SLACK,
                       .value = value_trace,
                       .value_state = b,
                       .bound = of_trace,
                       .closes = 1,
                       .close = close_trace};
    return RS_OK;
}
