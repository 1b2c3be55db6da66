/* Good sets of every size up to k: additions and exchanges, from the set of the
 * size before. */
#include "method/cdlsr/path.h"

#include "sets/exchange.h"

/* a stretch of its own for every size */
static rs_status init_sizes(rs_context *ctx, size_t k, size_t c, rs_path *path)
{
    const size_t cells = k * (k + 1) / 2;
    int *feature = rs_alloc_int(ctx, cells);
    double *coefficients = rs_alloc_double(ctx, cells * c);
    path->size = (rs_cdlsr_size *)rs_alloc(ctx, k, sizeof *path->size);
    RS_TRY(rs_allocated(ctx));
    for (size_t size = 1; size <= k; size++) {
        path->size[size - 1].feature = feature;
        path->size[size - 1].coefficients = coefficients;
        feature += size;
        coefficients += size * c;
    }
    return RS_OK;
}

rs_status rs_path_init(rs_context *ctx, int k, int c, int wanted,
                       rs_path *path)
{
    const size_t width = (size_t)k;
    path->reached = 0;
    path->size = NULL;
    path->order = rs_alloc_int(ctx, width);
    path->coefficients = rs_alloc_double(ctx, width * (size_t)c);
    path->work = rs_alloc_double(ctx, 3 * width * width + width);
    RS_TRY(rs_allocated(ctx));
    return wanted ? init_sizes(ctx, width, (size_t)c, path) : RS_OK;
}

void rs_path_keep(rs_subset *s, const int *order, rs_path *path)
{
    const int k = s->k, c = s->problem->c;
    rs_cdlsr_size *size = &path->size[k - 1];
    rs_subset_coefficients(s, path->coefficients);
    for (int i = 0; i < k; i++) {
        size->feature[i] = s->feature[order[i]];
        for (int l = 0; l < c; l++)
            size->coefficients[i + (size_t)l * k] =
                path->coefficients[order[i] + (size_t)l * k];
    }
    size->explained = s->explained;
    size->objective = rs_subset_objective(s);
}

rs_status rs_path_run(rs_descent *descent, int k, const int *forward,
                      const double *explained, rs_path *path,
                      rs_cdlsr_end *end)
{
    rs_subset *s = descent->set;
    const double slack = descent->settings->tol * s->problem->total;
    rs_subset_clear(s);
    end->k = 0;
    end->explained = 0.0;
    for (path->reached = 0; path->reached < k; path->reached++) {
        const int size = path->reached + 1;
        RS_TRY(rs_subset_grow(s, size, NULL));
        if (s->k < size)
            return RS_OK;
        RS_TRY(rs_descend_by_exchange(descent, size, s->feature, size, end));
        if (end->explained + slack < explained[size - 1])
            RS_TRY(rs_descend_by_exchange(descent, size, forward, size, end));
        rs_subset_order(s, path->order, path->work, path->work + k);
        rs_path_keep(s, path->order, path);
    }
    return RS_OK;
}
