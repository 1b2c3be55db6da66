#include "method/spca_companion.h"

#include <math.h>
#include <string.h>

#include "method/spca_model.h"

rs_status rs_spca_companion_init(rs_spca *pr, rs_spca_companion *paper)
{
    paper->known = paper->set.record_start;
    memset(&paper->trail, 0, sizeof paper->trail);
    paper->eta = pr->eta;
    return rs_spca_paper_init(pr, &paper->set, &paper->at, &paper->fit,
                              &paper->ws);
}

/* the weights of the results before, extrapolated */
static rs_status foresee(rs_spca *pr, double where, rs_spca_companion *paper)
{
    rs_spca_trail *trail = &paper->trail;
    if (paper->eta != pr->eta)
        trail->count = 0;
    paper->eta = pr->eta;
    if (trail->count < 2)
        return RS_OK;
    rs_spca_extrapolate(trail, where, pr->d, paper->at.F);
    paper->at.r = trail->r;
    RS_TRY(rs_spca_measure(pr, &paper->at));
    rs_spca_weights(pr, &paper->set.floors, &paper->at);
    return RS_OK;
}

rs_status rs_spca_companion_next(const rs_spca_path *path,
                                 rs_spca_companion *paper)
{
    const double where = log(path->pr->lambda);
    RS_TRY(foresee(path->pr, where, paper));
    rs_status status = rs_spca_paper_run(&paper->ws, paper->known);
    if (!rs_is_usable(status))
        return status;
    RS_TRY(rs_spca_remember(path->pr, &paper->at, where, &paper->trail));
    paper->fit.bound = path->fit.bound;
    paper->fit.margin = path->fit.margin;
    paper->fit.lowest = path->fit.lowest;
    paper->fit.kkt = path->fit.kkt;
    paper->known = paper->at.r > 0;
    if (!paper->known)
        rs_spca_point_unit(path->pr, &paper->set.floors, &paper->at);
    return status;
}
