#include "method/score/ilfs.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

#define R_ILFS_BLOCK 1

/* class: 1-based; settings: classes, tokens, tol, maxit */
SEXP C_ilfs(SEXP data, SEXP class_, SEXP settings)
{
    rs_context ctx = r_context();
    rs_data X;
    rs_ilfs_problem p;
    rs_history history;
    p.classes = r_integer(settings, "classes");
    p.tokens = r_integer(settings, "tokens");
    p.tol = r_number(settings, "tol");
    p.maxit = r_integer(settings, "maxit");
    p.class = r_zero_based(class_, p.classes, &ctx);
    r_data(data, R_ILFS_BLOCK, &ctx, &X);
    r_check_status(Rf_length(class_) == X.n && p.tokens > 1 ? RS_OK
                                                            : RS_BAD_INPUT,
                   "ilfs");
    r_result out = r_open();
    double *pi = r_add_vector(&out, "pi", X.d);
    double *counts = r_add_matrix(&out, "counts", p.tokens, X.d);
    rs_status status = rs_ilfs(&ctx, &X, &p, pi, counts, &history);
    r_check_status(status, "ilfs");
    r_add_history(&out, &history, 1.0);
    r_add_ending(&out, status);
    return r_close(&out);
}
