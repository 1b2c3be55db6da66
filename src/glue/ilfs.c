#include "method/score/ilfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

#define R_ILFS_BLOCK 1

/* class: 1-based; settings: classes, tokens, tol, maxit */
SEXP C_ilfs(SEXP data, SEXP class_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_ilfs_problem p;
    rs_history history;
    R_INTEGERS(settings, &p.classes, &p.tokens, &p.maxit);
    p.tol = r_number(settings, "tol");
    p.class = r_zero_based(class_, p.classes, &ctx);
    rs_data *X = r_data(data, R_ILFS_BLOCK, &ctx);
    r_expect(Rf_length(class_) == X->n && p.tokens > 1, "ilfs");
    r_result out = r_open();
    double *pi = r_add_vector(&out, "pi", X->d);
    double *counts = r_add_matrix(&out, "counts", p.tokens, X->d);
    r_add_run(&out, "ilfs", rs_ilfs(&ctx, X, &p, pi, counts, &history),
              &history, 1.0);
    return r_close(&out);
}
