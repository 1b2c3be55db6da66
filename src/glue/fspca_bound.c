#include "method/fspca/certify.h"
#include "glue/entries.h"
#include "glue/glue.h"
#include "glue/result.h"

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

/* set: k features whose value is that of settings; settings: m, value, bound,
 * what read_settings() wants */
SEXP C_fspca_bound(SEXP data, SEXP set, SEXP settings)
{
    rs_context ctx = r_context();
    rs_covop op;
    const int k = (int)Rf_xlength(set), m = r_integer(settings, "m");
    rs_certify_settings how = read_settings(settings);
    rs_certificate found;
    r_covop(data, rs_max_int(m, RS_EXTEND_BLOCK), &ctx, &op);
    how.samples = op.X ? op.X->n : 0.0;
    if (!op.S && r_integer(settings, "form"))
        form_products(&ctx, &op);
    const double unit = rs_covop_use_unit(&op);
    const size_t d = (size_t)op.d;
    const unsigned char *locked = r_locked(data, op.d, &ctx);
    found.set = r_zero_based(set, op.d, &ctx);
    R_PENALTIES(settings, unit, &found.value, &found.bound);
    found.out = r_byte_room(&ctx, d);
    found.in = r_byte_room(&ctx, d);
    for (size_t j = 0; j < d; j++)
        found.in[j] = locked ? locked[j] : 0;
    r_check_status(rs_fspca_certify(&ctx, &op, k, m, &how, &found), "bound");
    r_result out = r_open();
    r_add_indices(&out, "set", (size_t)k, found.set);
    r_add_number(&out, "value", found.value * unit);
    r_add_number(&out, "bound", found.bound * unit);
    add_marked(&out, "essential", op.d, found.in);
    add_marked(&out, "excluded", op.d, found.out);
    r_add_flag(&out, "complete", found.complete);
    R_ADD_NUMBERS(&out, found.nodes, found.evaluations, found.seconds);
    r_add_trace(&out, &found.trace, unit);
    return r_close(&out);
}
