#include "solve/steps.h"

#include <math.h>

void rs_nonnegative_step(size_t count, const double *minus, const double *plus,
                         double exponent, double *F)
{
    for (size_t i = 0; i < count; i++) {
        if (!(F[i] > 0.0) || minus[i] == plus[i])
            continue;
        double ratio = minus[i] < RS_NONNEGATIVE_MOST * plus[i]
                           ? minus[i] / plus[i]
                           : RS_NONNEGATIVE_MOST;
        F[i] *= exponent == 0.5 ? sqrt(ratio) : pow(ratio, exponent);
    }
}

double rs_orthonormality_gap(int c, const double *G)
{
    double sum = 0.0;
    for (int a = 0; a < c; a++)
        for (int b = 0; b < c; b++) {
            const double off = G[a + (size_t)b * c] - (a == b);
            sum += off * off;
        }
    return sum;
}
