/*
 * base/arena.h: memory for what is made anew in every round of an iteration.
 * Who asks the arena's context for memory gets it as from any other; clearing
 * the arena gives all of it back at once, for the next round, and the memory
 * grows no further than the largest round.
 */
#ifndef RS_ARENA_H
#define RS_ARENA_H

#include "base/core.h"

#define RS_ARENA_PIECES 256
#define RS_ARENA_LEAST ((size_t)1 << 16)

typedef struct {
    char *memory;
    size_t size, used;
} rs_arena_piece;

typedef struct {
    rs_context ctx; /* to be handed on */
    rs_context *parent;
    int count;
    rs_arena_piece piece[RS_ARENA_PIECES];
} rs_arena;

/* the arena must stay where it is */
void rs_arena_init(rs_context *parent, rs_arena *arena);
/* whatever it gave out is void */
void rs_arena_clear(rs_arena *arena);

#endif
