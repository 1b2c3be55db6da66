#include "method/exact/branch_products.h"

#include "la/linalg.h"

/* columns p, p + 1, ... of the cross-products of unit columns */
rs_status rs_branch_fill_panel(rs_branch *s, int p, double *out)
{
    int width = rs_min_int(RS_EXACT_PANEL, s->d - p);
    RS_TRY(rs_ordered_products(s->problem, s->order, s->d, s->order + p, width,
                               s->columns, s->raw, out));
    for (int b = 0; b < width; b++) {
        double *column = out + (size_t)s->d * b;
        for (int q = 0; q < s->d; q++)
            column[q] *= s->unit[q] * s->unit[p + b];
    }
    return RS_OK;
}

rs_status rs_branch_products(rs_branch *s, int p, const double **column)
{
    if (s->G) {
        *column = s->G + (size_t)s->d * p;
        return RS_OK;
    }
    if (p < s->panel_start || p >= s->panel_start + RS_EXACT_PANEL) {
        RS_TRY(rs_branch_fill_panel(s, p, s->panel));
        s->panel_start = p;
    }
    *column = s->panel + (size_t)s->d * (p - s->panel_start);
    return RS_OK;
}
