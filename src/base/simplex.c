#include "base/simplex.h"

#include <math.h>

/* (sum of the kept - total) / count: what all of them lose */
static double threshold(size_t count, const double *kept, double total)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += kept[i];
    return (sum - total) / (double)count;
}

rs_status rs_project_simplex(size_t count, double total, const double *v,
                             double *x, double *work)
{
    double largest = -INFINITY, tau;
    size_t kept = count, before;
    if (count == 0 || !(total >= 0.0))
        return RS_BAD_INPUT;
    if (!rs_all_finite(count, v) || !isfinite(total))
        return RS_NOT_FINITE;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, v[i]);
    /* a common shift changes nothing; this one saves digits */
    for (size_t i = 0; i < count; i++)
        x[i] = work[i] = v[i] - largest;
    do {
        tau = threshold(kept, work, total);
        before = kept;
        kept = 0;
        for (size_t i = 0; i < before; i++)
            if (work[i] > tau)
                work[kept++] = work[i];
    } while (kept > 0 && kept < before);
    for (size_t i = 0; i < count; i++)
        x[i] = fmax(x[i] - tau, 0.0);
    return RS_OK;
}
