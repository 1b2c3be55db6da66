/*
 * base/fingerprint.h: 64 bits that tell whether numbers are still what they
 * were, and whether all are finite.
 */
#ifndef RS_FINGERPRINT_H
#define RS_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t sum;
    double bad, first_bad; /* numbers that are not finite; -1: none */
    double count;          /* numbers seen */
} rs_fingerprint;

void rs_fingerprint_init(rs_fingerprint *f);
void rs_fingerprint_add(double value, rs_fingerprint *f);
/* two whole numbers below 2^32 */
void rs_fingerprint_end(const rs_fingerprint *f, double print[2]);

#endif
