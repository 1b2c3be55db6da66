#include "method/set/dscofs.h"

#include <math.h>

#include "base/select.h"
#include "la/linalg.h"
#include "la/toprows.h"

typedef struct {
    const rs_dscofs_settings *set;
    const double *variances; /* d: they decide ties */
    int d, m;
    size_t size;         /* d * m */
    double *modulus;     /* d * m */
    unsigned char *keep; /* d * m */
    rs_choose_ws choose;
    rs_toprows_ws rows;
} dscofs_state;

static int has_elements(const dscofs_state *s)
{
    return s->set->s < s->size;
}

/* A: its entries of largest `modulus`; ties go to the feature of larger variance */
static rs_status keep_entries(dscofs_state *s, double *A)
{
    RS_TRY(rs_choose_mask(s->size, s->modulus, s->variances, (size_t)s->d,
                          s->set->s, s->keep, &s->choose));
    for (size_t i = 0; i < s->size; i++)
        if (!s->keep[i])
            A[i] = 0.0;
    return RS_OK;
}

/* Y: its s entries of largest modulus */
static rs_status prox_elements(void *state, double weight, double *Y,
                               double *h)
{
    dscofs_state *s = (dscofs_state *)state;
    (void)weight;
    *h = 0.0;
    for (size_t i = 0; i < s->size; i++)
        s->modulus[i] = fabs(Y[i]);
    return keep_entries(s, Y);
}

/* Z: its k rows of largest norm */
static rs_status prox_rows(void *state, double weight, double *Z, double *h)
{
    dscofs_state *s = (dscofs_state *)state;
    (void)weight;
    *h = 0.0;
    return rs_toprows_keep(s->m, s->set->k, s->variances, Z, &s->rows);
}

/* ||W - copy|| over the nonzero entries of the copy: off the support the
 * normal cone is everything */
static double gap_on_support(void *state, const double *W, const double *copy)
{
    const dscofs_state *s = (const dscofs_state *)state;
    double sum = 0.0;
    for (size_t i = 0; i < s->size; i++)
        if (copy[i] != 0.0) {
            double gap = W[i] - copy[i];
            sum += gap * gap;
        }
    return sqrt(sum);
}

/* position of the entry of largest modulus in row i */
static size_t largest_in_row(const dscofs_state *s, const double *A, int i)
{
    size_t at = (size_t)i;
    for (int c = 1; c < s->m; c++) {
        size_t here = i + (size_t)c * s->d;
        if (fabs(A[here]) > fabs(A[at]))
            at = here;
    }
    return at;
}

static void clear_rounding_noise(dscofs_state *s, double *A)
{
    const double *norms = s->rows.norms;
    rs_row_norms(s->d, s->m, A, s->rows.norms);
    for (int i = 0; i < s->d; i++)
        for (int c = 0; c < s->m && norms[i] < RS_NOTHING; c++)
            A[i + (size_t)c * s->d] = 0.0;
}

/*
 * B: Z with its s largest entries, where each row first keeps its own largest
 * one, so that no selected row is lost while s >= k.
 */
static rs_status feasible_loadings(dscofs_state *s, double *Z, double *B)
{
    clear_rounding_noise(s, Z);
    rs_copy(s->size, Z, B);
    if (!has_elements(s))
        return RS_OK;
    for (size_t i = 0; i < s->size; i++)
        s->modulus[i] = fabs(B[i]);
    for (int i = 0; i < s->d; i++) {
        size_t at = largest_in_row(s, B, i);
        if (B[at] != 0.0)
            s->modulus[at] += 2.0; /* entries of Z are at most 1 */
    }
    return keep_entries(s, B);
}

static rs_status init_state(rs_context *ctx, const rs_covop *op, int m,
                            const rs_dscofs_settings *set, dscofs_state *s)
{

    *s = (dscofs_state){.set = set,
                        .variances = op->diagonal,
                        .d = op->d,
                        .m = m,
                        .size = (size_t)op->d * m};
    s->modulus = rs_alloc_double(ctx, s->size);
    s->keep = rs_alloc(ctx, s->size, 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_toprows_init(ctx, op->d, &s->rows));
    RS_TRY(rs_choose_first(ctx, (size_t)op->d, set->first, &s->rows.choose));
    return rs_choose_init(ctx, s->size, &s->choose);
}

/* the solvers that minimise over W take the plain round only */
rs_status rs_dscofs(rs_context *ctx, rs_covop *op, int m,
                    const rs_dscofs_settings *set, rs_dscofs_fit *fit)
{
    dscofs_state s;
    const rs_palm_settings settings = {.tau = 2.0 * set->tau1,
                                       .inner = set->inner,
                                       .extrapolates =
                                           set->inner.method == RS_Q_MM,
                                       .tol = set->tol,
                                       .maxit = set->maxit};

    RS_TRY(init_state(ctx, op, m, set, &s));
    const rs_palm_copy copies[RS_PALM_COPIES] = {
        {fit->Y, has_elements(&s), 2.0 * set->mu1, set->tau2, &s,
         prox_elements, gap_on_support},
        {fit->Z, set->k < op->d, 2.0 * set->mu2, set->tau2, &s, prox_rows,
         gap_on_support}};
    rs_status status =
        rs_palm(ctx, op, m, &settings, fit->W, copies, &fit->end);
    if (!rs_is_usable(status))
        return status;
    RS_TRY(feasible_loadings(&s, fit->Z, fit->B));
    return status;
}
