#include "method/fspca/roles.h"
#include <math.h>
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
    rs_certify_settings out = {r_number(settings, "seconds"),
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

static void add_scaled(r_result *out, const char *name, int rows, int columns,
                       double unit, const double *values)
{
    double *to = r_add_matrix(out, name, rows, columns);
    for (size_t i = 0; i < (size_t)rows * columns; i++)
        to[i] = values[i] * unit;
}

/* low, high and the witnesses, a column each, 0 where there is none */
static void add_table(r_result *out, double unit, const rs_roles *roles)
{
    const int d = roles->d, k = roles->k;
    double *low = r_add_vector(out, "low", d);
    double *high = r_add_vector(out, "high", d);
    int *witness = r_add_integer_matrix(out, "witness", k, d);
    for (int i = 0; i < d; i++) {
        low[i] = roles->low[i] * unit;
        high[i] = rs_roles_high(i, roles) * unit;
        for (int a = 0; a < k; a++) {
            const size_t at = a + (size_t)k * i;
            witness[at] = isfinite(low[i]) ? roles->witness[at] + 1 : 0;
        }
    }
}

/* the sets that were met, by tolerance */
static void add_counts(r_result *out, double unit,
                       const rs_roles_request *request,
                       const rs_roles_found *found)
{
    double *cut = (double *)R_alloc((size_t)request->count, sizeof *cut);
    for (int t = 0; t < request->count; t++)
        cut[t] = rs_roles_cut(request->share[t], found->slack, &found->table);
    r_add_near_sets(out, &found->near, request->count, cut, found->complete,
                    request->sets, unit);
}

/* settings: also tolerances, ascending, and the number of sets to list */
SEXP C_fspca_roles(SEXP data, SEXP set, SEXP settings)
{
    certified p;
    rs_roles_found found;
    read_problem(data, set, settings, &p);
    const SEXP shares = r_required(settings, "tolerance");
    const rs_roles_request request = {(int)Rf_xlength(shares), REAL_RO(shares),
                                      r_integer(settings, "sets")};
    r_check_status(rs_fspca_roles(&p.ctx, p.op, p.k, p.m, &p.how, &request,
                                  &p.found, &found),
                   "roles");
    r_result out = r_open();
    r_add_indices(&out, "best", (size_t)p.k, found.table.best);
    r_add_number(&out, "value", found.table.value * p.unit);
    r_add_number(&out, "bound", p.found.bound * p.unit);
    r_add_number(&out, "slack", found.slack * p.unit);
    add_table(&out, p.unit, &found.table);
    add_scaled(&out, "exchanges", p.k, p.op->d, p.unit, found.exchanges);
    if (request.sets > 0)
        add_counts(&out, p.unit, &request, &found);
    R_ADD_NUMBERS(&out, p.found.nodes, p.found.evaluations, found.questions,
                  p.found.seconds);
    r_add_flag(&out, "finished", found.finished);
    return r_close(&out);
}
