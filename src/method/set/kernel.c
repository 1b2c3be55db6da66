#include "method/set/alignment.h"

#include <math.h>

#include "la/linalg.h"

static const rs_metric metrics[RS_ALIGNMENT_METRICS] = {RS_EUCLIDEAN,
                                                        RS_COSINE_DISTANCE};

static int largest_dimension(const rs_alignment_graphs *set)
{
    return set->dimension[set->dimensions - 1];
}

int rs_alignment_kernel_columns(const rs_alignment_graphs *set)
{
    return RS_ALIGNMENT_METRICS * set->graphs * largest_dimension(set);
}

/* scratch of one graph, used again by the next */
typedef struct {
    double *values; /* m */
    double *residual;
    double *gram;       /* m x m */
    double *weight;     /* m */
    double *landmarks;  /* joined x m: eigenvectors before the extension */
    int *label, *queue; /* joined */
} scratch;

/* joined: samples of a graph */
static rs_status scratch_init(rs_context *ctx, int joined, int m, int extended,
                              scratch *s)
{
    RS_ALLOC_DOUBLES(ctx, (size_t)m, &s->values, &s->residual, &s->weight);
    s->gram = rs_alloc_double(ctx, (size_t)m * m);
    s->landmarks = extended ? rs_alloc_double(ctx, (size_t)joined * m) : NULL;
    RS_ALLOC_INTS(ctx, (size_t)joined, &s->label, &s->queue);
    return rs_allocated(ctx);
}

/* columns of mean 0 and norm 1; one that is constant but for rounding is 0 */
static void centre_columns(int n, int m, double *V)
{
    for (int j = 0; j < m; j++) {
        double *v = V + (size_t)n * j, sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += v[i];
        for (int i = 0; i < n; i++)
            v[i] -= sum / n;
        const double norm = rs_norm((size_t)n, v);
        rs_scale((size_t)n, norm > 1e-10 ? 1.0 / norm : 0.0, v);
    }
}

/* ||V_m'V_m||_F, from the Gram matrix of all columns */
static double norm_of_gram(const double *gram, int order, int m)
{
    double sum = 0.0;
    for (int j = 0; j < m; j++)
        sum += rs_sum_squares((size_t)m, gram + (size_t)order * j);
    return sqrt(sum);
}

/*
 * sum over m of V_m V_m' / ||V_m'V_m||_F = sum over j of w_j v_j v_j', w_j the
 * sum of 1 / ||V_m'V_m||_F over the m >= j: V <- its columns times sqrt(w_j
 * / terms).
 */
static void weigh_columns(int n, const rs_alignment_graphs *set, double *V,
                          scratch *s)
{
    const int most = largest_dimension(set);
    const double terms =
        (double)RS_ALIGNMENT_METRICS * set->graphs * set->dimensions;
    rs_gram(n, most, V, s->gram);
    rs_fill((size_t)most, 0.0, s->weight);
    for (int a = 0; a < set->dimensions; a++) {
        const int m = set->dimension[a];
        const double norm = norm_of_gram(s->gram, most, m);
        for (int j = 0; j < m && norm > 0.0; j++)
            s->weight[j] += 1.0 / norm;
    }
    for (int j = 0; j < most; j++)
        rs_scale((size_t)n, sqrt(s->weight[j] / terms), V + (size_t)n * j);
}

/* V (samples of the graph x m) = its embedding; RS_MAXIT as rs_embedding() has
 * it */
static rs_status embed(rs_context *ctx, const rs_neighbours *near, int q,
                       const rs_alignment_graphs *set, double *V,
                       int *components, double *residual, scratch *s)
{
    const int m = largest_dimension(set);
    rs_graph_settings weights = {RS_WEIGHTS_SELF_TUNING, q, 0, 0.0};
    rs_graph graph;
    rs_laplacian L;
    RS_TRY(rs_graph_build(ctx, near, &weights, &graph));
    *components = rs_graph_components(&graph, s->label, s->queue);
    RS_TRY(rs_laplacian_init(ctx, &graph, RS_ALIGNMENT_TAU,
                             RS_LAPLACIAN_SYMMETRIC,
                             rs_embedding_block(near->n, m), &L));
    rs_status status =
        rs_embedding(ctx, &L, m, &set->control, s->values, V, s->residual);
    *residual = 0.0;
    if (!rs_is_usable(status))
        return status;
    for (int j = 0; j < m; j++)
        *residual = fmax(*residual, s->residual[j]);
    /* D^{-1/2} V, columns of norm 1: the eigenvectors of the random walk */
    rs_scale_rows(near->n, m, L.root, V);
    for (int j = 0; j < m; j++) {
        double *v = V + (size_t)near->n * j;
        const double norm = rs_norm((size_t)near->n, v);
        rs_scale((size_t)near->n, norm > 0.0 ? 1.0 / norm : 0.0, v);
    }
    return status;
}

/* the lists that the graphs are built from, by each metric */
typedef struct {
    rs_neighbours near[RS_ALIGNMENT_METRICS];
    rs_nearest_landmarks nearest[RS_ALIGNMENT_METRICS];
} lists;

static rs_status find_lists(rs_context *ctx, rs_data *X,
                            const rs_alignment_graphs *set, lists *found)
{
    int most = 1;
    for (int g = 0; g < set->graphs; g++)
        most = rs_max_int(most, set->neighbours[g]);
    if (set->landmarks.count > 0)
        return rs_landmarks_find(ctx, X, &set->landmarks, most,
                                 RS_ALIGNMENT_METRICS, metrics, found->near,
                                 found->nearest);
    return rs_neighbours_find(ctx, X, most, RS_TIES, RS_ALIGNMENT_METRICS,
                              metrics, found->near);
}

/* V (n x m) = the embedding of graph g by metric a, number `at` of all */
static rs_status embed_all(rs_context *ctx, const lists *found, int a, int g,
                           int at, const rs_alignment_graphs *set, double *V,
                           rs_alignment_kernel_fit *fit, scratch *s)
{
    const int q = set->neighbours[g], m = largest_dimension(set);
    const int extended = set->landmarks.count > 0;
    rs_status status =
        embed(ctx, &found->near[a], q, set, extended ? s->landmarks : V,
              fit->components + at, fit->residual + at, s);
    if (extended && rs_is_usable(status))
        RS_TRY(rs_landmarks_extend(ctx, &set->landmarks, &found->near[a],
                                   &found->nearest[a], q, m, s->landmarks, V));
    return status;
}

rs_status rs_alignment_kernel(rs_context *ctx, rs_data *X,
                              const rs_alignment_graphs *set,
                              rs_alignment_kernel_fit *fit)
{
    const int n = X->n, m = largest_dimension(set);
    const int landmarks = set->landmarks.count;
    rs_status worst = RS_OK;
    lists found;
    scratch s;
    int at = 0;

    RS_TRY(scratch_init(ctx, landmarks > 0 ? landmarks : n, m, landmarks > 0,
                        &s));
    RS_TRY(find_lists(ctx, X, set, &found));
    for (int a = 0; a < RS_ALIGNMENT_METRICS; a++)
        for (int g = 0; g < set->graphs; g++, at++) {
            double *V = fit->root + (size_t)n * m * at;
            rs_status status =
                embed_all(ctx, &found, a, g, at, set, V, fit, &s);
            if (!rs_is_usable(status))
                return status;
            if (status != RS_OK)
                worst = status;
            centre_columns(n, m, V);
            weigh_columns(n, set, V, &s);
        }
    return worst;
}
