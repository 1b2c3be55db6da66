#include "method/css/polish.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

/* features that leave at a time */
#define RS_CSS_LEAVING 3
/* what a step costs in pairs that are looked at: halvings of the brackets of a
 * candidate's eigenvalues, and multiplications of a product */
#define RS_CSS_BOUND_COST 600.0
#define RS_CSS_PRODUCT_COST 0.1
/* the same of a multiplication for the products of all features, and of side^3
 * for the eigenvectors of a side */
#define RS_CSS_BEGIN_COST 0.08
#define RS_CSS_EIGEN_COST 0.25
/* matrices of all features that are kept, and numbers in them, at most */
#define RS_CSS_MATRICES 7.0
#define RS_CSS_NUMBERS 2e7

rs_status rs_css_polish_init(const rs_css_space *space, int fixed,
                             rs_css_best *best, rs_css_frame *frame,
                             rs_css_polish *p)
{
    rs_context *ctx = space->ctx;
    const size_t k = (size_t)best->k, stride = (size_t)space->stride;
    const size_t cells = stride * (size_t)space->count;
    memset(p, 0, sizeof *p);
    p->space = space;
    p->best = best;
    p->frame = frame;
    p->k = best->k;
    p->fixed = fixed;
    p->set = rs_alloc_int(ctx, k);
    p->stay = rs_alloc_int(ctx, k);
    p->list = rs_alloc_int(ctx, (size_t)space->count);
    p->C = rs_alloc_double(ctx, cells);
    p->H = rs_alloc_double(ctx, cells);
    p->directions = rs_alloc_double(ctx, RS_CSS_LEAVING * k);
    p->image = rs_alloc_double(ctx, RS_CSS_LEAVING * k);
    p->P = rs_alloc_double(ctx, RS_CSS_LEAVING * stride);
    p->M = rs_alloc_double(ctx, RS_CSS_LEAVING * stride);
    RS_TRY(rs_allocated(ctx));
    return rs_css_projection_init(space, best->k, &p->whole);
}

/* ---- the whole set --------------------------------------------------------------- */

/* what the set leaves of all products */
static rs_status leave_products(rs_css_polish *p)
{
    const rs_css_space *s = p->space;
    const rs_css_projection *w = &p->whole;
    const int stride = s->stride, k = p->k;
    const size_t cells = (size_t)stride * (size_t)s->count;
    rs_copy(cells, s->C, p->C);
    rs_copy(cells, s->H, p->H);
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'T', stride, s->count, k, -1.0, w->P,
                          stride, w->P, stride, 1.0, p->C, stride));
    RS_TRY(rs_gemm_polled(s->ctx, 'N', 'T', stride, s->count, k, -1.0, w->P,
                          stride, w->M, stride, 1.0, p->H, stride));
    return rs_gemm_polled(s->ctx, 'N', 'T', stride, s->count, k, -1.0, w->M,
                          stride, w->P, stride, 1.0, p->H, stride);
}

static rs_status take_whole(rs_css_polish *p)
{
    const double count = p->space->count;
    RS_TRY(rs_css_project(p->k, p->set, &p->whole));
    p->work += RS_CSS_PRODUCT_COST * count * count * 3.0 * p->k;
    return leave_products(p);
}

/* ---- three features less ------------------------------------------------------------ */

/* the directions that the set loses with the features in these slots, in its
 * own basis: L^{-1} e, made orthonormal */
static void lose_directions(int leaving, const int *slot, rs_css_polish *p)
{
    const size_t k = (size_t)p->k;
    for (int i = 0; i < leaving; i++) {
        double *t = p->directions + k * (size_t)i;
        rs_copy(k, p->whole.inverse + k * (size_t)slot[i], t);
        rs_scale(k, 1.0 / rs_norm(k, t), t);
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < i; l++) {
                const double *u = p->directions + k * (size_t)l;
                rs_axpy(k, -rs_dot(k, u, t), u, t);
            }
        rs_scale(k, 1.0 / rs_norm(k, t), t);
    }
}

/* G = PU and M = (M - PN / 2) U + G U'NU / 2, with P, M and N of the set */
static void give_back(int leaving, rs_css_polish *p)
{
    const rs_css_projection *w = &p->whole;
    const int k = p->k, stride = p->space->stride;
    double small[RS_CSS_LEAVING * RS_CSS_LEAVING];
    rs_matmul(stride, k, leaving, w->P, p->directions, p->P);
    rs_matmul(stride, k, leaving, w->M, p->directions, p->M);
    rs_matmul(k, k, leaving, w->N, p->directions, p->image);
    rs_gemm('N', 'N', stride, leaving, k, -0.5, w->P, stride, p->image, k, 1.0,
            p->M, stride);
    rs_crossprod(k, leaving, leaving, p->directions, p->image, small);
    rs_gemm('N', 'N', stride, leaving, leaving, 0.5, p->P, stride, small,
            leaving, 1.0, p->M, stride);
}

/* features that stay, and candidates */
static int split(int leaving, const int *slot, rs_css_polish *p, int *stay)
{
    int count = 0;
    *stay = 0;
    for (int j = 0; j < p->space->count; j++)
        p->list[j] = 1;
    for (int i = 0; i < p->k; i++) {
        int leaves = 0;
        for (int l = 0; l < leaving; l++)
            leaves |= slot[l] == i;
        if (leaves)
            continue;
        p->stay[(*stay)++] = p->set[i];
        p->list[p->set[i]] = 0;
    }
    for (int j = 0; j < p->space->count; j++)
        if (p->list[j])
            p->list[count++] = j;
    return count;
}

/* the new features take the slots of those that left */
static void replace(int leaving, const int *slot, rs_css_polish *p)
{
    for (int l = 0; l < leaving; l++)
        p->set[slot[l]] = p->best->set[p->k - leaving + l];
}

/* the best features in place of those in the slots */
static rs_status try_slots(int leaving, const int *slot, rs_css_polish *p)
{
    rs_css_frame *frame = p->frame;
    const int found = p->best->found;
    const double before = frame->leaf.work;
    int stay;
    const int count = split(leaving, slot, p, &stay);
    const rs_css_base base = {p->C, p->H, leaving, 1.0, p->P, p->M};
    RS_TRY(rs_css_frame_open(stay, p->stay, leaving, count, p->list, frame));
    p->work +=
        count * (RS_CSS_BOUND_COST + RS_CSS_PRODUCT_COST * frame->spectrum.q *
                                         (double)(p->space->q + stay));
    if (frame->count < leaving)
        return RS_OK;
    lose_directions(leaving, slot, p);
    give_back(leaving, p);
    frame->projection.product_error =
        fmax(frame->projection.product_error, p->whole.product_error);
    frame->projection.response_error =
        fmax(frame->projection.response_error, p->whole.response_error);
    rs_css_frame_fill(&base, frame);
    p->work += (double)frame->count * frame->count;
    RS_TRY(rs_css_frame_finish(frame));
    p->work += frame->leaf.work - before;
    if (p->best->found == found)
        return RS_OK;
    replace(leaving, slot, p);
    return take_whole(p);
}

/* ---- passes ---------------------------------------------------------------------- */

/* the next combination of slots fixed..k, the last one followed by the first */
static void next_slots(int leaving, int *slot, const rs_css_polish *p)
{
    int i = 0;
    while (i < leaving - 1 && slot[i] + 1 == slot[i + 1])
        i++;
    slot[i]++;
    for (int l = 0; l < i; l++)
        slot[l] = p->fixed + l;
    if (slot[leaving - 1] == p->k)
        for (int l = 0; l < leaving; l++)
            slot[l] = p->fixed + l;
}

static double combinations(int count, int leaving)
{
    double all = 1.0;
    for (int l = 0; l < leaving; l++)
        all = all * (count - l) / (l + 1);
    return all;
}

rs_status rs_css_polish_run(double most, rs_css_polish *p, int *complete)
{
    const int free = p->k - p->fixed;
    const int leaving = rs_min_int(RS_CSS_LEAVING, free);
    const double all = combinations(free, leaving);
    int slot[RS_CSS_LEAVING];
    *complete = free == 0;
    if (free == 0)
        return RS_OK;
    memcpy(p->set, p->best->set, (size_t)p->k * sizeof *p->set);
    for (int l = 0; l < leaving; l++)
        slot[l] = p->fixed + l;
    RS_TRY(take_whole(p));
    for (double quiet = 0.0; quiet < all; quiet += 1.0) {
        const int found = p->best->found;
        if (p->work > most)
            return RS_OK;
        RS_TRY(try_slots(leaving, slot, p));
        if (p->best->found != found)
            quiet = 0.0;
        next_slots(leaving, slot, p);
        RS_TRY(rs_poll(p->space->ctx));
    }
    *complete = !(p->best->hidden > rs_css_cut(p->best));
    return RS_OK;
}

/* ---- from a problem ---------------------------------------------------------------- */

int rs_css_take_set(const rs_lsq *problem, const rs_css_space *space, int k,
                    const int *set, int *places)
{
    const unsigned char *locked = problem->first;
    int at = 0, included = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < k; i++) {
            const int is_locked = locked && locked[set[i]];
            if (is_locked != (pass == 0))
                continue;
            included += is_locked;
            places[at++] = space->place[set[i]];
        }
    return included;
}

int rs_css_exchange_pays(const rs_lsq *p, int k, double most)
{
    double count = 0.0, fixed = 0.0;
    for (int j = 0; j < p->d; j++) {
        count += !p->barred[j];
        fixed += p->first && p->first[j];
    }
    const int free = k - (int)fixed;
    const double side = rs_min_int(p->n, p->d);
    const double inner = p->c > 0 ? p->c : side;
    const double begin =
        RS_CSS_BEGIN_COST * count * count * (side + inner) +
        (p->c > 0 ? 0.0 : RS_CSS_EIGEN_COST * side * side * side);
    const double each =
        count * (RS_CSS_BOUND_COST + RS_CSS_PRODUCT_COST * 24.0 * 4.0 * k) +
        0.5 * count * count;
    return RS_CSS_MATRICES * count * count <= RS_CSS_NUMBERS &&
           begin + each * combinations(free, rs_min_int(free, 3)) <= most;
}

rs_status rs_css_exchange(rs_context *ctx, const rs_lsq *problem, int k,
                          const rs_css_input *input,
                          const rs_css_effort *effort, double tol, int *set,
                          int *complete)
{
    rs_css_space space;
    rs_css_best best;
    rs_css_frame frame;
    rs_css_polish polish;
    *complete = 0;
    RS_TRY(rs_css_restart(ctx, problem, k, effort, tol, set));
    if (!rs_css_exchange_pays(problem, k, effort->work))
        return RS_OK;
    RS_TRY(rs_css_space_init(ctx, problem, input, k, &space));
    RS_TRY(rs_css_best_init(&space, k, tol, &best));
    RS_TRY(rs_css_frame_init(&space, &best, k, RS_CSS_LEAVING, &frame));
    const int fixed = rs_css_take_set(problem, &space, k, set, best.trial);
    rs_css_begin(&best);
    if (best.value < 0.0)
        return RS_OK;
    RS_TRY(rs_css_polish_init(&space, fixed, &best, &frame, &polish));
    RS_TRY(rs_css_polish_run(effort->work, &polish, complete));
    for (int i = 0; i < k; i++)
        set[i] = space.list[best.set[i]];
    return RS_OK;
}
