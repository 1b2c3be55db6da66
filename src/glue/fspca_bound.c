#include "method/fspca/roles.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"
#include "glue/roles.h"

/* one line of progress */
static void report(void *unused, const char *what, double bound, double value,
                   int left, double open)
{
    (void)unused;
    REprintf("%s: bound %.4f%% above the best set, %d rows left", what,
             100.0 * (bound / value - 1.0), left);
    if (open > 0.0)
        REprintf(", %.0f open nodes", open);
    REprintf("\n");
}

static rs_certify_settings read_settings(SEXP settings)
{
    rs_certify_settings out = {r_number(settings, "time_limit"),
                               r_number(settings, "nodes"),
                               r_number(settings, "tie"),
                               0.0,
                               r_integer(settings, "core"),
                               r_integer(settings, "most"),
                               r_integer(settings, "few"),
                               r_integer(settings, "verbose") ? report : NULL,
                               NULL};
    return out;
}

/* 1-based numbers of the marked features */
static void add_marked(r_result *out, const char *name, int d,
                       const unsigned char *marks)
{
    int count = 0;
    for (int j = 0; j < d; j++)
        count += marks[j];
    int *index = r_add_integers(out, name, count);
    for (int j = 0, at = 0; j < d; j++)
        if (marks[j])
            index[at++] = j + 1;
}

/* S itself, where its columns cannot be read again and again */
static void form_products(rs_context *ctx, rs_covop *op)
{
    const size_t d = (size_t)op->d;
    double *S = r_room(ctx, d * d);
    r_check_status(rs_data_gram_features(op->X, S), "cross-products");
    r_check_status(rs_covop_from_matrix(ctx, op->d, S, op->block, op),
                   "covariance operator");
}

/* the problem, its set and what is known of it, in the unit of the operator */
typedef struct {
    rs_context ctx;
    rs_covop *op;
    double unit;
    int k, m;
    rs_certify_settings how;
    rs_certificate found;
} certified;

/* set: k features whose value is that of settings; settings: m, value, bound,
 * `barred` (features that no set holds, or NULL), what read_settings() wants */
static void read_problem(SEXP data, SEXP set, SEXP settings, certified *p)
{
    p->ctx = r_context();
    p->k = (int)Rf_xlength(set);
    p->m = r_integer(settings, "m");
    p->how = read_settings(settings);
    p->op = r_covop(data, rs_max_int(p->m, RS_EXTEND_BLOCK), &p->ctx);
    p->how.samples = p->op->X ? p->op->X->n : 0.0;
    if (!p->op->S && r_integer(settings, "form"))
        form_products(&p->ctx, p->op);
    p->unit = rs_covop_use_unit(p->op);
    const size_t d = (size_t)p->op->d;
    const unsigned char *locked = r_locked(data, p->op->d, &p->ctx);
    p->found.set = r_zero_based(set, p->op->d, &p->ctx);
    p->found.value = r_number(settings, "value") / p->unit;
    p->found.bound = r_number(settings, "bound") / p->unit;
    p->found.out = r_indexed(r_element(settings, "barred"), p->op->d, &p->ctx);
    p->found.in = r_byte_room(&p->ctx, d);
    for (size_t j = 0; j < d; j++)
        p->found.in[j] = locked ? locked[j] : 0;
}

SEXP C_fspca_bound(SEXP data, SEXP set, SEXP settings)
{
    certified p;
    read_problem(data, set, settings, &p);
    const rs_certificate *found = &p.found;
    r_check_status(rs_fspca_certify(&p.ctx, p.op, p.k, p.m, &p.how, &p.found),
                   "bound");
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)p.k, found->set);
    r_add_number(&out, "value", found->value * p.unit);
    r_add_number(&out, "bound", found->bound * p.unit);
    add_marked(&out, "essential", p.op->d, found->in);
    add_marked(&out, "excluded", p.op->d, found->out);
    r_add_flag(&out, "complete", found->complete);
    R_ADD_NUMBERS(&out, found->nodes, found->evaluations, found->seconds);
    r_add_trace(&out, &found->trace, p.unit);
    return r_close(&out);
}

/* ---- roles -------------------------------------------------------------------- */

/* sets: given and best, that of the settings; settings: also k, tolerance,
 * sets */
SEXP C_fspca_roles(SEXP data, SEXP sets, SEXP settings)
{
    certified p;
    rs_role_fit fit;
    read_problem(data, r_required(sets, "best"), settings, &p);
    const rs_role_settings asked =
        r_role_settings(sets, settings, p.op->d, &p.ctx);
    r_check_status(
        rs_fspca_roles(&p.ctx, p.op, p.m, &p.how, &asked, &p.found, &fit),
        "roles");
    return r_roles(&asked, &fit, r_integer(settings, "sets"), p.unit);
}
