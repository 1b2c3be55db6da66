/*
 * method/spca_psd/shortcut.h: a lower bound of the dual slack's spectrum by a Schur
 * complement, from the leading eigenpairs of S.
 */
#ifndef RS_SPCA_SHORTCUT_H
#define RS_SPCA_SHORTCUT_H

#include "method/spca_psd/slack.h"

/*
 * With G = 2 Xc'A + B the slack for the loss ||R||^2 is
 *
 *   M = eta I - 2 S + sym(G F') + diag(extra),
 *
 * which on the vectors beside a basis Q of [V, F], V the leading eigenvectors
 * of S, is at least g = eta - 2 rest. Where g > 0 the Schur complement gives
 *
 *   M >= min(g, smallest eigenvalue of Q'MQ - T'T / g or 0),  T = (I - QQ') M Q.
 *
 * *lowest is that; *rounding, what rounding may have done to it. *decided = 0
 * where there are no such pairs, or where the bound stays below `threshold` and
 * Q'MQ does not say that M does; otherwise `vectors` receives the vectors in the
 * range of Q below the threshold, *count of them and at most `room`.
 */
rs_status rs_spca_slack_shortcut(rs_spca_slack *ws, double threshold, int room,
                                 int *count, double *vectors, double *lowest,
                                 double *rounding, int *decided);

#endif
