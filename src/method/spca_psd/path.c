#include "method/spca_psd/path.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/spca_psd/start.h"

/* first smoothing where columns have vanished or come back on the way */
#define RS_NEAR_WIDENING 1e4

/* ---- the optima so far -------------------------------------------------- */

static rs_status make_room(const rs_spca *pr, int r, rs_spca_recent *recent)
{
    const size_t d = (size_t)pr->d, room = (size_t)rs_min_int(2 * r, pr->d);
    recent->count = 0;
    recent->r = r;
    if (r > recent->room) {
        for (int k = 0; k < RS_RECENT; k++)
            recent->factor[k] = rs_alloc_double(pr->ctx, d * room);
        recent->turned = rs_alloc_double(pr->ctx, d * room);
        recent->rotation = rs_alloc_double(pr->ctx, room * room);
        RS_TRY(rs_allocated(pr->ctx));
        recent->room = (int)room;
    }
    return rs_stiefel_init(pr->ctx, r, r, &recent->polar);
}

/* the factors before are rotated to fit F: factor <- factor polar(factor'F) */
static rs_status align(int d, const double *F, rs_spca_recent *recent)
{
    const int r = recent->r;
    for (int k = 0; k < recent->count; k++) {
        rs_crossprod(d, r, r, recent->factor[k], F, recent->rotation);
        RS_TRY(rs_stiefel_polar(recent->rotation, &recent->polar));
        rs_matmul(d, r, r, recent->factor[k], recent->rotation,
                  recent->turned);
        rs_copy((size_t)d * r, recent->turned, recent->factor[k]);
    }
    return RS_OK;
}

/* at->F, the optimum for log(lambda) = where, becomes the first of the recent ones */
static rs_status add_optimum(const rs_spca *pr, const rs_spca_point *at,
                             double where, rs_spca_recent *recent)
{
    if (at->r == 0) {
        recent->count = 0;
        return RS_OK;
    }
    if (at->r != recent->r)
        RS_TRY(make_room(pr, at->r, recent));
    recent->count = rs_min_int(recent->count, RS_RECENT - 1);
    RS_TRY(align(pr->d, at->F, recent));
    double *oldest = recent->factor[recent->count];
    for (int k = recent->count; k > 0; k--) {
        recent->factor[k] = recent->factor[k - 1];
        recent->at[k] = recent->at[k - 1];
    }
    recent->factor[0] = oldest;
    recent->at[0] = where;
    rs_copy((size_t)pr->d * at->r, at->F, oldest);
    recent->count++;
    return RS_OK;
}

/* F at log(lambda) = where by Lagrange's polynomial through the recent optima */
static void extrapolate(const rs_spca_recent *recent, double where, int d,
                        double *F)
{
    const size_t size = (size_t)d * recent->r;
    rs_fill(size, 0.0, F);
    for (int k = 0; k < recent->count; k++) {
        double share = 1.0;
        for (int l = 0; l < recent->count; l++)
            if (l != k)
                share *=
                    (where - recent->at[l]) / (recent->at[k] - recent->at[l]);
        rs_axpy(size, share, recent->factor[k], F);
    }
}

/* ---- the path ------------------------------------------------------------ */

rs_status rs_spca_path_init(const rs_spca *pr,
                            const rs_spca_exact_settings *set, int r,
                            const double *F, rs_spca_path *path)
{
    memset(path, 0, sizeof *path);
    path->pr = *pr;
    path->set = *set;
    RS_TRY(F ? rs_spca_point_copy(pr, r, F, &path->at)
             : rs_spca_point_pca(pr, &path->at));
    return rs_exact_init(&path->pr, &path->set, &path->at, &path->fit,
                         &path->solver);
}

/* from principal components, as a single fit would */
static rs_status start_again(rs_spca_path *path)
{
    const rs_spca *pr = &path->pr;
    path->recent.count = 0;
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
    const rs_spca *pr = &path->pr;
    rs_spca_recent *recent = &path->recent;
    const double where = log(lambda);
    const int near = path->begun && eta == pr->eta && recent->count > 0;
    rs_status status = RS_STALLED;
    path->pr.lambda = lambda;
    path->pr.eta = eta;
    if (near) {
        extrapolate(recent, where, pr->d, path->at.F);
        rs_exact_mask(&path->solver, path->at.F);
        status = rs_exact_solve(pr, near_widening(path), &path->solver);
    }
    if (status != RS_OK && rs_is_usable(status)) {
        if (path->begun)
            RS_TRY(start_again(path));
        status = rs_exact_solve(pr, RS_COLD, &path->solver);
    }
    path->begun = 1;
    if (status == RS_OK)
        return add_optimum(pr, &path->at, where, recent);
    recent->count = 0;
    return status;
}

/* tr((F'SF)^+ (SF)'(SF)) / tr(S) */
rs_status rs_spca_path_explained(rs_spca_path *path, const rs_spca_point *at,
                                 double *share)
{
    const rs_spca *pr = &path->pr;
    rs_exact *s = &path->solver;
    const int d = pr->d, r = at->r;
    *share = 0.0;
    if (r == 0)
        return RS_OK;
    if (r > path->at.capacity)
        RS_TRY(rs_exact_make_room(s, r));
    double *SF = s->W, *turned = s->FS, *values = s->S3;
    RS_TRY(rs_spca_crossprod(pr, NULL, r, at->A, SF));
    rs_gram(pr->n, r, at->A, s->S1);
    RS_TRY(rs_eigen_largest(r, s->S1, r, values, s->S2, &s->eigen));
    rs_matmul(d, r, r, SF, s->S2, turned);
    for (int k = 0; k < r && values[k] > 1e-12 * values[0]; k++)
        *share += rs_sum_squares((size_t)d, turned + (size_t)k * d) /
                  (values[k] * pr->trace);
    *share = fmin(*share, 1.0);
    return RS_OK;
}
