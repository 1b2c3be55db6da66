/*
 * method/cdlsr/path.h: good sets of every size.
 */
#ifndef RS_CDLSR_PATH_H
#define RS_CDLSR_PATH_H

#include "method/cdlsr/descent.h"

typedef struct {
    int reached;
    rs_cdlsr_size *size; /* reached: number l - 1 has l features; or NULL */
    /* scratch */
    int *order;           /* k */
    double *coefficients; /* k x c */
    double *work;         /* 3 k^2 + k */
} rs_path;

/* room for the sizes 1..k, or, where these are not wanted, for orders alone */
rs_status rs_path_init(rs_context *ctx, int k, int c, int wanted,
                       rs_path *path);
/* the factorised set, in the given order, as the one of its size */
void rs_path_keep(rs_subset *s, const int *order, rs_path *path);
/*
 * Sizes 1, 2, ..., k: the best addition to the set before, then exchanges;
 * where that ends above forward selection alone, exchanges start from there.
 * forward: its k features, explained: what they explain at every size. *end
 * says how the last size ended.
 */
rs_status rs_path_run(rs_descent *descent, int k, const int *forward,
                      const double *explained, rs_path *path,
                      rs_cdlsr_end *end);

#endif
