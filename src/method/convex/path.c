#include "method/convex/exact.h"

#include <math.h>
#include <string.h>

#include "eigen/components.h"

/* first smoothing if columns have vanished or come back on the way */
#define RS_NEAR_WIDENING 1e4

/* ---- the path ------------------------------------------------------------ */

rs_status rs_spca_path_init(const rs_spca *pr,
                            const rs_spca_exact_settings *set, int r,
                            const double *F, rs_spca_path *path)
{
    memset(path, 0, sizeof *path);
    path->pr = *pr;
    path->set = *set;
    if (F) {
        RS_TRY(rs_spca_point_init(pr, r, &path->at));
        RS_TRY(rs_spca_point_set(pr, r, NULL, F, &path->at));
    } else {
        RS_TRY(rs_spca_point_pca(pr, &path->at));
    }
    return rs_exact_init(&path->pr, &path->set, &path->at, &path->fit,
                         &path->solver);
}

/* from principal components, as a single fit would */
static rs_status start_again(rs_spca_path *path)
{
    const rs_spca *pr = &path->pr;
    rs_spca_point cold;
    RS_TRY(rs_spca_point_pca(pr, &cold));
    rs_fill((size_t)pr->d, 1.0, path->solver.f.active);
    path->at.r = 0;
    RS_TRY(rs_exact_make_room(&path->solver, cold.r));
    return rs_spca_point_set(pr, cold.r, NULL, cold.F, &path->at);
}

rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta)
{
    const rs_spca *pr = &path->pr;
    const int near = path->is_optimum && eta == pr->eta;
    rs_status status = RS_STALLED;
    path->pr.lambda = lambda;
    path->pr.eta = eta;
    if (near)
        status = rs_exact_solve(pr, RS_NEAR_WIDENING, &path->solver);
    if (status != RS_OK && rs_is_usable(status)) {
        if (path->begun)
            RS_TRY(start_again(path));
        status = rs_exact_solve(pr, RS_COLD, &path->solver);
    }
    path->begun = 1;
    path->is_optimum = status == RS_OK && path->at.r > 0;
    return status;
}

rs_status rs_spca_path_explained(rs_spca_path *path, double *share)
{
    const int r = path->at.r;
    rs_arena *arena = &path->solver.arena;
    rs_covop op;
    rs_components_ws ws;
    *share = 0.0;
    if (r == 0)
        return RS_OK;
    rs_arena_clear(arena);
    RS_TRY(rs_covop_from_data(&arena->ctx, path->pr.X, r, &op));
    RS_TRY(rs_components_init(&arena->ctx, &op, r, &ws));
    return rs_components_share(path->at.F, share, &ws);
}
