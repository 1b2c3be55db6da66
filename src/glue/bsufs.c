#include "method/bsufs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

static rs_bsufs_settings read_settings(SEXP settings, double unit)
{
    rs_bsufs_settings set;
    set.lambda1 = r_number(settings, "lambda1") / unit;
    set.lambda2 = r_number(settings, "lambda2") / unit;
    set.p = r_number(settings, "p");
    set.q = r_number(settings, "q");
    set.beta1 = r_number(settings, "beta1") / unit;
    set.beta2 = r_number(settings, "beta2") / unit;
    set.tau = r_number(settings, "tau") / unit;
    set.tol = r_number(settings, "tol");
    set.maxit = r_integer(settings, "maxit");
    set.inner = r_q_control(settings);
    return set;
}

/* start: d x m, made orthonormal here; settings: all resolved */
SEXP C_bsufs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_bsufs_fit fit;
    rs_covop op;
    int d = Rf_nrows(start), m = Rf_ncols(start);

    r_covop(data, m, &ctx, &op);
    double unit = r_use_unit(settings, &op);
    rs_bsufs_settings set = read_settings(settings, unit);
    r_result out = r_open();
    fit.W = r_add_matrix(&out, "W", d, m);
    fit.U = r_add_matrix(&out, "U", d, m);
    fit.V = r_add_matrix(&out, "V", d, m);
    r_start(&ctx, start, fit.W);
    rs_status status = rs_bsufs(&ctx, &op, m, &set, &fit);
    r_check_status(status, "bsufs");
    r_add_history(&out, &fit.history, unit);
    r_add_integer(&out, "iterations", fit.history.count - 1);
    r_add_number(&out, "kkt", fit.kkt);
    r_add_integer(&out, "inner", fit.inner_iterations);
    r_add_number(&out, "products", op.products);
    r_add_ending(&out, status);
    return r_close(&out);
}
