#include "method/convex/convex.h"

#include <math.h>

#define RS_VANISHED 1e-13  /* eigenvalues of Omega that are dropped */
#define RS_SCREEN_TOL 1e-7 /* relative, of lengths beside lambda */

rs_status rs_spca_curve_room(rs_spca_curve *f)
{
    rs_context *ctx = f->pr->ctx;
    const size_t d = (size_t)f->pr->d, r = (size_t)f->at->capacity;
    RS_ALLOC_DOUBLES(ctx, d * r, &f->FL, &f->SF, &f->g, &f->SV, &f->FS, &f->W);
    RS_ALLOC_DOUBLES(ctx, r * r, &f->own, &f->S1, &f->S2, &f->S3);
    f->XV = rs_alloc_double(ctx, f->pr->S ? 1 : (size_t)f->pr->n * r);
    f->L = rs_alloc_double(ctx, r);
    RS_TRY(rs_allocated(ctx));
    return rs_eigen_init(ctx, (int)r, &f->eigen);
}

rs_status rs_spca_curve_init(const rs_spca *pr, rs_spca_point *at,
                             rs_spca_curve *f)
{
    *f = (rs_spca_curve){.pr = pr, .at = at};
    RS_ALLOC_DOUBLES(pr->ctx, (size_t)pr->d, &f->active, &f->dD);
    RS_TRY(rs_allocated(pr->ctx));
    rs_fill((size_t)pr->d, 1.0, f->active);
    return rs_spca_curve_room(f);
}

void rs_spca_mask(const rs_spca_curve *f, double *M)
{
    rs_scale_rows(f->pr->d, f->at->r, f->active, M);
}

double rs_spca_value(const rs_spca_curve *f, const rs_spca_point *at)
{
    const rs_spca_floors floors = {f->floor, 0.0};
    return rs_spca_objective(f->pr, &floors, at);
}

void rs_spca_refresh_weights(rs_spca_curve *f)
{
    const rs_spca_floors floors = {f->floor, 0.0};
    rs_spca_weights(f->pr, &floors, f->at);
    rs_scale_rows(f->pr->d, 1, f->active, f->at->D);
}

rs_status rs_spca_refresh(rs_spca_curve *f)
{
    rs_spca_point *at = f->at;
    const int d = f->pr->d, r = at->r;
    int kept = 0;
    if (r > 0) {
        rs_gram(d, r, at->F, at->C);
        RS_TRY(rs_eigen_largest(r, at->C, r, f->L, f->S1, &f->eigen));
        while (kept < r && f->L[kept] > RS_VANISHED)
            kept++;
        rs_matmul(d, r, kept, at->F, f->S1, f->W);
        rs_copy((size_t)d * kept, f->W, at->F);
    }
    at->r = kept;
    RS_TRY(rs_spca_measure(f->pr, at));
    rs_spca_refresh_weights(f);
    f->f = rs_spca_value(f, at);
    return isfinite(f->f) ? RS_OK : RS_NOT_FINITE;
}

/* out (r x r) = F' diag(weight) V */
static void weighted_product(rs_spca_curve *f, const double *weight,
                             const double *V, double *out)
{
    const int d = f->pr->d, r = f->at->r;
    rs_copy((size_t)d * r, V, f->W);
    rs_scale_rows(d, r, weight, f->W);
    rs_crossprod(d, r, r, f->at->F, f->W, out);
}

/* M (r x r) <- factor (M + M') */
static void add_transpose(int r, double factor, double *M)
{
    rs_symmetrise(r, M);
    rs_scale((size_t)r * r, 2.0 * factor, M);
}

/*
 * g = 2 G F = F (2 A'A + lambda F'DF) - 2 S F (2 - L) + lambda D F L + 2 eta F
 */
rs_status rs_spca_gradient(rs_spca_curve *f)
{
    const rs_spca *pr = f->pr;
    const rs_spca_point *at = f->at;
    const int d = pr->d, r = at->r;
    if (r == 0)
        return RS_OK;
    RS_TRY(rs_spca_crossprod(pr, NULL, r, at->A, f->SF));
    weighted_product(f, at->D, at->F, f->own);
    rs_gram(pr->n, r, at->A, f->S1);
    rs_scale((size_t)r * r, pr->lambda, f->own);
    rs_axpy((size_t)r * r, 2.0, f->S1, f->own);
    rs_matmul(d, r, r, at->F, f->own, f->g);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            const size_t jk = j + (size_t)k * d;
            f->FL[jk] = at->F[jk] * f->L[k];
            f->g[jk] += 2.0 * (f->L[k] - 2.0) * f->SF[jk] +
                        pr->lambda * at->D[j] * f->FL[jk] +
                        2.0 * pr->eta * at->F[jk];
        }
    return RS_OK;
}

/* dD_j = -D_j^3 <omega_j, d omega_j>, product = f_j S2 f_j'/2 + v_j L f_j' */
static void norm_change(rs_spca_curve *f, const double *V)
{
    const rs_spca_point *at = f->at;
    const int d = f->pr->d;
    rs_fill((size_t)d, 0.0, f->dD);
    for (int k = 0; k < at->r; k++)
        for (int j = 0; j < d; j++) {
            const size_t jk = j + (size_t)k * d;
            f->dD[j] += 0.5 * f->FS[jk] * at->F[jk] + f->FL[jk] * V[jk];
        }
    for (int j = 0; j < d; j++)
        f->dD[j] *= -at->D[j] * at->D[j] * at->D[j];
}

/*
 * With S2 = F'V + V'F
 *
 *   -2 S V (2 - L) + 2 S F S2 + V (2 eta + 2 A'A + lambda F'DF)
 *   + F (2 (F'S V + V'S F) + lambda (F'DV + V'DF + F'dD F))
 *   + lambda (D (F S2 + V L) + dD F L).
 */
rs_status rs_spca_hessian(rs_spca_curve *f, const double *V, double *out)
{
    const rs_spca *pr = f->pr;
    const rs_spca_point *at = f->at;
    const int d = pr->d, r = at->r;
    const size_t rr = (size_t)r * r;
    rs_crossprod(d, r, r, at->F, V, f->S2);
    add_transpose(r, 1.0, f->S2);
    rs_matmul(d, r, r, at->F, f->S2, f->FS);
    norm_change(f, V);
    if (pr->S)
        rs_matmul(d, d, r, pr->S, V, f->SV);
    else
        RS_TRY(rs_data_scatter(pr->X, r, 1.0, V, f->XV, f->SV));
    weighted_product(f, at->D, V, f->S1);
    rs_crossprod(d, r, r, at->F, f->SV, f->S3);
    rs_scale(rr, 2.0, f->S3);
    rs_axpy(rr, pr->lambda, f->S1, f->S3);
    add_transpose(r, 1.0, f->S3);
    weighted_product(f, f->dD, at->F, f->S1);
    rs_axpy(rr, pr->lambda, f->S1, f->S3);
    rs_matmul(d, r, r, at->F, f->S3, out);
    rs_gemm('N', 'N', d, r, r, 1.0, V, d, f->own, r, 1.0, out, d);
    rs_gemm('N', 'N', d, r, r, 2.0, f->SF, d, f->S2, r, 1.0, out, d);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            const size_t jk = j + (size_t)k * d;
            out[jk] += pr->lambda * (at->D[j] * (f->FS[jk] + V[jk] * f->L[k]) +
                                     f->dD[j] * f->FL[jk]) +
                       2.0 * (pr->eta * V[jk] + (f->L[k] - 2.0) * f->SV[jk]);
        }
    rs_spca_mask(f, out);
    return rs_poll(pr->ctx);
}

/* ---- multipliers of the column norms ------------------------------------------ */

/*
 * At an optimum with omega_j = 0, row j of the gradient without its own norm,
 * h_j, satisfies h_j = -C b with ||F b|| <= lambda: the length of h_j in
 * C^{-1} is at most lambda. (D_j = 0 if the column is inactive.)
 */
static double dual_length(const rs_spca_curve *f, int j)
{
    const double own = f->pr->lambda * f->at->D[j];
    double square = 0.0;
    for (int k = 0; k < f->at->r; k++) {
        const size_t jk = j + (size_t)k * f->pr->d;
        const double h = f->g[jk] - own * f->FL[jk];
        square += h * h / f->L[k];
    }
    return sqrt(square);
}

/*
 * Columns shorter than their smoothing whose norm would hold them at zero are
 * taken out (their rows of F become zero and stay so); those that should not
 * have been come back, as long as the smoothing, for good.
 */
int rs_spca_screen(rs_spca_curve *f, int *returned)
{
    const int d = f->pr->d;
    const double lambda = f->pr->lambda;
    int changed = 0;
    for (int j = 0; j < d; j++) {
        const double length = dual_length(f, j);
        double factor = 0.0;
        if (f->active[j] > 0.0) {
            if (returned[j] || length >= lambda ||
                f->at->column_square[j] >= f->floor)
                continue;
            f->active[j] = 0.0;
        } else {
            if (length <= lambda * (1.0 + RS_SCREEN_TOL))
                continue;
            f->active[j] = 1.0;
            returned[j] = 1;
            factor = -2.0 * sqrt(f->floor) / length;
        }
        for (int k = 0; k < f->at->r; k++) {
            const size_t jk = j + (size_t)k * d;
            f->at->F[jk] = factor * f->g[jk] / f->L[k];
        }
        changed++;
    }
    return changed;
}

/*
 * Z = F B' + diag(extra): the rows of B are -h_j C^{-1}, which makes M F zero
 * and hardly depends on a short f_j itself, shortened to lambda. If the column
 * is inactive the length that is left goes into the diagonal unless ||x_j||^2
 * is small beside eta. Row j of F being zero, this does not touch M F.
 */
void rs_spca_dual_columns(const rs_spca_curve *f, const double *square,
                          double *B, double *extra)
{
    const double lambda = f->pr->lambda;
    for (int j = 0; j < f->pr->d; j++) {
        const double own = lambda * f->at->D[j];
        const double length = fmax(dual_length(f, j), 1e-300);
        const double used = fmin(length, lambda);
        for (int k = 0; k < f->at->r; k++) {
            const size_t jk = j + (size_t)k * f->pr->d;
            const double h = f->g[jk] / f->L[k] - own * f->at->F[jk];
            B[jk] = -used / length * h;
        }
        extra[j] = 0.0;
        if (f->active[j] == 0.0 && 4.0 * square[j] > f->pr->eta)
            extra[j] = sqrt(lambda * lambda - used * used);
    }
}
