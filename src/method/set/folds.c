/* Regressions on all samples but those of each fold. */
#include "method/set/folds.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/set/near.h"

/* features whose cross-products are formed: so many for each that all folds select,
 * or so many */
#define RS_FOLDS_EACH 8
#define RS_FOLDS_FORMED 1000
/* features among which sets are exchanged, where there are more: so many for each
 * that is selected, and no fewer than */
#define RS_FOLDS_NEAR 4
#define RS_FOLDS_LEAST 200

/* the samples without a fold */
typedef struct {
    const rs_lsq *all;
    const int *fold;
    const double *root; /* n */
    int out, levels;
    double mass, degrees, even; /* of all levels; the square of each feature */
    double *level, *weight;     /* 2 levels: m_l, and room; d: w */
    double *g;                  /* levels x d: g_l / sqrt(m_l) */
    rs_data X;                  /* Z_f */
    double *square, *S;
    unsigned char *barred, *first;
    rs_lsq problem;      /* of these samples, without a ridge */
    rs_columns *columns; /* of Z_f'Z_f, of all fits */
} training;

/* ---- the data without a fold ------------------------------------------------ */

/* z (n), by column, less the means of the samples left; `inside`: these alone */
static void project(const training *t, int inside, int columns, double *Z)
{
    const int n = t->all->n;
    double *sum = t->level + t->levels;
    for (int c = 0; c < columns; c++) {
        double *z = Z + (size_t)n * c;
        rs_fill((size_t)t->levels, 0.0, sum);
        for (int i = 0; i < n; i++)
            if (t->fold[i] != t->out)
                sum[rs_level_of(&t->all->centring, i)] += t->root[i] * z[i];
        for (int i = 0; i < n; i++) {
            const int l = rs_level_of(&t->all->centring, i);
            if (inside && t->fold[i] == t->out)
                z[i] = 0.0;
            else if (t->level[l] > 0.0)
                z[i] -= t->root[i] * sum[l] / t->level[l];
        }
    }
}

static rs_status training_columns(const rs_data *X, int count,
                                  const int *index, int from, double *out)
{
    const training *t = (const training *)X->kept;
    RS_TRY(t->all->X->ops->columns(t->all->X, count, index, from, out));
    project(t, 1, count, out);
    for (int c = 0; c < count; c++)
        rs_scale((size_t)X->n, t->weight[index ? index[c] : from + c],
                 out + (size_t)X->n * c);
    return RS_OK;
}

/* of vectors within the range of P_f */
static rs_status training_crossprod(const rs_data *X, int m, const double *Y,
                                    double *W)
{
    const training *t = (const training *)X->kept;
    RS_TRY(rs_data_crossprod(t->all->X, m, Y, W));
    rs_scale_rows(X->d, m, t->weight, W);
    return RS_OK;
}

static const rs_data_ops training_ops = {.columns = training_columns,
                                         .crossprod = training_crossprod};

/* ---- what is known of the folds --------------------------------------------- */

/* column z of the data, without the fold: g, its square and its weight */
static void set_column(training *t, int j, int scaled, const double *z)
{
    double *g = t->g + (size_t)t->levels * j, left = 0.0;
    rs_fill((size_t)t->levels, 0.0, g);
    for (int i = 0; i < t->all->n; i++)
        if (t->fold[i] != t->out) {
            g[rs_level_of(&t->all->centring, i)] += t->root[i] * z[i];
            left += z[i] * z[i];
        }
    for (int l = 0; l < t->levels; l++) {
        g[l] = t->level[l] > 0.0 ? g[l] / sqrt(t->level[l]) : 0.0;
        left -= g[l] * g[l];
    }
    t->barred[j] =
        t->all->barred[j] || !(left > RS_LEFT_NONE * t->all->square[j]);
    t->first[j] = t->all->first && t->all->first[j] && !t->barred[j];
    t->weight[j] = scaled && !t->barred[j] ? sqrt(t->even / left) : 1.0;
    t->square[j] = t->barred[j] ? 0.0 : left * t->weight[j] * t->weight[j];
}

/* all features, in one pass over the data */
static rs_status set_columns(rs_context *ctx, const rs_folds_settings *s,
                             training *t)
{
    const rs_data *X = s->all->X;
    const size_t n = (size_t)X->n;
    double *panel = rs_alloc_double(ctx, n * RS_PANEL);
    RS_TRY_ALLOC(panel);
    for (int from = 0; from < X->d; from += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, X->d - from);
        RS_TRY(rs_poll(ctx));
        RS_TRY(rs_data_columns(X, width, NULL, from, panel));
        for (int f = 0; f < s->folds; f++)
            for (int c = 0; c < width; c++)
                set_column(t + f, from + c, s->scaled, panel + n * c);
    }
    return RS_OK;
}

/* Z_f'Y, and ||P_f Y||^2 */
static rs_status set_response(rs_context *ctx, training *t)
{
    const rs_lsq *all = t->all;
    const size_t size = (size_t)all->n * (size_t)all->c;
    double *Y = rs_alloc_double(ctx, size);
    RS_TRY_ALLOC(Y);
    rs_copy(size, all->Y, Y);
    project(t, 1, all->c, Y);
    t->problem.total = rs_sum_squares(size, Y);
    t->problem.Y = Y;
    RS_TRY(rs_lsq_prepare(ctx, &t->problem));
    t->problem.Y = NULL;
    return RS_OK;
}

/* S of all folds: of their own samples first, then of the others */
static rs_status form(rs_context *ctx, int folds, training *t)
{
    const rs_data *X = t->all->X;
    const size_t d = (size_t)X->d;
    double *rows = rs_alloc_double(ctx, d * RS_PANEL);
    double *all = rs_alloc_double(ctx, d * d);
    int *index = rs_alloc_int(ctx, RS_PANEL);
    for (int f = 0; f < folds; f++)
        t[f].S = rs_alloc_double(ctx, d * d);
    RS_TRY(rs_allocated(ctx));
    rs_fill(d * d, 0.0, all);
    for (int f = 0; f < folds; f++) {
        rs_fill(d * d, 0.0, t[f].S);
        for (int i = 0, width = 0; i < X->n; i++) {
            if (t->fold[i] == f)
                index[width++] = i;
            if (width == 0 || (width < RS_PANEL && i < X->n - 1))
                continue;
            RS_TRY(rs_data_rows(X, width, index, 0, rows));
            rs_syrk_add(X->d, width, rows, X->d, t[f].S);
            RS_TRY(rs_poll(ctx));
            width = 0;
        }
        rs_axpy(d * d, 1.0, t[f].S, all);
    }
    for (int f = 0; f < folds; f++) {
        RS_TRY(
            rs_gram_add(ctx, t[f].levels, X->d, t[f].g, t[f].levels, t[f].S));
        for (size_t j = 0; j < d; j++)
            for (size_t i = 0; i <= j; i++)
                t[f].S[i + d * j] = t[f].S[j + d * i] =
                    t[f].weight[i] * t[f].weight[j] *
                    (all[i + d * j] - t[f].S[i + d * j]);
        t[f].problem.S = t[f].S;
        t[f].problem.X = NULL;
    }
    return RS_OK;
}

/* m_l, their sum, and (N - L) / N of it, N samples of L levels */
static void weigh(training *t)
{
    const double *counts = t->all->given.counts;
    double samples = 0.0, levels = 0.0;
    int whole = counts != NULL;
    rs_fill((size_t)t->levels, 0.0, t->level);
    for (int i = 0; i < t->all->n; i++)
        if (t->fold[i] != t->out) {
            t->level[rs_level_of(&t->all->centring, i)] +=
                counts ? counts[i] : 1.0;
            whole = whole && counts[i] == floor(counts[i]);
            samples++;
        }
    for (int l = 0; l < t->levels; l++) {
        t->mass += t->level[l];
        levels += t->level[l] > 0.0;
    }
    if (whole) /* these stand for so many samples */
        samples = t->mass;
    t->degrees = samples - levels;
    t->even = t->mass * t->degrees / fmax(samples, 1.0);
}

static rs_status open_training(rs_context *ctx, const rs_folds_settings *s,
                               const double *root, training *t)
{
    const rs_lsq *all = s->all;
    const size_t d = (size_t)all->d;
    const int levels = rs_max_int(1, all->centring.levels);
    for (int f = 0; f < s->folds; f++) {
        training *own = t + f;
        *own = (training){.all = all,
                          .fold = s->fold,
                          .root = root,
                          .out = f,
                          .levels = levels};
        own->X = (rs_data){.ops = &training_ops,
                           .kept = own,
                           .n = all->n,
                           .d = all->d,
                           .block = RS_PANEL,
                           .ctx = ctx};
        own->level = rs_alloc_double(ctx, 2 * (size_t)levels);
        RS_ALLOC_DOUBLES(ctx, d, &own->weight, &own->square);
        own->g = rs_alloc_double(ctx, d * (size_t)levels);
        RS_ALLOC_BYTES(ctx, d, &own->barred, &own->first);
        RS_TRY(rs_allocated(ctx));
        own->problem = (rs_lsq){.n = all->n,
                                .d = all->d,
                                .c = all->c,
                                .X = &own->X,
                                .square = own->square,
                                .barred = own->barred,
                                .first = own->first,
                                .deviation = all->deviation};
        weigh(own);
    }
    RS_TRY(set_columns(ctx, s, t));
    for (int f = 0; f < s->folds; f++)
        RS_TRY(set_response(ctx, t + f));
    const int few =
        rs_max_int(RS_FOLDS_FORMED, RS_FOLDS_EACH * s->folds * s->search.k);
    return all->d <= few && (all->d <= all->n || all->d <= RS_FOLDS_FORMED)
               ? form(ctx, s->folds, t)
               : RS_OK;
}

/* ---- the fits ---------------------------------------------------------------- */

typedef struct {
    training *of;
    rs_lsq_search by;
    int k, *set, next; /* its size, and what it grows by */
    double worth;
} fit;

static rs_status open_fit(rs_context *ctx, const rs_folds_settings *s,
                          training *t, double share, fit *f)
{
    rs_lsq *problem = &f->by.problem;
    *f = (fit){.of = t, .by = {.problem = t->problem}};
    problem->ridge = share * t->mass;
    problem->shared = t->columns;
    if (s->groups) {
        f->by.groups = *s->groups;
        f->by.groups.price.shrink = t->even / (t->even + problem->ridge);
        f->by.groups.price.freedom = t->degrees;
    }
    /* none where the response does not vary */
    if (problem->total > RS_LEFT_NONE * s->all->total)
        f->k = s->search.k;
    f->set = rs_alloc_int(ctx, (size_t)s->search.k);
    RS_TRY_ALLOC(f->set);
    RS_TRY(rs_lsq_search_init(ctx, &s->search, &f->by));
    t->columns = f->by.lsq.columns;
    if (t->S)
        return RS_OK;
    f->by.search.merit = rs_alloc_double(ctx, (size_t)problem->d);
    RS_TRY_ALLOC(f->by.search.merit);
    rs_fill((size_t)problem->d, -INFINITY, f->by.search.merit);
    return RS_OK;
}

static rs_status move(fit *f, int count)
{
    return f->by.lsq.as_value.move(&f->by.lsq, count, f->set, &f->worth);
}

/* columns of S that the fits need next, all of them by one product */
typedef struct {
    const rs_data *X;
    int count;
    const training *of[RS_PANEL];
    double *to[RS_PANEL];
    double *columns, *products; /* n, d x RS_PANEL */
} request;

static rs_status serve(request *r)
{
    const size_t d = (size_t)r->X->d;
    RS_TRY(rs_data_crossprod(r->X, r->count, r->columns, r->products));
    for (int i = 0; i < r->count; i++) {
        rs_copy(d, r->products + d * i, r->to[i]);
        rs_scale_rows(r->X->d, 1, r->of[i]->weight, r->to[i]);
    }
    r->count = 0;
    return RS_OK;
}

/* what the fit does not have of its next unit; of a panel none goes for another one */
static rs_status ask(const fit *f, request *r)
{
    const rs_groups *groups = &f->by.groups;
    const int *column = rs_group_columns(groups, f->next);
    const training *t = f->of;
    for (int i = 0; i < rs_group_size(groups, f->next) && !t->S; i++) {
        if (t->columns->slot_of[column[i]] >= 0)
            continue;
        RS_TRY(training_columns(&t->X, 1, column + i, 0,
                                r->columns + (size_t)r->X->n * r->count));
        r->to[r->count] = rs_columns_claim(t->columns, column[i]);
        RS_TRY_ALLOC(r->to[r->count]);
        r->of[r->count++] = t;
        if (r->count == RS_PANEL)
            RS_TRY(serve(r));
    }
    return RS_OK;
}

/* forward selection of all fits, step by step */
static rs_status grow(int count, fit *fits, int k, request *r)
{
    for (int size = 0; size < k; size++) {
        for (int i = 0; i < count; i++) {
            fit *f = fits + i;
            if (size >= f->k)
                continue;
            RS_TRY(rs_search_addition(&f->by.search, size, f->set, f->worth,
                                      &f->next));
            if (f->next < 0)
                f->k = size;
            else
                RS_TRY(ask(f, r));
        }
        if (r->count > 0)
            RS_TRY(serve(r));
        for (int i = 0; i < count; i++) {
            fit *f = fits + i;
            if (size >= f->k)
                continue;
            f->set[size] = f->next;
            RS_TRY(move(f, size + 1));
        }
    }
    return RS_OK;
}

/* exchanges and perturbations, of many features among those that came near */
static rs_status descend(fit *f, rs_near *near)
{
    rs_search *search = &f->by.search;
    if (search->merit && f->by.lsq.single) {
        near->all = &f->by.problem;
        near->merit = search->merit;
        RS_TRY(
            rs_near_descend(near, search->settings, f->k, INFINITY, f->set));
    } else {
        RS_TRY(rs_search_exchange(search, f->k, f->set, &f->worth));
        if (search->settings->perturb > 0)
            RS_TRY(rs_search_perturb(search, f->k, f->set, &f->worth));
    }
    return move(f, f->k);
}

/* sum of squares on the samples left out; f = NULL: of the means of the others */
static rs_status error_of(const training *t, fit *f, double *V, double *E,
                          double *error)
{
    const rs_lsq *all = t->all;
    const size_t n = (size_t)all->n, c = (size_t)all->c;
    double *x = E + n * c, objective;
    rs_copy(n * c, all->Y, E);
    project(t, 0, all->c, E);
    if (f)
        RS_TRY(rs_value_lsq_fit(&f->by.lsq, V, &objective));
    for (int i = 0; f && i < f->by.lsq.f.count; i++) {
        const int j = f->by.lsq.f.column[i];
        rs_lsq_column(all, j, x);
        project(t, 0, 1, x);
        for (size_t l = 0; l < c; l++)
            rs_axpy(n, -t->weight[j] * V[i + (size_t)f->by.lsq.f.count * l], x,
                    E + n * l);
    }
    *error = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < c && t->fold[i] == t->out; l++)
            *error += E[i + n * l] * E[i + n * l];
    return RS_OK;
}

rs_status rs_folds(rs_context *ctx, const rs_folds_settings *s, double *errors)
{
    const rs_lsq *all = s->all;
    const size_t n = (size_t)all->n, d = (size_t)all->d, c = (size_t)all->c;
    const int ridges = s->ridges, count = s->folds * ridges;
    training *t = rs_alloc(ctx, (size_t)s->folds, sizeof *t);
    fit *fits = rs_alloc(ctx, (size_t)count, sizeof *fits);
    double *root = rs_alloc_double(ctx, n);
    double *E = rs_alloc_double(ctx, n * (c + 1)), *V;
    request r = {.X = all->X};
    rs_near near;
    RS_TRY(rs_allocated(ctx));
    for (size_t i = 0; i < n; i++)
        root[i] = all->given.counts ? sqrt(all->given.counts[i]) : 1.0;
    RS_TRY(open_training(ctx, s, root, t));
    for (int i = 0; i < count; i++)
        RS_TRY(
            open_fit(ctx, s, t + i / ridges, s->share[i % ridges], fits + i));
    V = rs_alloc_double(ctx, c * (size_t)fits->by.lsq.f.most);
    r.columns = rs_alloc_double(ctx, t->S ? 0 : n * RS_PANEL);
    r.products = rs_alloc_double(ctx, t->S ? 0 : d * RS_PANEL);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_near_init(
        ctx, all,
        rs_min_int(rs_max_int(RS_FOLDS_NEAR * s->search.k, RS_FOLDS_LEAST),
                   all->d),
        &near));
    RS_TRY(grow(count, fits, s->search.k, &r));
    rs_fill((size_t)(ridges + 1) * (size_t)s->folds, 0.0, errors);
    for (int i = 0; i < count; i++) {
        fit *f = fits + i;
        double *own = errors + (i / ridges) * (size_t)(ridges + 1);
        if (f->k == 0)
            continue;
        if (i % ridges == 0)
            RS_TRY(error_of(f->of, NULL, V, E, own));
        RS_TRY(descend(f, &near));
        RS_TRY(error_of(f->of, f, V, E, own + 1 + i % ridges));
    }
    return RS_OK;
}
