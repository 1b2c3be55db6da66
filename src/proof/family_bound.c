/* Bounds of sets of features by the likelihood of a family. */
#include "proof/family_bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* features with z > 0, at most, and coefficients of these */
#define RS_FAMILY_SUPPORT 600
#define RS_FAMILY_UNKNOWNS 2000
/* Newton steps in shares, and how much of the gap may be left to them */
#define RS_FAMILY_STEPS 60
#define RS_FAMILY_SHARE 0.03
/* what coefficients may leave of the objective: of a gap, and of F(none); steps of sets
 * one by one, as a few will do where they are below the cut */
#define RS_FAMILY_PART 1e-3
#define RS_FAMILY_EXACT 1e-12
#define RS_FAMILY_SINGLE 3

typedef rs_family_bound bound;

/* ---- fits ---------------------------------------------------------------------- */

/* the fit's candidates, each times its number, and the coefficients at hand */
static void load(const bound *b, int count, rs_family_fit *to)
{
    const rs_family *f = b->problem->family;
    const size_t n = (size_t)f->n;
    const int b0 = f->intercept, p = to->of.p = b0 + count;
    for (int l = 0; l < f->q && b0; l++)
        to->of.B[(size_t)p * l] = b->intercept[l];
    for (int i = 0; i < count; i++) {
        const int a = to->column[i];
        double *column = to->P + n * (b0 + i);
        rs_copy(n, b->all.columns + n * a, column);
        rs_scale(n, to->times[i], column);
        if (to->sign)
            to->sign[b0 + i] = b->problem->sign[b->all.list[a]];
        for (int l = 0; l < f->q; l++)
            to->of.B[b0 + i + (size_t)p * l] =
                b->B[a + (size_t)b->all.count * l] / to->times[i];
    }
}

static void keep_coefficients(const rs_family_fit *from, bound *b)
{
    const rs_family *f = b->problem->family;
    const int b0 = f->intercept, p = from->of.p;
    for (int l = 0; l < f->q; l++) {
        const double *B = from->of.B + (size_t)p * l;
        b->intercept[l] = b0 ? B[0] : 0.0;
        for (int i = b0; i < p; i++)
            b->B[from->column[i - b0] + (size_t)b->all.count * l] =
                from->times[i - b0] * B[i];
    }
}

/* F(none) - L* at the fit, and its g */
static double find_base(const rs_family_fit *at, bound *b)
{
    const rs_family *f = b->problem->family;
    const double least = rs_family_dual(f, at->of.H, b->g);
    b->norm = rs_norm((size_t)f->n * f->q, b->g);
    return b->total - least + 4.0 * DBL_EPSILON * (b->total + fabs(least));
}

/* v (q, `apart`) <- x'g of a candidate as far as its sign lets it count; returns w,
 * rounded upwards */
static double weigh(const bound *b, int candidate, size_t apart, double *v)
{
    const rs_family *f = b->problem->family;
    const size_t n = (size_t)f->n;
    const double error =
        (n + 16.0) * DBL_EPSILON * b->all.length[candidate] * b->norm;
    const int sign =
        b->problem->sign ? b->problem->sign[b->all.list[candidate]] : 0;
    double square = 0.0;
    for (int l = 0; l < f->q; l++) {
        const double x =
            rs_dot(n, b->all.columns + n * candidate, b->g + n * l);
        const double most = fabs(x) + error;
        v[apart * l] = sign * x > 0.0 ? 0.0 : x;
        square += sign * x > error ? 0.0 : most * most;
    }
    return square / (2.0 * b->problem->ridge);
}

/* by single steps until it is below the cut, or else until it is known */
static rs_status value_of(void *state, const int *set, double cut,
                          double *least, double *most)
{
    bound *b = (bound *)state;
    double v[1];
    int fine, steps = 0, *candidate = b->own.column;
    for (int i = 0; i < b->k; i++) {
        candidate[i] = b->all.place[set[i]];
        if (candidate[i] < 0)
            return RS_BAD_INPUT;
    }
    load(b, b->k, &b->own);
    do {
        fine = steps++ == RS_FAMILY_SINGLE;
        RS_TRY(rs_newton_minimise(fine ? RS_FAMILY_EXACT * b->total : INFINITY,
                                  &b->own.of, &b->newton));
        *least = b->total - b->own.of.objective;
        *most = find_base(&b->own, b);
        for (int i = 0; i < b->k; i++)
            *most += weigh(b, candidate[i], 0, v);
        *most = isnan(*most) ? INFINITY : fmax(*most, *least);
    } while (*most > cut && !fine);
    return RS_OK;
}

/* ---- the relaxation -------------------------------------------------------------- */

static rs_status solve(void *state, rs_perspective *p)
{
    bound *b = (bound *)state;
    for (int i = 0; i < p->s; i++) {
        const int j = p->support[i];
        b->relaxed.column[i] = b->node.id[j];
        b->relaxed.times[i] = sqrt(p->z[j]);
        b->model.at[j] = b->problem->family->intercept + i;
        b->model.per_unit[j] = 1.0 / b->relaxed.times[i];
    }
    load(b, p->s, &b->relaxed);
    RS_TRY(rs_newton_minimise(b->tol, &b->relaxed.of, &b->newton));
    keep_coefficients(&b->relaxed, b);
    p->relaxed = b->relaxed.of.objective;
    return RS_OK;
}

static void weigh_all(void *state, rs_perspective *p)
{
    bound *b = (bound *)state;
    p->base = find_base(&b->relaxed, b);
    for (int j = 0; j < p->of.N; j++)
        p->weight[j] =
            weigh(b, b->node.id[j], (size_t)p->of.N, b->model.Q + j);
}

/* model.factor <- the factor of the Hessian of the objective in the coefficients of
 * the relaxation's fit; of `all` columns in newton.S */
static rs_status factor_support(int all, bound *b)
{
    const int p = b->relaxed.of.p, rows = p * b->problem->family->q;
    for (int c = 0; c < rows; c++) {
        const double *column =
            b->newton.S + (size_t)all * (rows / p) * (c % p + all * (c / p));
        double *R = b->model.factor + (size_t)rows * c;
        for (int a = 0; a < rows; a++)
            R[a] = column[a % p + all * (a / p)];
        R[c] += b->relaxed.ridge[c % p];
        R[c] += RS_SHIFT * R[c] + DBL_MIN;
    }
    return rs_cholesky(rows, b->model.factor, rows);
}

/* columns of those wanted with z = 0 join the others; returns how many there are */
static int add_entering(int count, const rs_perspective *p, bound *b)
{
    const size_t n = (size_t)b->problem->family->n;
    int all = b->relaxed.of.p;
    for (int i = 0; i < count; i++) {
        const int j = p->step.wanted[i];
        if (p->z[j] > 0.0)
            continue;
        rs_copy(n, b->all.columns + n * b->node.id[j], b->relaxed.P + n * all);
        b->model.at[j] = all++;
        b->model.per_unit[j] = 1.0;
    }
    return all;
}

/* K with Q in it, Q_i'K_ij Q_j / ridge^2: what a unit of share j moves, by all
 * columns, and what the coefficients take back of it */
static rs_status curve(void *state, int count, rs_perspective *p)
{
    bound *b = (bound *)state;
    const rs_newton_fit *fit = &b->relaxed.of;
    const size_t N = (size_t)p->of.N, ld = (size_t)count + 1;
    const int q = b->problem->family->q, rows = fit->p * q;
    const int all = add_entering(count, p, b), size = all * q;
    const double factor = 1.0 / b->problem->ridge;
    rs_family_hessian(b->problem->family, fit->H, fit->w, all, fit->P,
                      b->newton.S, b->newton.room);
    for (int c = 0; c < count; c++) {
        const int j = p->step.wanted[c];
        double *moved = b->model.moved;
        rs_fill((size_t)size, 0.0, moved);
        for (int l = 0; l < q; l++)
            rs_axpy((size_t)size,
                    factor * b->model.per_unit[j] * b->model.Q[j + N * l],
                    b->newton.S + (size_t)size * (b->model.at[j] + all * l),
                    moved);
        for (int a = 0; a < rows; a++)
            b->model.X[a + (size_t)rows * c] =
                moved[a % fit->p + all * (a / fit->p)];
        for (int a = 0; a < count; a++) {
            const int i = p->step.wanted[a];
            for (int l = 0; l < q; l++)
                p->step.K[a + ld * c] += factor * b->model.per_unit[i] *
                                         b->model.Q[i + N * l] *
                                         moved[b->model.at[i] + all * l];
        }
    }
    RS_TRY(factor_support(all, b));
    rs_triangular_solve('L', 'T', rows, count, b->model.factor, rows,
                        b->model.X, rows);
    rs_gemm('T', 'N', count, count, rows, -1.0, b->model.X, rows, b->model.X,
            rows, 1.0, p->step.K, count + 1);
    return RS_OK;
}

/* ---- the node ---------------------------------------------------------------------- */

/* as the tree has marked the node since: features leave, or join every set */
static void follow(const rs_node *node, bound *b)
{
    rs_perspective *p = &b->relax;
    int at = 0;
    for (int j = 0; j < p->of.N; j++) {
        const int mark = node->mark[b->all.list[b->node.id[j]]];
        if (mark == RS_UNIT_OUT)
            continue;
        if (mark == RS_UNIT_IN && !b->node.in[j])
            p->best.base += p->best.weight[j];
        b->node.id[at] = b->node.id[j];
        b->node.in[at] = mark == RS_UNIT_IN;
        p->z[at] = p->best.z[at] = p->best.z[j];
        p->best.weight[at++] = p->best.weight[j];
    }
    p->of.N = at;
    p->of.m = node->m;
}

/* the candidates that are left, with these shares */
static void begin_node(const rs_node *node, const double *z, bound *b)
{
    b->relax.of.N = b->all.count;
    for (int a = 0; a < b->all.count; a++) {
        b->node.id[a] = a;
        b->node.in[a] = 1;
        b->relax.best.z[a] = z[a];
    }
    follow(node, b);
}

/* the best set that is known has all shares */
static void begin_root(const rs_node *node, bound *b)
{
    rs_fill((size_t)b->all.count, 0.0, b->node.z);
    for (int i = 0; i < node->k; i++)
        b->node.z[b->all.place[node->known[i]]] = 1.0;
    begin_node(node, b->node.z, b);
}

static void record(void *state, const rs_node *node, void *bytes)
{
    const bound *b = (const bound *)state;
    double *z = (double *)bytes;
    (void)node;
    rs_fill((size_t)b->all.count, 0.0, z);
    for (int j = 0; j < b->relax.of.N; j++)
        z[b->node.id[j]] = b->relax.best.z[j];
}

static void resume(void *state, const rs_node *node, const void *bytes)
{
    begin_node(node, (const double *)bytes, (bound *)state);
}

/* a node of which nothing is known has the bound that it came with */
static rs_status bound_node(void *state, const rs_node *node,
                            rs_node_bound *says)
{
    bound *b = (bound *)state;
    rs_perspective *p = &b->relax;
    double smallest;
    if (node->round > 0)
        follow(node, b);
    else if (!node->resumed)
        begin_root(node, b);
    const double cut = rs_tree_cut(node->tree);
    b->tol = RS_FAMILY_EXACT * b->total +
             RS_FAMILY_PART * fmax(fmin(node->bound, b->total) - cut, 0.0);
    RS_TRY(rs_perspective_start(p));
    const rs_status status =
        rs_perspective_minimise(cut, RS_FAMILY_SHARE, RS_FAMILY_STEPS, p);
    if (status != RS_SINGULAR)
        RS_TRY(status);
    if (!isfinite(p->best.most))
        return RS_OK;
    says->value = p->best.most;
    says->base = p->best.base;
    says->has = RS_HAS_WEIGHT;
    for (int j = 0; j < p->of.N; j++)
        says->weight[b->all.list[b->node.id[j]]] = p->best.weight[j];
    if (p->best.most <= cut)
        return RS_OK;
    rs_perspective_top(p->best.weight, &smallest, p);
    for (int i = 0; i < node->m; i++)
        node->set[node->count + i] = b->all.list[b->node.id[p->order[i]]];
    return rs_tree_offer(node->set, node->tree);
}

/* the free feature that costs most to leave out, to second order */
static rs_status find_split(void *state, const rs_node *node, int *unit)
{
    bound *b = (bound *)state;
    const rs_family *f = b->problem->family;
    const rs_newton_fit *fit = &b->relaxed.of;
    const int rows = fit->p * f->q;
    double most = -1.0;
    *unit = isfinite(b->relax.best.most) ? node->free[0] : -1;
    if (*unit < 0 || rows == 0)
        return RS_OK;
    rs_family_hessian(f, fit->H, fit->w, fit->p, fit->P, b->newton.S,
                      b->newton.room);
    if (factor_support(fit->p, b) != RS_OK ||
        rs_cholesky_inverse(rows, b->model.factor) != RS_OK)
        return RS_OK;
    for (int i = f->intercept; i < fit->p; i++) {
        const int own = b->all.list[b->relaxed.column[i - f->intercept]];
        double cost = 0.0;
        for (int a = i; a < rows; a += fit->p)
            cost += fit->B[a] * fit->B[a] /
                    b->model.factor[(size_t)(rows + 1) * a];
        if (node->mark[own] == RS_UNIT_FREE && cost > most) {
            most = cost;
            *unit = own;
        }
    }
    return RS_OK;
}

/* one feature to choose: those beyond the cut, the best one first */
static rs_status close_node(void *state, const rs_node *node, int *done)
{
    bound *b = (bound *)state;
    rs_perspective *p = &b->relax;
    int count = 0;
    if (node->round == 0 || !isfinite(p->best.most))
        return RS_OK;
    follow(node, b);
    for (int j = 0; j < p->of.N; j++)
        if (!b->node.in[j])
            p->order[count++] = j;
    rs_sort_indices(p->best.weight, count, p->order);
    for (int i = 0; i < count; i++) {
        const int j = p->order[i];
        if (p->best.base + p->best.weight[j] <= rs_tree_cut(node->tree))
            break;
        node->set[node->count] = b->all.list[b->node.id[j]];
        RS_TRY(rs_tree_offer(node->set, node->tree));
    }
    *done = 1;
    return RS_OK;
}

/* ---- the root ------------------------------------------------------------------------ */

static rs_status read_candidates(const unsigned char *barred, bound *b)
{
    const rs_data *X = b->problem->X;
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    RS_ALLOC_INTS(b->ctx, d, &b->all.list, &b->all.place);
    RS_TRY(rs_allocated(b->ctx));
    for (int j = 0; j < X->d; j++) {
        b->all.place[j] = barred && barred[j] ? -1 : b->all.count;
        if (b->all.place[j] >= 0)
            b->all.list[b->all.count++] = j;
    }
    b->all.columns = rs_alloc_double(b->ctx, n * (size_t)b->all.count);
    b->all.length = rs_alloc_double(b->ctx, (size_t)b->all.count);
    RS_TRY(rs_allocated(b->ctx));
    for (int a = 0; a < b->all.count; a += RS_PANEL) {
        const int wide = rs_min_int(RS_PANEL, b->all.count - a);
        RS_TRY(rs_family_columns(b->problem, wide, b->all.list + a,
                                 b->all.columns + n * a));
        RS_TRY(rs_poll(b->ctx));
    }
    for (int a = 0; a < b->all.count; a++)
        b->all.length[a] = rs_norm(n, b->all.columns + n * a);
    return RS_OK;
}

static rs_status open_relaxation(int room, bound *b)
{
    const size_t q = (size_t)b->problem->family->q, d = (size_t)b->all.count;
    const size_t p = (size_t)room + 1;
    rs_perspective *relax = &b->relax;
    RS_TRY(rs_perspective_init(b->ctx, b->all.count, room, relax));
    RS_ALLOC_BYTES(b->ctx, d, &b->node.in);
    RS_ALLOC_INTS(b->ctx, d, &b->node.id, &b->model.at);
    RS_ALLOC_DOUBLES(b->ctx, d, &b->node.z, &b->model.per_unit);
    b->model.moved = rs_alloc_double(b->ctx, p * q);
    b->model.factor = rs_alloc_double(b->ctx, p * q * p * q);
    b->model.X = rs_alloc_double(b->ctx, p * q * (size_t)room);
    b->model.Q = rs_alloc_double(b->ctx, d * q);
    relax->of.in = b->node.in;
    relax->of.state = b;
    relax->of.solve = solve;
    relax->of.weigh = weigh_all;
    relax->of.curve = curve;
    relax->of.total = b->total;
    return rs_allocated(b->ctx);
}

/* F(none), and the intercepts to begin with */
static rs_status fit_none(bound *b)
{
    const size_t q = (size_t)b->problem->family->q;
    b->B = rs_alloc_double(b->ctx, (size_t)b->all.count * q);
    b->intercept = rs_alloc_double(b->ctx, q);
    b->g = rs_alloc_double(b->ctx, (size_t)b->problem->family->n * q);
    RS_TRY(rs_allocated(b->ctx));
    rs_fill((size_t)b->all.count * q, 0.0, b->B);
    rs_fill(q, 0.0, b->intercept);
    load(b, 0, &b->own);
    RS_TRY(rs_newton_minimise(0.0, &b->own.of, &b->newton));
    keep_coefficients(&b->own, b);
    b->total = b->own.of.objective;
    return RS_OK;
}

rs_status rs_family_bound_init(rs_context *ctx,
                               const rs_family_problem *problem,
                               const unsigned char *barred, int most, bound *b)
{
    *b = (bound){.ctx = ctx, .problem = problem};
    RS_TRY(read_candidates(barred, b));
    const int support =
        rs_min_int(RS_FAMILY_SUPPORT, RS_FAMILY_UNKNOWNS / problem->family->q);
    const int room = rs_max_int(
        most, rs_min_int(b->all.count, rs_max_int(support, 4 * most)));
    RS_TRY(rs_family_open_fit(ctx, problem, room, &b->relaxed));
    RS_TRY(rs_family_open_fit(ctx, problem, most, &b->own));
    RS_TRY(rs_newton_init(ctx, problem->family, room, &b->newton));
    RS_TRY(fit_none(b));
    RS_TRY(open_relaxation(room, b));
    b->of = (rs_bound){.state = b,
                       .value = value_of,
                       .value_state = b,
                       .bound = bound_node,
                       .split = find_split,
                       .closes = 1,
                       .close = close_node,
                       .bytes = (size_t)b->all.count * sizeof(double),
                       .record = record,
                       .resume = resume};
    return rs_tree_open(ctx, problem->X->d, most, &b->of, &b->tree);
}
