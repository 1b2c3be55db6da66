/*
 * method/spectral/projection.h: what S2DFS, SPDFS and SF2SOG share. Each seeks
 * a projection W (d x m), W'W = I_m, with k nonzero rows, and each of their
 * steps in W maximises tr(W'AW) for a form A of sets/sample_form.h.
 */
#ifndef RS_PROJECTION_H
#define RS_PROJECTION_H

#include "base/history.h"
#include "data/data.h"
#include "sets/sample_form.h"

typedef struct {
    rs_data *X;
    int k, m;
    const double *ties;            /* d: equal scores go to the larger one */
    const unsigned char *constant; /* d: features that are chosen last */
    const unsigned char *first;    /* d: chosen in any case, or NULL */
    double tol;                    /* relative change of the objective */
    int maxit; /* rounds, and updates of the set in each of them */
} rs_projection_problem;

/* the four arrays are the caller's */
typedef struct {
    int *subset;        /* k, ascending */
    double *V;          /* k x m: the rows of W on the subset */
    double *values;     /* m: eigenvalues of the last trace problem */
    double *scores;     /* d */
    rs_history history; /* the objective */
} rs_projection_fit;

typedef struct {
    const rs_projection_problem *p;
    rs_projection_fit *fit;
    rs_sample_form form; /* A */
    rs_trace_ws trace;
    double *XV;         /* n x m: XW */
    int *best;          /* k: a set to come back to */
    rs_history updates; /* of one trace problem */
} rs_projection;

/* a, G (n x c), K: the parts of A, which the caller fills before each step */
rs_status rs_projection_init(rs_context *ctx, const rs_projection_problem *p,
                             double *a, int c, double *G, double *K,
                             rs_projection_fit *fit, rs_projection *s);
/* best <- the present set */
void rs_projection_keep(rs_projection *s);
/* the best W on the present set, and XW */
rs_status rs_projection_solve(rs_projection *s);
/* updates of the present set */
rs_status rs_projection_climb(rs_projection *s);
/* the best W on the present set, and the scores of all features beside it */
rs_status rs_projection_score(rs_projection *s);

#endif
