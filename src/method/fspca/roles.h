/*
 * method/fspca/roles.h: the role of every feature among the sets whose value
 * comes near the best for row-sparse PCA. Of each feature: a set that answers its
 * question (proof/roles.h), and a bound of all sets that do.
 *
 * Witnesses come from exchanges of single features, and from climbs with the
 * feature held in or kept out; bounds from the certificate with a lower cut,
 * from its relaxation where it is minimised for all open questions at once, and
 * by branch and bound for one at a time, which ends at the first witness.
 */
#ifndef RS_FSPCA_ROLES_H
#define RS_FSPCA_ROLES_H

#include "method/fspca/certify.h"
#include "proof/role_search.h"

/* settings and certificate as for the certificate; certificate->in: rows in every
 * set, certificate->set: asked->best. Of an exchange there is a lower bound of
 * its value. */
rs_status rs_fspca_roles(rs_context *ctx, rs_covop *op, int m,
                         const rs_certify_settings *settings,
                         const rs_role_settings *asked,
                         rs_certificate *certificate, rs_role_fit *fit);

#endif
