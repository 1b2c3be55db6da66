/*
 * data/blocks.h: rows that a reader delivers block by block, as often as they
 * are asked for; only one block is ever in memory, two for the Gram matrix of
 * the samples. A block is data of the kind dense or sparse itself, with the
 * means and weights of the whole, so that sparse blocks stay sparse. Every
 * operation is one pass over the blocks, the Gram matrix of the samples one
 * pass for each block.
 */
#ifndef RS_BLOCKS_H
#define RS_BLOCKS_H

#include "data/centring.h"
#include "data/data.h"
#include "data/sparse.h"

/*
 * The rows of a block as they were given, the same numbers at every pass: count x d
 * numbers in `rows`, column by column, or, for sparse data, where p, row and value of
 * `slots` point until the next block is read to the same `place` (0 or 1).
 */
typedef rs_status (*rs_read_rows)(void *state, int block, int place,
                                  double *rows, rs_sparse_slots *slots);

typedef struct {
    rs_read_rows read;
    void *state;
    int blocks;
    const int *start; /* blocks + 1: the first row of each, n at the end */
    int sparse;       /* the reader fills slots */
    double entries;   /* numbers that are stored, of all blocks */
    rs_centring centring;
    const double *weight; /* d, 1/scale, or NULL for 1 */
} rs_block_source;

/* the source is copied, its arrays are kept by reference; block: the widest
 * product to come */
rs_status rs_data_blocks(rs_context *ctx, int d, const rs_block_source *source,
                         int block, rs_data *X);

#endif
