/*
 * data/blocks.h: rows that a reader delivers block by block, as often as they
 * are asked for; only one block is ever in memory. Every operation is one pass
 * over the blocks, the Gram matrix of the samples one pass for each block.
 */
#ifndef RS_BLOCKS_H
#define RS_BLOCKS_H

#include "data/centring.h"
#include "data/data.h"

/* rows (count x d, column-major) <- the rows from, from + 1, ... as they were
 * given; the same numbers at every pass */
typedef rs_status (*rs_read_rows)(void *state, int block, int count,
                                  double *rows);

typedef struct {
    rs_read_rows read;
    void *state;
    int blocks;
    const int *start; /* blocks + 1: the first row of each, n at the end */
    rs_centring centring;
    const double *weight; /* d, 1/scale, or NULL for 1 */
} rs_block_source;

/* the source is copied, its arrays are kept by reference; block: the widest
 * product to come */
rs_status rs_data_blocks(rs_context *ctx, int d, const rs_block_source *source,
                         int block, rs_data *X);

#endif
