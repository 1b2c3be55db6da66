#include "method/score/score.h"

#include <math.h>

#include "base/select.h"
#include "la/linalg.h"
#include "eigen/leading.h"

/* eigenvalues within this share of each other are equal */
#define RS_COVTH_SAME_VALUE 1e-8
/* eigenpairs of a small component, enough to see that some are equal */
#define RS_COVTH_PAIRS 3

typedef struct {
    rs_covop *op;
    const rs_covth_settings *set;
    rs_covth_fit *fit;
    int d;
    double *inverse; /* d: 1 / norm of the feature, 0 for constant ones */
    double *panel;   /* n x RS_PANEL */
    double *block;   /* d x RS_PANEL */
    size_t *start;   /* d + 1: where columns of T, above the diagonal, begin */
    int *index;      /* start[d]: the rows of its entries */
    double *value;   /* start[d] */
    double *row_sum; /* d: sum_j |T_ij| */
    double *bound;   /* d: by root, the largest row sum of its component: no
                      * eigenvalue is larger */
    int *parent;     /* d: trees that join connected features */
    /* the component at hand */
    int size, *feature; /* its features */
    int *local;         /* d: place of a feature in it */
} state;

static rs_status init_state(rs_covop *op, const rs_covth_settings *set,
                            rs_covth_fit *fit, state *s)
{
    const size_t d = (size_t)op->d, block = op->S ? 0 : RS_PANEL;
    *s = (state){.op = op, .set = set, .fit = fit, .d = op->d};
    RS_ALLOC_DOUBLES(op->ctx, d, &s->inverse, &s->row_sum, &s->bound);
    s->panel = rs_alloc_double(op->ctx, op->S ? 1 : (size_t)op->X->n * block);
    s->block = rs_alloc_double(op->ctx, d * block);
    s->start = (size_t *)rs_alloc(op->ctx, d + 1, sizeof(size_t));
    RS_ALLOC_INTS(op->ctx, d, &s->parent, &s->feature, &s->local);
    RS_TRY(rs_allocated(op->ctx));
    for (int j = 0; j < s->d; j++) {
        const double square = set->usable[j] ? op->diagonal[j] : 0.0;
        s->inverse[j] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
        s->parent[j] = j;
        s->row_sum[j] = s->bound[j] = fit->strongest[j] = fit->score[j] =
            fit->vector[j] = 0.0;
    }
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
        return rs_poll(s->op->ctx);
    }
    RS_TRY(rs_data_columns(s->op->X, width, NULL, from, s->panel));
    RS_TRY(rs_data_crossprod_first(s->op->X, from + width, width, s->panel,
                                   s->block, stride));
    *G = s->block;
    return rs_poll(s->op->ctx);
}

static double correlation(const state *s, const double *g, int i, int j)
{
    const double c = g[i] * s->inverse[i] * (s->op->factor * s->inverse[j]);
    return c > 1.0 ? 1.0 : c < -1.0 ? -1.0 : c;
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
    double *strongest = s->fit->strongest, most = strongest[j];
    s->start[j + 1] = s->start[j];
    for (int i = 0; i < j; i++) {
        const double c = fabs(correlation(s, g, i, j));
        strongest[i] = c > strongest[i] ? c : strongest[i];
        most = c > most ? c : most;
        s->start[j + 1] += c > s->set->cut + RS_NOTHING;
    }
    strongest[j] = most;
}

/* the survivors c_ij, i < j */
static void take_column(state *s, const double *g, int j)
{
    size_t at = s->start[j];
    for (int i = 0; i < j && at < s->start[j + 1]; i++) {
        const double c = correlation(s, g, i, j);
        if (!(fabs(c) > s->set->cut + RS_NOTHING))
            continue;
        const double size = s->set->soft ? fabs(c) - s->set->cut : fabs(c);
        s->index[at] = i;
        s->value[at++] = copysign(size, c);
        s->row_sum[i] += size;
        s->row_sum[j] += size;
        s->parent[root_of(s->parent, i)] = root_of(s->parent, j);
    }
}

/* all columns of T: the survivors are counted, or kept after that where there are some */
static rs_status visit_columns(state *s, int count)
{
    const double *G;
    int stride;
    for (int from = 0; from < s->d; from += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, s->d - from);
        if (!count && s->start[from] == s->start[from + width])
            continue;
        RS_TRY(products(s, from, width, &G, &stride));
        for (int c = 0; c < width; c++)
            (count ? count_column : take_column)(s, G + (size_t)c * stride,
                                                 from + c);
        RS_TRY(rs_poll(s->op->ctx));
    }
    return RS_OK;
}

/* ---- eigenpairs ------------------------------------------------------------ */

/* TV = T V on the component at hand */
static rs_status apply_component(void *state_, int m, const double *V,
                                 double *TV)
{
    const state *s = (const state *)state_;
    const size_t size = (size_t)s->size;
    double since_poll = 0.0;
    rs_fill(size * m, 0.0, TV);
    for (size_t a = 0; a < size; a++) {
        const size_t first = s->start[s->feature[a]];
        const size_t end = s->start[s->feature[a] + 1];
        for (size_t k = first; k < end; k++) {
            const size_t b = (size_t)s->local[s->index[k]];
            for (size_t at = 0; at < size * m; at += size) {
                TV[at + a] += s->value[k] * V[at + b];
                TV[at + b] += s->value[k] * V[at + a];
            }
        }
        RS_TRY(
            rs_poll_after(s->op->ctx, (double)(end - first) * m, &since_poll));
    }
    return RS_OK;
}

/* leading eigenpairs of the component at hand: *count values, V is size x *count */
static rs_status solve_component(state *s, int *count, double *values,
                                 double **V)
{
    const size_t order = (size_t)s->size;
    rs_context *ctx = s->op->ctx;
    rs_leading_operator T = {.order = s->size,
                             .product = {apply_component, s},
                             .numbers = INFINITY};
    const rs_ritz_control control = {.tol = s->set->tol,
                                     .maxit = s->set->maxit};
    *count = 1;
    if (rs_leading_is_dense(s->size, 1)) {
        double *A, *unit;
        *count = rs_min_int(RS_COVTH_PAIRS, s->size);
        RS_ALLOC_DOUBLES(ctx, order * order, &A, &unit);
        RS_TRY(rs_allocated(ctx));
        rs_fill(order * order, 0.0, unit);
        for (size_t i = 0; i < order; i++)
            unit[i + i * order] = 1.0;
        RS_TRY(apply_component(s, s->size, unit, A));
        T = rs_leading_explicit(s->size, A);
    }
    RS_TRY_ALLOC(*V = rs_alloc_double(ctx, order * *count));
    return rs_leading_find(ctx, &T, *count, &control, values, *V,
                           &s->fit->residual);
}

/* a pair that is as good as the best so far joins it, a better one replaces it */
static void take_pair(state *s, double value, const double *v)
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
    for (int a = 0; a < s->size; a++) {
        const int j = s->feature[a];
        fit->score[j] = sqrt(fit->score[j] * fit->score[j] + v[a] * v[a]);
        fit->vector[j] = v[a];
    }
}

/* the component of that root is at hand */
static void gather_component(int root, state *s)
{
    s->size = 0;
    for (int j = 0; j < s->d; j++)
        if (root_of(s->parent, j) == root) {
            s->local[j] = s->size;
            s->feature[s->size++] = j;
        }
}

/* the leading eigenspace over all components, those that may have the largest
 * eigenvalue first; none is solved whose bound is below an eigenvalue that is
 * known */
static rs_status leading_space(state *s)
{
    rs_covth_fit *fit = s->fit;
    rs_status end = RS_OK;
    double values[RS_COVTH_PAIRS], *V = NULL, largest = 0.0;
    int count, *root = rs_alloc_int(s->op->ctx, (size_t)s->d);
    RS_TRY_ALLOC(root);
    fit->components = 0;
    for (int j = 0; j < s->d; j++) {
        double *bound = s->bound + root_of(s->parent, j);
        *bound = fmax(*bound, s->row_sum[j]);
        if (s->parent[j] == j)
            root[fit->components++] = j;
    }
    rs_sort_indices(s->bound, fit->components, root);
    for (int g = 0; g < fit->components; g++) {
        const double bound = s->bound[root[g]];
        if (bound <= 0.0 || bound < fit->value * (1.0 - RS_COVTH_SAME_VALUE))
            break;
        gather_component(root[g], s);
        rs_status status = solve_component(s, &count, values, &V);
        if (!rs_is_usable(status))
            return status;
        if (status != RS_OK)
            end = status;
        largest = fmax(largest, fit->residual);
        for (int c = 0; c < count; c++)
            take_pair(s, values[c], V + (size_t)c * s->size);
        RS_TRY(rs_poll(s->op->ctx));
    }
    fit->residual = largest;
    return end;
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
    RS_TRY_ALLOC(s.index = rs_alloc_int(op->ctx, s.start[s.d]));
    RS_TRY_ALLOC(s.value = rs_alloc_double(op->ctx, s.start[s.d]));
    RS_TRY(visit_columns(&s, 0));
    return leading_space(&s);
}
