#include "method/pca/pca.h"

#include <math.h>

#include "la/linalg.h"
#include "solve/ridge.h"
#include "solve/stiefel.h"

typedef struct {
    const rs_fen_settings *set;
    rs_covop *op;
    rs_fen_fit *fit;
    rs_context *ctx;
    int d, m;
    double *W, *Z; /* d x m, and a: the present iterate */
    double a;
    double *SW;                   /* d x m: S W */
    double *XZ;                   /* n x m, from data */
    double *square;               /* d: ||w_j||^2 */
    double smooth;                /* sum_j ||w_j||^2 */
    double sparse;                /* t sum_j (||w_j||^2 + eps)^{p/2} */
    double *u;                    /* d: 1 / the weight of ||w_j||^2 */
    double best;                  /* f of the iterate that is kept in fit */
    rs_ridge equations;           /* where S is known */
    rs_row_regression regression; /* where the data are */
    rs_stiefel_ws stiefel;
} fen_state;

/* Z = polar(S W); the last one stands where S W is zero */
static rs_status update_Z(fen_state *s)
{
    const size_t size = (size_t)s->d * s->m;
    if (!(rs_sum_squares(size, s->SW) > 0.0))
        return RS_OK;
    rs_copy(size, s->SW, s->Z);
    return rs_stiefel_polar(s->Z, &s->stiefel);
}

/* the weights of the two parts; that of the smooth one with the ridge */
static double smooth_weight(const fen_state *s)
{
    return s->set->ridge + s->set->lambda * pow(s->a, s->set->u);
}

static double sparse_weight(const fen_state *s)
{
    return s->set->lambda * pow(1.0 - s->a, s->set->u);
}

/* a = 1 / (1 + (B/A)^{1/(1-u)}), A the smooth part and B the sparse one, where
 * a^u A + (1-a)^u B is stationary: the largest of the latter for 0 <= u < 1
 * (u = 0: nothing depends on a), the smallest for u > 1 */
static void update_a(fen_state *s)
{
    if (s->smooth == 0.0 && s->sparse == 0.0)
        return;
    s->a = 1.0 /
           (1.0 + exp((log(s->sparse) - log(s->smooth)) / (1.0 - s->set->u)));
}

/* u_j = 1 / (ridge + lambda (a^u + t (1-a)^u q_j)); 0: there is no penalty */
static int update_weights(fen_state *s)
{
    const rs_fen_settings *set = s->set;
    const double smooth = smooth_weight(s), sparse = set->t * sparse_weight(s);
    const double least = RS_NOTHING * (s->op->trace / s->d);
    rs_reweight_rows(set->groups, (size_t)s->d, s->square, set->eps, set->p,
                     s->u);
    for (int j = 0; j < s->d; j++) {
        const double weight = smooth + sparse * s->u[j];
        if (!(weight > least))
            return 0;
        s->u[j] = 1.0 / weight;
    }
    return 1;
}

/* W = D (I + D S D)^{-1} D S Z with D = diag(u)^{1/2} */
static rs_status regression_of_moments(fen_state *s)
{
    const size_t d = (size_t)s->d;
    double *A = s->equations.A;
    for (size_t j = 0; j < d; j++)
        s->u[j] = sqrt(s->u[j]);
    rs_copy(d * d, s->op->S, A);
    for (size_t k = 0; k < d; k++)
        rs_scale(d, s->op->factor * s->u[k], A + d * k);
    rs_scale_rows(s->d, s->d, s->u, A);
    RS_TRY(rs_poll(s->ctx));
    RS_TRY(rs_ridge_factor_grown(s->d, NULL, &s->equations));
    RS_TRY(rs_covop_apply(s->op, s->m, s->Z, s->W));
    rs_scale_rows(s->d, s->m, s->u, s->W);
    RS_TRY(rs_ridge_solve(s->m, s->W, &s->equations));
    rs_scale_rows(s->d, s->m, s->u, s->W);
    return RS_OK;
}

/* the same as a regression of X Z on X */
static rs_status regression_of_data(fen_state *s)
{
    rs_scale((size_t)s->d, s->op->factor, s->u);
    RS_TRY(rs_row_regression_factor(1.0, s->u, NULL, &s->regression));
    RS_TRY(rs_data_times(s->op->X, s->m, s->Z, s->XZ));
    return rs_row_regression_solve(s->XZ, s->W, NULL, &s->regression);
}

static rs_status update_W(fen_state *s)
{
    if (!update_weights(s)) {
        rs_copy((size_t)s->d * s->m, s->Z, s->W);
        return RS_OK;
    }
    return s->op->S ? regression_of_moments(s) : regression_of_data(s);
}

/* S W, the squares of the rows and the two parts of a new W */
static rs_status measure(fen_state *s)
{
    const rs_fen_settings *set = s->set;
    RS_TRY(rs_covop_apply(s->op, s->m, s->W, s->SW));
    rs_row_squares(s->d, s->m, s->W, s->square);
    s->smooth = rs_sum(s->d, s->square);
    s->sparse = set->t * rs_smoothed_rows(set->groups, (size_t)s->d, s->square,
                                          set->eps, set->p);
    return RS_OK;
}

/* f, with tr(S) - 2 tr(Z'SW) + tr(W'SW) as its loss */
static double objective(const fen_state *s)
{
    const size_t size = (size_t)s->d * s->m;
    const double loss = s->op->trace - 2.0 * rs_dot(size, s->Z, s->SW) +
                        rs_dot(size, s->W, s->SW);
    return loss + smooth_weight(s) * s->smooth + sparse_weight(s) * s->sparse;
}

/* the guard: what is returned is the best iterate */
static rs_status record(fen_state *s)
{
    const size_t size = (size_t)s->d * s->m;
    const double f = objective(s);
    if (!isfinite(f))
        return RS_NOT_FINITE;
    rs_history_add(&s->fit->trace, f);
    if (f <= s->best) {
        s->best = f;
        rs_copy(size, s->W, s->fit->W);
        rs_copy(size, s->Z, s->fit->Z);
        s->fit->a = s->a;
    }
    rs_history_add(&s->fit->history, s->best);
    return RS_OK;
}

/* W as given, and Z and a that go with it */
static rs_status begin(rs_context *ctx, fen_state *s)
{
    const size_t d = (size_t)s->d, size = d * s->m;
    RS_ALLOC_DOUBLES(ctx, size, &s->W, &s->Z, &s->SW);
    RS_ALLOC_DOUBLES(ctx, d, &s->square, &s->u);
    s->XZ = rs_alloc_double(ctx, s->op->S ? 1 : (size_t)s->op->X->n * s->m);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_stiefel_init(ctx, s->d, s->m, &s->stiefel));
    RS_TRY(rs_history_init(ctx, s->set->maxit + 1, &s->fit->history));
    RS_TRY(rs_history_init(ctx, s->set->maxit + 1, &s->fit->trace));
    RS_TRY(s->op->S
               ? rs_ridge_init(ctx, s->d, &s->equations)
               : rs_row_regression_init(ctx, s->op->X, s->m, &s->regression));
    rs_copy(size, s->fit->W, s->W);
    rs_copy(size, s->W, s->Z);
    RS_TRY(rs_stiefel_polar(s->Z, &s->stiefel));
    RS_TRY(measure(s));
    RS_TRY(update_Z(s));
    update_a(s);
    return record(s);
}

rs_status rs_fen_pcafs(rs_context *ctx, rs_covop *op, int m,
                       const rs_fen_settings *settings, rs_fen_fit *fit)
{
    fen_state s = {.set = settings,
                   .op = op,
                   .fit = fit,
                   .ctx = ctx,
                   .d = op->d,
                   .m = m,
                   .a = 0.5,
                   .best = INFINITY};
    rs_status status = RS_MAXIT;
    RS_TRY(begin(ctx, &s));
    for (int k = 0; k < settings->maxit && status == RS_MAXIT; k++) {
        RS_TRY(update_Z(&s));
        update_a(&s);
        RS_TRY(update_W(&s));
        RS_TRY(measure(&s));
        RS_TRY(record(&s));
        if (rs_history_change(&fit->trace, op->trace / s.d) <= settings->tol)
            status = RS_OK;
        RS_TRY(rs_poll(ctx));
    }
    return status;
}
