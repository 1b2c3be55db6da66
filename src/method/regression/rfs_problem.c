#include "method/regression/rfs_problem.h"

#include <float.h>
#include <math.h>

/* rounding errors: so many machine epsilons times the root of the number of
 * terms times the norms involved */
#define RS_RFS_MARGIN 8.0

double rs_rfs_dual_bound(const rs_rfs_scale *scale, double value,
                         double longest, const double *pull)
{
    const double root = sqrt((double)scale->n);
    const double unit = RS_RFS_MARGIN * DBL_EPSILON * root;
    const double rounding = unit * scale->widest * root * longest;
    double largest = 0.0;
    for (int j = 0; j < scale->d; j++)
        largest = fmax(largest, pull[j]);
    double excess = fmax(longest, (largest + rounding) / scale->gamma);
    value -= unit * scale->at_zero * longest;
    return value / (fmax(excess, 1.0) * (1.0 + unit));
}
