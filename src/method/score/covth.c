#include "method/score/covth.h"

#include <math.h>
#include <stdlib.h>

#include "la/linalg.h"
#include "eigen/leading.h"

/* correlations within this of the cut, and eigenvalues within this share of
 * each other, are equal: rounding decides nothing */
#define RS_COVTH_SAME_CORRELATION 1e-12
#define RS_COVTH_SAME_VALUE 1e-8
/* eigenpairs of a small component, enough to see that some are equal */
#define RS_COVTH_PAIRS 3
/* entries of T in a product between two polls */
#define RS_COVTH_ENTRIES_PER_POLL 20000000

/* a set of features that T connects */
typedef struct {
    double bound; /* its largest row sum of |T_ij|: no eigenvalue is larger */
    int from, size; /* in the list of features */
} component;

typedef struct {
    rs_covop *op;
    const rs_covth_settings *set;
    rs_covth_fit *fit;
    rs_context *ctx;
    int d;
    double *inverse; /* d: 1 / norm of the feature, 0 for constant ones */
    double *panel;   /* n x RS_COVTH_BLOCK */
    double *block;   /* d x RS_COVTH_BLOCK */
    size_t *start;   /* d + 1: where columns of T, above the diagonal, begin */
    int *index;      /* start[d]: the rows of its entries */
    double *value;   /* start[d] */
    double *row_sum; /* d: sum_j |T_ij| */
    int *parent;     /* d: trees that join connected features */
    int *feature;    /* d: the features, component by component */
    int *local;      /* d: place of a feature in its component */
    component *groups;
} state;

static rs_status init_state(rs_covop *op, const rs_covth_settings *set,
                            rs_covth_fit *fit, state *s)
{
    const size_t d = (size_t)op->d;
    *s = (state){.op = op, .set = set, .fit = fit, .ctx = op->ctx, .d = op->d};
    RS_ALLOC_DOUBLES(s->ctx, d, &s->inverse, &s->row_sum);
    s->panel =
        rs_alloc_double(s->ctx, op->S ? 1 : (size_t)op->X->n * RS_COVTH_BLOCK);
    s->block = rs_alloc_double(s->ctx, op->S ? 1 : d * RS_COVTH_BLOCK);
    s->start = (size_t *)rs_alloc(s->ctx, d + 1, sizeof(size_t));
    s->groups = (component *)rs_alloc(s->ctx, d, sizeof(component));
    RS_ALLOC_INTS(s->ctx, d, &s->parent, &s->feature, &s->local);
    RS_TRY(rs_allocated(s->ctx));
    for (int j = 0; j < s->d; j++) {
        const double square = set->usable[j] ? op->diagonal[j] : 0.0;
        s->inverse[j] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        s->parent[j] = j;
    }
    rs_fill(d, 0.0, s->row_sum);
    rs_fill(d, 0.0, fit->strongest);
    rs_fill(d, 0.0, fit->score);
    rs_fill(d, 0.0, fit->vector);
    fit->value = fit->residual = 0.0;
    fit->multiplicity = 0;
    return RS_OK;
}

/* ---- the entries of T ----------------------------------------------------- */

/* products of features with `width` of them, at least those up to the last of
 * these: G has *stride rows */
static rs_status products(state *s, int from, int width, const double **G,
                          int *stride)
{
    if (s->op->S) {
        *G = s->op->S + (size_t)from * s->d;
        *stride = s->d;
        return rs_poll(s->ctx);
    }
    RS_TRY(rs_data_column_range(s->op->X, from, width, s->panel));
    RS_TRY(rs_data_crossprod_first(s->op->X, from + width, width, s->panel,
                                   s->block, stride));
    *G = s->block;
    return rs_poll(s->ctx);
}

static double correlation(const state *s, const double *g, int i, int j)
{
    const double c = g[i] * s->inverse[i] * (s->op->factor * s->inverse[j]);
    return c > 1.0 ? 1.0 : c < -1.0 ? -1.0 : c;
}

static double least_survivor(const state *s)
{
    return s->set->cut + RS_COVTH_SAME_CORRELATION;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* how many c_ij, i < j, survive, and the largest |c_ij| */
static void count_column(state *s, const double *g, int j)
{
    const double least = least_survivor(s);
    double *strongest = s->fit->strongest, most = strongest[j];
    size_t count = 0;
    for (int i = 0; i < j; i++) {
        const double c = fabs(correlation(s, g, i, j));
        strongest[i] = c > strongest[i] ? c : strongest[i];
        most = c > most ? c : most;
        count += c > least;
    }
    strongest[j] = most;
    s->start[j + 1] = s->start[j] + count;
}

/* the survivors c_ij, i < j */
static void take_column(state *s, const double *g, int j)
{
    const double least = least_survivor(s);
    size_t at = s->start[j];
    for (int i = 0; i < j && at < s->start[j + 1]; i++) {
        const double c = correlation(s, g, i, j);
        if (!(fabs(c) > least))
            continue;
        const double size = s->set->soft ? fabs(c) - s->set->cut : fabs(c);
        s->index[at] = i;
        s->value[at++] = c > 0.0 ? size : -size;
        s->row_sum[i] += size;
        s->row_sum[j] += size;
        s->parent[root_of(s->parent, i)] = root_of(s->parent, j);
    }
}

/* all columns of T: the survivors are counted, or kept after that where there
 * are some */
static rs_status visit_columns(state *s, int count)
{
    const double *G;
    int stride;
    for (int from = 0; from < s->d; from += RS_COVTH_BLOCK) {
        const int width = rs_min_int(RS_COVTH_BLOCK, s->d - from);
        if (!count && s->start[from] == s->start[from + width])
            continue;
        RS_TRY(products(s, from, width, &G, &stride));
        for (int c = 0; c < width; c++)
            (count ? count_column : take_column)(s, G + (size_t)c * stride,
                                                 from + c);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* ---- components ------------------------------------------------------------ */

static int by_bound(const void *left, const void *right)
{
    const component *a = (const component *)left;
    const component *b = (const component *)right;
    return (a->bound < b->bound) - (a->bound > b->bound);
}

/* the components, those that may have the largest eigenvalue first */
static void find_components(state *s)
{
    const int d = s->d;
    int count = 0, from = 0;
    for (int j = 0; j < d; j++)
        s->groups[j].size = 0;
    for (int j = 0; j < d; j++)
        s->groups[root_of(s->parent, j)].size++;
    for (int j = 0; j < d; j++) {
        s->groups[j].bound = 0.0;
        s->groups[j].from = from;
        from += s->groups[j].size;
        s->groups[j].size = 0;
    }
    for (int j = 0; j < d; j++) {
        component *g = s->groups + root_of(s->parent, j);
        s->local[j] = g->size;
        s->feature[g->from + g->size++] = j;
        g->bound = fmax(g->bound, s->row_sum[j]);
    }
    for (int j = 0; j < d; j++)
        if (s->groups[j].size > 0)
            s->groups[count++] = s->groups[j];
    qsort(s->groups, (size_t)count, sizeof *s->groups, by_bound);
    s->fit->components = count;
}

/* ---- eigenpairs ------------------------------------------------------------ */

typedef struct {
    state *s;
    const component *group;
} block_of_T;

/* TV = T V on one component */
static rs_status apply_block(void *block_, int m, const double *V, double *TV)
{
    const block_of_T *block = (const block_of_T *)block_;
    const state *s = block->s;
    const int size = block->group->size;
    const int *feature = s->feature + block->group->from;
    double done = 0.0;
    rs_fill((size_t)size * m, 0.0, TV);
    for (int a = 0; a < size; a++) {
        const size_t first = s->start[feature[a]];
        const size_t end = s->start[feature[a] + 1];
        for (size_t k = first; k < end; k++) {
            const int b = s->local[s->index[k]];
            for (int c = 0; c < m; c++) {
                const size_t at = (size_t)c * size;
                TV[at + a] += s->value[k] * V[at + b];
                TV[at + b] += s->value[k] * V[at + a];
            }
        }
        done += (double)(end - first) * m;
        if (done > RS_COVTH_ENTRIES_PER_POLL) {
            RS_TRY(rs_poll(s->ctx));
            done = 0.0;
        }
    }
    return RS_OK;
}

/* leading eigenpairs of a component: *count values, V is size x *count */
static rs_status solve_component(state *s, const component *group, int *count,
                                 double *values, double **V)
{
    const int size = group->size;
    block_of_T block = {s, group};
    rs_leading_operator T = {
        .order = size, .product = {apply_block, &block}, .numbers = INFINITY};
    const rs_ritz_control control = {.tol = s->set->tol,
                                     .maxit = s->set->maxit};
    *count = 1;
    if (rs_leading_is_dense(size, 1)) {
        const size_t order = (size_t)size;
        double *A, *unit;
        *count = rs_min_int(RS_COVTH_PAIRS, size);
        RS_ALLOC_DOUBLES(s->ctx, order * order, &A, &unit);
        RS_TRY(rs_allocated(s->ctx));
        rs_fill(order * order, 0.0, unit);
        for (size_t i = 0; i < order; i++)
            unit[i + i * order] = 1.0;
        RS_TRY(apply_block(&block, size, unit, A));
        T = rs_leading_explicit(size, A);
    }
    RS_TRY_ALLOC(*V = rs_alloc_double(s->ctx, (size_t)size * *count));
    return rs_leading_find(s->ctx, &T, *count, &control, values, *V,
                           &s->fit->residual);
}

/* a pair that is as good as the best so far joins it, a better one replaces it */
static void take_pair(state *s, const component *group, double value,
                      const double *v)
{
    rs_covth_fit *fit = s->fit;
    if (value < fit->value * (1.0 - RS_COVTH_SAME_VALUE))
        return;
    if (value > fit->value * (1.0 + RS_COVTH_SAME_VALUE)) {
        rs_fill((size_t)s->d, 0.0, fit->score);
        rs_fill((size_t)s->d, 0.0, fit->vector);
        fit->value = value;
        fit->multiplicity = 0;
    }
    fit->multiplicity++;
    for (int a = 0; a < group->size; a++) {
        const int j = s->feature[group->from + a];
        fit->score[j] = sqrt(fit->score[j] * fit->score[j] + v[a] * v[a]);
        fit->vector[j] = v[a];
    }
}

/* the leading eigenspace over all components; none is solved whose bound is
 * below an eigenvalue that is known */
static rs_status leading_space(state *s)
{
    rs_covth_fit *fit = s->fit;
    rs_status end = RS_OK;
    double values[RS_COVTH_PAIRS], *V = NULL, largest = 0.0;
    for (int g = 0; g < fit->components; g++) {
        const component *group = s->groups + g;
        int count;
        if (group->bound <= 0.0 ||
            group->bound < fit->value * (1.0 - RS_COVTH_SAME_VALUE))
            break;
        rs_status status = solve_component(s, group, &count, values, &V);
        if (!rs_is_usable(status))
            return status;
        if (status != RS_OK)
            end = status;
        largest = fmax(largest, fit->residual);
        for (int c = 0; c < count; c++)
            take_pair(s, group, values[c], V + (size_t)c * group->size);
        RS_TRY(rs_poll(s->ctx));
    }
    fit->residual = largest;
    return end;
}

/* the entry of largest modulus positive */
static void fix_sign(int d, double *v)
{
    int at = 0;
    for (int j = 1; j < d; j++)
        if (fabs(v[j]) > fabs(v[at]) * (1.0 + RS_COVTH_SAME_VALUE))
            at = j;
    if (v[at] < 0.0)
        rs_scale((size_t)d, -1.0, v);
}

rs_status rs_covth(rs_covop *op, const rs_covth_settings *set,
                   rs_covth_fit *fit)
{
    state s;
    RS_TRY(init_state(op, set, fit, &s));
    s.start[0] = 0;
    RS_TRY(visit_columns(&s, 1));
    fit->components = s.d;
    fit->survivors = (double)s.start[s.d];
    fit->kept = fit->survivors <= set->room;
    if (!fit->kept || fit->survivors == 0.0)
        return RS_OK;
    RS_TRY_ALLOC(s.index = rs_alloc_int(s.ctx, s.start[s.d]));
    RS_TRY_ALLOC(s.value = rs_alloc_double(s.ctx, s.start[s.d]));
    RS_TRY(visit_columns(&s, 0));
    find_components(&s);
    rs_status status = leading_space(&s);
    fix_sign(s.d, fit->vector);
    return status;
}
