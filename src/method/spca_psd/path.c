#include "method/spca_psd/path.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/spca_psd/model.h"

/* first smoothing where columns have vanished or come back on the way */
#define RS_NEAR_WIDENING 1e4

/* ---- the optima so far -------------------------------------------------- */

static rs_status make_room(rs_spca *pr, int r, rs_spca_trail *trail)
{
    const size_t d = (size_t)pr->d, room = (size_t)rs_min_int(2 * r, pr->d);
    trail->count = 0;
    trail->r = r;
    if (r > trail->room) {
        for (int k = 0; k < RS_TRAIL; k++)
            trail->factor[k] = rs_alloc_double(pr->ctx, d * room);
        trail->turned = rs_alloc_double(pr->ctx, d * room);
        trail->rotation = rs_alloc_double(pr->ctx, room * room);
        RS_TRY(rs_allocated(pr->ctx));
        trail->room = (int)room;
    }
    return rs_stiefel_init(pr->ctx, r, r, &trail->polar);
}

/* the factors before are turned to fit F: factor <- factor polar(factor'F) */
static rs_status turn_to(int d, const double *F, rs_spca_trail *trail)
{
    const int r = trail->r;
    for (int k = 0; k < trail->count; k++) {
        rs_crossprod(d, r, r, trail->factor[k], F, trail->rotation);
        RS_TRY(rs_stiefel_polar(trail->rotation, &trail->polar));
        rs_matmul(d, r, r, trail->factor[k], trail->rotation, trail->turned);
        rs_copy((size_t)d * r, trail->turned, trail->factor[k]);
    }
    return RS_OK;
}

/* at->F, the optimum for log(lambda) = where, becomes the first of the trail */
static rs_status remember(rs_spca *pr, const rs_spca_point *at, double where,
                          rs_spca_trail *trail)
{
    if (at->r == 0) {
        trail->count = 0;
        return RS_OK;
    }
    if (at->r != trail->r)
        RS_TRY(make_room(pr, at->r, trail));
    trail->count = rs_min_int(trail->count, RS_TRAIL - 1);
    RS_TRY(turn_to(pr->d, at->F, trail));
    double *oldest = trail->factor[trail->count];
    for (int k = trail->count; k > 0; k--) {
        trail->factor[k] = trail->factor[k - 1];
        trail->at[k] = trail->at[k - 1];
    }
    trail->factor[0] = oldest;
    trail->at[0] = where;
    rs_copy((size_t)pr->d * at->r, at->F, oldest);
    trail->count++;
    return RS_OK;
}

/* F at log(lambda) = where by Lagrange's polynomial through the trail */
static void extrapolate(const rs_spca_trail *trail, double where, int d,
                        double *F)
{
    const size_t size = (size_t)d * trail->r;
    rs_fill(size, 0.0, F);
    for (int k = 0; k < trail->count; k++) {
        double share = 1.0;
        for (int l = 0; l < trail->count; l++)
            if (l != k)
                share *=
                    (where - trail->at[l]) / (trail->at[k] - trail->at[l]);
        rs_axpy(size, share, trail->factor[k], F);
    }
}

/* ---- the path ------------------------------------------------------------ */

rs_status rs_spca_path_init(rs_spca *pr, const rs_spca_exact_settings *set,
                            int r, const double *F, rs_spca_path *path)
{
    memset(path, 0, sizeof *path);
    path->pr = pr;
    path->set = *set;
    RS_TRY(F ? rs_spca_point_copy(pr, r, F, &path->at)
             : rs_spca_point_pca(pr, &path->at));
    return rs_exact_init(pr, &path->set, &path->at, &path->fit, &path->solver);
}

/* from principal components, as a single fit would */
static rs_status start_again(rs_spca_path *path)
{
    rs_spca *pr = path->pr;
    path->trail.count = 0;
    rs_fill((size_t)pr->d, 1.0, path->solver.active);
    if (path->cold_eta != pr->eta)
        RS_TRY(rs_spca_point_pca(pr, &path->cold));
    path->cold_eta = pr->eta;
    path->at.r = 0;
    RS_TRY(rs_exact_make_room(&path->solver, path->cold.r));
    path->at.r = path->cold.r;
    rs_copy((size_t)pr->d * path->cold.r, path->cold.F, path->at.F);
    return RS_OK;
}

/* the first smoothing that a point near the last ones needs */
static double near_widening(const rs_spca_path *path)
{
    return path->solver.screened > 0 ? RS_NEAR_WIDENING : 1.0;
}

rs_status rs_spca_path_next(rs_spca_path *path, double lambda, double eta)
{
    rs_spca *pr = path->pr;
    rs_spca_trail *trail = &path->trail;
    const double where = log(lambda);
    const int near = path->begun && eta == pr->eta && trail->count > 0;
    rs_status status = RS_STALLED;
    pr->lambda = lambda;
    pr->eta = eta;
    if (near) {
        extrapolate(trail, where, pr->d, path->at.F);
        rs_exact_mask(&path->solver, path->at.F);
        status = rs_exact_solve(&path->solver, near_widening(path));
    }
    if (status != RS_OK && rs_is_usable(status)) {
        if (path->begun)
            RS_TRY(start_again(path));
        status = rs_exact_solve(&path->solver, RS_COLD);
    }
    path->begun = 1;
    if (status == RS_OK)
        return remember(pr, &path->at, where, trail);
    trail->count = 0;
    return status;
}

/* tr((F'SF)^+ (SF)'(SF)) / tr(S) */
rs_status rs_spca_path_explained(rs_spca_path *path, const rs_spca_point *at,
                                 double *share)
{
    const rs_spca *pr = path->pr;
    rs_exact *s = &path->solver;
    const int d = pr->d, r = at->r;
    *share = 0.0;
    if (r == 0)
        return RS_OK;
    if (r > path->at.capacity)
        RS_TRY(rs_exact_make_room(s, r));
    double *SF = s->W, *turned = s->FS, *values = s->S3;
    RS_TRY(rs_spca_crossprod_plain(pr, r, at->A, SF));
    rs_gram(pr->n, r, at->A, s->S1);
    RS_TRY(rs_eigen_largest(r, s->S1, r, values, s->S2, &s->eigen));
    rs_matmul(d, r, r, SF, s->S2, turned);
    for (int k = 0; k < r && values[k] > 1e-12 * values[0]; k++)
        *share += rs_sum_squares((size_t)d, turned + (size_t)k * d) /
                  (values[k] * pr->trace);
    *share = fmin(*share, 1.0);
    return RS_OK;
}
