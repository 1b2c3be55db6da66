/*
 * sets/copies.h: features that are exact affine images of one another.
 */
#ifndef RS_COPIES_H
#define RS_COPIES_H

#include "sets/lsq.h"

/*
 * *barred = problem->barred and all but one of the features that are affine
 * images of one another, exactly: they explain the same beside any others.
 * The k features of `keep` stay. With a ridge, or without the data,
 * problem->barred itself. of (d): the feature that each is a copy of, or -1.
 */
rs_status rs_bar_copies(rs_context *ctx, const rs_lsq *problem, int k,
                        const int *keep, const unsigned char **barred,
                        int *of);

#endif
