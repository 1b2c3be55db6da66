/*
 * base/corner.h: the corner of a spectrum whose values are known within bounds.
 */
#ifndef RS_CORNER_H
#define RS_CORNER_H

/*
 * The corner of positive, falling values is the inner one whose logarithm lies
 * furthest below the straight line from the first to the last, as elbow() in R
 * finds it. Its position, counted from 1, where it is the same whatever values
 * between low[i] and high[i] there are, else 0. It may be the same where 0 is
 * returned: the worst height of the line is taken for each pair of values.
 * Depths that differ by less than a millionth of the height count as equal.
 */
int rs_certain_corner(int count, const double *low, const double *high);

#endif
