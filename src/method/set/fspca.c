#include "method/set/fspca.h"

#include <string.h>

#include "eigen/leading.h"
#include "sets/trace_subset.h"

/* the problem as one of traces on subsets */
typedef struct {
    rs_context *ctx;
    rs_covop *op;
    const rs_fspca_settings *asked;
    rs_fspca_fit *fit;
    rs_subpca_ws subpca;
    rs_trace_ws trace;
    rs_history climb;            /* of the updates from one start */
    double value[RS_FSPCA_ENDS]; /* of the ends, the best first */
} state;

static rs_status apply_operator(void *s, int m, const double *W, double *SW)
{
    return rs_covop_apply(((state *)s)->op, m, W, SW);
}

static rs_status leading_on_subset(void *s, const int *subset, double *values,
                                   double *V)
{
    return rs_subpca(subset, values, V, &((state *)s)->subpca);
}

static rs_status init(rs_context *ctx, rs_covop *op,
                      const rs_fspca_settings *asked, rs_fspca_fit *fit,
                      state *s)
{
    const rs_trace_problem problem = {.d = op->d,
                                      .k = asked->k,
                                      .m = asked->m,
                                      .second = op->diagonal,
                                      .state = s,
                                      .apply = apply_operator,
                                      .leading = leading_on_subset,
                                      .first = asked->first};
    *s = (state){.ctx = ctx, .op = op, .asked = asked, .fit = fit};
    fit->count = 0;
    RS_TRY(rs_trace_init(ctx, &problem, fit->subset, fit->V, fit->values,
                         fit->scores, &s->trace));
    RS_TRY(rs_history_init(ctx, asked->maxit + 2, &s->climb));
    RS_TRY(rs_history_init(ctx, asked->maxit + 2, &fit->history));
    return rs_subpca_init(ctx, op, asked->k, asked->m, &s->subpca);
}

/* the subset takes its place among the best ends; with the best one comes the
 * course of its updates */
static void note_end(state *s)
{
    rs_fspca_fit *fit = s->fit;
    const size_t k = (size_t)s->asked->k, bytes = k * sizeof(int);
    const double value = -rs_history_last(&s->climb);
    int at = fit->count;
    for (int e = 0; e < fit->count; e++)
        if (memcmp(fit->ends + k * e, fit->subset, bytes) == 0)
            return;
    while (at > 0 && value > s->value[at - 1] * (1.0 + RS_CHOOSE_TIE))
        at--;
    if (at == RS_FSPCA_ENDS)
        return;
    fit->count = rs_min_int(fit->count + 1, RS_FSPCA_ENDS);
    for (int e = fit->count - 1; e > at; e--) {
        memcpy(fit->ends + k * e, fit->ends + k * (e - 1), bytes);
        s->value[e] = s->value[e - 1];
    }
    memcpy(fit->ends + k * at, fit->subset, bytes);
    s->value[at] = value;
    if (at == 0) {
        const rs_history before = fit->history;
        fit->history = s->climb;
        s->climb = before;
    }
}

rs_status rs_fspca(rs_context *ctx, rs_covop *op,
                   const rs_fspca_settings *asked, rs_fspca_fit *fit)
{
    state s;
    rs_clock clock;
    rs_status status = RS_OK;
    rs_clock_start(asked->seconds, &clock);
    RS_TRY(init(ctx, op, asked, fit, &s));
    for (int i = 0; i < asked->count && status != RS_LATE; i++) {
        rs_history_clear(&s.climb);
        rs_trace_set(asked->starts + (size_t)i * asked->k, &s.trace);
        RS_TRY(rs_trace_solve(&s.climb, &s.trace));
        ctx->clock = i > 0 ? &clock : NULL; /* the first end in any case */
        status = asked->maxit > 0
                     ? rs_trace_climb(ctx, asked->maxit, &s.climb, &s.trace)
                     : RS_OK;
        ctx->clock = NULL;
        if (status == RS_LATE)
            break;
        if (!rs_is_usable(status))
            return status;
        note_end(&s);
    }
    rs_trace_set(fit->ends, &s.trace);
    RS_TRY(rs_trace_solve(&s.climb, &s.trace));
    RS_TRY(rs_trace_project(&s.trace));
    return asked->count > 1 ? RS_OK : status;
}
