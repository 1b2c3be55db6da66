#include "proof/exact.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/lsq.h"
#include "glue/result.h"
#include "glue/roles.h"

/* the data themselves, where one column can be had at a time */
static rs_css_input read_input(SEXP data, SEXP settings, rs_context *ctx,
                               const rs_lsq *problem)
{
    rs_css_input input = {NULL, problem->X};
    if (problem->c > 0)
        input.YtY = r_doubles(settings, "YtY");
    if (!problem->X && !r_is_moments(data) && !r_is(data, "kind", "blocks"))
        input.X = r_data(data, RS_PANEL, ctx);
    return input;
}

/*
 * Proof that no column subset explains more. set: 1-based columns of a good
 * set, fewer than k where no more are independent; settings also hold k, what
 * the set explains, and YtY where there is a response.
 */
SEXP C_css_exact(SEXP data, SEXP response, SEXP set, SEXP settings)
{
    rs_context ctx = r_context();
    const int k = r_integer(settings, "k");
    rs_css_settings exact;
    rs_css_proof fit;
    rs_lsq problem;

    r_lsq(data, response, settings, k, RS_PANEL, &ctx, &problem);
    R_NUMBERS(settings, &exact.tol, &exact.time_limit);
    exact.input = read_input(data, settings, &ctx, &problem);
    fit.count = (int)Rf_xlength(set);
    fit.set = r_zero_based(set, problem.d, &ctx);
    fit.explained = r_number(settings, "explained");
    r_check_status(rs_css_exact(&ctx, &problem, k, &exact, &fit), "css");

    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)fit.count, fit.set);
    R_ADD_NUMBERS(&out, fit.explained, fit.bound, fit.nodes, fit.seconds);
    R_ADD_FLAGS(&out, fit.complete, fit.resolved, fit.tied);
    r_add_trace(&out, &fit.trace, 1.0);
    return r_close(&out);
}

/* the role of every feature; settings also hold YtY where there is a response */
SEXP C_css_roles(SEXP data, SEXP response, SEXP sets, SEXP settings)
{
    rs_context ctx = r_context();
    rs_lsq problem;
    rs_role_fit fit;

    r_lsq(data, response, settings, r_integer(settings, "k"), RS_PANEL, &ctx,
          &problem);
    const rs_role_settings asked =
        r_role_settings(sets, settings, problem.d, &ctx);
    const rs_css_input input = read_input(data, settings, &ctx, &problem);
    r_check_status(rs_css_roles(&ctx, &problem, &asked, &input, &fit), "css");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), problem.total);
}
