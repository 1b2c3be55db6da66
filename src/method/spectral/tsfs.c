#include "method/spectral/spectral.h"

#include <float.h>
#include <math.h>

#include "base/select.h"
#include "la/linalg.h"

typedef struct {
    const rs_tsfs_problem *p;
    int n, d, m;
    double *square;       /* d: ||x_j||^2 */
    double *R, *G;        /* n x m, d x m */
    double *panel;        /* n x RS_PANEL: columns of X */
    double *row, *change; /* m */
    double *first;        /* d: the pull at the start */
    double *rank, *work;  /* d */
    int *index, count;    /* the rows that are visited */
} tsfs_state;

static rs_status tsfs_init(rs_context *ctx, const rs_tsfs_problem *p,
                           rs_tsfs_fit *fit, tsfs_state *s)
{
    const size_t n = (size_t)p->X->n, d = (size_t)p->X->d, m = (size_t)p->m;
    *s = (tsfs_state){.p = p, .n = p->X->n, .d = p->X->d, .m = p->m};
    RS_ALLOC_DOUBLES(ctx, d, &s->square, &s->first, &s->rank, &s->work);
    s->R = rs_alloc_double(ctx, n * m);
    s->G = rs_alloc_double(ctx, d * m);
    s->panel = rs_alloc_double(ctx, n * RS_PANEL);
    RS_ALLOC_DOUBLES(ctx, m, &s->row, &s->change);
    s->index = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_data_column_squares(p->X, s->square));
    if (p->start)
        rs_copy(d * m, p->start, fit->W);
    else
        rs_fill(d * m, 0.0, fit->W);
    return rs_history_init(ctx, p->maxit + 1, &fit->history);
}

/* R = T - X W, and f */
static rs_status evaluate(const rs_tsfs_fit *fit, tsfs_state *s, double *f)
{
    const size_t cells = (size_t)s->n * s->m;
    RS_TRY(rs_data_residual(s->p->X, s->m, s->p->T, fit->W, s->R));
    *f = rs_sum_squares(cells, s->R) +
         s->p->lambda * rs_row_norms(s->d, s->m, fit->W, fit->pull);
    return isfinite(*f) ? RS_OK : RS_NOT_FINITE;
}

/* pull_j = 2 ||x_j'R||, and the dual value of 2 s R for the best feasible s */
static rs_status find_bound(rs_tsfs_fit *fit, tsfs_state *s)
{
    const size_t cells = (size_t)s->n * s->m;
    RS_TRY(rs_data_crossprod(s->p->X, s->m, s->R, s->G));
    rs_row_norms(s->d, s->m, s->G, fit->pull);
    rs_scale((size_t)s->d, 2.0, fit->pull);
    const double largest = rs_largest(s->d, fit->pull);
    const double product = rs_dot(cells, s->R, s->p->T),
                 square = rs_sum_squares(cells, s->R),
                 total = rs_sum_squares(cells, s->p->T);
    const double free = square > 0.0 ? product / square : 1.0;
    const double most = largest > 0.0 ? s->p->lambda / largest : free;
    const double length = fmax(0.0, fmin(free, most));
    const double value = length * (2.0 * product - length * square) -
                         RS_ERRORS * DBL_EPSILON * total;
    fit->bound = fmax(fit->bound, value);
    return RS_OK;
}

/* the rows that are not zero, and those that the dual asks for, in the order of
 * their pull at the start, so that the order of the columns decides nothing */
static void choose_active(const rs_tsfs_fit *fit, tsfs_state *s)
{
    const double limit = s->p->lambda * (1.0 + RS_TIE);
    s->count = 0;
    rs_row_norms(s->d, s->m, fit->W, s->rank);
    for (int j = 0; j < s->d; j++) {
        const int is_active =
            s->square[j] > 0.0 && (s->rank[j] > 0.0 || fit->pull[j] > limit);
        s->rank[j] = is_active ? s->first[j] : -1.0;
        s->count += is_active;
    }
    rs_topk_order(s->d, s->rank, s->count, s->index, s->work);
}

/* the best row j, and the residual with it; x: column j */
static void update_row(int j, const double *x, tsfs_state *s, double *W)
{
    const int n = s->n, m = s->m;
    const size_t d = (size_t)s->d;
    double norm = 0.0, moved = 0.0;
    rs_gemv('T', n, m, 1.0, s->R, n, x, 0.0, s->row);
    for (int l = 0; l < m; l++) {
        s->row[l] += s->square[j] * W[j + d * l];
        norm = hypot(norm, s->row[l]);
    }
    const double shrunk = fmax(0.0, norm - 0.5 * s->p->lambda);
    const double factor = norm > 0.0 ? shrunk / norm / s->square[j] : 0.0;
    for (int l = 0; l < m; l++) {
        const double value = factor * s->row[l];
        s->change[l] = value - W[j + d * l];
        moved = fmax(moved, fabs(s->change[l]));
        W[j + d * l] = value;
    }
    for (int l = 0; l < m && moved > 0.0; l++)
        rs_axpy((size_t)n, -s->change[l], x, s->R + (size_t)n * l);
}

static rs_status sweep(rs_context *ctx, tsfs_state *s, double *W)
{
    for (int from = 0; from < s->count; from += RS_PANEL) {
        const int width = rs_min_int(RS_PANEL, s->count - from);
        RS_TRY(rs_data_columns(s->p->X, width, s->index + from, 0, s->panel));
        for (int a = 0; a < width; a++)
            update_row(s->index[from + a], s->panel + (size_t)s->n * a, s, W);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}

rs_status rs_tsfs(rs_context *ctx, const rs_tsfs_problem *problem,
                  rs_tsfs_fit *fit)
{
    tsfs_state s;
    double f;
    fit->bound = 0.0;
    RS_TRY(tsfs_init(ctx, problem, fit, &s));
    for (int it = 0;; it++) {
        RS_TRY(evaluate(fit, &s, &f));
        RS_TRY(find_bound(fit, &s));
        rs_history_add(&fit->history, f);
        if (f - fit->bound <= problem->tol * f)
            return RS_OK;
        if (it == problem->maxit)
            return RS_MAXIT;
        if (it == 0)
            rs_copy((size_t)s.d, fit->pull, s.first);
        choose_active(fit, &s);
        for (int i = 0; i < RS_TSFS_SWEEPS; i++)
            RS_TRY(sweep(ctx, &s, fit->W));
    }
}
