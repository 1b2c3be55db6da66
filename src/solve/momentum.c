#include "solve/momentum.h"

#include <math.h>

#include "la/linalg.h"

rs_status rs_momentum_init(rs_context *ctx, size_t size, double *W, double *SW,
                           double *first, double *second, rs_momentum *mom)
{
    double *point[RS_MOMENTUM_BLOCKS] = {W, SW, first, second};
    mom->size = size;
    mom->t = 1.0;
    RS_ALLOC_DOUBLES(ctx, size, &mom->argument, &mom->last_argument);
    RS_TRY(rs_allocated(ctx));
    rs_fill(size, 0.0, mom->last_argument);
    for (int b = 0; b < RS_MOMENTUM_BLOCKS; b++) {
        mom->point[b] = point[b];
        mom->kept[b] = rs_alloc_double(ctx, size);
    }
    return rs_allocated(ctx);
}

double rs_momentum_next(double t)
{
    return 0.5 * (1.0 + sqrt(1.0 + 4.0 * t * t));
}

double rs_momentum_weight_at(double t)
{
    return (t - 1.0) / rs_momentum_next(t);
}

double rs_momentum_weight(const rs_momentum *mom)
{
    return rs_momentum_weight_at(mom->t);
}

void rs_momentum_extrapolate(double weight, double *C, rs_momentum *mom)
{
    const double *SW = mom->point[1];
    for (size_t i = 0; i < mom->size; i++) {
        double now = 2.0 * SW[i] + C[i];
        C[i] += weight * (now - mom->last_argument[i]);
        mom->argument[i] = now;
    }
}

void rs_momentum_advance(int accepted, rs_momentum *mom)
{
    double *swap = mom->last_argument;
    mom->last_argument = mom->argument;
    mom->argument = swap;
    mom->t = accepted ? rs_momentum_next(mom->t) : 1.0;
}

void rs_momentum_keep_point(rs_momentum *mom)
{
    for (int b = 0; b < RS_MOMENTUM_BLOCKS; b++)
        rs_copy(mom->size, mom->point[b], mom->kept[b]);
}

void rs_momentum_return_to_point(rs_momentum *mom)
{
    for (int b = 0; b < RS_MOMENTUM_BLOCKS; b++)
        rs_copy(mom->size, mom->kept[b], mom->point[b]);
}

double rs_momentum_moved(const rs_momentum *mom, int b)
{
    double distance = rs_distance(mom->size, mom->point[b], mom->kept[b]);
    return distance * distance;
}
