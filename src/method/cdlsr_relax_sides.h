/*
 * method/cdlsr_relax_sides.h: base and weights of the bound for a given z, by
 * cross-products or by the data. The formulas are in method/cdlsr_relax.h.
 */
#ifndef RS_CDLSR_RELAX_SIDES_H
#define RS_CDLSR_RELAX_SIDES_H

#include "method/cdlsr_relax_state.h"

/* U from z, then relax->now but for `most`, and relax->relaxed; RS_SINGULAR
 * where the equations cannot be solved */
rs_status rs_cdlsr_relax_by_products(rs_cdlsr_relax *relax);
rs_status rs_cdlsr_relax_by_data(rs_cdlsr_relax *relax);
/* the k largest weights, added up; *kth: the least of these */
double rs_cdlsr_relax_top(rs_cdlsr_relax *relax, const double *weight,
                          double *kth);

#endif
