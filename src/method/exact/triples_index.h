/*
 * method/exact/triples_index.h: who may stand beside an apex.
 *
 * For every apex of a group the features that some set needs as its third one
 * lie in a list of their own, in cells: bands of shares, and within each of
 * them bins of the entry of M, large ones first. The third features for a
 * second one are then one stretch per band of shares. Entries are floats: three
 * of them and a position are all that a test reads.
 */
#ifndef RS_CDLSR_TRIPLES_INDEX_H
#define RS_CDLSR_TRIPLES_INDEX_H

#include "method/exact/triples_question.h"

#define RS_BANDS 8
#define RS_BINS 64
#define RS_CELLS (RS_BANDS * RS_BINS)
/* third features tested together; a constant length lets the compiler
 * vectorise, and 16 floats are one to four registers */
#define RS_TRIPLE_STRIP 16

/* features i beside an apex j, side by side */
typedef struct {
    float *rho;   /* A_ji */
    float *joint; /* C_ji */
    float *alone; /* e_i */
    int *feature;
} rs_triple_list;

typedef struct {
    const rs_triple_features *features;
    const rs_triple_question *question;
    rs_triple_list list;
    size_t room, used; /* neighbours */
    int first, apices; /* apex number a is feature first + a */
    size_t *start;     /* apices: where the list of each starts, */
    int *cell;         /* apices x (RS_CELLS + 1): and in it every cell */
    int band_from[RS_BANDS + 1];
    unsigned char *is_second; /* d: beside some apex of the group */
    /* scratch for one apex, d each */
    double *entry; /* |entry of M|, -1 where the pair cannot win */
    int *second;   /* features whose entry may be the larger one */
} rs_triple_index;

/* the third features for a pair: from[], to[] of the first few classes of
 * shares in the list of the apex */
typedef struct {
    int bands, from[RS_BANDS], to[RS_BANDS];
    double count;
} rs_triple_thirds;

/* with room for the list of one apex */
rs_status rs_triple_index_init(const rs_triple_features *f,
                               const rs_triple_question *q,
                               rs_triple_index *index);
/* room for so many neighbours in all; the index is empty then */
rs_status rs_triple_index_reserve(size_t room, rs_triple_index *index);
/* an empty group, whose first apex is to be the feature `first` */
void rs_triple_index_clear(int first, rs_triple_index *index);
/* is there room for one more apex, whatever its neighbours? */
int rs_triple_index_has_room(const rs_triple_index *index);
/* the next apex; A, C: its columns */
void rs_triple_index_add(const double *A, const double *C,
                         rs_triple_index *index);
/* the third features for apex number a and a second one k with entry x */
void rs_triple_find_thirds(const rs_triple_index *index, int a, int k,
                           double x, rs_triple_thirds *thirds);

#endif
