#include "method/score/lapscore.h"

void rs_lapscore(const rs_roughness *r, int d, double *score)
{
    for (int j = 0; j < d; j++)
        score[j] = rs_relative_roughness(r, j);
}
