/*
 * base/fingerprint.h: 64 bits that tell whether numbers are still what they
 * were, and whether all are finite, in one pass at the speed of memory.
 */
#ifndef RS_FINGERPRINT_H
#define RS_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#define RS_FINGERPRINT_LANES 4

typedef struct {
    uint64_t lane[RS_FINGERPRINT_LANES]; /* every fourth number each */
    double bad, first_bad; /* numbers that are not finite; -1: none */
    double count;          /* numbers seen */
} rs_fingerprint;

void rs_fingerprint_init(rs_fingerprint *f);
void rs_fingerprint_add(uint64_t bits, rs_fingerprint *f);
void rs_fingerprint_numbers(size_t n, const double *x, rs_fingerprint *f);
/* as the doubles of the same values, and the smallest int for one that is
 * missing */
void rs_fingerprint_whole(size_t n, const int *x, rs_fingerprint *f);
/* all lanes together, as two whole numbers below 2^32 */
void rs_fingerprint_end(rs_fingerprint *f, double print[2]);

#endif
