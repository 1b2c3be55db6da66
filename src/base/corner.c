#include "base/corner.h"

#include <math.h>

/* as elbow_tie in R */
#define RS_CORNER_TIE 1e-6
/* values below this share of the first are not looked at in R */
#define RS_CORNER_LEAST 1e-10

/* the inner value furthest below the line between the ends */
static int corner_of(int count, const double *values)
{
    int corner = 0;
    double deepest = 0.0, height = log(values[0] / values[count - 1]);
    for (int i = 1; i < count - 1; i++) {
        double depth = log(values[0] / values[i]) - height * i / (count - 1.0);
        if (depth > deepest) {
            deepest = depth;
            corner = i;
        }
    }
    return corner;
}

/* the largest rise / height there can be, `least` <= height <= `most` */
static double steepest(double rise, double least, double most)
{
    return rise / (rise > 0.0 ? least : most);
}

int rs_certain_corner(int count, const double *low, const double *high)
{
    const double step = 1.0 / (count - 1.0);
    if (count < 3 || !(low[count - 1] > RS_CORNER_LEAST * low[0]))
        return 0;
    const int corner = corner_of(count, low);
    const double least = log(low[0] / high[count - 1]);
    const double most = log(high[0] / low[count - 1]);
    if (corner == 0 || !(least > 0.0))
        return 0;
    /* deeper than the line itself, and than every other value */
    for (int i = 0; i < count - 1; i++) {
        double rise = log(high[corner] / low[i]);
        double margin = (corner - i) * step + steepest(rise, least, most);
        if (i != corner && !(margin < -RS_CORNER_TIE))
            return 0;
    }
    return corner + 1;
}
