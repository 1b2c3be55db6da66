/*
 * method/spca_leading.h: the leading part of the data, for preconditioners.
 */
#ifndef RS_SPCA_LEADING_H
#define RS_SPCA_LEADING_H

#include "method/spca_psd.h"

/*
 * With the loss ||R||^2 the systems of the exact solver add eta at least to the
 * diagonal of S. Beside that the eigenvalues of S below eta / 2, all but
 * 2 tr(S) / eta of them, hardly count, so that *part holds the others alone, as
 * so many samples with the weights *weights. Where these are not far fewer
 * than the samples and the features, and for the other loss, *part is the
 * problem itself and *weights is NULL.
 */
rs_status rs_spca_leading_part(rs_spca *pr, rs_spca **part, double **weights);

#endif
