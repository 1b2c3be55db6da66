#include "base/fingerprint.h"

#include <math.h>
#include <string.h>

/* odd, with bits everywhere */
#define FACTOR UINT64_C(0x9E3779B97F4A7C15)

void rs_fingerprint_init(rs_fingerprint *f)
{
    *f = (rs_fingerprint){.sum = FACTOR, .first_bad = -1.0};
}

/* a bijection of the sum so far for given bits, and of the bits for a given
 * sum: one number that changes is always seen */
void rs_fingerprint_add(double value, rs_fingerprint *f)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    f->sum = (f->sum ^ bits) * FACTOR;
    f->sum ^= f->sum >> 29;
    if (!isfinite(value) && f->bad++ == 0.0)
        f->first_bad = f->count;
    f->count += 1.0;
}

void rs_fingerprint_end(const rs_fingerprint *f, double print[2])
{
    print[0] = (double)(f->sum >> 32);
    print[1] = (double)(f->sum & UINT64_C(0xFFFFFFFF));
}
