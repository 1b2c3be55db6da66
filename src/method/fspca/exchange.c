#include "method/fspca/exchange.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/topk.h"
#include "sets/swaps.h"

/* ends of the projection updates from which features are exchanged */
#define RS_FSPCA_ENDS 3
/* relative differences of values that count as none */
#define RS_FSPCA_ROUNDING 1e-11
/* numbers of S[, I] that are held at most */
#define RS_FSPCA_ROWS 5e7
/* replacements in a row that may come to nothing */
#define RS_FSPCA_PATIENCE 60

typedef struct {
    rs_fspca_state state;
    const rs_fspca_search *search;
    rs_history climb; /* of the projection updates from one start */
    int ends;         /* distinct sets at their ends, the best ones first */
    int *set;         /* k x RS_FSPCA_ENDS, each ascending */
    double value[RS_FSPCA_ENDS];
    int *best; /* k: the best set so far */
    double best_value;
    size_t drawn; /* numbers of the fixed sequence */
    rs_swaps swaps;
} exchange_state;

static int k_of(const exchange_state *s)
{
    return s->state.trace.problem.k;
}

static void note_best(const int *set, double value, exchange_state *s)
{
    rs_history *history = &s->state.fit->history;
    if (history->count > 0 &&
        value <= s->best_value * (1.0 + RS_FSPCA_ROUNDING))
        return;
    memcpy(s->best, set, (size_t)k_of(s) * sizeof *set);
    s->best_value = value;
    rs_history_add(history, -value);
}

/* ---- starts --------------------------------------------------------------- */

/* among the ends, best first, unless it is there */
static void note_end(double value, exchange_state *s)
{
    const size_t k = (size_t)k_of(s);
    const int *set = s->state.trace.subset;
    int at = 0;
    for (int e = 0; e < s->ends; e++)
        if (memcmp(s->set + k * e, set, k * sizeof *set) == 0)
            return;
    while (at < s->ends && s->value[at] >= value)
        at++;
    if (at == RS_FSPCA_ENDS)
        return;
    if (s->ends < RS_FSPCA_ENDS)
        s->ends++;
    for (int e = s->ends - 1; e > at; e--) {
        s->value[e] = s->value[e - 1];
        memcpy(s->set + k * e, s->set + k * (e - 1), k * sizeof *set);
    }
    s->value[at] = value;
    memcpy(s->set + k * at, set, k * sizeof *set);
}

/* what the subset carries, as the first value of a climb */
static rs_status begin_climb(exchange_state *s)
{
    rs_trace_ws *trace = &s->state.trace;
    rs_history_clear(&s->climb);
    RS_TRY(rs_trace_solve(&s->climb, trace));
    if (s->state.fit->history.count == 0)
        note_best(trace->subset, -s->climb.objective[0], s);
    return RS_OK;
}

/* projection updates from the subset */
static rs_status climb_from(exchange_state *s)
{
    rs_trace_ws *trace = &s->state.trace;
    RS_TRY(begin_climb(s));
    rs_status status =
        rs_trace_climb(s->state.op->ctx, s->search->maxit, &s->climb, trace);
    if (status != RS_OK && status != RS_MAXIT)
        return status;
    const double value = -rs_history_last(&s->climb);
    note_best(trace->subset, value, s);
    note_end(value, s);
    return RS_OK;
}

/* scores: the rows of the first eigenvectors */
static void rows_of_vectors(const double *vectors, int count,
                            exchange_state *s)
{
    const size_t d = (size_t)s->state.op->d;
    double *scores = s->state.fit->scores;
    rs_fill(d, 0.0, scores);
    for (int c = 0; c < count; c++)
        for (size_t j = 0; j < d; j++)
            scores[j] += vectors[j + d * c] * vectors[j + d * c];
}

static rs_status climb_from_scores(exchange_state *s)
{
    RS_TRY(rs_trace_choose(&s->state.trace));
    return climb_from(s);
}

/* the set of Go, which is the subset; the rows of the eigenvectors, and of the
 * first; the diagonal; the given sets */
static rs_status climb_from_all(const double *vectors, exchange_state *s)
{
    const rs_trace_problem *problem = &s->state.trace.problem;
    RS_TRY(climb_from(s));
    rows_of_vectors(vectors, problem->m, s);
    RS_TRY(climb_from_scores(s));
    if (problem->m > 1) {
        rows_of_vectors(vectors, 1, s);
        RS_TRY(climb_from_scores(s));
    }
    rs_copy((size_t)problem->d, s->state.op->diagonal, s->state.fit->scores);
    RS_TRY(climb_from_scores(s));
    for (int i = 0; i < s->search->count; i++) {
        rs_trace_set(s->search->starts + (size_t)i * problem->k,
                     &s->state.trace);
        RS_TRY(climb_from(s));
    }
    return RS_OK;
}

/* ---- exchanges ------------------------------------------------------------ */

static rs_status exchange_ends(exchange_state *s)
{
    const size_t k = (size_t)k_of(s);
    for (int e = 0; e < s->ends; e++) {
        int improvements;
        RS_TRY(rs_swaps_load(s->set + k * e, &s->swaps));
        RS_TRY(rs_swaps_climb(s->search->work / (RS_FSPCA_ENDS + 1),
                              &improvements, &s->swaps));
        note_best(s->swaps.set, s->swaps.value, s);
    }
    return RS_OK;
}

/* a whole number below `limit` */
static int draw(int limit, exchange_state *s)
{
    const double u = 0.5 + 0.5 * rs_quasi_number(s->drawn++);
    return rs_min_int((int)(u * limit), limit - 1);
}

/* the places outside the set with the largest scores; how many these are */
static int list_candidates(int *list, exchange_state *s)
{
    const int d = s->state.op->d, k = k_of(s);
    const int most = rs_min_int(d - k, 3 * k + 20);
    double *score = s->state.fit->scores;
    int count = 0;
    for (int a = 0; a < k; a++)
        score[s->best[a]] = -INFINITY;
    rs_topk_order(d, score, most, list, s->swaps.promise);
    while (count < most && score[list[count]] > -INFINITY)
        count++;
    return count;
}

static rs_status replace_some(int candidates, const int *list,
                              exchange_state *s)
{
    const int k = k_of(s), often = 2 + draw(2, s);
    for (int t = 0; t < often; t++) {
        const int slot = draw(k, s), j = list[draw(candidates, s)];
        if (s->swaps.in[j] ||
            (s->swaps.fixed && s->swaps.fixed[s->swaps.set[slot]]))
            continue;
        RS_TRY(rs_swaps_put(slot, j, &s->swaps));
    }
    return RS_OK;
}

/* scores for the best set: what a feature adds to the surrogate */
static rs_status score_best(exchange_state *s)
{
    rs_history_clear(&s->climb);
    rs_trace_set(s->best, &s->state.trace);
    RS_TRY(rs_trace_solve(&s->climb, &s->state.trace));
    return rs_trace_project(&s->state.trace);
}

static rs_status exchange_from_perturbed(rs_context *ctx, exchange_state *s)
{
    int *list = rs_alloc_int(ctx, (size_t)s->state.op->d);
    const double end = s->swaps.work + s->search->work;
    int idle = 0;
    RS_TRY_ALLOC(list);
    RS_TRY(score_best(s));
    int candidates = list_candidates(list, s);
    for (int i = 0; i < s->search->kicks && candidates > 0 &&
                    idle < RS_FSPCA_PATIENCE && s->swaps.work < end;
         i++, idle++) {
        const double before = s->best_value;
        int improvements;
        RS_TRY(rs_swaps_load(s->best, &s->swaps));
        RS_TRY(replace_some(candidates, list, s));
        RS_TRY(rs_swaps_climb(end - s->swaps.work, &improvements, &s->swaps));
        if (s->swaps.value <= before * (1.0 + RS_SWAPS_TIE))
            continue;
        note_best(s->swaps.set, s->swaps.value, s);
        RS_TRY(score_best(s));
        candidates = list_candidates(list, s);
        idle = 0;
    }
    return RS_OK;
}

/* ---- all of it ------------------------------------------------------------ */

static rs_status begin(rs_context *ctx, rs_covop *op, int k, int m,
                       rs_fspca_fit *fit, exchange_state *s)
{
    RS_TRY(rs_fspca_begin(ctx, op, k, m, 1000, fit, &s->state));
    s->ends = 0;
    s->drawn = 0;
    s->set = rs_alloc_int(ctx, (size_t)k * RS_FSPCA_ENDS);
    s->best = rs_alloc_int(ctx, (size_t)k);
    RS_TRY(rs_allocated(ctx));
    return rs_history_init(ctx, s->search->maxit + 2, &s->climb);
}

static rs_status finish(exchange_state *s)
{
    rs_fspca_fit *fit = s->state.fit;
    RS_TRY(score_best(s));
    /* the value as the basis has it */
    rs_history_replace(&fit->history, s->climb.objective[0]);
    return RS_OK;
}

static rs_status search_sets(rs_context *ctx, const double *vectors,
                             exchange_state *s)
{
    const rs_trace_problem *problem = &s->state.trace.problem;
    RS_TRY(climb_from_all(vectors, s));
    if (problem->k == problem->d || s->search->work <= 0.0 ||
        (double)problem->d * problem->k > RS_FSPCA_ROWS)
        return RS_OK;
    RS_TRY(rs_swaps_init(ctx, s->state.op, problem->k, problem->m,
                         s->state.fit->first, &s->swaps));
    RS_TRY(exchange_ends(s));
    return exchange_from_perturbed(ctx, s);
}

/* where the time is over, the best set so far, which is the set of Go at least
 */
static rs_status search_in_time(rs_context *ctx, const double *vectors,
                                exchange_state *s)
{
    rs_clock clock;
    rs_clock_start(s->search->seconds, &clock);
    RS_TRY(begin_climb(s));
    ctx->clock = &clock;
    rs_status status = search_sets(ctx, vectors, s);
    ctx->clock = NULL;
    return status == RS_LATE ? RS_OK : status;
}

rs_status rs_fspca_exchange(rs_context *ctx, rs_covop *op, int k, int m,
                            const double *values, const double *vectors,
                            const rs_fspca_search *search, rs_fspca_fit *fit)
{
    exchange_state s;
    s.search = search;
    RS_TRY(begin(ctx, op, k, m, fit, &s));
    RS_TRY(rs_fspca_choose_go(&s.state, values, vectors));
    if (fit->is_global)
        return rs_trace_solve(&fit->history, &s.state.trace);
    RS_TRY(search_in_time(ctx, vectors, &s));
    fit->is_global = k == op->d;
    return finish(&s);
}
