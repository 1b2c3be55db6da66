#include "eigen/leading.h"
#include "method/pca/spcafs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

/* start: d x m, made orthonormal here; settings: all resolved */
SEXP C_spcafs(SEXP data, SEXP start, SEXP settings)
{
    rs_context ctx = r_context();
    rs_spcafs_fit fit;
    int d = Rf_nrows(start), m = Rf_ncols(start);
    double unit;
    rs_covop *op =
        r_covop_in_unit(data, settings, rs_ritz_block(d, m), &ctx, &unit);
    rs_spcafs_settings set;
    R_PENALTIES(settings, unit, &set.lambda);
    R_INTEGERS(settings, &set.maxit, &set.inner_maxit);
    R_NUMBERS(settings, &set.p, &set.eps, &set.tol, &set.inner_tol);
    set.groups = r_row_groups(settings, &ctx);
    r_result out = r_open();
    fit.W = r_add_matrix(&out, "W", d, m);
    r_start(&ctx, start, fit.W);
    r_add_run(&out, "spcafs", rs_spcafs(&ctx, op, m, &set, &fit), &fit.history,
              unit);
    r_add_number(&out, "penalised", unit * fit.penalised);
    R_ADD_NUMBERS(&out, fit.kkt, op->products);
    return r_close(&out);
}
