#include "method/convex/exact.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* first smoothing if columns have vanished or come back on the way */
#define RS_NEAR_WIDENING 1e4

/* ---- the optima so far -------------------------------------------------- */

static rs_status make_room(rs_spca_path *path, int r)
{
    rs_context *ctx = path->pr.ctx;
    const size_t d = (size_t)path->pr.d;
    const size_t room = (size_t)rs_min_int(2 * r, path->pr.d);
    path->count = 0;
    path->r = r;
    if (r > path->room) {
        for (int k = 0; k < RS_RECENT; k++)
            path->factor[k] = rs_alloc_double(ctx, d * room);
        path->turned = rs_alloc_double(ctx, d * room);
        path->rotation = rs_alloc_double(ctx, room * room);
        RS_TRY(rs_allocated(ctx));
        path->room = (int)room;
    }
    return rs_stiefel_init(ctx, r, r, &path->polar);
}

/* the optimum for log(lambda) = where becomes the first of the recent ones, and
 * those before are turned to fit it: factor <- factor polar(factor'F) */
static rs_status add_optimum(rs_spca_path *path, double where)
{
    const rs_spca_point *at = &path->at;
    const int d = path->pr.d, r = at->r;
    if (r != path->r)
        RS_TRY(make_room(path, r));
    path->count = rs_min_int(path->count, RS_RECENT - 1);
    double *oldest = path->factor[path->count];
    for (int k = path->count; k > 0; k--) {
        double *before = path->factor[k - 1];
        rs_crossprod(d, r, r, before, at->F, path->rotation);
        RS_TRY(rs_stiefel_polar(path->rotation, &path->polar));
        rs_matmul(d, r, r, before, path->rotation, path->turned);
        rs_copy((size_t)d * r, path->turned, before);
        path->factor[k] = before;
        path->where[k] = path->where[k - 1];
    }
    path->factor[0] = oldest;
    path->where[0] = where;
    rs_copy((size_t)d * r, at->F, oldest);
    path->count++;
    return RS_OK;
}

/* F at log(lambda) = where by Lagrange's polynomial through the recent optima */
static void extrapolate(rs_spca_path *path, double where)
{
    const size_t size = (size_t)path->pr.d * path->r;
    rs_fill(size, 0.0, path->at.F);
    for (int k = 0; k < path->count; k++) {
        double share = 1.0;
        for (int l = 0; l < path->count; l++)
            if (l != k)
                share *= (where - path->where[l]) /
                         (path->where[k] - path->where[l]);
        rs_axpy(size, share, path->factor[k], path->at.F);
    }
    rs_spca_mask(&path->solver.f, path->at.F);
}

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
    const double where = log(lambda);
    const int near = path->count > 0 && eta == pr->eta;
    rs_status status = RS_STALLED;
    path->pr.lambda = lambda;
    path->pr.eta = eta;
    if (near) {
        extrapolate(path, where);
        status = rs_exact_solve(
            pr, path->solver.screened > 0 ? RS_NEAR_WIDENING : 1.0,
            &path->solver);
    }
    if (status != RS_OK && rs_is_usable(status)) {
        path->count = 0;
        if (path->begun)
            RS_TRY(start_again(path));
        status = rs_exact_solve(pr, RS_COLD, &path->solver);
    }
    path->begun = 1;
    if (status == RS_OK && path->at.r > 0)
        return add_optimum(path, where);
    path->count = 0;
    return status;
}

/* tr((F'SF)^+ (SF)'(SF)) / tr(S) */
rs_status rs_spca_path_explained(rs_spca_path *path, double *share)
{
    const rs_spca *pr = &path->pr;
    const rs_spca_point *at = &path->at;
    rs_spca_curve *f = &path->solver.f;
    const int d = pr->d, r = at->r;
    double *values = f->S3;
    *share = 0.0;
    if (r == 0)
        return RS_OK;
    RS_TRY(rs_spca_crossprod(pr, NULL, r, at->A, f->W));
    rs_gram(pr->n, r, at->A, f->S1);
    RS_TRY(rs_eigen_largest(r, f->S1, r, values, f->S2, &f->eigen));
    rs_matmul(d, r, r, f->W, f->S2, f->FS);
    for (int k = 0; k < r && values[k] > 1e-12 * values[0]; k++)
        *share += rs_sum_squares((size_t)d, f->FS + (size_t)k * d) /
                  (values[k] * pr->trace);
    *share = fmin(*share, 1.0);
    return RS_OK;
}
