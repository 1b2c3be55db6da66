#include "solve/palm_copy.h"

#include "la/linalg.h"

/* entries that stay in the nearest cache with those of W */
#define RS_PALM_PIECE 1024

rs_status rs_palm_copy_step(const rs_palm_copy *copy, size_t size,
                            const double *W, double inertia, double *value)
{
    const double a = 1.0 / (1.0 + inertia), b = inertia / (1.0 + inertia);
    const double weight = copy->beta * (1.0 + inertia);
    *value = 0.0;
    if (!copy->is_active) {
        rs_copy(size, W, copy->U);
        return RS_OK;
    }
    const size_t piece = copy->is_sum ? RS_PALM_PIECE : size;
    for (size_t at = 0; at < size; at += piece) {
        const size_t count = size - at < piece ? size - at : piece;
        double *U = copy->U + at, h = 0.0;
        for (size_t i = 0; i < count; i++)
            U[i] = a * W[at + i] + b * U[i];
        RS_TRY(copy->prox(copy->state, weight, count, U, &h));
        double gap = rs_distance(count, W + at, U);
        *value += h + 0.5 * copy->beta * gap * gap;
    }
    return RS_OK;
}

rs_status rs_palm_copy_update(const rs_palm_copy *copy, size_t size,
                              const double *W, double inertia)
{
    double value;
    return rs_palm_copy_step(copy, size, W, inertia, &value);
}

double rs_palm_copy_value(const rs_palm_copy *copy, size_t size,
                          const double *W)
{
    if (!copy->is_active)
        return 0.0;
    double gap = rs_distance(size, W, copy->U);
    double value = 0.5 * copy->beta * gap * gap;
    return copy->penalty ? value + copy->penalty(copy->state, copy->U) : value;
}
