/*
 * solve/momentum.h: Nesterov's extrapolation, with a way back, for alternating
 * methods whose W step is the MM step of problem (Q).
 *
 * The step is W <- polar(M) with M = 2 S W + C. Extrapolating M itself,
 * M + weight (M - M_last), moves with the momentum of the whole point (W and
 * the two copies of it that C is made of), and costs no product with S. The
 * caller checks the descent, and returns to the kept point for a plain step
 * where it falls short.
 */
#ifndef RS_MOMENTUM_H
#define RS_MOMENTUM_H

#include "base/core.h"

/* W, S W and two copies */
#define RS_MOMENTUM_BLOCKS 4

typedef struct {
    size_t size;                       /* of a block */
    double t;                          /* Nesterov's sequence, 1 at a start */
    double *argument, *last_argument;  /* M, M_last */
    double *point[RS_MOMENTUM_BLOCKS]; /* the caller's blocks */
    double *kept[RS_MOMENTUM_BLOCKS];
} rs_momentum;

/* the blocks stay where they are while the momentum is in use */
rs_status rs_momentum_init(rs_context *ctx, size_t size, double *W, double *SW,
                           double *first, double *second, rs_momentum *mom);
/* Nesterov's sequence, t_next = (1 + sqrt(1 + 4 t^2)) / 2, and the weight
 * (t - 1) / t_next that belongs to it */
double rs_momentum_next(double t);
double rs_momentum_weight_at(double t);
/* the weight at the present step: zero on the first step and after one that fell back */
double rs_momentum_weight(const rs_momentum *mom);
/* C += weight (M - M_last); keeps M */
void rs_momentum_extrapolate(double weight, double *C, rs_momentum *mom);
/* go on with the step just taken; `accepted` is 0 after a fall back */
void rs_momentum_advance(int accepted, rs_momentum *mom);

void rs_momentum_keep_point(rs_momentum *mom);
void rs_momentum_return_to_point(rs_momentum *mom);
/* squared distance of block b (0: W, 2 and 3: the copies) from its kept one */
double rs_momentum_moved(const rs_momentum *mom, int b);

#endif
