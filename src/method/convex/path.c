#include "method/convex/exact.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

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
