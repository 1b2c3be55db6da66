/*
 * method/spca_psd/leading.h: the leading eigenpairs of S, which the start, the
 * preconditioner and the bound share.
 */
#ifndef RS_SPCA_LEADING_H
#define RS_SPCA_LEADING_H

#include "method/spca_psd/spca_psd.h"

/*
 * At most 2 tr(S) / eta eigenvalues of S exceed eta / 2. Ritz pairs for so
 * many, which are rough where samples and features are many:
 */
struct rs_spca_lead {
    int m;
    double *values; /* m, descending */
    double *V, *SV; /* d x m, V orthonormal */
    double rest;    /* v'Sv <= rest for all unit vectors v beside V */
};

/* pr->lead, found when it is first asked for; NULL for the sum of row norms,
 * and where the pairs are not few beside the samples and the features */
rs_status rs_spca_leading(rs_spca *pr, const rs_spca_lead **lead);

/*
 * With the loss ||R||^2 the systems of the exact solver add eta at least to the
 * diagonal of S. Beside that the eigenvalues of S below eta / 2 hardly count, so
 * that *part holds the leading ones alone, as so many samples with the weights
 * *weights. Without such pairs *part is the problem itself and *weights is NULL.
 */
rs_status rs_spca_leading_part(rs_spca *pr, rs_spca **part, double **weights);

#endif
