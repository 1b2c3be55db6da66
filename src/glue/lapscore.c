#include "method/lapscore.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/graph.h"
#include "glue/result.h"

/* graph: as C_graph() makes it */
SEXP C_lapscore(SEXP data, SEXP graph_)
{
    rs_context ctx = r_context();
    rs_graph graph = r_graph(graph_, &ctx);
    rs_laplacian L;
    rs_data X;
    r_data(data, RS_LAPSCORE_BLOCK, &ctx, &X);
    r_check_status(graph.n == X.n ? RS_OK : RS_BAD_INPUT, "graph");
    r_check_status(rs_laplacian_init(&ctx, &graph, 0.0,
                                     RS_LAPLACIAN_UNNORMALIZED,
                                     RS_LAPSCORE_BLOCK, &L),
                   "graph");
    r_result out = r_open();
    rs_status status =
        rs_lapscore(&ctx, &X, &L, r_add_vector(&out, "score", X.d));
    r_check_status(status, "lapscore");
    r_add_integer(&out, "isolated", L.isolated);
    return r_close(&out);
}
