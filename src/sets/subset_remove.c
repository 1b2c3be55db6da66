/* A feature leaves a factorised set: Q, R, C and D by rotations. */
#include "sets/subset.h"

#include "la/linalg.h"
#include "sets/subset_inner.h"

/* the plane rotation of the basis vectors l, l + 1 in all that carries them */
static void rotate_basis(rs_subset *s, int l, double cosine, double sine)
{
    const rs_lsq *p = s->problem;
    if (p->X)
        rs_rotate((size_t)p->n, cosine, sine, rs_column(s->Q, p->n, l),
                  rs_column(s->Q, p->n, l + 1));
    rs_rotate((size_t)p->d, cosine, sine, rs_column(s->C, p->d, l),
              rs_column(s->C, p->d, l + 1));
    rs_rotate((size_t)p->c, cosine, sine, rs_column(s->D, p->c, l),
              rs_column(s->D, p->c, l + 1));
    if (s->Z)
        rs_rotate((size_t)p->d, cosine, sine, rs_column(s->Z, p->d, l),
                  rs_column(s->Z, p->d, l + 1));
}

/*
 * Column `slot` leaves R; what stands below the diagonal then is rotated
 * away, and the last basis vector is the direction that J loses.
 */
static void delete_column(rs_subset *s, int slot)
{
    const int k = s->k, ld = s->capacity;
    double *R = s->R;
    for (int j = slot; j < k - 1; j++) {
        rs_copy((size_t)j + 2, rs_column(R, ld, j + 1), rs_column(R, ld, j));
        s->feature[j] = s->feature[j + 1];
    }
    for (int l = slot; l < k - 1; l++) {
        double cosine, sine;
        rs_rotate_rows(k - 1, ld, R, l, &cosine, &sine);
        rotate_basis(s, l, cosine, sine);
    }
}

rs_status rs_subset_remove(rs_subset *s, int slot)
{
    const rs_lsq *p = s->problem;
    const int d = p->d, last = s->k - 1;
    if (slot < 0 || slot > last || !s->C || (rs_subset_is_self(s) && !s->Z))
        return RS_BAD_INPUT;
    s->closed[s->feature[slot]] = 0;
    delete_column(s, slot);
    s->k = last;
    const double *g = rs_column(s->C, d, last),
                 *h = rs_column(s->D, p->c, last);
    double loss = rs_subset_is_self(s) ? rs_sum_squares((size_t)d, g)
                                       : rs_sum_squares((size_t)p->c, h);
    rs_subset_shift_rest(s, -1.0, g, h);
    if (rs_subset_is_self(s))
        rs_subset_shrink_self(s, g, rs_column(s->Z, d, last), loss);
    s->explained -= loss;
    s->updates++;
    return RS_OK;
}
