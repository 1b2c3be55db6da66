#include "eigen/minor.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/reweight.h"

/* what is added to the diagonal before it is inverted, relative to the mean of
 * that of T; grown where rounding leaves the sum indefinite */
#define RS_MINOR_SHIFT 1e-9
#define RS_MINOR_GROWTH 100.0
#define RS_MINOR_ATTEMPTS 4
/* of the iterative eigen-solver */
#define RS_MINOR_EIGEN_TOL 1e-10
#define RS_MINOR_EIGEN_MAXIT 100

int rs_minor_block(int m)
{
    return rs_max_int(m, RS_PANEL);
}

/* ---- preparation ------------------------------------------------------------ */

static rs_status find_features(const double *square, rs_minor *s)
{
    s->order = 0;
    s->kept = rs_alloc_int(s->ctx, (size_t)s->d);
    RS_TRY_ALLOC(s->kept);
    for (int j = 0; j < s->d; j++)
        if (square[j] > 0.0)
            s->kept[s->order++] = j;
    s->is_wide = s->order >= s->n;
    if (!s->is_wide)
        return RS_OK;
    RS_TRY(rs_row_space_find(s->ctx, s->X, &s->space));
    s->order = s->space.rank;
    return RS_OK;
}

static rs_status take_room(rs_minor *s)
{
    const size_t n = (size_t)s->n, d = (size_t)s->d, r = (size_t)s->order;
    const size_t block = (size_t)rs_minor_block(s->m);
    RS_ALLOC_DOUBLES(s->ctx, r * r, &s->T, &s->H);
    s->B = rs_alloc_double(s->ctx, r * s->m);
    s->W = rs_alloc_double(s->ctx, d * s->m);
    RS_ALLOC_DOUBLES(s->ctx, d, &s->square, &s->weight);
    RS_ALLOC_DOUBLES(s->ctx, n * block, &s->panel, &s->images);
    s->product = rs_alloc_double(s->ctx, d * block);
    s->TB = rs_alloc_double(s->ctx, r * block);
    s->values = rs_alloc_double(s->ctx, r);
    RS_TRY(rs_allocated(s->ctx));
    s->is_dense = rs_leading_is_dense(s->order, s->m);
    return s->is_dense ? rs_eigen_init(s->ctx, s->order, &s->dense)
                       : rs_eigs_init(s->ctx, s->order, s->m, &s->iterative);
}

rs_status rs_minor_init(rs_context *ctx, rs_data *X, int m,
                        const double *square, rs_minor *s)
{
    *s = (rs_minor){.ctx = ctx, .X = X, .n = X->n, .d = X->d};
    RS_TRY(find_features(square, s));
    if (m < 1 || s->order < 1)
        return RS_BAD_INPUT;
    s->m = rs_min_int(m, s->order);
    RS_TRY(take_room(s));
    rs_fill((size_t)s->order * s->m, 0.0, s->B);
    for (int c = 0; c < s->m; c++)
        s->B[c + (size_t)c * s->order] = 1.0;
    return RS_OK;
}

/* columns from, ..., of T are Y' times the images */
static rs_status set_columns(int from, int width, rs_minor *s)
{
    const size_t r = (size_t)s->order;
    double *T = s->T + r * from;
    if (s->is_wide)
        return rs_gemm_polled(s->ctx, 'T', 'N', s->order, width, s->n, 1.0,
                              s->space.coordinates, s->n, s->images, s->n, 0.0,
                              T, s->order);
    RS_TRY(rs_data_crossprod(s->X, width, s->images, s->product));
    for (int c = 0; c < width; c++)
        for (size_t i = 0; i < r; i++)
            T[i + r * c] = s->product[s->kept[i] + (size_t)c * s->d];
    return RS_OK;
}

rs_status rs_minor_set(rs_apply_fn N, void *state, rs_minor *s)
{
    const int block = rs_minor_block(s->m);
    for (int from = 0; from < s->order; from += block) {
        const int width = rs_min_int(block, s->order - from);
        const double *columns = s->panel;
        if (s->is_wide)
            columns = s->space.coordinates + (size_t)from * s->n;
        else
            RS_TRY(rs_data_columns(s->X, width, s->kept + from, s->panel));
        RS_TRY(N(state, width, columns, s->images));
        RS_TRY(set_columns(from, width, s));
        RS_TRY(rs_poll(s->ctx));
    }
    rs_symmetrise(s->order, s->T);
    s->level = 0.0;
    for (int i = 0; i < s->order; i++)
        s->level += s->T[i + (size_t)i * s->order] / s->order;
    return isfinite(s->level) ? RS_OK : RS_NOT_FINITE;
}

/* ---- the eigenproblem --------------------------------------------------------- */

/* H (upper triangle) += gamma V'diag(q)V, some features at a time */
static rs_status add_weights_wide(double gamma, rs_minor *s)
{
    const int r = s->order, block = rs_minor_block(s->m);
    for (int from = 0; from < s->d; from += block) {
        const int width = rs_min_int(block, s->d - from);
        for (int c = 0; c < width; c++) {
            const double root = sqrt(gamma * s->weight[from + c]);
            const double *v = s->space.basis + (size_t)(from + c) * r;
            for (int i = 0; i < r; i++)
                s->TB[i + (size_t)c * r] = root * v[i];
        }
        rs_syrk_add(r, width, s->TB, r, s->H);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* what squares of its multiples of the weights would overflow by is taken out of
 * the whole matrix: neither its eigenvectors nor ratios know of it */
#define RS_MINOR_LARGE 1e100

static double unit_for(double gamma)
{
    return gamma > RS_MINOR_LARGE ? 1.0 / gamma : 1.0;
}

/* H = T + gamma P + shift I in a unit of gamma, both triangles */
static rs_status form(double gamma, double shift, rs_minor *s)
{
    const size_t r = (size_t)s->order;
    const double unit = unit_for(gamma);
    rs_copy(r * r, s->T, s->H);
    if (unit < 1.0)
        rs_scale(r * r, unit, s->H);
    if (s->is_wide)
        RS_TRY(add_weights_wide(unit * gamma, s));
    else
        for (size_t i = 0; i < r; i++)
            s->H[i + r * i] += unit * gamma * s->weight[s->kept[i]];
    for (size_t i = 0; i < r; i++)
        s->H[i + r * i] += unit * shift;
    rs_mirror_upper(s->order, s->H);
    return RS_OK;
}

static rs_status smallest_dense(double gamma, rs_minor *s)
{
    RS_TRY(form(gamma, 0.0, s));
    rs_scale((size_t)s->order * s->order, -1.0, s->H);
    return rs_eigen_largest(s->order, s->H, s->m, s->values, s->B, &s->dense);
}

/* the Cholesky factor of H, its diagonal grown where that takes it */
static rs_status invert(double gamma, rs_minor *s)
{
    double shift = RS_MINOR_SHIFT * s->level;
    rs_status status = RS_SINGULAR;
    for (int k = 0; k < RS_MINOR_ATTEMPTS && status == RS_SINGULAR; k++) {
        RS_TRY(form(gamma, shift, s));
        status = rs_cholesky_polled(s->ctx, s->order, s->H);
        shift *= RS_MINOR_GROWTH;
    }
    return status;
}

/* AV = H^{-1} V */
static rs_status apply_inverse(void *state, int m, const double *V, double *AV)
{
    const rs_minor *s = (const rs_minor *)state;
    rs_copy((size_t)s->order * m, V, AV);
    RS_TRY(rs_cholesky_solve(s->order, m, s->H, s->order, AV, s->order));
    return rs_poll(s->ctx);
}

static rs_status smallest_by_inverse(double gamma, rs_minor *s)
{
    RS_TRY(invert(gamma, s));
    return rs_leading_pairs(apply_inverse, s, s->m, s->B, RS_MINOR_EIGEN_TOL,
                            RS_MINOR_EIGEN_MAXIT, s->values, s->B,
                            &s->iterative);
}

/* W = V B, and the squares of its rows */
static rs_status expand(rs_minor *s)
{
    const size_t d = (size_t)s->d, r = (size_t)s->order;
    if (s->is_wide) {
        RS_TRY(rs_gemm_polled(s->ctx, 'T', 'N', s->d, s->m, s->order, 1.0,
                              s->space.basis, s->order, s->B, s->order, 0.0,
                              s->W, s->d));
    } else {
        rs_fill(d * s->m, 0.0, s->W);
        for (int c = 0; c < s->m; c++)
            for (size_t i = 0; i < r; i++)
                s->W[s->kept[i] + d * c] = s->B[i + r * c];
    }
    rs_row_squares(s->d, s->m, s->W, s->square);
    return rs_all_finite(d * s->m, s->W) ? RS_OK : RS_NOT_FINITE;
}

rs_status rs_minor_step(double gamma, rs_minor *s)
{
    RS_TRY(s->is_dense ? smallest_dense(gamma, s)
                       : smallest_by_inverse(gamma, s));
    return expand(s);
}

rs_status rs_minor_take(const double *B, rs_minor *s)
{
    rs_copy((size_t)s->order * s->m, B, s->B);
    return expand(s);
}

/* ---- reweighting --------------------------------------------------------------- */

void rs_minor_reset(rs_minor *s)
{
    rs_fill((size_t)s->d, 1.0, s->weight);
}

void rs_minor_reweigh(const rs_minor_control *set, rs_minor *s)
{
    rs_reweight_rows(s->groups, (size_t)s->d, s->square, set->eps, set->p,
                     s->weight);
}

double rs_minor_trace(rs_minor *s)
{
    rs_matmul(s->order, s->order, s->m, s->T, s->B, s->TB);
    return rs_dot((size_t)s->order * s->m, s->B, s->TB);
}

double rs_minor_penalty(const rs_minor_control *set, const rs_minor *s)
{
    return rs_smoothed_rows(s->groups, (size_t)s->d, s->square, set->eps,
                            set->p);
}

double rs_minor_objective(const rs_minor_control *set, rs_minor *s)
{
    return rs_minor_trace(s) + set->gamma * rs_minor_penalty(set, s);
}

/* G - B sym(B'G) beside G = (T + gamma P) B, with the q that belong to W */
rs_status rs_minor_stationarity(const rs_minor_control *set, rs_minor *s,
                                double *kkt)
{
    const size_t size = (size_t)s->order * s->m;
    const int r = s->order, m = s->m;
    double *inner = s->panel; /* m x m */
    rs_minor_reweigh(set, s);
    RS_TRY(form(set->gamma, 0.0, s));
    rs_matmul(r, r, m, s->H, s->B, s->TB);
    const double whole = rs_norm(size, s->TB);
    rs_crossprod(r, m, m, s->B, s->TB, inner);
    rs_symmetrise(m, inner);
    rs_gemm('N', 'N', r, m, m, -1.0, s->B, r, inner, m, 1.0, s->TB, r);
    *kkt = whole > 0.0 ? rs_norm(size, s->TB) / whole : 0.0;
    return RS_OK;
}

rs_status rs_minor_descend(const rs_minor_control *set, int restart,
                           rs_minor *s, double *objective, int *iterations)
{
    double before = INFINITY;
    *iterations = 0;
    *objective = INFINITY;
    if (restart)
        rs_minor_reset(s);
    else
        rs_minor_reweigh(set, s);
    while (*iterations < set->maxit) {
        RS_TRY(rs_minor_step(set->gamma, s));
        before = *objective;
        *objective = rs_minor_objective(set, s);
        (*iterations)++;
        if (fabs(before - *objective) <= set->tol * fabs(*objective))
            return RS_OK;
        rs_minor_reweigh(set, s);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_MAXIT;
}

rs_status rs_minor_improve(const rs_minor_control *set, double *last,
                           rs_minor *s, double *objective, int *iterations)
{
    const double before = rs_minor_objective(set, s);
    int more = 0;
    rs_copy((size_t)s->order * s->m, s->B, last);
    rs_status status = rs_minor_descend(set, 1, s, objective, iterations);
    if (!rs_is_usable(status) || *objective <= before)
        return status;
    RS_TRY(rs_minor_take(last, s));
    status = rs_minor_descend(set, 0, s, objective, &more);
    *iterations += more;
    return status;
}

rs_minor_control rs_minor_scaled(rs_minor_control set, int relative,
                                 const rs_minor *s)
{
    set.eps *= (double)s->m / s->d;
    if (relative)
        set.gamma *= s->level / rs_reweight((double)s->m / s->d, 0.0, set.p);
    return set;
}

rs_status rs_minor_project(const rs_minor *s, double *ZW)
{
    if (s->is_wide)
        return rs_gemm_polled(s->ctx, 'N', 'N', s->n, s->m, s->order, 1.0,
                              s->space.coordinates, s->n, s->B, s->order, 0.0,
                              ZW, s->n);
    return rs_data_times(s->X, s->m, s->W, ZW);
}
