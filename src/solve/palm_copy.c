#include "solve/palm_copy.h"

#include "la/linalg.h"

rs_status rs_palm_copy_update(const rs_palm_copy *copy, size_t size,
                              const double *W, double inertia)
{
    double a = 1.0 / (1.0 + inertia), b = inertia / (1.0 + inertia);
    double *U = copy->U;
    if (!copy->is_active) {
        rs_copy(size, W, U);
        return RS_OK;
    }
    for (size_t i = 0; i < size; i++)
        U[i] = a * W[i] + b * U[i];
    return copy->prox(copy->state, copy->beta * (1.0 + inertia), U);
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
