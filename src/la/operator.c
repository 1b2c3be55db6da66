#include "la/operator.h"

#include <math.h>

double rs_operator_unit(size_t count, const double *image)
{
    double largest = 0.0;
    int exponent;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(image[i]));
    if (!(largest > 0.0) || !isfinite(largest) ||
        (largest > RS_ORDINARY_LEAST && largest < RS_ORDINARY_LARGEST))
        return 1.0;
    frexp(largest, &exponent);
    return ldexp(1.0, rs_max_int(-1000, rs_min_int(exponent, 1000)));
}
