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
    double *g;                  /* levels x d */
    rs_data X;                  /* Z_f */
    double *square, *S, *B, *base, total;
    unsigned char *barred, *first;
} training;

/* ---- the data without a fold ------------------------------------------------ */

static int level_of(const training *t, int i)
{
    return t->levels > 1 ? rs_level_of(&t->all->centring, i) : 0;
}

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
                sum[level_of(t, i)] += t->root[i] * z[i];
        for (int i = 0; i < n; i++) {
            const int l = level_of(t, i);
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

/* one column without the fold, from the sums and squares of all folds */
static void set_column(training *t, int j, int folds, int scaled,
                       const double *sum, const double *square)
{
    double *g = t->g + (size_t)t->levels * j, left = 0.0;
    rs_fill((size_t)t->levels, 0.0, g);
    for (int f = 0; f < folds; f++) {
        if (f == t->out)
            continue;
        left += square[f];
        rs_axpy((size_t)t->levels, 1.0, sum + (size_t)t->levels * f, g);
    }
    for (int l = 0; l < t->levels; l++)
        left -= t->level[l] > 0.0 ? g[l] * g[l] / t->level[l] : 0.0;
    t->barred[j] =
        t->all->barred[j] || !(left > RS_LEFT_NONE * t->all->square[j]);
    t->first[j] = t->all->first && t->all->first[j] && !t->barred[j];
    t->weight[j] = scaled && !t->barred[j] ? sqrt(t->even / left) : 1.0;
    t->square[j] = t->barred[j] ? 0.0 : left * t->weight[j] * t->weight[j];
}

/* squares and weights of all features, in one pass over the data */
static rs_status summarise(rs_context *ctx, const rs_folds_settings *s,
                           training *t)
{
    const rs_data *X = s->all->X;
    const size_t n = (size_t)X->n, folds = (size_t)s->folds;
    const size_t levels = (size_t)t->levels;
    double *panel = rs_alloc_double(ctx, n * RS_PANEL);
    double *sum = rs_alloc_double(ctx, levels * folds);
    double *square = rs_alloc_double(ctx, folds);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < X->d; j++) {
        const int at = j % RS_PANEL, width = rs_min_int(RS_PANEL, X->d - j);
        const double *z = panel + n * at;
        if (at == 0) {
            RS_TRY(rs_poll(ctx));
            RS_TRY(rs_data_columns(X, width, NULL, j, panel));
        }
        rs_fill(levels * folds, 0.0, sum);
        rs_fill(folds, 0.0, square);
        for (size_t i = 0; i < n; i++) {
            const size_t f = (size_t)s->fold[i];
            sum[(size_t)level_of(t, (int)i) + levels * f] += t->root[i] * z[i];
            square[f] += z[i] * z[i];
        }
        for (int f = 0; f < s->folds; f++)
            set_column(t + f, j, s->folds, s->scaled, sum, square);
    }
    return RS_OK;
}

/* B = Z_f'Y, base, and ||P_f Y||^2 */
static rs_status set_response(rs_context *ctx, training *t)
{
    const rs_lsq *all = t->all;
    const size_t n = (size_t)all->n, c = (size_t)all->c;
    double *Y = rs_alloc_double(ctx, n * c);
    RS_TRY_ALLOC(Y);
    rs_copy(n * c, all->Y, Y);
    project(t, 1, all->c, Y);
    t->total = rs_sum_squares(n * c, Y);
    RS_TRY(training_crossprod(&t->X, all->c, Y, t->B));
    rs_row_squares(all->d, all->c, t->B, t->base);
    return RS_OK;
}

/* sum_l g_l g_l' / m_l */
static double shared(const training *t, size_t i, size_t j)
{
    const size_t levels = (size_t)t->levels;
    double sum = 0.0;
    for (size_t l = 0; l < levels; l++)
        if (t->level[l] > 0.0)
            sum += t->g[l + levels * i] * t->g[l + levels * j] / t->level[l];
    return sum;
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
    for (int f = 0; f < folds; f++)
        for (size_t j = 0; j < d; j++)
            for (size_t i = 0; i <= j; i++)
                t[f].S[i + d * j] = t[f].S[j + d * i] =
                    t[f].weight[i] * t[f].weight[j] *
                    (all[i + d * j] - t[f].S[i + d * j] - shared(t + f, i, j));
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
            t->level[level_of(t, i)] += counts ? counts[i] : 1.0;
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
    const size_t d = (size_t)all->d, c = (size_t)all->c;
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
        RS_ALLOC_DOUBLES(ctx, d, &own->weight, &own->square, &own->base);
        own->B = rs_alloc_double(ctx, d * c);
        own->g = rs_alloc_double(ctx, d * (size_t)levels);
        RS_ALLOC_BYTES(ctx, d, &own->barred, &own->first);
        RS_TRY(rs_allocated(ctx));
        weigh(own);
    }
    RS_TRY(summarise(ctx, s, t));
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
    rs_lsq problem;
    rs_groups groups;
    rs_value_lsq lsq;
    rs_value value;
    rs_search search;
    int k, *set, next; /* its size, and what it grows by */
    double worth;
} fit;

/* as many units as vary; none where the response does not */
static int size_of(const rs_folds_settings *s, const fit *f)
{
    int units = 0;
    for (int g = 0; g < f->groups.count; g++)
        units += !f->groups.barred[g];
    return f->of->total > RS_LEFT_NONE * s->all->total
               ? rs_min_int(s->search.k, units)
               : 0;
}

static rs_status open_fit(rs_context *ctx, const rs_folds_settings *s,
                          training *t, double share, rs_columns *shared,
                          fit *f)
{
    const rs_lsq *all = s->all;
    f->of = t;
    f->worth = 0.0;
    f->problem = (rs_lsq){.n = all->n,
                          .d = all->d,
                          .c = all->c,
                          .X = t->S ? NULL : &t->X,
                          .S = t->S,
                          .B = t->B,
                          .base = t->base,
                          .square = t->square,
                          .barred = t->barred,
                          .first = t->first,
                          .total = t->total,
                          .ridge = share * t->mass,
                          .shared = shared,
                          .deviation = all->deviation};
    if (s->groups) {
        rs_price *price = &f->groups.price;
        f->groups = *s->groups;
        price->shrink = t->even / (t->even + f->problem.ridge);
        price->freedom = t->degrees;
    } else {
        RS_TRY(rs_groups_of_one(ctx, all->d, all->deviation, t->first,
                                t->barred, &f->groups));
    }
    f->k = size_of(s, f);
    f->set = rs_alloc_int(ctx, (size_t)s->search.k);
    RS_TRY(
        rs_value_lsq_init(ctx, &f->problem, &f->groups, s->search.k, &f->lsq));
    f->value = rs_value_lsq_of(&f->lsq);
    RS_TRY(rs_search_init(ctx, &f->groups, &f->value, &s->search, &f->search));
    if (!t->S)
        f->search.merit = rs_alloc_double(ctx, (size_t)all->d);
    RS_TRY(rs_allocated(ctx));
    if (!t->S)
        rs_fill((size_t)all->d, -INFINITY, f->search.merit);
    return RS_OK;
}

/* columns of S that the fits need next, all of them by one product */
typedef struct {
    int count;
    fit *of[RS_PANEL];
    int feature[RS_PANEL];
    double *columns, *products; /* n, d x RS_PANEL */
} request;

static rs_status serve(request *r)
{
    if (r->count == 0)
        return RS_OK;
    const rs_lsq *all = r->of[0]->of->all;
    const size_t d = (size_t)all->d;
    RS_TRY(rs_data_crossprod(all->X, r->count, r->columns, r->products));
    for (int i = 0; i < r->count; i++) {
        double *column =
            rs_columns_claim(r->of[i]->lsq.columns, r->feature[i], NULL);
        RS_TRY_ALLOC(column);
        rs_copy(d, r->products + d * i, column);
        rs_scale_rows((int)d, 1, r->of[i]->of->weight, column);
    }
    r->count = 0;
    return RS_OK;
}

static rs_status ask(fit *f, request *r)
{
    const rs_groups *groups = &f->groups;
    const int *column = rs_group_columns(groups, f->next);
    for (int i = 0; i < rs_group_size(groups, f->next); i++) {
        int known = f->lsq.columns->slot_of[column[i]] >= 0;
        for (int a = 0; a < r->count && !known; a++)
            known = r->of[a]->of == f->of && r->feature[a] == column[i];
        if (known)
            continue;
        RS_TRY(training_columns(&f->of->X, 1, column + i, 0,
                                r->columns + (size_t)f->problem.n * r->count));
        r->of[r->count] = f;
        r->feature[r->count++] = column[i];
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
            RS_TRY(rs_search_addition(&f->search, size, f->set, f->worth,
                                      &f->next));
            if (f->next < 0)
                f->k = size;
            else if (!f->problem.S)
                RS_TRY(ask(f, r));
        }
        RS_TRY(serve(r));
        for (int i = 0; i < count; i++) {
            fit *f = fits + i;
            if (size >= f->k)
                continue;
            f->set[size] = f->next;
            RS_TRY(f->value.move(f->value.state, size + 1, f->set, &f->worth));
        }
    }
    return RS_OK;
}

/* exchanges and perturbations, of many features among those that came near */
static rs_status descend(fit *f, const rs_search_settings *settings,
                         rs_near *near)
{
    if (!f->problem.S && f->lsq.single) {
        near->all = &f->problem;
        rs_copy((size_t)f->problem.d, f->search.merit, near->merit);
        RS_TRY(rs_near_descend(near, settings, f->k, INFINITY, f->set));
    } else {
        RS_TRY(rs_search_exchange(&f->search, f->k, f->set, &f->worth));
        if (settings->perturb > 0)
            RS_TRY(rs_search_perturb(&f->search, f->k, f->set, &f->worth));
    }
    return f->value.move(f->value.state, f->k, f->set, &f->worth);
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
        RS_TRY(rs_value_lsq_fit(&f->lsq, V, &objective));
    for (int i = 0; f && i < f->lsq.f.count; i++) {
        const int j = f->lsq.f.column[i];
        rs_lsq_column(all, j, x);
        project(t, 0, 1, x);
        for (size_t l = 0; l < c; l++)
            rs_axpy(n, -t->weight[j] * V[i + (size_t)f->lsq.f.count * l], x,
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
    request r = {.count = 0};
    rs_near near;
    RS_TRY(rs_allocated(ctx));
    for (size_t i = 0; i < n; i++)
        root[i] = all->given.counts ? sqrt(all->given.counts[i]) : 1.0;
    RS_TRY(open_training(ctx, s, root, t));
    for (int i = 0; i < count; i++)
        RS_TRY(open_fit(ctx, s, t + i / ridges, s->share[i % ridges],
                        i % ridges > 0 ? fits[i - 1].lsq.columns : NULL,
                        fits + i));
    V = rs_alloc_double(ctx, c * (size_t)fits[0].lsq.f.most);
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
        RS_TRY(descend(f, &s->search, &near));
        RS_TRY(error_of(f->of, f, V, E, own + 1 + i % ridges));
    }
    return RS_OK;
}
