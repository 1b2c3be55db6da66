#include "data/centring.h"

/* the rows are put in order by counting */
rs_status rs_centre_levels(rs_context *ctx, int n, int levels, const int *code,
                           const double *mean, const double *fine,
                           rs_centring *c)
{
    int *row = rs_alloc_int(ctx, (size_t)n);
    int *start = rs_alloc_int(ctx, (size_t)levels + 2);
    RS_TRY(rs_allocated(ctx));
    for (int l = 0; l < levels + 2; l++)
        start[l] = 0;
    for (int i = 0; i < n; i++) {
        if (code[i] < 0 || code[i] >= levels)
            return RS_BAD_INPUT;
        start[code[i] + 2]++;
    }
    for (int l = 2; l < levels + 2; l++)
        start[l] += start[l - 1];
    for (int i = 0; i < n; i++)
        row[start[code[i] + 1]++] = i;
    *c = (rs_centring){.levels = levels,
                       .mean = mean,
                       .fine = fine,
                       .code = code,
                       .row = row,
                       .start = start};
    return RS_OK;
}

int rs_level_size(const rs_centring *c, int n, int l)
{
    return c->start ? c->start[l + 1] - c->start[l] : n;
}

void rs_take_off(const rs_centring *c, int j, int first, int count,
                 double weight, double *z)
{
    const double *mean = rs_level_means(c, j);
    if (c->code == NULL) {
        const double whole = c->levels > 0 ? mean[0] : 0.0;
        const double fine = rs_level_fine(c, j, 0);
        for (int i = 0; i < count; i++)
            z[i] = ((z[i] - whole) - fine) * weight;
        return;
    }
    for (int i = 0; i < count; i++) {
        const int l = c->code[first + i];
        z[i] = ((z[i] - mean[l]) - rs_level_fine(c, j, l)) * weight;
    }
}

void rs_centre_again(const rs_centring *c, int n, double *z)
{
    for (int l = 0; l < c->levels; l++) {
        const int size = rs_level_size(c, n, l);
        double sum = 0.0;
        for (int at = 0; at < size; at++)
            sum += z[rs_level_row(c, l, at)];
        for (int at = 0; at < size; at++)
            z[rs_level_row(c, l, at)] -= sum / size;
    }
}
