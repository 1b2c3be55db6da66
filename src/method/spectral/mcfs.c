#include "method/spectral/spectral.h"

#include <math.h>

#include "la/linalg.h"

void rs_mcfs(int d, int m, const rs_lars_fit *paths, double *score,
             double *nearness)
{
    rs_fill((size_t)d, 0.0, score);
    rs_fill((size_t)d, 0.0, nearness);
    for (int l = 0; l < m; l++) {
        const double *a = paths->coefficients + (size_t)d * l;
        const double *pull = paths->pull + (size_t)d * l;
        const double norm = rs_norm((size_t)d, a);
        for (int j = 0; j < d; j++) {
            if (norm > 0.0)
                score[j] = fmax(score[j], fabs(a[j]) / norm);
            nearness[j] = fmax(nearness[j], pull[j]);
        }
    }
}
