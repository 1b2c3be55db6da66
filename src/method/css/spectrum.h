/*
 * method/css/spectrum.h: what is left of the eigenvalues of K once features are
 * projected out, K_J = (I - P_J) K (I - P_J). For a set T,
 *
 *     K_T <= F diag(mu) F' + rest I,    W = diag(mu)^{1/2} F'(I - P_T) X,
 *
 * F orthonormal, from the eigenvectors of A_T = A - Z_T C_TT^{-1} Z_T'. Beyond
 * the leading mu, what is left of them goes into rest.
 *
 * After features J more, the eigenvalues are those of diag(mu) - W_J R_JJ^{-1}
 * W_J', R = X'(I - P_T)X. Of one feature the largest of them follow from a
 * secular equation. Whether any exceeds x follows without an eigenproblem, by
 * the additivity of inertia: as many as there are positive eigenvalues of
 *
 *     diag(mu - x)  and of  S = R_JJ - W_J' diag(mu - x)^{-1} W_J,  less |J|.
 *
 * S is looked at on a grid of levels x.
 */
#ifndef RS_CSS_SPECTRUM_H
#define RS_CSS_SPECTRUM_H

#include "la/linalg.h"
#include "method/css/project.h"

#define RS_CSS_LEVELS 24

typedef struct {
    const rs_css_space *space;
    int most;   /* eigenvalues that are kept, at most */
    int q;      /* that are */
    double *mu; /* space->q: descending */
    double rest;
    double error;     /* of entries of R, and of what follows from W */
    int count;        /* candidates */
    double *W;        /* q x count: a multiple of 8 rows, padded with zeros */
    int rows;         /* of W */
    int levels;       /* 0: none can be told apart */
    double low, step; /* levels are about a step apart, from low on */
    double level[RS_CSS_LEVELS];
    double *weight;                 /* rows x levels: 1 / (mu - x), padded */
    int above[RS_CSS_LEVELS];       /* mu beyond the level */
    double spread[RS_CSS_LEVELS];   /* error of entries of S */
    double *scaled;                 /* rows x levels */
    double *V, *Z, *A, *Y, *values; /* scratch */
    rs_eigen_ws eigen;
} rs_css_spectrum;

/* keeps `most` eigenvalues, for sets of which as many can be added */
rs_status rs_css_spectrum_init(const rs_css_space *space, int t, int most,
                               rs_css_spectrum *f);
/* for the candidates list[0..count) after p; levels from the eigenvalue number
 * `lowest` up */
rs_status rs_css_spectrum_of(const rs_css_projection *p, int count,
                             const int *list, rs_css_spectrum *f);
/* W of the candidates order[0..count) alone, in that order */
void rs_css_spectrum_keep(int count, const int *order, rs_css_spectrum *f);
void rs_css_spectrum_levels(int lowest, rs_css_spectrum *f);
/* candidate number a, of which r is left, is projected out: the sum of the m
 * largest eigenvalues that K has then, at most */
double rs_css_sum_without(const rs_css_spectrum *f, int a, double r, int m);
/* out (count) = W_a' diag(mu - x)^{-1} W_b of level i, b = 0..count */
void rs_css_level_products(const rs_css_spectrum *f, int level, int a,
                           int count, double *out);

/* W_a' diag(weight) W_b */
static inline double rs_css_form(const rs_css_spectrum *f,
                                 const double *restrict weighted, int b)
{
    const double *restrict w = f->W + (size_t)f->rows * b;
    double sum = 0.0;
    for (int i = 0; i < f->rows; i += 8) {
#pragma omp simd reduction(+ : sum)
        for (int l = 0; l < 8; l++)
            sum += weighted[i + l] * w[i + l];
    }
    return sum;
}

#endif
