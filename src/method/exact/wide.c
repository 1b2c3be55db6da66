#include "method/exact/wide.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "method/exact/perspective_newton.h"

/* features that may have a share, at most, and numbers for their columns */
#define RS_WIDE_SUPPORT 600
#define RS_WIDE_NUMBERS 1e8
#define RS_WIDE_STEPS 60
/* how much of the gap may be left to Newton's method */
#define RS_WIDE_SHARE 0.003

typedef struct {
    const rs_lsq *problem;
    int N, room, used;
    int *list;         /* N: columns of the problem */
    double *unit;      /* N: 1 / length, the ridge included */
    int *slot_of;      /* N; -1: not here */
    double *cells;     /* N x room */
    double *z, *image; /* n, all features */
    rs_perspective relax;
} wide;

/* column j of the cross-products of unit columns; more than there is room for
 * never have a share */
static rs_status column(void *self, int j, const double **at)
{
    wide *w = (wide *)self;
    if (w->slot_of[j] < 0) {
        double *to = w->cells + (size_t)w->N * w->used;
        if (w->used == w->room)
            return RS_NO_MEMORY;
        rs_lsq_column(w->problem, w->list[j], w->z);
        RS_TRY(rs_data_crossprod_vector(w->problem->X, w->z, w->image));
        for (int i = 0; i < w->N; i++)
            to[i] = w->image[w->list[i]] * w->unit[i] * w->unit[j];
        to[j] = 1.0;
        w->slot_of[j] = w->used++;
    }
    *at = w->cells + (size_t)w->N * w->slot_of[j];
    return RS_OK;
}

static rs_status make_room(rs_context *ctx, int k, wide *w)
{
    const rs_lsq *p = w->problem;
    const size_t N = (size_t)w->N, c = (size_t)p->c;
    w->room = rs_min_int(w->N, rs_max_int(RS_WIDE_SUPPORT, 4 * k));
    w->room =
        rs_min_int(w->room, rs_max_int(4 * k, (int)(RS_WIDE_NUMBERS / w->N)));
    w->list = rs_alloc_int(ctx, N);
    w->unit = rs_alloc_double(ctx, N);
    w->slot_of = rs_alloc_int(ctx, N);
    w->cells = rs_alloc_double(ctx, N * w->room);
    w->z = rs_alloc_double(ctx, (size_t)p->n);
    w->image = rs_alloc_double(ctx, (size_t)p->d);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_perspective_init(ctx, w->N, p->c, w->room / 2, &w->relax));
    w->relax.D = rs_alloc_double(ctx, N);
    double *C = rs_alloc_double(ctx, N * c);
    w->relax.C = C;
    w->relax.column = column;
    w->relax.state = w;
    w->relax.error = rs_product_error(p);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0, at = 0; j < p->d; j++)
        if (!p->barred[j])
            w->list[at++] = j;
    for (size_t q = 0; q < N; q++) {
        const int j = w->list[q];
        const double square = p->square[j] + p->ridge;
        w->unit[q] = 1.0 / sqrt(square);
        w->slot_of[q] = -1;
        w->relax.D[q] = p->ridge / square * (1.0 - 1e-15);
        for (size_t l = 0; l < c; l++)
            C[q + N * l] =
                p->B[j + (size_t)p->d * l] * w->unit[q] / sqrt(p->total);
    }
    return RS_OK;
}

/* z: 1 for the set that is known */
static rs_status start(rs_context *ctx, const rs_exact_fit *fit, int k,
                       wide *w)
{
    const unsigned char *first = w->problem->first;
    unsigned char *in = (unsigned char *)rs_alloc(ctx, (size_t)w->N, 1);
    RS_TRY_ALLOC(in);
    w->relax.N = w->N;
    w->relax.m = k;
    w->relax.in = in;
    for (int q = 0; q < w->N; q++) {
        in[q] = first && first[w->list[q]];
        w->relax.m -= in[q];
        w->relax.z[q] = 0.0;
        for (int i = 0; i < k; i++)
            if (fit->feature[i] == w->list[q])
                w->relax.z[q] = 1.0;
    }
    return rs_perspective_start(&w->relax);
}

/* by the best bound so far */
static void conclude(double cut, double *bound, unsigned char *keep, wide *w)
{
    rs_perspective *p = &w->relax;
    double smallest, next;
    *bound = fmin(*bound, p->best_most);
    rs_perspective_top(p->best_weight, &smallest, &next, p);
    for (int q = 0; q < w->N; q++) {
        const double weight = p->best_weight[q];
        keep[w->list[q]] = p->in[q] || weight > smallest ||
                           p->best_most - smallest + weight > cut;
    }
}

rs_status rs_cdlsr_wide(rs_context *ctx, const rs_lsq *problem,
                        const rs_exact_settings *settings,
                        const rs_exact_fit *fit, double cut, double *bound,
                        unsigned char *keep)
{
    wide w;
    memset(&w, 0, sizeof w);
    w.problem = problem;
    for (int j = 0; j < problem->d; j++) {
        w.N += !problem->barred[j];
        keep[j] = !problem->barred[j];
    }
    RS_TRY(make_room(ctx, settings->k, &w));
    RS_TRY(start(ctx, fit, settings->k, &w));
    const rs_status status =
        rs_perspective_minimise(cut, RS_WIDE_SHARE, RS_WIDE_STEPS, &w.relax);
    conclude(cut, bound, keep, &w);
    /* no room for more columns: the bound until then holds */
    return status == RS_NO_MEMORY && !ctx->out_of_memory ? RS_OK : status;
}
