/*
 * method/spca_psd/leading.h: the leading eigenpairs of S = Xc'Xc, which the start,
 * the preconditioner and the bound for the loss ||R||^2 share, from S or from
 * Xc Xc'.
 */
#ifndef RS_SPCA_LEADING_H
#define RS_SPCA_LEADING_H

#include "method/spca_psd/model.h"

/*
 * At most 2 tr(S) / eta eigenvalues of S exceed eta / 2. Ritz pairs for so
 * many, which are rough where samples and features are many:
 */
struct rs_spca_leading {
    int m;
    double *values; /* m, descending */
    double *V, *SV; /* d x m, V orthonormal */
    double rest;    /* v'Sv <= rest for all unit vectors v beside V */
};

/*
 * The last step of the set-up for the loss ||R||^2: pr->S, where there are not
 * many more features than samples, and pr->leading, where the pairs are few
 * beside the samples and the features. They serve every eta from this one on.
 */
rs_status rs_spca_prepare(rs_spca *pr);

/*
 * The systems of the exact solver add eta at least to the diagonal of S. Beside
 * that the eigenvalues of S below eta / 2 hardly count, so that *part holds the
 * leading ones alone, as so many samples with the weights *weights. Without such
 * pairs *part is the problem itself and *weights is NULL.
 */
rs_status rs_spca_leading_part(const rs_spca *pr, const rs_spca **part,
                               const double **weights);

#endif
