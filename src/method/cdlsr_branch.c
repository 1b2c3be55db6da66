#include "method/cdlsr_branch.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/topk.h"
#include "la/linalg.h"
#include "solve/accurate.h"

/* most candidates for which all of them together are tried as a bound */
#define RS_LEAPS 96
/* nodes between two looks at the clock */
#define RS_VISITS_PER_LOOK 32
/* taken off the diagonal there, which makes the bound larger than rounding
 * could make it smaller */
#define RS_LEAPS_SHIFT 1e-8
/* a residual, squared, below which a new basis vector comes from the data */
#define RS_DELICATE 1e-3
/* largest coherence bound that is trusted, as 1 / this */
#define RS_LEAST_EIGENVALUE 1e-6

/* the residual problem with the first t features of a node projected out */
typedef struct {
    double *loading; /* d: of all candidates on the t-th basis vector */
    double *left;    /* d */
    double *rest;    /* d x c */
    double *base;    /* d */
    double *YtY;     /* c x c */
    double largest;  /* eigenvalue of YtY */
    /* at most: the rounding errors of the inner products of residuals here,
     * and of what the node explains */
    double error, slack;
} level;

typedef struct {
    const rs_lsq *problem;
    const rs_exact_settings *set;
    rs_exact_fit *fit;
    rs_context *ctx;
    int d, c, k;
    int *order;   /* d: candidate at a position */
    int *chosen;  /* k: positions of the node */
    double least; /* gain that counts */
    double *unit; /* d: 1 / sqrt(||x||^2 + ridge) */
    double size;  /* ||Y|| */
    double error; /* of an inner product of two unit columns, at most */
    double *G;    /* d x d in the order, or NULL: a panel at a time */
    double *panel, *raw, *columns; /* d x PANEL each, n x PANEL */
    int panel_start;
    level *at;      /* 0..k-2 */
    double *alone;  /* d: s_j */
    double *sums;   /* d x (k + 1): the m largest s_j from a position on */
    double *mu;     /* d: largest |correlation| from a position on */
    double *h;      /* c */
    double *work;   /* c x c */
    double *values; /* c */
    rs_eigen_ws eigen;
    double *joint, *joint_B; /* RS_LEAPS^2, RS_LEAPS x c */
    rs_accurate accurate;
    int *members;      /* k: scratch, columns of a set */
    double *direction; /* n: a basis vector */
    double *image;     /* all: X'direction */
    double *edge;      /* d: the same for unit columns in the order */
    double unresolved; /* sets that rounding hides explain no more */
    clock_t started;
    unsigned visits;
    int stopped;
} search;

/* ---- cross-products in the order of the candidates --------------------- */

/* columns p, p + 1, ... of the cross-products of unit columns */
static rs_status fill_panel(search *s, int p, double *out)
{
    int width = rs_min_int(RS_EXACT_PANEL, s->d - p);
    RS_TRY(rs_ordered_products(s->problem, s->order, s->d, s->order + p, width,
                               s->columns, s->raw, out));
    for (int b = 0; b < width; b++) {
        double *column = out + (size_t)s->d * b;
        for (int q = 0; q < s->d; q++)
            column[q] *= s->unit[q] * s->unit[p + b];
    }
    return RS_OK;
}

static rs_status cross_products(search *s, int p, const double **column)
{
    if (s->G) {
        *column = s->G + (size_t)s->d * p;
        return RS_OK;
    }
    if (p < s->panel_start || p >= s->panel_start + RS_EXACT_PANEL) {
        RS_TRY(fill_panel(s, p, s->panel));
        s->panel_start = p;
    }
    *column = s->panel + (size_t)s->d * (p - s->panel_start);
    return RS_OK;
}

/* ---- bounds ------------------------------------------------------------ */

/* E(I) + the m largest eigenvalues of Y_I'Y_I */
static double response_bound(search *s, level *at, int m, double explained)
{
    const int c = s->c, count = rs_min_int(m, c);
    double sum = 0.0;
    at->largest = 1.0;
    if (rs_eigen_largest(c, at->YtY, count, s->values, NULL, &s->eigen) !=
        RS_OK)
        return 1.0;
    at->largest = fmax(s->values[0], 0.0) + at->slack + s->error;
    for (int l = 0; l < count; l++)
        sum += s->values[l] > 0.0 ? s->values[l] : 0.0;
    return explained + sum + (2 + count) * (at->slack + s->error);
}

/*
 * The largest eigenvalue of Y_I'Y_I - hh' is at most that of Y_I'Y_I, and at
 * most its Frobenius norm: a bound of what one more feature explains that
 * costs c^2 operations.
 */
static double last_bound(const search *s, const level *at)
{
    const int c = s->c;
    double sum = 0.0;
    for (int l = 0; l < c; l++)
        for (int j = 0; j < c; j++) {
            double value = at->YtY[j + (size_t)c * l] - s->h[j] * s->h[l];
            sum += value * value;
        }
    return fmin(sqrt(sum), at->largest);
}

/* (sum s over the node + the m largest s from p on) / (1 - (k - 1) mu) */
static double coherence_bound(const search *s, int depth, int m, int p)
{
    double mu = s->mu ? s->mu[depth > 0 ? s->chosen[0] : p] : 1.0;
    double least = 1.0 - (s->k - 1) * (mu + s->error);
    double sum = s->sums[p + (size_t)m * s->d];
    if (least <= RS_LEAST_EIGENVALUE)
        return 1.0;
    for (int i = 0; i < depth; i++)
        sum += s->alone[s->chosen[i]];
    return (sum + 3 * s->k * s->error) / least;
}

/*
 * E(I + F), F = the candidates from position p on: with T = A_FF - C_F C_F',
 * E(I) + tr(rest_F' T^{-1} rest_F). The computed T and rest_F are off by at
 * most e = at->error in every entry. T - shift I, which is below the true T
 * by at least shift / 2, is factored; that raises the sum, and the errors of
 * rest_F add at most 2 ||e|| / shift^{1/2} to its root.
 */
static double joint_bound(search *s, int depth, int m, int p, double explained)
{
    const int d = s->d, c = s->c, size = d - p;
    const level *at = &s->at[depth];
    double *T = s->joint, *b = s->joint_B, root;
    if (!s->G || m < 3 || size > RS_LEAPS ||
        size * at->error > 0.5 * RS_LEAPS_SHIFT ||
        (s->problem->ridge <= 0.0 && size + depth >= s->problem->n))
        return 1.0;
    for (int j = 0; j < size; j++) {
        for (int i = 0; i < j; i++) {
            double value = s->G[p + i + (size_t)d * (p + j)];
            for (int t = 1; t <= depth; t++)
                value -= s->at[t].loading[p + i] * s->at[t].loading[p + j];
            T[i + (size_t)size * j] = value;
        }
        T[j + (size_t)size * j] = at->left[p + j] - RS_LEAPS_SHIFT;
        for (int l = 0; l < c; l++)
            b[j + (size_t)size * l] = at->rest[p + j + (size_t)d * l];
    }
    if (rs_cholesky(size, T, size) != RS_OK)
        return 1.0;
    rs_triangular_solve('L', 'T', size, c, T, size, b, size);
    root = sqrt(rs_sum_squares((size_t)size * c, b)) +
           2.0 * sqrt((double)size * c / RS_LEAPS_SHIFT) * at->error;
    return explained + at->slack + root * root * (1.0 + s->error);
}

/* what the sets that add m candidates from position p on cannot exceed */
static double node_bound(search *s, int depth, int m, int p, double explained)
{
    double bound = response_bound(s, &s->at[depth], m, explained);
    bound = fmin(bound, coherence_bound(s, depth, m, p));
    if (bound > s->fit->explained + s->least)
        bound = fmin(bound, joint_bound(s, depth, m, p, explained));
    return fmin(bound, 1.0);
}

static int cannot_win(const search *s, double bound)
{
    return bound <= s->fit->explained + s->least;
}

/* ---- sets one by one ---------------------------------------------------- */

/* columns of the node, of p and of `last` (none where negative) */
static int list_members(search *s, int depth, int p, int last)
{
    int count = 0;
    for (int i = 0; i < depth; i++)
        s->members[count++] = s->order[s->chosen[i]];
    if (p >= 0)
        s->members[count++] = s->order[p];
    if (last >= 0)
        s->members[count++] = s->order[last];
    return count;
}

/*
 * A set that may win: `most` is what it explains at most. What it explains is
 * found from the data; where they are not at hand, `about` is what rounding
 * lets one see of it.
 */
static void try_set(search *s, int depth, int p, int last, double about,
                    double most)
{
    int count = list_members(s, depth, p, last);
    if (s->accurate.able) {
        about = rs_accurate_explained(&s->accurate, count, s->members) /
                s->problem->total;
        most = about;
    }
    if (about > s->fit->explained + s->least) {
        memcpy(s->fit->feature, s->members, (size_t)count * sizeof(int));
        s->fit->explained = about;
    }
    if (!cannot_win(s, most))
        s->unresolved = fmax(s->unresolved, fmin(most, 1.0));
}

/* ---- one feature more -------------------------------------------------- */

/* loading of the candidates after p on the new basis vector, into out */
static rs_status new_loading(search *s, int depth, int p, double r,
                             double *out)
{
    const double *column;
    const int from = p + 1, rows = s->d - from;
    RS_TRY(cross_products(s, p, &column));
    rs_copy((size_t)rows, column + from, out + from);
    for (int t = 1; t <= depth; t++)
        rs_axpy((size_t)rows, -s->at[t].loading[p], s->at[t].loading + from,
                out + from);
    rs_scale((size_t)rows, 1.0 / r, out + from);
    return RS_OK;
}

/* last features scored together: three vectors of 64 doubles stay in the
 * first-level cache, and a constant length lets the compiler vectorise */
#define RS_SCORED 64

/* a = inverse (g - sum_t loading_t loading_t[p]) for positions q, q + 1, ... */
static inline void strip_loading(const search *s, int depth, int p, int q,
                                 int length, double inverse,
                                 const double *restrict g, double *restrict a)
{
    for (int b = 0; b < length; b++)
        a[b] = g[b];
    for (int t = 1; t <= depth; t++) {
        const double *restrict loading = s->at[t].loading + q;
        double at_p = s->at[t].loading[p];
        for (int b = 0; b < length; b++)
            a[b] -= at_p * loading[b];
    }
    for (int b = 0; b < length; b++)
        a[b] *= inverse;
}

/*
 * value = base - 2 a M + a^2 ||h||^2 with M = rest h, left = left - a^2:
 * what the candidates add is value / left.
 */
static inline void strip_scores(const search *s, const level *at, int q,
                                int length, double kappa,
                                const double *restrict a,
                                double *restrict value, double *restrict left)
{
    const double *restrict base = at->base + q;
    const double *restrict before = at->left + q;
    for (int b = 0; b < length; b++)
        value[b] = 0.0;
    for (int l = 0; l < s->c; l++) {
        const double *restrict rest = at->rest + q + (size_t)s->d * l;
        double h = s->h[l];
        for (int b = 0; b < length; b++)
            value[b] += h * rest[b];
    }
    for (int b = 0; b < length; b++) {
        value[b] = base[b] + a[b] * (a[b] * kappa - 2.0 * value[b]);
        left[b] = before[b] - a[b] * a[b];
    }
}

/*
 * What follows when p joins the node: its loadings, what it explains, and the
 * errors of what comes after. e bounds the errors of the inner products of
 * residuals at the node; with r^2 = left_p those after p are off by at most
 * e (1 + 1/r)^2, as a quotient of them is by e / r and e / r^2.
 */
typedef struct {
    double r;              /* norm of what the node leaves of p */
    const double *loading; /* d: of all candidates; NULL: from left and r */
    double explained, error, slack;
} step;

/* a small residual: the direction comes from the data, and the loadings from
 * the direction. *usable = 0 for a p that depends on the node. */
static rs_status step_from_data(search *s, int depth, int p, step *to,
                                int *usable)
{
    const level *at = &s->at[depth];
    const int count = list_members(s, depth, p, -1);
    to->explained = rs_accurate_explained(&s->accurate, count, s->members) /
                    s->problem->total;
    *usable = s->accurate.residual[count - 1] > 0.0;
    if (!*usable)
        return RS_OK;
    rs_accurate_basis(&s->accurate, count - 1, s->direction, s->h);
    rs_scale((size_t)s->c, 1.0 / s->size, s->h);
    RS_TRY(rs_data_crossprod_vector(s->problem->X, s->direction, s->image));
    for (int q = 0; q < s->d; q++)
        s->edge[q] = s->image[s->order[q]] * s->unit[q];
    to->loading = s->edge;
    to->error = at->error + 4.0 * s->error;
    to->slack = s->error;
    return RS_OK;
}

static rs_status take_step(search *s, int depth, int p, double explained,
                           step *to, int *usable)
{
    const level *at = &s->at[depth];
    const double left = at->left[p];
    to->r = sqrt(fmax(left, 0.0));
    to->loading = NULL;
    *usable = 1;
    if (left < RS_DELICATE && s->accurate.able && s->problem->X)
        return step_from_data(s, depth, p, to, usable);
    if (left <= fmax(16.0 * at->error, RS_COLLINEAR_PRODUCTS)) {
        /* dependent or not: rounding hides it */
        s->unresolved = fmax(
            s->unresolved, fmin(1.0, response_bound(s, &s->at[depth],
                                                    s->k - depth, explained)));
        *usable = 0;
        return RS_OK;
    }
    for (int l = 0; l < s->c; l++)
        s->h[l] = at->rest[p + (size_t)s->d * l] / to->r;
    to->explained = explained + at->base[p] / left;
    to->error = at->error * (1.0 + 1.0 / to->r) * (1.0 + 1.0 / to->r);
    to->slack = at->slack + at->error * (2.0 / to->r + 1.0 / left);
    return RS_OK;
}

/*
 * The last feature after p. A candidate leaves left - a^2 and adds
 * value / (left - a^2), both off by at most the error e of inner products:
 * with w what has to be added, only those with
 * value + 2 e + e^2 + w e > w left can win.
 */
static rs_status scan_last(search *s, int depth, int p, const step *to)
{
    const level *at = &s->at[depth];
    const double *g = NULL, e = to->error;
    const double kappa = rs_sum_squares((size_t)s->c, s->h);
    double a[RS_SCORED], value[RS_SCORED], left[RS_SCORED];
    int length;

    if (!to->loading)
        RS_TRY(cross_products(s, p, &g));
    for (int q = p + 1; q < s->d; q += length) {
        double base = to->explained + to->slack;
        double least = s->fit->explained + s->least - base;
        double room = 2.0 * e + e * e + fmax(least, 0.0) * e;
        length = rs_min_int(RS_SCORED, s->d - q);
        if (to->loading)
            rs_copy((size_t)length, to->loading + q, a);
        else if (length == RS_SCORED)
            strip_loading(s, depth, p, q, RS_SCORED, 1.0 / to->r, g + q, a);
        else
            strip_loading(s, depth, p, q, length, 1.0 / to->r, g + q, a);
        if (length == RS_SCORED)
            strip_scores(s, at, q, RS_SCORED, kappa, a, value, left);
        else
            strip_scores(s, at, q, length, kappa, a, value, left);
        for (int b = 0; b < length; b++) {
            double root, most = 1.0, about = 0.0;
            if (value[b] + room <= least * left[b])
                continue;
            root = sqrt(fmax(value[b], 0.0)) + e;
            if (left[b] > 2.0 * e) {
                most = base + root * root / (left[b] - e);
                about = to->explained + value[b] / left[b];
            }
            if (left[b] <= RS_COLLINEAR_PRODUCTS)
                about = 0.0;
            if (!cannot_win(s, fmin(most, 1.0)))
                try_set(s, depth, p, q + b, about, most);
        }
    }
    return RS_OK;
}

/* the residual problem of depth + 1: p projected out, for what follows p */
static rs_status descend(search *s, int depth, int p, const step *to)
{
    const int d = s->d, c = s->c, from = p + 1;
    const level *at = &s->at[depth];
    level *next = &s->at[depth + 1];

    if (to->loading)
        rs_copy((size_t)(d - from), to->loading + from, next->loading + from);
    else
        RS_TRY(new_loading(s, depth, p, to->r, next->loading));
    next->error = to->error;
    next->slack = to->slack;
    for (int q = from; q < d; q++) {
        next->left[q] = at->left[q] - next->loading[q] * next->loading[q];
        next->base[q] = 0.0;
    }
    for (int l = 0; l < c; l++) {
        const double *old = at->rest + (size_t)d * l;
        double *rest = next->rest + (size_t)d * l;
        for (int q = from; q < d; q++) {
            rest[q] = old[q] - s->h[l] * next->loading[q];
            next->base[q] += rest[q] * rest[q];
        }
    }
    for (int l = 0; l < c; l++)
        for (int j = 0; j < c; j++)
            next->YtY[j + (size_t)c * l] =
                at->YtY[j + (size_t)c * l] - s->h[j] * s->h[l];
    s->chosen[depth] = p;
    return RS_OK;
}

/* asked once in a while: the clock is slow */
static int out_of_time(search *s)
{
    if (s->visits++ % RS_VISITS_PER_LOOK != 0)
        return 0;
    double seconds = (double)(clock() - s->started) / CLOCKS_PER_SEC;
    s->fit->seconds = seconds;
    return seconds >= s->set->time_limit;
}

/* one child: feature p is added to the node, `m` are to choose with it */
static rs_status explore(search *s, int depth, int from, double explained);

static rs_status visit(search *s, int depth, int m, int p, double explained)
{
    step to;
    int usable;
    RS_TRY(take_step(s, depth, p, explained, &to, &usable));
    s->fit->nodes += 1.0;
    if (!usable)
        return RS_OK;
    if (m == 2) {
        double bound = to.explained + last_bound(s, &s->at[depth]);
        if (cannot_win(s, bound + 3.0 * (to.slack + s->error)))
            return RS_OK;
        return scan_last(s, depth, p, &to);
    }
    RS_TRY(descend(s, depth, p, &to));
    if (cannot_win(s, node_bound(s, depth + 1, m - 1, p + 1, to.explained)))
        return RS_OK;
    return explore(s, depth + 1, p + 1, to.explained);
}

/*
 * All sets that add k - depth candidates from position `from` on to the node.
 * The bounds of what is left fall with the position, so that the first
 * position whose bound cannot win ends the loop.
 */
static rs_status explore(search *s, int depth, int from, double explained)
{
    const int m = s->k - depth;
    for (int p = from; p <= s->d - m; p++) {
        if (s->stopped || out_of_time(s)) {
            double left = node_bound(s, depth, m, p, explained);
            s->stopped = 1;
            s->fit->bound = fmax(s->fit->bound, left);
            return RS_OK;
        }
        RS_TRY(rs_poll(s->ctx));
        if (cannot_win(s, coherence_bound(s, depth, m, p)) ||
            (m > 2 && cannot_win(s, joint_bound(s, depth, m, p, explained))))
            return RS_OK;
        RS_TRY(visit(s, depth, m, p, explained));
    }
    return RS_OK;
}

static rs_status explore_all(search *s)
{
    if (cannot_win(s, node_bound(s, 0, s->k, 0, 0.0)))
        return RS_OK;
    return explore(s, 0, 0, 0.0);
}

/* ---- setting up -------------------------------------------------------- */

/* the incumbent first, then by what a feature explains alone */
static void order_candidates(search *s, double *score, double *work)
{
    const rs_lsq *p = s->problem;
    double top = 0.0;
    rs_explained_alone(p, score);
    for (int j = 0; j < p->d; j++)
        top = fmax(top, score[j]);
    for (int i = 0; i < s->k; i++)
        score[s->fit->feature[i]] = 2.0 * top + (s->k - i);
    rs_topk_order(p->d, score, s->d, s->order, work);
}

/* level 0 in the order of the candidates: unit columns, ||Y|| = 1 */
static void root_level(search *s)
{
    const rs_lsq *p = s->problem;
    const int d = s->d, c = s->c;
    level *root = &s->at[0];
    root->error = 2.0 * s->error;
    root->slack = 0.0;
    for (int q = 0; q < d; q++) {
        int j = s->order[q];
        double sum = 0.0;
        s->unit[q] = 1.0 / sqrt(p->square[j] + p->ridge);
        for (int l = 0; l < c; l++) {
            double value = p->B[j + (size_t)p->d * l] * s->unit[q] / s->size;
            root->rest[q + (size_t)d * l] = value;
            sum += value * value;
        }
        root->left[q] = 1.0;
        root->base[q] = s->alone[q] = sum;
    }
    for (int l = 0; l < c * c; l++)
        root->YtY[l] = s->set->YtY[l] / p->total;
}

/* sums[, m]: the m largest of alone[q..], by insertion from the end */
static void suffix_sums(search *s, double *largest)
{
    const int d = s->d, k = s->k;
    rs_fill((size_t)k, 0.0, largest);
    for (int q = d - 1; q >= 0; q--) {
        double value = s->alone[q], sum = 0.0;
        for (int i = 0; i < k; i++)
            if (value > largest[i]) {
                double next = largest[i];
                largest[i] = value;
                value = next;
            }
        s->sums[q] = 0.0;
        for (int m = 1; m <= k; m++) {
            sum += largest[m - 1];
            s->sums[q + (size_t)m * d] = sum;
        }
    }
}

/* mu[q] = largest |correlation| of two candidates from q on */
static rs_status suffix_coherence(search *s)
{
    const int d = s->d;
    double running = 0.0;
    for (int q = d - 1; q >= 0; q--) {
        const double *column = s->G + (size_t)d * q;
        for (int j = q + 1; j < d; j++) {
            running = fmax(running, fabs(column[j]));
        }
        s->mu[q] = running;
        if ((q & 255) == 0)
            RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

static rs_status init_levels(rs_context *ctx, search *s)
{
    const size_t d = (size_t)s->d, c = (size_t)s->c;
    int levels = s->k > 2 ? s->k - 1 : 1;
    s->at = (level *)rs_alloc(ctx, (size_t)levels, sizeof *s->at);
    RS_TRY_ALLOC(s->at);
    for (int t = 0; t < levels; t++) {
        s->at[t].loading = rs_alloc_double(ctx, t > 0 ? d : 0);
        s->at[t].left = rs_alloc_double(ctx, d);
        s->at[t].rest = rs_alloc_double(ctx, d * c);
        s->at[t].base = rs_alloc_double(ctx, d);
        s->at[t].YtY = rs_alloc_double(ctx, c * c);
        RS_TRY(rs_allocated(ctx));
    }
    return RS_OK;
}

static rs_status init_bounds(rs_context *ctx, search *s)
{
    const size_t d = (size_t)s->d, c = (size_t)s->c, k = (size_t)s->k;
    s->alone = rs_alloc_double(ctx, d);
    s->unit = rs_alloc_double(ctx, d);
    s->edge = rs_alloc_double(ctx, d);
    s->image = rs_alloc_double(ctx, (size_t)s->problem->d);
    s->direction = rs_alloc_double(ctx, (size_t)s->problem->n);
    s->members = rs_alloc_int(ctx, k);
    s->sums = rs_alloc_double(ctx, d * (k + 1));
    s->h = rs_alloc_double(ctx, c);
    s->values = rs_alloc_double(ctx, c);
    s->joint = rs_alloc_double(ctx, (size_t)RS_LEAPS * RS_LEAPS);
    s->joint_B = rs_alloc_double(ctx, (size_t)RS_LEAPS * c);
    s->chosen = rs_alloc_int(ctx, k);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_accurate_init(ctx, s->problem, s->k, &s->accurate));
    return rs_eigen_init(ctx, s->c, &s->eigen);
}

/* room for one panel, and from three features on all cross-products */
static rs_status init_cross_products(rs_context *ctx, search *s)
{
    const rs_lsq *p = s->problem;
    const size_t d = (size_t)s->d, width = RS_EXACT_PANEL;
    s->raw = rs_alloc_double(ctx, p->X ? (size_t)p->d * width : 0);
    s->columns = rs_alloc_double(ctx, p->X ? (size_t)p->n * width : 0);
    s->panel = rs_alloc_double(ctx, s->k > 2 ? 0 : d * width);
    RS_TRY(rs_allocated(ctx));
    s->panel_start = -RS_EXACT_PANEL;
    if (s->k < 3)
        return RS_OK;
    s->G = rs_alloc_double(ctx, d * d);
    s->mu = rs_alloc_double(ctx, d);
    RS_TRY(rs_allocated(ctx));
    for (int q = 0; q < s->d; q += RS_EXACT_PANEL)
        RS_TRY(fill_panel(s, q, s->G + d * q));
    return suffix_coherence(s);
}

static rs_status init_search(rs_context *ctx, search *s)
{
    const rs_lsq *p = s->problem;
    const size_t all = (size_t)p->d;
    double *score = rs_alloc_double(ctx, all),
           *work = rs_alloc_double(ctx, all);
    s->order = rs_alloc_int(ctx, all);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(init_levels(ctx, s));
    RS_TRY(init_bounds(ctx, s));
    order_candidates(s, score, work);
    root_level(s);
    suffix_sums(s, work);
    return init_cross_products(ctx, s);
}

/* k = 1: the best candidate is the answer */
static void best_single(search *s)
{
    const double error = 3.0 * s->error;
    for (int q = 0; q < s->d; q++)
        if (!cannot_win(s, s->alone[q] + error))
            try_set(s, 0, -1, q, s->alone[q], s->alone[q] + error);
    s->fit->nodes = s->d;
}

rs_status rs_cdlsr_branch(rs_context *ctx, const rs_lsq *problem,
                          const rs_exact_settings *settings, rs_exact_fit *fit)
{
    search s;
    memset(&s, 0, sizeof s);
    s.problem = problem;
    s.set = settings;
    s.fit = fit;
    s.ctx = ctx;
    s.c = problem->c;
    s.k = settings->k;
    for (int j = 0; j < problem->d; j++)
        s.d += !problem->barred[j];
    s.least = settings->tol;
    s.size = sqrt(problem->total);
    s.error = rs_product_error(problem);
    s.started = clock();
    fit->nodes = 0.0;
    fit->bound = 0.0;
    RS_TRY(init_search(ctx, &s));
    fit->explained /= problem->total;
    if (s.accurate.able)
        fit->explained =
            rs_accurate_explained(&s.accurate, s.k, fit->feature) /
            problem->total;
    if (s.k == 1)
        best_single(&s);
    else
        RS_TRY(explore_all(&s));
    fit->seconds = (double)(clock() - s.started) / CLOCKS_PER_SEC;
    fit->resolved = cannot_win(&s, s.unresolved);
    fit->complete = !s.stopped && fit->resolved;
    fit->bound = fmax(fmax(fit->bound, s.unresolved), fit->explained);
    fit->bound = fmin(fit->bound, 1.0) * problem->total;
    fit->explained *= problem->total;
    return RS_OK;
}
