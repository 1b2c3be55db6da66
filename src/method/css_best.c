#include "method/css_best.h"

#include <math.h>
#include <string.h>

rs_status rs_css_best_init(const rs_css_space *space, int k, double tie,
                           rs_css_best *best)
{
    const size_t width = (size_t)k;
    best->space = space;
    best->k = k;
    best->value = best->hidden = -1.0;
    best->tie = tie;
    best->found = 0;
    best->set = rs_alloc_int(space->ctx, width);
    best->trial = rs_alloc_int(space->ctx, width);
    best->room = rs_alloc_double(space->ctx, 4 * width * width);
    return rs_allocated(space->ctx);
}

void rs_css_begin(rs_css_best *best)
{
    best->value =
        rs_css_evaluate(best->space, best->k, best->trial, best->room).value;
    memcpy(best->set, best->trial, (size_t)best->k * sizeof *best->set);
}

void rs_css_try(rs_css_best *best)
{
    const rs_css_value v =
        rs_css_evaluate(best->space, best->k, best->trial, best->room);
    if (v.value > rs_css_cut(best)) {
        best->value = v.value;
        best->found++;
        memcpy(best->set, best->trial, (size_t)best->k * sizeof *best->set);
    } else if (v.value + v.error > rs_css_cut(best)) {
        best->hidden = fmax(best->hidden, v.value + v.error);
    }
}
