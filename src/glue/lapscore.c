/* Scores of features on a graph: lapscore and spec. */
#include "method/score/lapscore.h"
#include "method/score/spec.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

static const char *const styles[] = {"phi1", "phi2", "phi3", NULL};

static void roughness_on(const rs_data *X, const rs_graph *graph,
                         rs_context *ctx, rs_roughness *r, rs_laplacian *L)
{
    r_expect(graph->n == X->n, "graph");
    r_check_status(rs_laplacian_init(ctx, graph, 0.0,
                                     RS_LAPLACIAN_UNNORMALIZED,
                                     RS_ROUGHNESS_BLOCK, L),
                   "graph");
    r_check_status(rs_roughness_init(ctx, X->d, r), "graph");
    r_check_status(rs_roughness_on(ctx, X, L, r), "graph");
}

/* graph: as C_graph() makes it */
SEXP C_lapscore(SEXP data, SEXP graph_)
{
    rs_context ctx = r_context();
    rs_graph graph = r_graph(graph_, &ctx);
    rs_laplacian L;
    rs_roughness r;
    rs_data *X = r_data(data, RS_ROUGHNESS_BLOCK, &ctx);
    roughness_on(X, &graph, &ctx, &r, &L);
    r_result out = r_open();
    rs_lapscore(&r, X->d, r_add_vector(&out, "score", X->d));
    r_add_integer(&out, "isolated", r.isolated);
    return r_close(&out);
}

/* the eigenpairs that C_embedding() found on the graph */
static rs_spec_pairs read_pairs(SEXP list, int n)
{
    rs_spec_pairs pairs;
    pairs.m = r_matrix(list, "vectors", &pairs.U);
    pairs.values = r_doubles(list, "values");
    pairs.degree = r_doubles(list, "degree");
    r_expect(pairs.m >= 1 && Rf_nrows(r_element(list, "vectors")) == n &&
                 Rf_xlength(r_element(list, "values")) == pairs.m &&
                 Rf_xlength(r_element(list, "degree")) == n,
             "embedding");
    return pairs;
}

/*
 * graph: as C_graph() makes it, or NULL for the full one; mean: what the data
 * are centred by, in their units; embedding: for phi3; settings: style, and
 * for the full graph metric and t
 */
SEXP C_spec(SEXP data, SEXP graph_, SEXP mean, SEXP embedding, SEXP settings)
{
    rs_context ctx = r_context();
    const int n = r_integer(data, "n"), d = r_integer(data, "d");
    const rs_spec_style style =
        (rs_spec_style)r_choice(settings, "style", styles);
    rs_spec_pairs pairs;
    rs_laplacian L;
    rs_roughness r;
    rs_data *X;
    if (style == RS_SPEC_PHI3)
        pairs = read_pairs(embedding, n);
    r_expect(Rf_xlength(mean) == d, "means");
    if (graph_ == R_NilValue) {
        X = r_data(data, rs_roughness_tile(n, d), &ctx);
        r_check_status(rs_roughness_init(&ctx, d, &r), "graph");
        r_check_status(rs_roughness_full(&ctx, X, r_metric(settings),
                                         r_number(settings, "t"), &r),
                       "graph");
    } else {
        rs_graph graph = r_graph(graph_, &ctx);
        X = r_data(data, RS_ROUGHNESS_BLOCK, &ctx);
        roughness_on(X, &graph, &ctx, &r, &L);
    }
    r_result out = r_open();
    double *phi = r_add_vector(&out, "phi", d);
    r_check_status(rs_spec(&ctx, X, REAL_RO(mean), &r, style,
                           style == RS_SPEC_PHI3 ? &pairs : NULL, phi),
                   "spec");
    r_add_integer(&out, "isolated", r.isolated);
    return r_close(&out);
}
