#include "la/toprows.h"

#include "la/linalg.h"

rs_status rs_toprows_init(rs_context *ctx, int d, rs_toprows_ws *ws)
{
    ws->d = d;
    ws->norms = rs_alloc_double(ctx, (size_t)d);
    ws->keep = (unsigned char *)rs_alloc(ctx, (size_t)d, 1);
    RS_TRY(rs_allocated(ctx));
    return rs_choose_init(ctx, (size_t)d, &ws->choose);
}

rs_status rs_toprows_keep(int m, int k, const double *second, double *W,
                          rs_toprows_ws *ws)
{
    const size_t d = (size_t)ws->d;
    rs_row_norms(ws->d, m, W, ws->norms);
    RS_TRY(rs_choose_mask(d, ws->norms, second, d, (size_t)k, ws->keep,
                          &ws->choose));
    for (int c = 0; c < m; c++) {
        double *column = W + (size_t)c * d;
        for (size_t i = 0; i < d; i++)
            if (!ws->keep[i])
                column[i] = 0.0;
    }
    return RS_OK;
}
