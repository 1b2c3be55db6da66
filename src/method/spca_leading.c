#include "method/spca_leading.h"

#include <math.h>

#include "data/dense.h"
#include "la/linalg.h"
#include "method/spca_model.h"
#include "solve/eigs.h"

/* so much fewer than samples and features the leading pairs must be */
#define RS_FEWER 4
/* a rough idea of them will do */
#define RS_LEADING_TOL 1e-2
#define RS_LEADING_STEPS 4

/* a problem beside another one, with room for its data */
typedef struct {
    rs_spca problem;
    rs_data data;
} leading_part;

typedef struct {
    const rs_spca *pr;
    double *image; /* n x block */
} scatter_operator;

/* SV = Xc'(Xc V) */
static rs_status apply_scatter(void *state, int m, const double *V, double *SV)
{
    scatter_operator *op = (scatter_operator *)state;
    RS_TRY(rs_spca_times_plain(op->pr, m, V, op->image));
    return rs_spca_crossprod_plain(op->pr, m, op->image, SV);
}

/* 0: as many as there are */
static int leading_count(const rs_spca *pr)
{
    double count = ceil(2.0 * pr->trace / pr->eta);
    if (pr->loss != RS_LOSS_FROBENIUS ||
        !(count * RS_FEWER <= rs_min_int(pr->n, pr->d)))
        return 0;
    return rs_max_int((int)count, 1);
}

/* the samples sqrt(s_k) v_k of the m leading eigenpairs of S, m x d */
static rs_status leading_samples(rs_spca *pr, int m, double *rows)
{
    const size_t d = (size_t)pr->d;
    rs_eigs_ws eigs;
    double residual;
    scatter_operator op = {pr, NULL};
    double *values = rs_alloc_double(pr->ctx, (size_t)m);
    double *V = rs_alloc_double(pr->ctx, d * m);
    op.image =
        rs_alloc_double(pr->ctx, (size_t)pr->n * rs_eigs_block(pr->d, m));
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(rs_eigs_init(pr->ctx, pr->d, m, &eigs));
    rs_status status =
        rs_eigs_largest(apply_scatter, &op, 0, NULL, RS_LEADING_TOL,
                        RS_LEADING_STEPS, values, V, &residual, &eigs);
    if (!rs_is_usable(status))
        return status;
    for (int k = 0; k < m; k++) {
        double root = sqrt(fmax(values[k], 0.0));
        for (size_t j = 0; j < d; j++)
            rows[k + j * m] = root * V[j + k * d];
    }
    return RS_OK;
}

rs_status rs_spca_leading_part(rs_spca *pr, rs_spca **part, double **weights)
{
    const int m = leading_count(pr);
    *part = pr;
    *weights = NULL;
    if (m == 0)
        return RS_OK;
    leading_part *lead =
        (leading_part *)rs_alloc(pr->ctx, 1, sizeof(leading_part));
    double *rows = rs_alloc_double(pr->ctx, (size_t)m * pr->d);
    double *twos = rs_alloc_double(pr->ctx, (size_t)m);
    RS_TRY(rs_allocated(pr->ctx));
    RS_TRY(leading_samples(pr, m, rows));
    rs_fill((size_t)m, 2.0, twos);
    RS_TRY(rs_data_dense(pr->ctx, m, pr->d, rows, RS_SPCA_BLOCK, &lead->data));
    RS_TRY(rs_spca_init(pr->ctx, &lead->data, pr->loss, 0, pr->lambda, pr->eta,
                        &lead->problem));
    *part = &lead->problem;
    *weights = twos;
    return RS_OK;
}
