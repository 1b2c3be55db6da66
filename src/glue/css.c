#include "method/css_exact.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/lsq.h"
#include "glue/result.h"

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
    exact.tol = r_number(settings, "tol");
    exact.time_limit = r_number(settings, "time_limit");
    exact.work = r_number(settings, "work");
    exact.YtY = problem.c > 0 ? r_doubles(settings, "YtY") : NULL;
    fit.count = (int)Rf_xlength(set);
    fit.set = r_zero_based(set, problem.d, &ctx);
    fit.explained = r_number(settings, "explained");
    r_check_status(rs_css_exact(&ctx, &problem, k, &exact, &fit), "css");

    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)fit.count, fit.set);
    r_add_number(&out, "explained", fit.explained);
    r_add_number(&out, "bound", fit.bound);
    r_add_number(&out, "first_bound", fit.first_bound);
    r_add_flag(&out, "complete", fit.complete);
    r_add_flag(&out, "resolved", fit.resolved);
    r_add_number(&out, "nodes", fit.nodes);
    r_add_number(&out, "seconds", fit.seconds);
    r_add_trace(&out, &fit.trace, 1.0);
    return r_close(&out);
}

/*
 * Exchanges of up to three features. set: 1-based columns, k of them; settings
 * also hold k, work, and YtY where there is a response.
 */
SEXP C_css_exchange(SEXP data, SEXP response, SEXP set, SEXP settings)
{
    rs_context ctx = r_context();
    const int k = r_integer(settings, "k");
    rs_css_exchange_settings exchange;
    rs_lsq problem;
    int complete;

    r_lsq(data, response, settings, k, RS_PANEL, &ctx, &problem);
    exchange.tol = r_number(settings, "tol");
    exchange.work = r_number(settings, "work");
    exchange.quiet = r_integer(settings, "quiet");
    exchange.maxit = r_integer(settings, "maxit");
    exchange.YtY = problem.c > 0 ? r_doubles(settings, "YtY") : NULL;
    int *features = r_zero_based(set, problem.d, &ctx);
    r_check_status(
        rs_css_exchange(&ctx, &problem, k, &exchange, features, &complete),
        "css");

    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)k, features);
    r_add_flag(&out, "complete", complete);
    return r_close(&out);
}
