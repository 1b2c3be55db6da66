/* A factorised set made afresh, its nearly dependent features last. */
#include "sets/subset.h"

#include <string.h>

#include "la/linalg.h"

/* is feature number l nearly dependent on those before it? */
static int is_minute(const rs_subset *s, int l)
{
    const rs_lsq *p = s->problem;
    double r = s->R[l + (size_t)l * s->capacity];
    return r * r < RS_LEFT_MINUTE * (p->square[s->feature[l]] + p->ridge);
}

/* feature number l to the end of the list, unless it is there */
static int place(int l, int *position, int count)
{
    for (int i = 0; i < count; i++)
        if (position[i] == l)
            return count;
    position[count] = l;
    return count + 1;
}

rs_status rs_subset_tidy(rs_subset *s)
{
    const rs_lsq *p = s->problem;
    const int k = s->k, ld = s->capacity;
    double *w = s->coef;
    int count = 0;
    if (!s->untidy)
        return RS_OK;
    for (int l = 0; l < k; l++) {
        if (!is_minute(s, l))
            continue;
        rs_copy((size_t)l, s->R + (size_t)l * ld, w);
        if (l > 0)
            rs_triangular_solve('L', 'N', l, 1, s->R, ld, w, ld);
        for (int i = 0; i < l; i++)
            if (w[i] * w[i] * p->square[s->feature[i]] >
                RS_LEFT_MINUTE * RS_LEFT_MINUTE * p->square[s->feature[l]])
                count = place(i, s->position, count);
        count = place(l, s->position, count);
    }
    for (int l = 0; l < k; l++)
        count = place(l, s->position, count);
    for (int l = 0; l < k; l++)
        s->list[l] = s->feature[s->position[l]];
    memcpy(s->position, s->list, (size_t)k * sizeof(int));
    RS_TRY(rs_subset_assign(s, k, s->position));
    s->untidy = 0;
    return RS_OK;
}
