/* Column subsets that are proved: values of sets, the best one, and the roles of
 * features. */
#include "method/css/proof.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"
#include "proof/closing.h"
#include "sets/value_lsq.h"

/* errors of values that will do */
#define RS_CSS_ENOUGH 1e-11
/* features to choose for which all sets are met; and one more of so many */
#define RS_CSS_LIST 4
#define RS_CSS_LIST_FEW 300
/* the share of the time for all sets */
#define RS_CSS_LIST_SHARE 0.6
/* rounding of what exchanges add up to, as a share */
#define RS_CSS_SCORE_ERROR 1e-10

/* what a set reproduces, its bound, and the tree */
typedef struct {
    const rs_lsq *problem;
    rs_data *X;
    double column_error; /* of a column of these, at most */
    rs_closing_search closing;
    rs_bound bound;
    rs_tree *tree;     /* its units are the columns */
    int width;         /* columns of a product with X' */
    double *room;      /* 4 k^2 */
    double *Q, *R, *D; /* n x k, k x k, d or c x k */
} column_sets;

/* ---- by cross-products ---------------------------------------------------------- */

typedef struct {
    double value, error; /* by how much the value may be off; value -1: a */
    double inverse;      /* feature depends on others; tr C_JJ^{-1} */
} estimate;

static double sum_of_moduli(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(x[i]);
    return sum;
}

/* G (k x k) of C, and of H = Z'Z where that is not held */
static void take_blocks(const column_sets *s, int k, const int *columns,
                        double *G, double *H)
{
    const rs_closing_kernel *from = &s->closing.kernel;
    const size_t count = (size_t)from->count, q = (size_t)from->q;
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) {
            const size_t a = (size_t)s->closing.place[columns[i]];
            const size_t b = (size_t)s->closing.place[columns[j]];
            G[i + k * j] = from->C[a + count * b];
            H[i + k * j] = from->H
                               ? from->H[a + count * b]
                               : rs_dot(q, from->Z + q * a, from->Z + q * b);
        }
}

/* f = tr(GH), G = C^{-1}; an error e of C and h of H make it off by at most
 * e sum |GHG| + h sum |G| */
static estimate evaluate(const column_sets *s, int k, const int *columns)
{
    const rs_closing_kernel *from = &s->closing.kernel;
    const size_t cells = (size_t)k * (size_t)k;
    double *G = s->room, *H = G + cells, *GH = H + cells, *GHG = GH + cells;
    estimate out = {-1.0, 0.0, 0.0};
    take_blocks(s, k, columns, G, H);
    if (rs_cholesky(k, G, k) != RS_OK || rs_cholesky_inverse(k, G) != RS_OK)
        return out;
    for (int i = 0; i < k; i++)
        if (!(G[i * (k + 1)] * from->least < 1.0))
            return out;
    rs_matmul(k, k, k, G, H, GH);
    rs_matmul(k, k, k, GH, G, GHG);
    out.value = 0.0;
    for (int i = 0; i < k; i++) {
        out.value += GH[i * (k + 1)];
        out.inverse += G[i * (k + 1)];
    }
    const double rounding = (k + 8) * DBL_EPSILON;
    out.error = (from->product_error + rounding) * sum_of_moduli(cells, GHG) +
                (from->response_error + rounding) * sum_of_moduli(cells, G);
    return out;
}

/* ---- by the data ------------------------------------------------------------------ */

/* columns of unit length made orthonormal, twice: X_J = QR */
static rs_status orthonormalise(column_sets *s, int count, const int *columns)
{
    const rs_lsq *p = s->problem;
    const size_t n = (size_t)p->n, k = (size_t)count;
    rs_fill(k * k, 0.0, s->R);
    for (size_t i = 0; i < k; i++) {
        double *q = s->Q + n * i, *to = s->R + k * i;
        RS_TRY(rs_data_column(s->X, columns[i], q));
        rs_centre_again(&p->centring, p->n, q);
        rs_scale(n, 1.0 / sqrt(p->square[columns[i]]), q);
        for (int pass = 0; pass < 2; pass++)
            for (size_t l = 0; l < i; l++) {
                const double a = rs_dot(n, s->Q + n * l, q);
                rs_axpy(n, -a, s->Q + n * l, q);
                to[l] += a;
            }
        to[i] = rs_norm(n, q);
        if (!(to[i] > 0.0))
            return RS_SINGULAR;
        rs_scale(n, 1.0 / to[i], q);
    }
    return RS_OK;
}

/* ||X'Q||^2, or ||Y'Q||^2 with Y'Q = B_J'R^{-1} */
static rs_status explained_by_basis(column_sets *s, int k, const int *columns,
                                    double *sum)
{
    const rs_lsq *p = s->problem;
    const int c = p->c;
    *sum = 0.0;
    for (int i = 0; c == 0 && i < k; i += s->width) {
        const int width = rs_min_int(s->width, k - i);
        RS_TRY(rs_data_crossprod(s->X, width, s->Q + (size_t)p->n * i, s->D));
        *sum += rs_sum_squares((size_t)p->d * (size_t)width, s->D);
    }
    if (c == 0)
        return RS_OK;
    for (int i = 0; i < k; i++)
        for (int l = 0; l < c; l++)
            s->D[l + (size_t)c * i] = p->B[columns[i] + (size_t)p->d * l] /
                                      sqrt(p->square[columns[i]]);
    rs_triangular_solve('R', 'N', c, k, s->R, k, s->D, c);
    *sum = rs_sum_squares((size_t)c * (size_t)k, s->D);
    return RS_OK;
}

/* a better value, where there is one */
static rs_status refine(column_sets *s, int k, const int *columns, estimate *v)
{
    const rs_lsq *p = s->problem;
    const double error = 4.0 * sqrt(k * v->inverse) *
                             (s->column_error + (k + 8) * DBL_EPSILON) +
                         (p->d + 8) * DBL_EPSILON;
    double sum;
    if (!s->X || !(error < v->error))
        return RS_OK;
    const rs_status status = orthonormalise(s, k, columns);
    if (status == RS_SINGULAR)
        return RS_OK;
    RS_TRY(status);
    RS_TRY(explained_by_basis(s, k, columns, &sum));
    v->value = sum / p->total;
    v->error = error;
    return RS_OK;
}

static rs_status value_of(void *state, int k, const int *columns, double cut,
                          double *least, double *most)
{
    column_sets *s = (column_sets *)state;
    estimate v = evaluate(s, k, columns);
    *least = *most = -INFINITY;
    if (v.value < 0.0)
        return RS_OK;
    if (v.value + v.error > cut &&
        (v.value - v.error <= cut || v.error > RS_CSS_ENOUGH))
        RS_TRY(refine(s, k, columns, &v));
    *least = v.value - v.error;
    *most = v.value + v.error;
    return rs_poll(s->closing.kernel.ctx);
}

static rs_status open_sets(rs_context *ctx, const rs_lsq *p,
                           const rs_css_input *input, int k, column_sets *s)
{
    const size_t n = (size_t)p->n, d = (size_t)p->d, width = (size_t)k;
    rs_lsq given = *p;
    *s = (column_sets){.problem = p, .X = input->X};
    given.X = input->X;
    s->column_error = rs_product_error(&given);
    RS_TRY(rs_closing_open(ctx, p, k, input->YtY, 1,
                           p->X ? RS_LEFT_NONE : RS_LEFT_SLIGHT, &s->closing));
    RS_TRY(rs_closing_parts(&s->closing));
    s->closing.value = value_of;
    s->closing.state = s;
    s->bound = rs_closing_bound(&s->closing);
    s->room = rs_alloc_double(ctx, 4 * width * width);
    if (s->X) {
        s->width = rs_min_int(k, s->X->block);
        s->Q = rs_alloc_double(ctx, n * width);
        s->R = rs_alloc_double(ctx, width * width);
        s->D = rs_alloc_double(ctx, p->c > 0 ? (size_t)p->c * width
                                             : d * (size_t)s->width);
    }
    RS_TRY(rs_allocated(ctx));
    return rs_tree_open(ctx, p->d, k, &s->bound, &s->tree);
}

/* ---- the best set -------------------------------------------------------------- */

/* nothing was searched, or nothing is known of what was */
static void know_nothing(const rs_lsq *problem, rs_css_proof *fit)
{
    fit->complete = fit->resolved = 0;
    fit->bound = problem->total;
    fit->nodes = 0.0;
    fit->trace.count = 0;
}

static int count_candidates(const rs_lsq *p)
{
    int count = 0;
    for (int j = 0; j < p->d; j++)
        count += !p->barred[j];
    return count;
}

static rs_status prove(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_clock *clock,
                       rs_css_proof *fit)
{
    column_sets sets;
    double least, most;
    if (count_candidates(problem) > RS_CLOSING_MOST) {
        /* too many for their products, which values of sets need */
        fit->resolved = 1;
        return RS_OK;
    }
    RS_TRY(open_sets(ctx, problem, &settings->input, k, &sets));
    RS_TRY(value_of(&sets, k, fit->set, -INFINITY, &least, &most));
    if (most < 0.0)
        return RS_OK; /* it counts as dependent */
    const rs_tree_settings asked = {.k = k,
                                    .excluded = problem->barred,
                                    .fixed = problem->first,
                                    .tie = settings->tol,
                                    .seconds = rs_clock_left(clock),
                                    .nodes = INFINITY};
    rs_tree_fit found = {.set = fit->set, .bound = 1.0};
    RS_TRY(rs_tree_search(&asked, sets.tree, &found));
    fit->explained = found.value * problem->total;
    fit->bound = fmin(found.bound, 1.0) * problem->total;
    fit->resolved = found.resolved;
    fit->complete = found.complete && found.resolved;
    fit->nodes = found.nodes;
    fit->trace = found.trace;
    return RS_OK;
}

rs_status rs_css_exact(rs_context *ctx, const rs_lsq *problem, int k,
                       const rs_css_settings *settings, rs_css_proof *fit)
{
    rs_clock clock;
    rs_clock_start(settings->time_limit, &clock);
    know_nothing(problem, fit);
    if (fit->count == k)
        RS_TRY(prove(ctx, problem, k, settings, &clock, fit));
    /* of fewer features than k, what they leave counts as nothing or is not
     * known */
    if (fit->count < k &&
        fit->explained >= (1.0 - settings->tol) * problem->total) {
        fit->complete = fit->resolved = 1;
        fit->bound = fit->explained;
    }
    fit->seconds = rs_clock_seconds(&clock);
    return RS_OK;
}

/* ---- roles --------------------------------------------------------------------- */

typedef struct {
    rs_context *ctx;
    const rs_lsq *problem;
    const rs_css_input *input;
    int k, able; /* is there a search, and are there products? */
    column_sets sets;
    rs_value_lsq lsq[2]; /* of sets, and of exchanges */
    rs_value values, exchanges;
} roles;

static rs_status role_value(void *state, const int *set, double cut,
                            double *least, double *most)
{
    roles *s = (roles *)state;
    double low, high;
    *least = 0.0;
    *most = -1.0;
    if (s->able)
        RS_TRY(value_of(&s->sets, s->k, set, cut, least, most));
    const int known = *most >= 0.0; /* else it counts as dependent there */
    if (known && *most - *least <= RS_CSS_SCORE_ERROR)
        return RS_OK;
    RS_TRY(s->values.move(s->values.state, s->k, set, &low));
    low /= s->problem->total;
    high = low * (1.0 + RS_CSS_SCORE_ERROR);
    low *= 1.0 - RS_CSS_SCORE_ERROR;
    if (!known || high - low < *most - *least) {
        *least = low;
        *most = high;
    }
    return RS_OK;
}

static rs_status open_tree(rs_role_tree *self, rs_tree **tree)
{
    roles *s = (roles *)self->state;
    *tree = s->able ? s->sets.tree : NULL;
    return RS_OK;
}

static rs_status open_small(roles *s)
{
    const rs_lsq *p = s->problem;
    const int candidates = count_candidates(p);
    int open = s->k;
    for (int j = 0; j < p->d; j++)
        open -= p->first && p->first[j];
    s->able = open <= RS_CSS_LIST + (candidates <= RS_CSS_LIST_FEW) &&
              open >= 1 && candidates <= RS_CLOSING_MOST;
    return s->able ? open_sets(s->ctx, p, s->input, s->k, &s->sets) : RS_OK;
}

rs_status rs_css_roles(rs_context *ctx, const rs_lsq *problem,
                       const rs_role_settings *asked,
                       const rs_css_input *input, rs_role_fit *fit)
{
    roles s = {.ctx = ctx, .problem = problem, .input = input, .k = asked->k};
    rs_groups features;
    RS_TRY(open_small(&s));
    RS_TRY(rs_groups_of_one(ctx, problem->d, problem->square, problem->first,
                            problem->barred, &features));
    for (int i = 0; i < 2; i++)
        RS_TRY(
            rs_value_lsq_init(ctx, problem, &features, asked->k, s.lsq + i));
    s.values = rs_value_lsq_of(s.lsq);
    s.exchanges = rs_value_lsq_of(s.lsq + 1);
    rs_role_tree tree = {
        .open = open_tree, .state = &s, .share = RS_CSS_LIST_SHARE};
    const rs_role_problem what = {.d = problem->d,
                                  .excluded = problem->barred,
                                  .fixed = problem->first,
                                  .bound = 1.0,
                                  .value = role_value,
                                  .state = &s,
                                  .sets = &s.exchanges,
                                  .trees = s.able,
                                  .tree = &tree};
    return rs_find_roles(ctx, &what, asked, fit);
}
