#include "method/css/best.h"

#include <math.h>
#include <string.h>

rs_status rs_css_best_init(const rs_css_space *space, int k, double tie,
                           rs_css_best *best)
{
    const size_t width = (size_t)k;
    best->space = space;
    best->k = k;
    best->value = best->hidden = -1.0;
    best->error = 0.0;
    best->tie = tie;
    RS_ALLOC_INTS(space->ctx, width, &best->set, &best->trial);
    best->room = rs_alloc_double(space->ctx, 4 * width * width);
    best->status = RS_OK;
    best->near = NULL;
    RS_TRY(rs_allocated(space->ctx));
    return rs_css_refiner_init(space, k, &best->refiner);
}

static rs_css_value evaluate(rs_css_best *best)
{
    return rs_css_evaluate(best->space, best->k, best->trial, best->room);
}

static void refine(rs_css_best *best, rs_css_value *value)
{
    const rs_status status = rs_css_refine(&best->refiner, best->trial, value);
    if (best->status == RS_OK)
        best->status = status;
}

void rs_css_begin(rs_css_best *best)
{
    rs_css_value v = evaluate(best);
    if (v.value >= 0.0)
        refine(best, &v);
    best->value = v.value;
    best->error = v.error;
    memcpy(best->set, best->trial, (size_t)best->k * sizeof *best->set);
}

static void meet(rs_css_value v, rs_css_best *best)
{
    const rs_css_near *near = best->near;
    if (v.error > near->enough)
        refine(best, &v);
    if (v.value + v.error > rs_css_cut(best) && best->status == RS_OK &&
        near->meet(near->state, best->trial, v.value - v.error,
                   v.value + v.error))
        best->status = RS_LATE;
}

void rs_css_try(rs_css_best *best)
{
    const double cut = rs_css_cut(best);
    rs_css_value v = evaluate(best);
    if (v.value < 0.0)
        return;
    if (best->near) {
        meet(v, best);
        return;
    }
    if (fabs(v.value - cut) <= v.error)
        refine(best, &v);
    if (v.value > cut && v.value - v.error > best->value + best->error) {
        best->value = v.value;
        best->error = v.error;
        memcpy(best->set, best->trial, (size_t)best->k * sizeof *best->set);
    } else if (v.value + v.error > cut) {
        best->hidden = fmax(best->hidden, v.value + v.error);
    }
}
