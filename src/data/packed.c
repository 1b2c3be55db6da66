#include "data/packed.h"

#include <math.h>

/* counts whose logarithms are taken once a row */
#define RS_PACKED_SMALL 8

int rs_packed_bytes(size_t stored, const double *count)
{
    double largest = 0.0;
    for (size_t e = 0; e < stored; e++) {
        const double c = count[e];
        if (!(c >= 0.0 && c <= 65535.0 && c == floor(c)))
            return 0;
        largest = fmax(largest, c);
    }
    return largest < 256.0 ? 1 : 2;
}

static void put(size_t e, int bytes, unsigned value, unsigned char *to)
{
    to[e * bytes] = (unsigned char)(value & 0xffu);
    if (bytes == 2)
        to[e * 2 + 1] = (unsigned char)(value >> 8);
}

static unsigned get(size_t e, int bytes, const unsigned char *from)
{
    return bytes == 2 ? from[2 * e] | (unsigned)from[2 * e + 1] << 8 : from[e];
}

void rs_pack(size_t stored, const int *i, const double *count, int bytes,
             unsigned char *row, unsigned char *packed)
{
    for (size_t e = 0; e < stored; e++) {
        put(e, 2, (unsigned)i[e], row);
        put(e, bytes, (unsigned)count[e], packed);
    }
}

static double logged_count(unsigned count, double factor)
{
    return log2(count / factor + 1.0);
}

rs_status rs_unpack_logged(rs_context *ctx, size_t stored,
                           const unsigned char *row,
                           const unsigned char *packed, int bytes, int rows,
                           const double *factor, int *i, double *logged)
{
    double *small = rs_alloc_double(ctx, (size_t)rows * RS_PACKED_SMALL);
    RS_TRY_ALLOC(small);
    for (int r = 0; r < rows; r++)
        for (unsigned c = 0; c < RS_PACKED_SMALL; c++)
            small[(size_t)r * RS_PACKED_SMALL + c] =
                logged_count(c, factor[r]);
    for (size_t e = 0; e < stored; e++) {
        const unsigned r = get(e, 2, row), c = get(e, bytes, packed);
        if (r >= (unsigned)rows)
            return RS_BAD_INPUT;
        i[e] = (int)r;
        logged[e] = c < RS_PACKED_SMALL
                        ? small[(size_t)r * RS_PACKED_SMALL + c]
                        : logged_count(c, factor[r]);
    }
    return RS_OK;
}
