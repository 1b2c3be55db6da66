#include <math.h>
#include <string.h>

#include "rs_spca_parts.h"

/*
 * Newton's method on the factor: f(F) = objective at Omega = F F', roots
 * smoothed by floors far below the wanted gap. With Omega = F F' the gradient
 * is 2 G F, G = eta I - sym(Xt'Y) + lambda sym(Omega D), and a point with
 * G F = 0 and G >= 0 is the optimum of the convex problem; where G has
 * negative eigenvalues F gains their eigenvectors as columns (Burer and
 * Monteiro; Journee, Bach, Absil and Sepulchre). Steps come from truncated
 * conjugate gradients in a trust region (Steihaug), preconditioned by
 *
 *   2 ((eta + b_k) I + L_k (S_T + (lambda/2) D))   for column k,
 *
 * with F rotated so that F'F = diag(L), S_T = Xt' diag(t/2) Xt and
 * b_k = f_k'(S_T + (lambda/2) D) f_k. Columns of about the same
 * (eta + b_k) / L_k share one factorisation.
 */

#define RS_GROUPS 8             /* factorisations of one preconditioner */
#define RS_GROUP_RATIO 1.5      /* least ratio of neighbouring shifts */
#define RS_RADIUS_FACTOR 10.0   /* first radius in preconditioned steps */
#define RS_ACCEPT 0.05
#define RS_VANISHED 1e-13  /* eigenvalues of Omega that are dropped */
#define RS_ROUND_TOL 1e-9  /* the same while the smoothing is wide */
#define RS_NARROWING 0.1
#define RS_SCREEN_TOL 1e-7
#define RS_BOUND_WIDENING 10.0
#define RS_FIRST_TOL 1e-11 /* squared gradient norm relative to f, */
#define RS_LAST_TOL 1e-26  /* tightened from one to the other */
#define RS_CG_REDUCTION 0.1

typedef struct {
    rs_spca *pr;
    const rs_spca_exact_settings *set;
    rs_spca_fit *fit;
    rs_spca_point *at, trial;
    rs_spca_floors floors; /* squares */
    rs_spca_floors widest; /* norms */
    int d, n, r;
    size_t size;            /* d * r */
    double f, radius;
    double *L;              /* r: F'F = diag(L) */
    double *Fdf, *Ata;      /* r x r: F'DF, A'tA */
    double *FL;             /* d x r: F diag(L) */
    double *g;              /* d x r: gradient */
    double *p, *Hp, *res, *z, *q, *Hq; /* d x r: conjugate gradients */
    double *dD;             /* d */
    double *w;              /* n */
    double *AV, *AS, *U;    /* n x r */
    double *FS, *W;         /* d x r */
    double *S1, *S2, *S3, *S4; /* r x r */
    double *active;         /* d: 1, or 0 where row j of F is kept at 0 */
    int *returned;          /* d: taken out and come back? */
    double *square, *extra; /* d: ||x_j||^2; diagonal of the dual's Z */
    int groups;
    rs_spca_ridge ridge[RS_GROUPS];
    double *scatter, *half; /* d x d, n: dense preconditioner only */
    int *group;             /* r */
    double *block;          /* d x r: gathered columns */
    rs_eigen_ws eigen;
} exact_state;

/* ---- geometry of the point ---------------------------------------------------- */

/* rows of features whose column of Omega is kept at zero */
static void mask_rows(const exact_state *s, double *M)
{
    rs_scale_rows(s->d, s->r, s->active, M);
}

/* the smoothed objective's weights; D = 0 for inactive columns */
static void weights(exact_state *s)
{
    rs_spca_weights(s->pr, &s->floors, s->at);
    for (int j = 0; j < s->d; j++)
        s->at->D[j] *= s->active[j];
}

/*
 * Rotate F so that F'F is diagonal, drop columns that vanished, and refresh
 * what depends on F: weights, F'DF, A'tA, f.
 */
static rs_status refresh(exact_state *s)
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
    RS_TRY(rs_spca_measure(s->pr, at));
    weights(s);
    s->f = rs_spca_objective(s->pr, &s->floors, at);
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

/*
 * g = 2 G F
 *   = 2 (F (eta I + A'tA/2 + lambda/2 F'DF) - Xt'(t A (2 - L))/2
 *        + lambda/2 D F L)
 */
static rs_status gradient(exact_state *s)
{
    const rs_spca *pr = s->pr;
    const rs_spca_point *at = s->at;
    const int d = s->d, n = s->n, r = s->r;
    weighted_gram(d, r, at->F, at->D, at->F, s->W, s->Fdf);
    weighted_gram(n, r, at->A, at->t, at->A, s->AV, s->Ata);
    scale_columns(d, r, s->L, at->F, s->FL);
    for (int k = 0; k < r; k++)
        for (int i = 0; i < n; i++) {
            size_t ik = i + (size_t)k * n;
            s->U[ik] = at->t[i] * at->A[ik] * (s->L[k] - 2.0);
        }
    RS_TRY(rs_spca_crossprod(pr, r, s->U, s->g));
    for (int i = 0; i < r * r; i++)
        s->S1[i] = s->Ata[i] + pr->lambda * s->Fdf[i];
    rs_gemm('N', 'N', d, r, r, 1.0, at->F, d, s->S1, r, 1.0, s->g, d);
    for (int k = 0; k < r; k++)
        for (int j = 0; j < d; j++) {
            size_t jk = j + (size_t)k * d;
            s->g[jk] += 2.0 * pr->eta * at->F[jk] +
                        pr->lambda * at->D[j] * s->FL[jk];
        }
    return RS_OK;
}

/*
 * The weights' change for the sum of row norms: w_i = -t_i^3 <r_i, dr_i> =
 * t_i^3 ((2 - L) a_i av_i - a_i S a_i' / 2), S = F'V + V'F.
 */
static void weight_change(exact_state *s)
{
    const rs_spca_point *at = s->at;
    const int n = s->n;
    rs_fill((size_t)n, 0.0, s->w);
    if (s->pr->loss == RS_LOSS_FROBENIUS)
        return;
    for (int k = 0; k < s->r; k++)
        for (int i = 0; i < n; i++) {
            size_t ik = i + (size_t)k * n;
            s->w[i] += at->A[ik] * ((2.0 - s->L[k]) * s->AV[ik] -
                                    0.5 * s->AS[ik]);
        }
    for (int i = 0; i < n; i++)
        s->w[i] *= at->t[i] * at->t[i] * at->t[i];
}

/* dD_j = -D_j^3 <omega_j, d omega_j>, the product = f_j S f_j'/2 + v_j L f_j' */
static void norm_change(exact_state *s, const double *V)
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
static rs_status hessian_loss(exact_state *s, double *out)
{
    const rs_spca_point *at = s->at;
    const int n = s->n, r = s->r;
    weight_change(s);
    for (int k = 0; k < r; k++)
        for (int i = 0; i < n; i++) {
            size_t ik = i + (size_t)k * n;
            double rest = 2.0 - s->L[k];
            s->U[ik] = -at->t[i] * (rest * s->AV[ik] - s->AS[ik]) -
                       s->w[i] * rest * at->A[ik];
        }
    RS_TRY(rs_spca_crossprod(s->pr, r, s->U, out));
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

/* the Hessian of f along V (d x r) */
static rs_status hessian(exact_state *s, const double *V, double *out)
{
    const rs_spca *pr = s->pr;
    const rs_spca_point *at = s->at;
    const int d = s->d, n = s->n, r = s->r;
    const double lambda = pr->lambda;

    /* S2 = F'V + V'F, FS = F S2, AS = A S2 */
    rs_crossprod(d, r, r, at->F, V, s->S2);
    for (int k = 0; k < r; k++)
        for (int l = 0; l <= k; l++) {
            size_t kl = k + (size_t)l * r, lk = l + (size_t)k * r;
            s->S2[kl] += s->S2[lk];
            s->S2[lk] = s->S2[kl];
        }
    RS_TRY(rs_spca_times(pr, r, V, s->AV));
    rs_matmul(d, r, r, at->F, s->S2, s->FS);
    rs_matmul(n, r, r, at->A, s->S2, s->AS);
    RS_TRY(hessian_loss(s, out));
    norm_change(s, V);
    /* F (lambda (F'DV + V'DF + F'dD F) + S3) + V (2 eta + lambda F'DF + A'tA) */
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
    mask_rows(s, out);
    return rs_poll(pr->ctx);
}

/* ---- preconditioner ------------------------------------------------------------- */

/* (eta + b_k) / L_k, b_k = (A'tA)_kk / 2 + lambda/2 (F'DF)_kk */
static double column_shift(const exact_state *s, int k)
{
    size_t kk = k + (size_t)k * s->r;
    double b = 0.5 * (s->Ata[kk] + s->pr->lambda * s->Fdf[kk]);
    return (s->pr->eta + b) / s->L[k];
}

/* one factorisation per group of columns with about the same shift */
static rs_status precondition_init(exact_state *s)
{
    const rs_spca *pr = s->pr;
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < s->r; k++) {
        least = fmin(least, column_shift(s, k));
        most = fmax(most, column_shift(s, k));
    }
    double span = log(most / least);
    double ratio = fmax(log(RS_GROUP_RATIO), span / RS_GROUPS * 1.0001);
    if (s->ridge[0].dense)
        RS_TRY(rs_spca_scatter(pr, s->at->t, s->half, s->dD,
                               s->scatter));
    for (int k = 0; k < s->r; k++)
        s->group[k] = (int)(log(column_shift(s, k) / least) / ratio);
    for (int g = 0; g < s->groups; g++) {
        int used = 0;
        double shift = least * exp((g + 0.5) * ratio);
        for (int k = 0; k < s->r; k++)
            used += s->group[k] == g;
        if (used == 0)
            continue;
        for (int j = 0; j < s->d; j++)
            s->ridge[g].c[j] = shift + 0.5 * pr->lambda * s->at->D[j];
        RS_TRY(rs_spca_ridge_factor(pr, s->at->t, s->scatter, &s->ridge[g]));
        RS_TRY(rs_poll(pr->ctx));
    }
    return RS_OK;
}

/* z_k = (S_T + lambda/2 D + shift_k I)^{-1} res_k / (2 L_k) */
static rs_status precondition(exact_state *s)
{
    const size_t d = (size_t)s->d;
    for (int g = 0; g < s->groups; g++) {
        int m = 0;
        for (int k = 0; k < s->r; k++)
            if (s->group[k] == g)
                rs_copy(d, s->res + k * d, s->block + d * m++);
        if (m == 0)
            continue;
        RS_TRY(rs_spca_ridge_solve(s->pr, m, s->block, s->W, &s->ridge[g]));
        m = 0;
        for (int k = 0; k < s->r; k++) {
            if (s->group[k] != g)
                continue;
            rs_copy(d, s->block + d * m++, s->z + k * d);
            rs_scale(d, 0.5 / s->L[k], s->z + k * d);
        }
    }
    mask_rows(s, s->z);
    return RS_OK;
}

/*
 * One product with the Hessian and the preconditioner: four thin products with
 * the data, and with r x r matrices five on the side of the samples and eight
 * on that of the features.
 */
double rs_spca_step_flops(const rs_spca *pr, double r)
{
    double n = pr->n, d = pr->d;
    return 8.0 * n * d * r + 10.0 * n * r * r + 16.0 * d * r * r;
}

/* ---- trust region ------------------------------------------------------------------ */

/* the root tau >= 0 of ||p + tau q|| = radius */
static double to_boundary(double pp, double pq, double qq, double radius)
{
    double room = radius * radius - pp;
    return (-pq + sqrt(fmax(pq * pq + qq * room, 0.0))) / qq;
}

static int has_budget(const exact_state *s)
{
    return s->fit->inner_iterations < s->set->inner_total;
}

/*
 * Steihaug's truncated conjugate gradients: p minimises the model within the
 * radius; *length is its norm and *decrease the model's decrease. On entry
 * res = g and z = preconditioned g with <g, z> = rz.
 */
static rs_status truncated_cg(exact_state *s, double rz, double *length,
                              double *decrease)
{
    const size_t size = s->size;
    double pp = 0.0, pq = 0.0, qq = rz;
    double forcing = fmin(RS_CG_REDUCTION, sqrt(sqrt(rz / fabs(s->f))));
    double goal = forcing * forcing * rz;
    rs_fill(size, 0.0, s->p);
    rs_fill(size, 0.0, s->Hp);
    rs_copy(size, s->z, s->q);
    rs_scale(size, -1.0, s->q);
    for (int it = 0; it < s->set->inner_maxit && has_budget(s); it++) {
        RS_TRY(hessian(s, s->q, s->Hq));
        s->fit->inner_iterations++;
        double curvature = rs_dot(size, s->q, s->Hq);
        double alpha = rz / curvature;
        double next = pp + 2.0 * alpha * pq + alpha * alpha * qq;
        int leaves = curvature <= 0.0 || next >= s->radius * s->radius;
        if (leaves)
            alpha = to_boundary(pp, pq, qq, s->radius);
        rs_axpy(size, alpha, s->q, s->p);
        rs_axpy(size, alpha, s->Hq, s->Hp);
        pp = leaves ? s->radius * s->radius : next;
        if (leaves)
            break;
        rs_axpy(size, alpha, s->Hq, s->res);
        RS_TRY(precondition(s));
        double last = rz;
        rz = rs_dot(size, s->res, s->z);
        if (rz <= goal)
            break;
        double beta = rz / last;
        for (size_t i = 0; i < size; i++)
            s->q[i] = beta * s->q[i] - s->z[i];
        pq = beta * (pq + alpha * qq);
        qq = rz + beta * beta * qq;
    }
    *length = sqrt(pp);
    *decrease = -rs_dot(size, s->g, s->p) - 0.5 * rs_dot(size, s->p, s->Hp);
    return RS_OK;
}

/* the rounding of f; ||R||^2 comes from squares as large as ||Xc||^2 */
static double rounding(const exact_state *s)
{
    double square = s->pr->loss == RS_LOSS_FROBENIUS ? s->pr->trace : 0.0;
    return 1e-13 * fabs(s->f) + 1e-14 * square;
}

/*
 * Try F + p; *ratio compares actual and modelled decrease, both raised by the
 * rounding of f, which must not decide on tiny steps.
 */
static rs_status try_step(exact_state *s, double decrease, double *ratio)
{
    rs_spca_point *trial = &s->trial;
    trial->r = s->r;
    for (size_t i = 0; i < s->size; i++)
        trial->F[i] = s->at->F[i] + s->p[i];
    RS_TRY(rs_spca_measure(s->pr, trial));
    double f = rs_spca_objective(s->pr, &s->floors, trial);
    const double noise = rounding(s);
    *ratio = (s->f - f + noise) / (decrease + noise);
    if (*ratio > RS_ACCEPT)
        rs_copy(s->size, trial->F, s->at->F);
    return RS_OK;
}

static void update_radius(exact_state *s, double ratio, double length)
{
    if (!(ratio >= 0.25))
        s->radius = 0.25 * length;
    else if (ratio > 0.75 && length > 0.9 * s->radius)
        s->radius *= 2.0;
}

/* everything at F that a step needs; with it the value is recorded */
static rs_status linearise(exact_state *s)
{
    rs_history *history = &s->fit->history;
    RS_TRY(rs_spca_set_centre(s->pr, s->at->t));
    RS_TRY(refresh(s));
    if (history->count == 0 ||
        history->objective[history->count - 1] != s->f)
        rs_history_add(history, s->f);
    if (s->r == 0)
        return RS_OK;
    RS_TRY(gradient(s));
    mask_rows(s, s->g);
    return precondition_init(s);
}

/*
 * Newton steps with the number of columns fixed, until the squared
 * preconditioned gradient norm falls below tol * f.
 */
static rs_status newton(exact_state *s, double tol, int *steps)
{
    double length, decrease, ratio = 1.0;
    s->radius = 0.0;
    for (;; (*steps)++) {
        if (ratio > RS_ACCEPT)
            RS_TRY(linearise(s));
        if (s->r == 0)
            return RS_OK;
        rs_copy(s->size, s->g, s->res);
        RS_TRY(precondition(s));
        double rz = rs_dot(s->size, s->res, s->z);
        if (rz <= tol * fabs(s->f))
            return RS_OK;
        if (*steps >= s->set->maxit || !has_budget(s))
            return RS_MAXIT;
        if (s->radius == 0.0)
            s->radius = RS_RADIUS_FACTOR * sqrt(rz);
        RS_TRY(truncated_cg(s, rz, &length, &decrease));
        RS_TRY(try_step(s, decrease, &ratio));
        update_radius(s, ratio, length);
        /* f cannot judge such steps any more: one is taken, for the gradient */
        if (!(decrease > rounding(s)))
            return ratio > RS_ACCEPT ? linearise(s) : RS_OK;
    }
}

/* ---- columns of Omega that vanish ---------------------------------------------- */

/*
 * At an optimum with omega_j = 0, row j of the gradient without its own norm,
 * h_j, satisfies h_j = -C b with ||F b|| <= lambda: the length of h_j in
 * C^{-1} is at most lambda. (D_j = 0 where the column is inactive.)
 */
static double dual_length(const exact_state *s, int j)
{
    const double own = s->pr->lambda * s->at->D[j];
    double square = 0.0;
    for (int k = 0; k < s->r; k++) {
        size_t jk = j + (size_t)k * s->d;
        double h = s->g[jk] - own * s->at->F[jk] * s->L[k];
        square += h * h / s->L[k];
    }
    return sqrt(square);
}

/* f_j <- factor * h_j C^{-1} in the matrix M (d x r) */
static void set_row(const exact_state *s, int j, double factor, double *M)
{
    for (int k = 0; k < s->r; k++) {
        size_t jk = j + (size_t)k * s->d;
        M[jk] = factor * s->g[jk] / s->L[k];
    }
}

/*
 * Columns shorter than their smoothing whose norm would hold them at zero are
 * taken out (their rows of F become zero and stay so); those that should not
 * have been come back, as long as the smoothing, for good. Returns how many changed;
 * s->g is the gradient at F.
 */
static int screen_columns(exact_state *s)
{
    int changed = 0;
    const double floor = s->floors.column, lambda = s->pr->lambda;
    for (int j = 0; j < s->d; j++) {
        double length = dual_length(s, j);
        if (s->active[j] > 0.0) {
            if (s->returned[j] || length >= lambda ||
                s->at->column_square[j] >= floor)
                continue;
            s->active[j] = 0.0;
            set_row(s, j, 0.0, s->at->F);
        } else {
            if (length <= lambda * (1.0 + RS_SCREEN_TOL))
                continue;
            s->active[j] = 1.0;
            s->returned[j] = 1;
            set_row(s, j, -2.0 * sqrt(floor) / length, s->at->F);
        }
        changed++;
    }
    return changed;
}

/*
 * Z = F B' + diag(extra): B = lambda D F; for inactive columns B has the rows
 * -h_j C^{-1}, shortened to lambda, and the length that is left goes into the
 * diagonal where ||x_j||^2 is not small beside eta. Row j of F being zero,
 * this does not touch M F.
 */
static void dual_columns(exact_state *s, double *B, double *extra)
{
    const double lambda = s->pr->lambda;
    rs_copy(s->size, s->at->F, B);
    rs_scale_rows(s->d, s->r, s->at->D, B);
    rs_scale(s->size, lambda, B);
    for (int j = 0; j < s->d; j++) {
        extra[j] = 0.0;
        if (s->active[j] > 0.0)
            continue;
        double length = fmax(dual_length(s, j), 1e-300);
        double used = fmin(length, lambda);
        set_row(s, j, -used / length, B);
        if (4.0 * s->square[j] > s->pr->eta)
            extra[j] = sqrt(lambda * lambda - used * used);
    }
}

/* ---- number of columns ------------------------------------------------------------- */

static rs_status alloc_columns(exact_state *s, int capacity)
{
    rs_context *ctx = s->pr->ctx;
    size_t n = (size_t)s->n, d = (size_t)s->d, r = (size_t)capacity;
    double **wide[] = {&s->FL, &s->g,  &s->p,  &s->Hp, &s->res, &s->z,
                       &s->q,  &s->Hq, &s->FS, &s->W,  &s->block};
    double **tall[] = {&s->AV, &s->AS, &s->U};
    double **square[] = {&s->Fdf, &s->Ata, &s->S1, &s->S2, &s->S3, &s->S4};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        RS_TRY_ALLOC(*wide[i] = rs_alloc_double(ctx, d * r));
    for (size_t i = 0; i < sizeof tall / sizeof *tall; i++)
        RS_TRY_ALLOC(*tall[i] = rs_alloc_double(ctx, n * r));
    for (size_t i = 0; i < sizeof square / sizeof *square; i++)
        RS_TRY_ALLOC(*square[i] = rs_alloc_double(ctx, r * r));
    RS_TRY_ALLOC(s->L = rs_alloc_double(ctx, r));
    RS_TRY_ALLOC(s->group = rs_alloc_int(ctx, r));
    RS_TRY(rs_spca_point_init(s->pr, capacity, &s->trial));
    for (int g = 0; g < s->groups; g++) {
        s->ridge[g].width = capacity;
        s->ridge[g].Y = g == 0 ? rs_alloc_double(ctx, n * r) : s->ridge[0].Y;
        RS_TRY_ALLOC(s->ridge[g].Y);
    }
    return rs_eigen_init(ctx, capacity, &s->eigen);
}

static rs_status init_state(rs_spca *pr, const rs_spca_exact_settings *set,
                            rs_spca_point *at, rs_spca_fit *fit,
                            exact_state *s)
{
    const int dense = pr->n > pr->d;
    size_t d = (size_t)pr->d;
    s->pr = pr;
    s->set = set;
    s->fit = fit;
    s->at = at;
    s->n = pr->n;
    s->d = pr->d;
    s->groups = RS_GROUPS;
    fit->inner_iterations = 0;
    s->dD = rs_alloc_double(pr->ctx, d);
    s->active = rs_alloc_double(pr->ctx, d);
    s->returned = rs_alloc_int(pr->ctx, d);
    s->square = rs_alloc_double(pr->ctx, d);
    s->extra = rs_alloc_double(pr->ctx, d);
    s->w = rs_alloc_double(pr->ctx, (size_t)pr->n);
    s->half = rs_alloc_double(pr->ctx, (size_t)pr->n);
    s->scatter = rs_alloc_double(pr->ctx, dense ? d * d : 1);
    if (!s->dD || !s->active || !s->returned || !s->square || !s->extra || !s->w || !s->half || !s->scatter)
        return RS_NO_MEMORY;
    rs_fill(d, 1.0, s->active);
    memset(s->returned, 0, d * sizeof(int));
    rs_data_column_squares(pr->X, s->square);
    for (int g = 0; g < s->groups; g++)
        RS_TRY(rs_spca_ridge_init(pr, dense, 0, &s->ridge[g]));
    RS_TRY(rs_history_init(pr->ctx, set->maxit + 64, &fit->history));
    return alloc_columns(s, at->capacity);
}

/*
 * Roots smoothed by a twentieth of the wanted gap, split between the terms,
 * times `widening` from 1/gap down to 1; no more than a tenth of the typical
 * norm at first, and narrowing with it.
 */
static void set_floors(exact_state *s, double objective, double widening)
{
    double share = 0.025 * s->set->gap * objective * widening;
    double wide = s->set->gap * widening;
    double column =
        fmin(share / (s->pr->lambda * s->d), wide * s->widest.column);
    double residual = fmin(share / s->n, wide * s->widest.residual);
    s->floors.column = column * column;
    s->floors.residual = residual * residual;
}

static void set_widest(exact_state *s)
{
    double square = 0.0;
    for (int j = 0; j < s->d; j++)
        square += s->at->column_square[j];
    s->widest.column = 0.1 * sqrt(square / s->d);
    s->widest.residual = 0.1 * sqrt(s->pr->trace / s->n);
}

/* squared length of v within the range of F = P diag(L)^{1/2} */
static double share_in_range(const exact_state *s, const double *v)
{
    double square = 0.0;
    for (int k = 0; k < s->r; k++) {
        const double *f = s->at->F + (size_t)k * s->d;
        double inner = rs_dot((size_t)s->d, f, v);
        square += inner * inner / s->L[k];
    }
    return square;
}

/* room for `extra` more columns behind those of F */
static rs_status make_room(exact_state *s, int extra)
{
    rs_spca_point *at = s->at;
    if (at->r + extra <= at->capacity)
        return RS_OK;
    rs_spca_point old = *at;
    int capacity = at->r + 2 * extra < s->d ? at->r + 2 * extra : s->d;
    RS_TRY(rs_spca_point_init(s->pr, capacity, at));
    at->r = old.r;
    rs_copy((size_t)s->d * old.r, old.F, at->F);
    RS_TRY(alloc_columns(s, capacity));
    return RS_OK;
}

/*
 * Columns length * v_k for the eigenvectors v_k of the slack with negative
 * eigenvalues, as long as the objective falls. *added counts them.
 */
static rs_status add_columns(exact_state *s, int count, double *vectors,
                             int *added)
{
    const size_t d = (size_t)s->d;
    const double before = s->f;
    int kept = 0;
    *added = 0;
    for (int k = 0; k < count && s->r + kept < s->d; k++)
        if (share_in_range(s, vectors + k * d) < 0.5)
            rs_copy(d, vectors + k * d, vectors + d * kept++);
    if (kept == 0)
        return RS_OK;
    rs_scale_rows(s->d, kept, s->active, vectors);
    RS_TRY(make_room(s, kept));
    for (double length = 0.5; length > 1e-6; length *= 0.5) {
        double *fresh = s->at->F + d * s->r;
        rs_copy(d * kept, vectors, fresh);
        rs_scale(d * kept, length, fresh);
        s->at->r = s->r + kept;
        RS_TRY(rs_spca_measure(s->pr, s->at));
        if (rs_spca_objective(s->pr, &s->floors, s->at) < before) {
            *added = kept;
            return RS_OK;
        }
    }
    s->at->r = s->r;
    return RS_OK;
}

/* the next round: smaller floors, else a smaller gradient */
static rs_status tighten(exact_state *s, double *widening, double *tol)
{
    if (*widening > 1.0) {
        *widening = fmax(1.0, *widening * RS_NARROWING);
        return RS_OK;
    }
    *tol *= 1e-3;
    return *tol < RS_LAST_TOL ? RS_STALLED : RS_OK;
}

/* while the smoothing alone exceeds the gap, a bound would not help */
static int needs_bound(const exact_state *s, rs_status status, double widening)
{
    return s->pr->loss == RS_LOSS_L21 || widening <= RS_BOUND_WIDENING ||
           status == RS_MAXIT;
}

rs_status rs_spca_exact(rs_spca *pr, const rs_spca_exact_settings *set,
                        rs_spca_point *at, rs_spca_fit *fit)
{
    const rs_spca_floors none = {0.0, 0.0};
    exact_state s;
    int steps = 0, count = 0, added = 0, room = pr->d < 256 ? pr->d : 256;
    double tol = RS_FIRST_TOL, best = 0.0;

    RS_TRY(init_state(pr, set, at, fit, &s));
    double *vectors = rs_alloc_double(pr->ctx, (size_t)pr->d * room);
    RS_TRY_ALLOC(vectors);
    RS_TRY(rs_spca_measure(pr, at));
    double widening = 1.0 / set->gap;
    set_widest(&s);
    set_floors(&s, rs_spca_objective(pr, &none, at), widening);
    rs_spca_weights(pr, &s.floors, at);
    for (;;) {
        double goal = widening > 1.0 ? RS_ROUND_TOL : tol;
        rs_status status = newton(&s, goal, &steps);
        if (!rs_is_usable(status))
            return status;
        int changed = 0;
        if (s.r > 0) {
            RS_TRY(gradient(&s));
            changed = status == RS_MAXIT ? 0 : screen_columns(&s);
        }
        if (changed > 0 && widening <= 1.0)
            continue;
        if (!needs_bound(&s, status, widening)) {
            widening = fmax(1.0, widening * RS_NARROWING);
            set_floors(&s, s.f, widening);
            weights(&s);
            continue;
        }
        dual_columns(&s, s.block, s.extra);
        RS_TRY(rs_spca_bound(pr, at, s.block, s.extra, -0.1 * set->gap, room, &count,
                             vectors, fit));
        /* the bound of every round holds */
        fit->bound = best = fmax(best, fit->bound);
        if (fit->objective - fit->bound <= set->gap * fit->objective)
            return RS_OK;
        if (status == RS_MAXIT)
            return RS_MAXIT;
        RS_TRY(add_columns(&s, count, vectors, &added));
        if (added == 0)
            RS_TRY(tighten(&s, &widening, &tol));
        set_floors(&s, fit->objective, widening);
        weights(&s);
    }
}
