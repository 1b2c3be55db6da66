#include "method/spca_psd/shortcut.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"
#include "method/spca_psd/leading.h"

/* g is at least this share of eta */
#define RS_LEAST_FLOOR 0.1
/* Q'Q may differ from I by so much */
#define RS_ORTHONORMAL 1e-12

typedef struct {
    const rs_spca *pr;
    const rs_spca_leading *leading;
    rs_context *ctx;      /* memory of this call */
    int k;                /* columns of Q */
    double *Q, *SQ, *MQ;  /* d x k */
    double *G;            /* d x r */
    double *H, *T, *copy; /* k x k: Q'MQ, Q'MQ - T'T / g */
    double *P, *small;    /* k x r */
    double *values;       /* k */
    double *AF;           /* n x r */
} shortcut;

static rs_status reserve(rs_spca_slack *ws, const rs_spca_leading *leading,
                         shortcut *c)
{
    const size_t r = (size_t)ws->at->r, d = (size_t)ws->pr->d;
    rs_arena_clear(&ws->arena);
    c->pr = ws->pr;
    c->leading = leading;
    c->ctx = &ws->arena.ctx;
    c->k = leading->m + ws->at->r;
    const size_t k = (size_t)c->k;
    RS_ALLOC_DOUBLES(c->ctx, d * k, &c->Q, &c->SQ, &c->MQ);
    RS_ALLOC_DOUBLES(c->ctx, k * k, &c->H, &c->T, &c->copy);
    c->G = rs_alloc_double(c->ctx, d * r);
    RS_ALLOC_DOUBLES(c->ctx, k * r, &c->P, &c->small);
    c->values = rs_alloc_double(c->ctx, k);
    c->AF = rs_alloc_double(c->ctx, (size_t)c->pr->n * r);
    return rs_allocated(c->ctx);
}

/* block (d x r) -= V V' block */
static void leave_leading(shortcut *c, int r, double *block)
{
    const int d = c->pr->d, m = c->leading->m;
    rs_crossprod(d, m, r, c->leading->V, block, c->small);
    rs_gemm('N', 'N', d, r, m, -1.0, c->leading->V, d, c->small, m, 1.0, block,
            d);
}

/* Q = [V, the rest of F made orthonormal]; *fails where rounding spoils it */
static rs_status short_basis(const rs_spca_point *at, shortcut *c, int *fails)
{
    const int d = c->pr->d, m = c->leading->m, r = at->r, k = c->k;
    const size_t dm = (size_t)d * m, dr = (size_t)d * r;
    double *rest = c->Q + dm, worst = 0.0;
    rs_qr_ws qr;
    rs_copy(dm, c->leading->V, c->Q);
    rs_copy(dr, at->F, rest);
    RS_TRY(rs_qr_init(c->ctx, d, r, &qr));
    for (int twice = 0; twice < 2; twice++) {
        leave_leading(c, r, rest);
        RS_TRY(rs_qr_orthonormal(d, r, rest, &qr));
    }
    leave_leading(c, r, rest);
    rs_gram(d, k, c->Q, c->H);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++)
            worst = fmax(worst, fabs(c->H[i + (size_t)j * k] - (i == j)));
    *fails = !(worst < RS_ORTHONORMAL);
    return RS_OK;
}

/* SQ, and G = 2 Xc'A + B */
static rs_status scatter_products(const rs_spca_slack *ws, shortcut *c)
{
    const rs_spca *pr = c->pr;
    const int d = pr->d, m = c->leading->m, r = ws->at->r;
    const size_t dm = (size_t)d * m, dr = (size_t)d * r;
    rs_copy(dm, c->leading->SV, c->SQ);
    if (pr->S) {
        rs_matmul(d, d, r, pr->S, c->Q + dm, c->SQ + dm);
        rs_matmul(d, d, r, pr->S, ws->at->F, c->G);
    } else {
        RS_TRY(rs_spca_times(pr, NULL, r, c->Q + dm, c->AF));
        RS_TRY(rs_spca_crossprod(pr, NULL, r, c->AF, c->SQ + dm));
        RS_TRY(rs_spca_crossprod(pr, NULL, r, ws->at->A, c->G));
    }
    rs_scale(dr, 2.0, c->G);
    rs_axpy(dr, 1.0, ws->B, c->G);
    return rs_poll(pr->ctx);
}

/* MQ = eta Q - 2 SQ + (G (F'Q) + F (G'Q)) / 2 + diag(extra) Q, H = Q'MQ */
static void slack_products(const rs_spca_slack *ws, shortcut *c)
{
    const rs_spca *pr = c->pr;
    const int d = pr->d, r = ws->at->r, k = c->k;
    const size_t dk = (size_t)d * k;
    for (size_t i = 0; i < dk; i++)
        c->MQ[i] = pr->eta * c->Q[i] - 2.0 * c->SQ[i];
    rs_crossprod(d, k, r, c->Q, ws->at->F, c->P);
    rs_gemm('N', 'T', d, k, r, 0.5, c->G, d, c->P, k, 1.0, c->MQ, d);
    rs_crossprod(d, k, r, c->Q, c->G, c->P);
    rs_gemm('N', 'T', d, k, r, 0.5, ws->at->F, d, c->P, k, 1.0, c->MQ, d);
    for (int j = 0; ws->extra && j < d; j++)
        for (int i = 0; ws->extra[j] > 0.0 && i < k; i++)
            c->MQ[j + (size_t)i * d] += ws->extra[j] * c->Q[j + (size_t)i * d];
    rs_crossprod(d, k, k, c->Q, c->MQ, c->H);
    rs_symmetrise(k, c->H);
}

/* T = H - MQ'(I - QQ') MQ / g; the norm of (I - QQ') MQ */
static double complement(double g, shortcut *c)
{
    const int d = c->pr->d, k = c->k;
    const size_t dk = (size_t)d * k, kk = (size_t)k * k;
    rs_gemm('N', 'N', d, k, k, -1.0, c->Q, d, c->H, k, 1.0, c->MQ, d);
    rs_gram(d, k, c->MQ, c->T);
    for (size_t i = 0; i < kk; i++)
        c->T[i] = c->H[i] - c->T[i] / g;
    return rs_norm(dk, c->MQ);
}

/* the vectors Q u of H below the threshold, smallest eigenvalue first */
static rs_status short_vectors(double threshold, int room, int *count,
                               double *vectors, rs_eigen_ws *eigen,
                               shortcut *c)
{
    const int k = c->k;
    for (size_t i = 0; i < (size_t)k * k; i++)
        c->H[i] = -c->H[i];
    RS_TRY(
        rs_eigen_above(k, c->H, -threshold, count, c->values, c->copy, eigen));
    *count = rs_min_int(*count, room);
    if (*count > 0)
        rs_matmul(c->pr->d, k, *count, c->Q, c->copy, vectors);
    return RS_OK;
}

static rs_status smallest_eigenvalue(int k, const double *H, double *values,
                                     double *copy, rs_eigen_ws *eigen,
                                     double *lowest)
{
    for (size_t i = 0; i < (size_t)k * k; i++)
        copy[i] = -H[i];
    RS_TRY(rs_eigen_largest(k, copy, 1, values, NULL, eigen));
    *lowest = -values[0];
    return RS_OK;
}

rs_status rs_spca_slack_shortcut(rs_spca_slack *ws, double threshold, int room,
                                 int *count, double *vectors, double *lowest,
                                 double *rounding, int *decided)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_leading *leading = pr->leading;
    shortcut c;
    rs_eigen_ws eigen;
    int fails;
    *decided = 0;
    *count = 0;
    if (!leading || ws->at->r == 0 || leading->m + ws->at->r > pr->d)
        return RS_OK;
    const double g = pr->eta - 2.0 * leading->rest;
    if (!(g > RS_LEAST_FLOOR * pr->eta))
        return RS_OK;
    RS_TRY(reserve(ws, leading, &c));
    RS_TRY(short_basis(ws->at, &c, &fails));
    if (fails)
        return RS_OK;
    RS_TRY(scatter_products(ws, &c));
    slack_products(ws, &c);
    const double beside = complement(g, &c);
    RS_TRY(rs_eigen_init(c.ctx, c.k, &eigen));
    RS_TRY(smallest_eigenvalue(c.k, c.T, c.values, c.copy, &eigen, lowest));
    *lowest = fmin(*lowest, g);
    const double unit = RS_MARGIN * DBL_EPSILON * sqrt((double)pr->d + c.k);
    const double product = unit * (2.0 * pr->trace + pr->eta + pr->lambda);
    *rounding = product + (2.0 * beside + product) * product / g;
    *decided = *lowest >= threshold || room == 0;
    if (*decided)
        return rs_poll(pr->ctx);
    RS_TRY(short_vectors(threshold, room, count, vectors, &eigen, &c));
    *decided = *count > 0;
    return rs_poll(pr->ctx);
}
