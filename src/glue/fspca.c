#include "la/linalg.h"
#include "method/fspca/exchange.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

enum { FSPCA_EXCHANGE, FSPCA_GO, FSPCA_IPU, FSPCA_GIVEN };
static const char *const solvers[] = {"exchange", "go", "ipu", "given", NULL};

/* the problem and its leading eigenpairs, in the unit of the operator */
typedef struct {
    rs_covop *op;
    int k, m, maxit, solver;
    rs_fspca_search search;
    const double *vectors;
    double *values;
} problem;

static rs_status solve(rs_context *ctx, problem *p, rs_fspca_fit *fit)
{
    if (p->solver == FSPCA_GO)
        return rs_fspca_go(ctx, p->op, p->k, p->m, p->values, p->vectors, fit);
    if (p->solver == FSPCA_IPU)
        return rs_fspca_ipu(ctx, p->op, p->k, p->m, p->values, p->vectors,
                            p->maxit, fit);
    if (p->solver == FSPCA_GIVEN)
        return rs_fspca_given(ctx, p->op, p->k, p->m, p->search.starts, fit);
    return rs_fspca_exchange(ctx, p->op, p->k, p->m, p->values, p->vectors,
                             &p->search, fit);
}

/* columns of further starts, and how long features are exchanged */
static void read_search(SEXP settings, rs_context *ctx, problem *p)
{
    SEXP starts = r_element(settings, "starts");
    const int given = starts != R_NilValue;
    p->search.maxit = p->maxit;
    p->search.count = given ? Rf_ncols(starts) : 0;
    p->search.starts = given ? r_zero_based(starts, p->op->d, ctx) : NULL;
    R_NUMBERS(settings, &p->search.work, &p->search.seconds);
    p->search.perturbations = r_integer(settings, "perturbations");
}

/* leading: the m leading eigenpairs; settings: k, solver, maxit, work, perturbations,
 * and starts or NULL */
SEXP C_fspca(SEXP data, SEXP leading, SEXP settings)
{
    rs_context ctx = r_context();
    problem p;
    rs_fspca_fit fit;

    p.m = r_matrix(leading, "vectors", &p.vectors);
    R_INTEGERS(settings, &p.k, &p.maxit);
    p.solver = r_choice(settings, "solver", solvers);
    p.op = r_covop(data, p.m, &ctx);
    read_search(settings, &ctx, &p);
    double unit = rs_covop_use_unit(p.op);
    fit.first = r_locked(data, p.op->d, &ctx);
    p.values = r_room(&ctx, (size_t)p.m);
    rs_copy((size_t)p.m, r_doubles(leading, "values"), p.values);
    rs_scale((size_t)p.m, 1.0 / unit, p.values);
    r_result out = r_open();
    fit.V = r_add_matrix(&out, "V", p.k, p.m);
    fit.subset = r_add_integers(&out, "subset", p.k);
    fit.values = r_add_vector(&out, "values", p.m);
    fit.scores = r_add_vector(&out, "scores", p.op->d);
    r_add_run(&out, "fspca", solve(&ctx, &p, &fit), &fit.history, unit);
    rs_scale((size_t)p.m, unit, fit.values);
    rs_scale((size_t)p.op->d, unit, fit.scores);
    r_to_one_based((size_t)p.k, fit.subset);
    r_add_flag(&out, "is_global", fit.is_global);
    return r_close(&out);
}
