/* Cross-products of the candidates, a panel at a time or all at once, from the
 * root. */
#include "method/exact/branch_products.h"

#include "la/linalg.h"

/* columns p, p + 1, ... of the cross-products of unit columns */
rs_status rs_branch_fill_panel(rs_branch *s, int p, double *out)
{
    int at[RS_EXACT_PANEL], width = rs_min_int(RS_EXACT_PANEL, s->d - p);
    for (int b = 0; b < width; b++)
        at[b] = p + b;
    return rs_root_products(&s->root, at, width, out);
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
