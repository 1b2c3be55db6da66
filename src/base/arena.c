#include "base/arena.h"

#include <stdint.h>

/* every address is a multiple of this, as far as the parent's are */
#define RS_ARENA_UNIT 64

static void *take(rs_arena_piece *piece, size_t bytes)
{
    void *memory = piece->memory + piece->used;
    piece->used += bytes;
    return memory;
}

static void *arena_alloc(void *state, size_t count, size_t size)
{
    rs_arena *arena = (rs_arena *)state;
    if (size > 0 && count > (SIZE_MAX - RS_ARENA_UNIT) / size)
        return NULL;
    const size_t bytes =
        (count * size + RS_ARENA_UNIT - 1) / RS_ARENA_UNIT * RS_ARENA_UNIT;
    for (int a = 0; a < arena->count; a++)
        if (arena->piece[a].size - arena->piece[a].used >= bytes)
            return take(arena->piece + a, bytes);
    if (arena->count == RS_ARENA_PIECES)
        return NULL;
    rs_arena_piece *piece = arena->piece + arena->count;
    piece->size = bytes > RS_ARENA_LEAST ? bytes : RS_ARENA_LEAST;
    piece->used = 0;
    piece->memory = (char *)rs_alloc(arena->parent, piece->size, 1);
    if (!piece->memory)
        return NULL;
    arena->count++;
    return take(piece, bytes);
}

static int arena_interrupted(void *state)
{
    rs_context *parent = ((rs_arena *)state)->parent;
    return parent->interrupted(parent->state);
}

void rs_arena_init(rs_context *parent, rs_arena *arena)
{
    /* no clock: a limit of time ends no round halfway */
    arena->ctx = (rs_context){arena_alloc, arena_interrupted, arena, 0, NULL};
    arena->parent = parent;
    arena->count = 0;
}

void rs_arena_clear(rs_arena *arena)
{
    for (int a = 0; a < arena->count; a++)
        arena->piece[a].used = 0;
}
