/*
 * method/exact/branch_products.h: cross-products of unit columns, in the order
 * of the candidates.
 */
#ifndef RS_CDLSR_BRANCH_PRODUCTS_H
#define RS_CDLSR_BRANCH_PRODUCTS_H

#include "method/exact/branch_search.h"

/* columns p, p + 1, ..., RS_EXACT_PANEL of them, into out */
rs_status rs_branch_fill_panel(rs_branch *s, int p, double *out);
/* column p, from G or from the panel that holds it */
rs_status rs_branch_products(rs_branch *s, int p, const double **column);

#endif
