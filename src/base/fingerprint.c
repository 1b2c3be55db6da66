#include "base/fingerprint.h"

#include <limits.h>
#include <string.h>

/* odd, with bits everywhere */
#define FACTOR UINT64_C(0x9E3779B97F4A7C15)
/* the exponent of a double; all ones: not finite */
#define EXPONENT UINT64_C(0x7FF0000000000000)

void rs_fingerprint_init(rs_fingerprint *f)
{
    for (int k = 0; k < RS_FINGERPRINT_LANES; k++)
        f->lane[k] = FACTOR ^ (uint64_t)k;
    f->bad = 0.0;
    f->first_bad = -1.0;
    f->count = 0.0;
}

/* a bijection of the sum so far for given bits, and of the bits for a given
 * sum: one number that changes is always seen */
static inline uint64_t mix(uint64_t sum, uint64_t bits)
{
    sum = (sum ^ bits) * FACTOR;
    return sum ^ (sum >> 29);
}

void rs_fingerprint_add(uint64_t bits, rs_fingerprint *f)
{
    f->lane[0] = mix(f->lane[0], bits);
}

static inline uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline int is_bad(uint64_t bits)
{
    return (bits & EXPONENT) == EXPONENT;
}

static void note_bad(double at, rs_fingerprint *f)
{
    if (f->bad == 0.0)
        f->first_bad = at;
    f->bad += 1.0;
}

void rs_fingerprint_numbers(size_t n, const double *x, rs_fingerprint *f)
{
    size_t i = 0;
    for (; i + RS_FINGERPRINT_LANES <= n; i += RS_FINGERPRINT_LANES) {
        int bad = 0;
        for (int k = 0; k < RS_FINGERPRINT_LANES; k++) {
            const uint64_t bits = bits_of(x[i + k]);
            bad |= is_bad(bits);
            f->lane[k] = mix(f->lane[k], bits);
        }
        for (int k = 0; bad && k < RS_FINGERPRINT_LANES; k++)
            if (is_bad(bits_of(x[i + k])))
                note_bad(f->count + (double)(i + k), f);
    }
    for (; i < n; i++) {
        const uint64_t bits = bits_of(x[i]);
        if (is_bad(bits))
            note_bad(f->count + (double)i, f);
        rs_fingerprint_add(bits, f);
    }
    f->count += (double)n;
}

void rs_fingerprint_whole(size_t n, const int *x, rs_fingerprint *f)
{
    const size_t even = n / RS_FINGERPRINT_LANES * RS_FINGERPRINT_LANES;
    for (size_t i = 0; i < n; i++) {
        uint64_t *lane = f->lane + (i < even ? i % RS_FINGERPRINT_LANES : 0);
        if (x[i] == INT_MIN)
            note_bad(f->count + (double)i, f);
        *lane = mix(*lane, bits_of((double)x[i]));
    }
    f->count += (double)n;
}

void rs_fingerprint_end(rs_fingerprint *f, double print[2])
{
    uint64_t sum = f->lane[0];
    for (int k = 1; k < RS_FINGERPRINT_LANES; k++)
        sum = mix(sum, f->lane[k]);
    f->lane[0] = sum;
    print[0] = (double)(sum >> 32);
    print[1] = (double)(sum & UINT64_C(0xFFFFFFFF));
}
