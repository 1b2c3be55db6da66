/*
 * method/regression/rfs_problem.h: what the iterations of method/regression/rfs.h are given and
 * return, and lower bounds of its minimum.
 */
#ifndef RS_RFS_PROBLEM_H
#define RS_RFS_PROBLEM_H

#include "base/history.h"
#include "data/data.h"

typedef struct {
    rs_data *X;      /* products of c columns must be possible */
    const double *Y; /* n x c, centred, not zero */
    int c;
    double gamma;        /* above 0 */
    double tol;          /* relative duality gap */
    int maxit;           /* regressions */
    const double *start; /* d x c, or NULL */
    int split; /* begin by splitting (method/regression/rfs_split.h)? */
} rs_rfs_problem;

typedef struct {
    double *W;          /* d x c; the best one met, on the caller's memory */
    double *pull;       /* d: ||x_j' Theta|| at the last dual point; as W */
    double bound;       /* of the minimum, from below */
    rs_history history; /* f of the best W: at the start, then by iteration */
} rs_rfs_fit;

/* sizes of the problem, for the rounding errors of its bounds */
typedef struct {
    int n, d;
    double gamma;
    double at_zero; /* f(0) */
    double widest;  /* norm of the longest feature */
} rs_rfs_scale;

/*
 * Theta with <Theta, Y> = value, rows no longer than `longest` and row norms
 * `pull` (d) of X'Theta, divided by what makes it feasible, bounds f from
 * below. Rounding of the value and of the norms is allowed for.
 */
double rs_rfs_dual_bound(const rs_rfs_scale *scale, double value,
                         double longest, const double *pull);

#endif
