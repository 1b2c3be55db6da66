#include "data/packed.h"

#include <math.h>

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

/* the logarithms of small counts are taken once a row */
rs_status rs_unpack_logged(rs_context *ctx, const rs_packed *packed, int rows,
                           const double *factor, int *i, double *logged)
{
    enum { SMALL = 8 };
    double *small = rs_alloc_double(ctx, (size_t)rows * SMALL);
    RS_TRY_ALLOC(small);
    for (size_t e = 0; e < (size_t)rows * SMALL; e++)
        small[e] = log2((double)(e % SMALL) / factor[e / SMALL] + 1.0);
    for (size_t e = 0; e < packed->stored; e++) {
        const unsigned r = get(e, 2, packed->row);
        const unsigned c = get(e, packed->bytes, packed->count);
        if (r >= (unsigned)rows)
            return RS_BAD_INPUT;
        i[e] = (int)r;
        logged[e] = c < SMALL ? small[(size_t)r * SMALL + c]
                              : log2(c / factor[r] + 1.0);
    }
    return RS_OK;
}
