/*
 * data/packed.h: counts of sparse rows in three or four bytes each: two for the
 * row, and one or two for the count.
 */
#ifndef RS_PACKED_H
#define RS_PACKED_H

#include "base/core.h"

typedef struct {
    size_t stored;
    int bytes;                        /* of a count */
    const unsigned char *row, *count; /* 2 stored, bytes x stored */
} rs_packed;

/* bytes that the largest count takes, 1 or 2; 0: some are no whole numbers from
 * 0 to 65535 */
int rs_packed_bytes(size_t stored, const double *count);

/* i: below 65536; row: 2 stored bytes, packed: bytes x stored */
void rs_pack(size_t stored, const int *i, const double *count, int bytes,
             unsigned char *row, unsigned char *packed);

/* i and log2(count / factor[i] + 1) of every count; factor: one of each of the
 * `rows` rows */
rs_status rs_unpack_logged(rs_context *ctx, const rs_packed *packed, int rows,
                           const double *factor, int *i, double *logged);

#endif
