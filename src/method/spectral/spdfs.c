#include "method/spectral/spectral.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

typedef struct {
    rs_context *ctx;
    const rs_spdfs_problem *p;
    rs_spdfs_fit *fit;
    int n, m;
    rs_projection base;
    double *a, *G;    /* N = diag(lambda - F 1) + F diag(F'1)^{-1} F' */
    double *F;        /* n x clusters: y^r */
    double *weight;   /* clusters: F'1 */
    double *sum;      /* n: F 1 */
    double *centres;  /* clusters x m */
    double *distance; /* clusters */
    double *square;   /* d: diagonal of S_t */
    double ratio;
} spdfs_state;

static rs_status init_state(rs_context *ctx, const rs_spdfs_problem *p,
                            rs_spdfs_fit *fit, spdfs_state *s)
{
    rs_data *X = p->base.X;
    const size_t n = (size_t)X->n, c = (size_t)p->clusters;
    *s = (spdfs_state){
        .ctx = ctx, .p = p, .fit = fit, .n = X->n, .m = p->base.m};
    RS_ALLOC_DOUBLES(ctx, n, &s->a, &s->sum);
    RS_ALLOC_DOUBLES(ctx, n * c, &s->G, &s->F);
    RS_ALLOC_DOUBLES(ctx, c, &s->weight, &s->distance);
    s->centres = rs_alloc_double(ctx, c * s->m);
    s->square = rs_alloc_double(ctx, (size_t)X->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_column_squares(X, s->square));
    return rs_projection_init(ctx, &p->base, s->a, p->clusters, s->G, NULL,
                              &fit->base, &s->base);
}

/* ---- the partition --------------------------------------------------------- */

/* F = Y^r, its sums */
static void weigh_partition(spdfs_state *s)
{
    const int n = s->n, clusters = s->p->clusters;
    rs_fill((size_t)n, 0.0, s->sum);
    for (int j = 0; j < clusters; j++) {
        s->weight[j] = 0.0;
        for (int i = 0; i < n; i++) {
            const size_t at = i + (size_t)n * j;
            s->F[at] = pow(s->fit->Y[at], s->p->r);
            s->weight[j] += s->F[at];
            s->sum[i] += s->F[at];
        }
    }
}

/* mu_j = sum_i F_ij W'x_i / sum_i F_ij */
static void place_centres(spdfs_state *s)
{
    const int clusters = s->p->clusters, m = s->m;
    rs_crossprod(s->n, clusters, m, s->F, s->base.XV, s->centres);
    for (int c = 0; c < m; c++)
        for (int j = 0; j < clusters; j++)
            if (s->weight[j] > 0.0)
                s->centres[j + (size_t)clusters * c] /= s->weight[j];
}

static double squared_distance(const spdfs_state *s, int i, int j)
{
    double sum = 0.0;
    for (int c = 0; c < s->m; c++) {
        const double gap = s->base.XV[i + (size_t)s->n * c] -
                           s->centres[j + (size_t)s->p->clusters * c];
        sum += gap * gap;
    }
    return sum;
}

/* y_ij ~ distance^{-1/(r-1)}; at the nearest centre for r = 1 and for a sample
 * that is on one. Clusters without weight stay empty. */
static void assign(spdfs_state *s)
{
    const int n = s->n, clusters = s->p->clusters;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        int nearest = -1;
        for (int j = 0; j < clusters; j++) {
            s->distance[j] =
                s->weight[j] > 0.0 ? squared_distance(s, i, j) : INFINITY;
            if (nearest < 0 || s->distance[j] < s->distance[nearest])
                nearest = j;
        }
        const double least = s->distance[nearest];
        for (int j = 0; j < clusters; j++) {
            double y = j == nearest;
            if (s->p->r > 1.0 && least > 0.0)
                y = pow(least / s->distance[j], 1.0 / (s->p->r - 1.0));
            s->fit->Y[i + (size_t)n * j] = y;
            sum += y;
        }
        for (int j = 0; j < clusters; j++)
            s->fit->Y[i + (size_t)n * j] /= sum;
    }
}

/* ---- the ratio --------------------------------------------------------------- */

/* at the present partition and basis, with the best centres; as it was where the
 * basis, of columns that depend on each other, takes all samples to one point */
static void measure(spdfs_state *s)
{
    double within = 0.0;
    place_centres(s);
    for (int j = 0; j < s->p->clusters; j++)
        for (int i = 0; i < s->n; i++)
            if (s->F[i + (size_t)s->n * j] > 0.0)
                within +=
                    s->F[i + (size_t)s->n * j] * squared_distance(s, i, j);
    const double total = rs_sum_squares((size_t)s->n * s->m, s->base.XV);
    if (total > 0.0)
        s->ratio = within / total;
}

/* A = lambda S_t - S_m */
static void use_ratio(double lambda, spdfs_state *s)
{
    const int n = s->n;
    for (int i = 0; i < n; i++)
        s->a[i] = lambda - s->sum[i];
    for (int j = 0; j < s->p->clusters; j++) {
        const double root =
            s->weight[j] > 0.0 ? 1.0 / sqrt(s->weight[j]) : 0.0;
        for (int i = 0; i < n; i++)
            s->G[i + (size_t)n * j] = root * s->F[i + (size_t)n * j];
    }
}

/* the best basis on the present set, from a ratio that is not below its own */
static rs_status solve_basis(spdfs_state *s)
{
    for (int it = 0; it < RS_INNER_STEPS; it++) {
        const double last = s->ratio;
        use_ratio(last, s);
        RS_TRY(rs_projection_solve(&s->base));
        measure(s);
        RS_TRY(rs_poll(s->ctx));
        if (!(s->ratio < last * (1.0 - RS_ROUNDING)))
            return RS_OK;
    }
    return RS_OK;
}

/* the set before, where another one is better by no more than rounding */
static rs_status update_features(spdfs_state *s)
{
    const double last = s->ratio;
    rs_projection_keep(&s->base);
    use_ratio(last, s);
    RS_TRY(rs_projection_climb(&s->base));
    RS_TRY(solve_basis(s));
    if (s->ratio < last * (1.0 - RS_ROUNDING) ||
        memcmp(s->base.best, s->fit->base.subset,
               (size_t)s->p->base.k * sizeof(int)) == 0)
        return RS_OK;
    rs_trace_set(s->base.best, &s->base.trace);
    s->ratio = last;
    return solve_basis(s);
}

/* diag P for the last ratio; equal where A is nothing but rounding on the set */
static rs_status score(spdfs_state *s)
{
    double total = 0.0;
    use_ratio(s->ratio, s);
    RS_TRY(rs_projection_shift(&s->base));
    for (int i = 0; i < s->p->base.k; i++)
        total += s->square[s->fit->base.subset[i]];
    if (s->fit->base.values[0] > RS_CHOOSE_TIE * s->ratio * total)
        return rs_trace_project(&s->base.trace);
    rs_fill((size_t)s->p->base.X->d, 1.0, s->fit->base.scores);
    return RS_OK;
}

rs_status rs_spdfs(rs_context *ctx, const rs_spdfs_problem *p,
                   rs_spdfs_fit *fit)
{
    spdfs_state s;
    rs_status status;
    RS_TRY(init_state(ctx, p, fit, &s));
    rs_trace_set(p->start, &s.base.trace);
    weigh_partition(&s);
    s.ratio = 1.0; /* no crisp partition has a larger one */
    RS_TRY(solve_basis(&s));
    for (int it = 0;; it++) {
        status =
            rs_history_step(s.ratio, 1e-300, p->base.tol, &fit->base.history);
        fit->is_zero = s.ratio <= RS_ROUNDING;
        if (fit->is_zero)
            status = RS_OK;
        if (status != RS_MAXIT || it == p->base.maxit)
            break;
        assign(&s);
        weigh_partition(&s);
        measure(&s);
        RS_TRY(update_features(&s));
    }
    if (!rs_is_usable(status))
        return status;
    RS_TRY(score(&s));
    return status;
}
