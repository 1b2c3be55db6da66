#include "base/random.h"

#include <stdint.h>

/* the mixing function of splitmix64 */
double rs_quasi_number(size_t index)
{
    uint64_t z = ((uint64_t)index + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1.0p-52 - 1.0;
}

int rs_quasi_below(int count, size_t index)
{
    const int drawn = (int)(0.5 * (1.0 + rs_quasi_number(index)) * count);
    return drawn < count ? drawn : count - 1;
}

void rs_quasi_random(size_t count, size_t draw, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = rs_quasi_number(draw * count + i);
}
