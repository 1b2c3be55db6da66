#include "data/checks.h"

#include <math.h>

rs_slots_state rs_check_slots(int n, int d, size_t pointers, const int *p,
                              size_t count, const int *row)
{
    rs_slots_state state = RS_SLOTS_SOUND;
    if (pointers != (size_t)d + 1 || p[0] != 0)
        return RS_SLOTS_BROKEN;
    for (int j = 0; j < d; j++) /* a missing value is the smallest int */
        if (p[j + 1] < p[j])
            return RS_SLOTS_BROKEN;
    if (count != (size_t)p[d])
        return RS_SLOTS_BROKEN;
    for (int j = 0; j < d; j++)
        for (int at = p[j]; at < p[j + 1]; at++) {
            if (row[at] < 0 || row[at] >= n)
                return RS_SLOTS_BROKEN;
            if (at > p[j] && row[at] <= row[at - 1])
                state = RS_SLOTS_UNORDERED;
        }
    return state;
}

/* rows and columns of a piece of a matrix that is looked at from both sides */
#define RS_CHECK_TILE 64

/* the 1-based column of an entry above the diagonal that no cross-products
 * have, within one tile; 0 when there is none */
static int unsound_in_tile(int d, const double *S, const double *size, int i0,
                           int j0)
{
    const double slack = 1e-6;
    for (int j = j0; j < d && j < j0 + RS_CHECK_TILE; j++)
        for (int i = i0; i < j && i < i0 + RS_CHECK_TILE; i++) {
            double a = S[i + (size_t)j * d], b = S[j + (size_t)i * d];
            double bound = size[i] * size[j];
            if (!(fabs(a) <= bound * (1.0 + slack)) ||
                !(fabs(a - b) <= bound * slack))
                return j + 1;
        }
    return 0;
}

rs_status rs_check_cross_products(rs_context *ctx, int d, const double *S,
                                  int *column)
{
    double *size = rs_alloc_double(ctx, (size_t)d);
    RS_TRY_ALLOC(size);
    *column = 0;
    for (int j = 0; j < d && *column == 0; j++) {
        const double square = S[j + (size_t)j * d];
        size[j] = sqrt(square);
        if (!(square >= 0.0) || !isfinite(square))
            *column = j + 1;
    }
    for (int j0 = 0; j0 < d && *column == 0; j0 += RS_CHECK_TILE) {
        for (int i0 = 0; i0 <= j0 && *column == 0; i0 += RS_CHECK_TILE)
            *column = unsound_in_tile(d, S, size, i0, j0);
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
