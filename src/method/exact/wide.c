/* The bound of all features at once, where they are too many for their
 * cross-products, from single columns of these. */
#include "method/exact/wide.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "proof/newton.h"
#include "proof/root.h"

/* features that may have a share, at most, and numbers for their columns */
#define RS_WIDE_SUPPORT 600
#define RS_WIDE_NUMBERS 1e8
#define RS_WIDE_STEPS 60
/* how much of the gap may be left to Newton's method */
#define RS_WIDE_SHARE 0.003

typedef struct {
    rs_root root;
    int N, room, used;
    int *slot_of;  /* N; -1: not here */
    double *cells; /* N x room */
    rs_perspective relax;
} wide;

/* column j of the cross-products of unit columns; more than there is room for
 * never have a share */
static rs_status column(void *self, int j, const double **at)
{
    wide *w = (wide *)self;
    if (w->slot_of[j] < 0) {
        if (w->used == w->room)
            return RS_NO_MEMORY;
        RS_TRY(rs_root_products(&w->root, &j, 1,
                                w->cells + (size_t)w->N * w->used));
        w->slot_of[j] = w->used++;
    }
    *at = w->cells + (size_t)w->N * w->slot_of[j];
    return RS_OK;
}

static rs_status make_room(rs_context *ctx, int k, wide *w)
{
    const rs_lsq *p = w->root.problem;
    const size_t N = (size_t)w->N, c = (size_t)p->c;
    w->room = rs_min_int(w->N, rs_max_int(RS_WIDE_SUPPORT, 4 * k));
    w->room =
        rs_min_int(w->room, rs_max_int(4 * k, (int)(RS_WIDE_NUMBERS / w->N)));
    w->slot_of = rs_alloc_int(ctx, N);
    w->cells = rs_alloc_double(ctx, N * w->room);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_perspective_init(ctx, w->N, p->c, w->room / 2, &w->relax));
    w->relax.D = rs_alloc_double(ctx, N);
    double *C = rs_alloc_double(ctx, N * c);
    w->relax.C = C;
    w->relax.column = column;
    w->relax.state = w;
    w->relax.error = w->root.error;
    RS_TRY(rs_allocated(ctx));
    rs_root_responses(&w->root, C);
    for (size_t q = 0; q < N; q++) {
        const double square = p->square[w->root.list[q]] + p->ridge;
        w->slot_of[q] = -1;
        w->relax.D[q] = p->ridge / square * (1.0 - 1e-15);
    }
    return RS_OK;
}

/* z: 1 for the set that is known */
static rs_status start(rs_context *ctx, const rs_exact_fit *fit, int k,
                       wide *w)
{
    const unsigned char *first = w->root.problem->first;
    unsigned char *in = (unsigned char *)rs_alloc(ctx, (size_t)w->N, 1);
    RS_TRY_ALLOC(in);
    w->relax.N = w->N;
    w->relax.m = k;
    w->relax.in = in;
    for (int q = 0; q < w->N; q++) {
        in[q] = first && first[w->root.list[q]];
        w->relax.m -= in[q];
        w->relax.z[q] = 0.0;
        for (int i = 0; i < k; i++)
            if (fit->feature[i] == w->root.list[q])
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
        keep[w->root.list[q]] = p->in[q] || weight > smallest ||
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
    RS_TRY(rs_root_init(ctx, problem, 1, &w.root));
    w.N = w.root.d;
    for (int j = 0; j < problem->d; j++)
        keep[j] = !problem->barred[j];
    RS_TRY(make_room(ctx, settings->k, &w));
    RS_TRY(start(ctx, fit, settings->k, &w));
    const rs_status status =
        rs_perspective_minimise(cut, RS_WIDE_SHARE, RS_WIDE_STEPS, &w.relax);
    conclude(cut, bound, keep, &w);
    /* no room for more columns: the bound until then holds */
    return status == RS_NO_MEMORY && !ctx->out_of_memory ? RS_OK : status;
}
