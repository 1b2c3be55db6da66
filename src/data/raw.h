/*
 * data/raw.h: dense rows as they were given, and how they are centred:
 * Z = (X - E M) diag(w), as in data/centring.h.
 */
#ifndef RS_RAW_H
#define RS_RAW_H

#include "data/centring.h"

typedef struct {
    int n, d;
    const double *real; /* X, n x d */
    const int *whole;   /* the same where `real` is NULL */
    rs_centring centring;
    const double *weight; /* d; NULL: ones */
} rs_raw;

/* Z (n x d) */
rs_status rs_raw_centre(rs_context *ctx, const rs_raw *X, double *Z);

/* upper triangle of G (d x d) += Z'Z, where room for a few rows of Z at a time
 * is all that is needed: see below */
size_t rs_raw_gram_room(const rs_raw *X);
rs_status rs_raw_add_gram(rs_context *ctx, const rs_raw *X, double *room,
                          double *G);

#endif
