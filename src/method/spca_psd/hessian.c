#include "method/spca_psd/hessian.h"

#include <math.h>

#define RS_VANISHED 1e-13 /* eigenvalues of Omega that are dropped */

/* rows of features whose column of Omega is kept at zero */
void rs_exact_mask(const rs_exact *s, double *M)
{
    rs_scale_rows(s->d, s->r, s->active, M);
}

/* the smoothed objective's weights; D = 0 for inactive columns */
void rs_exact_weights(rs_exact *s)
{
    rs_spca_weights(s->pr, &s->floors, s->at);
    for (int j = 0; j < s->d; j++)
        s->at->D[j] *= s->active[j];
}

/* the residuals of a point that was measured at its centre, and their weights */
static rs_status measure_residuals(const rs_exact *s, const rs_spca_point *at,
                                   rs_median *median)
{
    RS_TRY(rs_spca_residuals(s->pr, at, median->R));
    rs_median_weigh(s->floors.residual, median);
    return RS_OK;
}

/* sum_i t_i r_i = 0 at the median: c is the mean of the samples with the weights
 * t */
rs_status rs_exact_measure(rs_exact *s, rs_spca_point *at)
{
    RS_TRY(rs_spca_measure(s->pr, at));
    if (!s->pr->adaptive)
        return RS_OK;
    RS_TRY(rs_spca_residuals(s->pr, at, s->probe.R));
    RS_TRY(rs_median_find(s->floors.residual, &s->probe));
    RS_TRY(rs_spca_set_centre(s->pr, s->probe.t, &at->centre));
    return rs_spca_measure(s->pr, at);
}

/*
 * Rotate F so that F'F is diagonal, drop columns that vanished, and refresh
 * what depends on F: weights, F'DF, A'tA, f.
 */
rs_status rs_exact_refresh(rs_exact *s)
{
    rs_spca_point *at = s->at;
    const int d = s->d, r = at->r;
    int kept = 0;
    if (r > 0) {
        rs_gram(d, r, at->F, at->C);
        RS_TRY(rs_eigen_largest(r, at->C, r, s->L, s->S1, &s->eigen));
        while (kept < r && s->L[kept] > RS_VANISHED)
            kept++;
        rs_matmul(d, r, kept, at->F, s->S1, s->W);
        rs_copy((size_t)d * kept, s->W, at->F);
    }
    at->r = kept;
    s->r = kept;
    s->size = (size_t)d * kept;
    RS_TRY(rs_exact_measure(s, at));
    rs_exact_weights(s);
    if (s->pr->adaptive)
        RS_TRY(measure_residuals(s, at, &s->median));
    s->f = rs_spca_objective(&s->round, &s->floors, at);
    return isfinite(s->f) ? RS_OK : RS_NOT_FINITE;
}

/* out = M diag(L), rows x r */
static void scale_columns(int rows, int r, const double *L, const double *M,
                          double *out)
{
    for (int k = 0; k < r; k++)
        for (int i = 0; i < rows; i++)
            out[i + (size_t)k * rows] = M[i + (size_t)k * rows] * L[k];
}

/* out (r x r) = M' diag(weight) N, both rows x r; `work` is rows x r */
static void weighted_gram(int rows, int r, const double *M,
                          const double *weight, const double *N, double *work,
                          double *out)
{
    rs_copy((size_t)rows * r, N, work);
    rs_scale_rows(rows, r, weight, work);
    rs_crossprod(rows, r, r, M, work, out);
}

/* g = Xt'(t A (L - 2)) */
static rs_status gradient_loss(rs_exact *s)
{
    const rs_spca_point *at = s->at;
    const int d = s->d, n = s->n, r = s->r;
    if (s->SF) {
        rs_matmul(d, d, r, s->pr->S, at->F, s->SF);
        rs_copy(s->size, s->SF, s->g);
        for (int k = 0; k < r; k++)
            rs_scale((size_t)d, 2.0 * (s->L[k] - 2.0), s->g + (size_t)k * d);
        return RS_OK;
    }
    for (int k = 0; k < r; k++)
        for (int i = 0; i < n; i++) {
            size_t ik = i + (size_t)k * n;
            s->U[ik] = at->t[i] * at->A[ik] * (s->L[k] - 2.0);
        }
    return rs_spca_crossprod(s->pr, at->centre.c, r, s->U, s->g);
}

/*
 * g = 2 G F
 *   = 2 (F (eta I + A'tA/2 + lambda/2 F'DF) - Xt'(t A (2 - L))/2
 *        + lambda/2 D F L)
 */
rs_status rs_exact_gradient(rs_exact *s)
{
    const rs_spca *pr = &s->round;
    const rs_spca_point *at = s->at;
    const int d = s->d, n = s->n, r = s->r;
    weighted_gram(d, r, at->F, at->D, at->F, s->W, s->Fdf);
    weighted_gram(n, r, at->A, at->t, at->A, s->AV, s->Ata);
    scale_columns(d, r, s->L, at->F, s->FL);
    RS_TRY(gradient_loss(s));
    for (size_t i = 0; i < (size_t)r * r; i++)
        s->S1[i] = s->Ata[i] + pr->lambda * s->Fdf[i];
    rs_gemm('N', 'N', d, r, r, 1.0, at->F, d, s->S1, r, 1.0, s->g, d);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            size_t jk = j + (size_t)k * d;
            s->g[jk] +=
                2.0 * pr->eta * at->F[jk] + pr->lambda * at->D[j] * s->FL[jk];
        }
    return RS_OK;
}

/*
 * The weights' change for the sum of row norms: w_i = -t_i^3 <r_i, dr_i> =
 * t_i^3 ((2 - L) a_i av_i - a_i S a_i' / 2), S = F'V + V'F; a free centre follows.
 */
static rs_status weight_change(rs_exact *s)
{
    const rs_spca_point *at = s->at;
    const int n = s->n;
    rs_fill((size_t)n, 0.0, s->w);
    if (s->pr->loss == RS_LOSS_FROBENIUS)
        return RS_OK;
    for (int k = 0; k < s->r; k++)
        for (int i = 0; i < n; i++) {
            size_t ik = i + (size_t)k * n;
            s->w[i] +=
                at->A[ik] * ((2.0 - s->L[k]) * s->AV[ik] - 0.5 * s->AS[ik]);
        }
    for (int i = 0; i < n; i++)
        s->w[i] *= at->t[i] * at->t[i] * at->t[i];
    if (!s->pr->adaptive)
        return RS_OK;
    return rs_median_follow(s->w, &s->median);
}

/* dD_j = -D_j^3 <omega_j, d omega_j>, product = f_j S f_j'/2 + v_j L f_j' */
static void norm_change(rs_exact *s, const double *V)
{
    const rs_spca_point *at = s->at;
    const int d = s->d;
    rs_fill((size_t)d, 0.0, s->dD);
    for (int k = 0; k < s->r; k++)
        for (int j = 0; j < d; j++) {
            size_t jk = j + (size_t)k * d;
            s->dD[j] += 0.5 * s->FS[jk] * at->F[jk] + s->FL[jk] * V[jk];
        }
    for (int j = 0; j < d; j++)
        s->dD[j] *= -at->D[j] * at->D[j] * at->D[j];
}

/*
 * The loss's part of the Hessian: out = Xt'U, and into S3 what F is
 * multiplied by, A'tAV + AV'tA + A'wA, where
 * U = -t ((2 - L) AV - A S) - w (2 - L) A.
 */
static rs_status hessian_loss(rs_exact *s, const double *V, double *out)
{
    const rs_spca_point *at = s->at;
    const int n = s->n, r = s->r;
    RS_TRY(rs_spca_times(s->pr, at->centre.c, r, V, s->AV));
    rs_matmul(n, r, r, at->A, s->S2, s->AS);
    RS_TRY(weight_change(s));
    for (int k = 0; k < r; k++)
        for (int i = 0; i < n; i++) {
            size_t ik = i + (size_t)k * n;
            double rest = 2.0 - s->L[k];
            s->U[ik] = -at->t[i] * (rest * s->AV[ik] - s->AS[ik]) -
                       s->w[i] * rest * at->A[ik];
        }
    RS_TRY(rs_spca_crossprod(s->pr, at->centre.c, r, s->U, out));
    weighted_gram(n, r, at->A, at->t, s->AV, s->U, s->S3);
    weighted_gram(n, r, at->A, s->w, at->A, s->U, s->S4);
    for (int k = 0; k < r; k++)
        for (int l = 0; l <= k; l++) {
            size_t kl = k + (size_t)l * r, lk = l + (size_t)k * r;
            double both = s->S3[kl] + s->S3[lk];
            s->S3[kl] = both + s->S4[kl];
            s->S3[lk] = both + s->S4[kl];
        }
    return RS_OK;
}

/* The same for ||R||^2 from S: out = -2 S V (2 - L) + 2 S F S2, and into S3
 * 2 (F'S V + V'S F) */
static void hessian_squares(rs_exact *s, const double *V, double *out)
{
    const int d = s->d, r = s->r;
    rs_matmul(d, d, r, s->pr->S, V, s->SV);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            size_t jk = j + (size_t)k * d;
            out[jk] = -2.0 * (2.0 - s->L[k]) * s->SV[jk];
        }
    rs_gemm('N', 'N', d, r, r, 2.0, s->SF, d, s->S2, r, 1.0, out, d);
    rs_crossprod(d, r, r, s->at->F, s->SV, s->S3);
    for (int k = 0; k < r; k++)
        for (int l = 0; l <= k; l++) {
            size_t kl = k + (size_t)l * r, lk = l + (size_t)k * r;
            s->S3[kl] = s->S3[lk] = 2.0 * (s->S3[kl] + s->S3[lk]);
        }
}

/* the Hessian of f along V (d x r) */
rs_status rs_exact_hessian(rs_exact *s, const double *V, double *out)
{
    const rs_spca *pr = &s->round;
    const rs_spca_point *at = s->at;
    const int d = s->d, r = s->r;
    const double lambda = pr->lambda;

    /* S2 = F'V + V'F, FS = F S2, AS = A S2 */
    rs_crossprod(d, r, r, at->F, V, s->S2);
    for (int k = 0; k < r; k++)
        for (int l = 0; l <= k; l++) {
            size_t kl = k + (size_t)l * r, lk = l + (size_t)k * r;
            s->S2[kl] += s->S2[lk];
            s->S2[lk] = s->S2[kl];
        }
    rs_matmul(d, r, r, at->F, s->S2, s->FS);
    if (s->SF)
        hessian_squares(s, V, out);
    else
        RS_TRY(hessian_loss(s, V, out));
    norm_change(s, V);
    /* F (lambda (F'DV + V'DF + F'dD F) + S3) +
     * V (2 eta + lambda F'DF + A'tA) */
    weighted_gram(d, r, at->F, at->D, V, s->W, s->S1);
    weighted_gram(d, r, at->F, s->dD, at->F, s->W, s->S4);
    for (int k = 0; k < r; k++)
        for (int l = 0; l < r; l++) {
            size_t kl = k + (size_t)l * r, lk = l + (size_t)k * r;
            s->S3[kl] += lambda * (s->S1[kl] + s->S1[lk] + s->S4[kl]);
            s->S2[kl] = s->Ata[kl] + lambda * s->Fdf[kl];
        }
    rs_gemm('N', 'N', d, r, r, 1.0, at->F, d, s->S3, r, 1.0, out, d);
    rs_gemm('N', 'N', d, r, r, 1.0, V, d, s->S2, r, 1.0, out, d);
    /* lambda (D (F S + V L) + dD F L) + 2 eta V */
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            size_t jk = j + (size_t)k * d;
            out[jk] += lambda * (at->D[j] * (s->FS[jk] + V[jk] * s->L[k]) +
                                 s->dD[j] * s->FL[jk]) +
                       2.0 * pr->eta * V[jk];
        }
    rs_exact_mask(s, out);
    return rs_poll(pr->ctx);
}
