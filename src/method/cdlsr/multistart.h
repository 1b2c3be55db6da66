/*
 * method/cdlsr/multistart.h: descents from forward selections with other first
 * features than the best one.
 */
#ifndef RS_CDLSR_MULTISTART_H
#define RS_CDLSR_MULTISTART_H

#include "method/cdlsr/descent.h"

/*
 * forward: the features that forward selection takes first: those that are
 * locked in and one more, in whose place come, one after the other, those that
 * explain most alone. From the best of these forward selections follow
 * exchanges. *end becomes the best set met; *better says whether it has
 * changed. Nearly dependent features are passed over on the way; without the
 * tableau nothing is done.
 */
rs_status rs_multistart(rs_context *ctx, rs_descent *descent,
                        const int *forward, rs_cdlsr_end *end, int *better);

#endif
