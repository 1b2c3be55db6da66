/* The matrices of a graph. */
#include "glue/glue.h"

#if ROWSPARSE_TESTING

#include "graph/graph.h"

/* N V; settings: neighbours, lambda */
SEXP C_local_discriminant(SEXP data, SEXP near_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_neighbours near = r_neighbours(near_);
    rs_local_discriminant N;
    rs_data *X = r_data(data, 1, &ctx);
    double lambda = r_number(settings, "lambda");
    r_check_status(rs_local_init(&ctx, X, &near,
                                 r_integer(settings, "neighbours"), 0, &lambda,
                                 &N),
                   "neighbourhoods");
    r_result out = r_open();
    double *matrix = r_add_matrix(&out, "N", X->n, X->n);
    double *unit = r_room((size_t)X->n * X->n);
    rs_fill((size_t)X->n * X->n, 0.0, unit);
    for (int i = 0; i < X->n; i++)
        unit[i + (size_t)i * X->n] = 1.0;
    r_check_status(rs_local_apply(&N, X->n, unit, matrix), "neighbourhoods");
    r_add_number(&out, "scatter", N.scatter);
    return r_close(&out);
}

#endif
