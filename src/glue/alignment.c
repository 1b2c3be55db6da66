#include "method/alignment/kernel.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* NULL: all samples */
static rs_landmarks read_landmarks(SEXP rows, int n, rs_context *ctx)
{
    rs_landmarks landmarks = {0, NULL};
    if (rows != R_NilValue) {
        landmarks.count = (int)Rf_xlength(rows);
        landmarks.row = r_zero_based(rows, n, ctx);
    }
    return landmarks;
}

/* data: what the distances are between; settings: neighbours, dimensions and
 * landmarks (integers), tol, maxit */
SEXP C_alignment_kernel(SEXP data, SEXP settings)
{
    rs_context ctx = r_context();
    rs_alignment_kernel_fit fit;
    SEXP neighbours = r_required(settings, "neighbours");
    SEXP dimensions = r_required(settings, "dimensions");
    rs_alignment_graphs set = {
        (int)Rf_xlength(neighbours),
        INTEGER_RO(neighbours),
        (int)Rf_xlength(dimensions),
        INTEGER_RO(dimensions),
        {0, NULL},
        {r_number(settings, "tol"), r_integer(settings, "maxit")}};
    const int graphs = RS_ALIGNMENT_METRICS * set.graphs;

    set.landmarks = read_landmarks(r_element(settings, "landmarks"),
                                   r_integer(data, "n"), &ctx);
    const int joined =
        set.landmarks.count > 0 ? set.landmarks.count : r_integer(data, "n");
    rs_data *X = r_data(data, r_neighbours_block(data, joined), &ctx);
    r_result out = r_open();
    fit.root =
        r_add_matrix(&out, "root", X->n, rs_alignment_kernel_columns(&set));
    fit.components = r_add_integers(&out, "components", graphs);
    fit.residual = r_add_vector(&out, "residual", graphs);
    r_add_ending(&out, "alignment", rs_alignment_kernel(&ctx, X, &set, &fit));
    return r_close(&out);
}
