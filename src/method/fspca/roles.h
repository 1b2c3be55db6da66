/*
 * method/fspca/roles.h: the role of every feature among the sets whose value
 * comes near the best for row-sparse PCA. Of each feature: a set that answers its
 * question (search/roles.h), and a bound of all sets that do.
 *
 * Witnesses come from exchanges of single features, and from climbs with the
 * feature held in or kept out; bounds from the certificate with a lower cut,
 * from its relaxation where it is minimised for all open questions at once, and
 * by branch and bound for one at a time, which ends at the first witness.
 */
#ifndef RS_FSPCA_ROLES_H
#define RS_FSPCA_ROLES_H

#include "method/fspca/certify.h"
#include "search/near_sets.h"

typedef struct {
    int count;           /* of tolerances */
    const double *share; /* ascending: how far below the best a set may be */
    int sets;            /* so many of the best ones are listed; 0: none is
                            counted */
} rs_roles_request;

typedef struct {
    rs_roles table;
    rs_near_sets near; /* where sets are counted: those that were met, */
    int *complete;     /* by tolerance: are these all? */
    double slack;      /* of values and bounds */
    double
        *exchanges;   /* k x d: what best - a + j has at least; NaN where it is
                          no exchange */
    double questions; /* searches for one feature */
    int finished;     /* not stopped by the time */
} rs_roles_found;

/* settings and found as for the certificate; found->in: rows in every set */
rs_status rs_fspca_roles(rs_context *ctx, rs_covop *op, int k, int m,
                         const rs_certify_settings *settings,
                         const rs_roles_request *request,
                         rs_certificate *certificate, rs_roles_found *found);

#endif
