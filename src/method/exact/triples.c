/* The search for the best three features: the questions asked, and all sets
 * that an answer looks at. */
#include "method/exact/triples.h"

#include <math.h>
#include <string.h>

#include "method/exact/triples_best.h"
#include "method/exact/triples_index.h"
#include "method/exact/triples_question.h"
#include "method/exact/triples_tests.h"

/* apices that stand for all when the work is estimated: five estimates cost
 * what 120 apices do, little beside the d that a proof takes */
#define RS_SAMPLE 24
/* most neighbours held at a time: 20 bytes each, 168 MB */
#define RS_NEIGHBOURS ((size_t)1 << 23)
/* neighbours that are tested with a whole panel of second features, about: a
 * test reads 16 bytes of each */
#define RS_TRIPLE_BLOCK 16384
/*
 * Sets tested and pairs looked at in a second, about. On 48 problems of five
 * factors and noise (n = 60, 300; d = 500, 1500; one to ten responses) proofs
 * took 0.2 to 6 times what follows from these numbers, half of them 0.5 to 1.5
 * times: they choose between questions, and are no promise.
 */
#define RS_TESTS_PER_SECOND 4e8
#define RS_PAIRS_PER_SECOND 2e7
/* sets tested between two looks at the clock: a hundredth of a second */
#define RS_TESTS_PER_LOOK (0.01 * RS_TESTS_PER_SECOND)
/* easier questions that may come before the one that is asked, targets looked
 * at to find each, and the share of the time left that it may take */
#define RS_EASIER 6
#define RS_TARGETS 5
#define RS_EASIER_SHARE 0.5
/* by how much a bound must fall to be worth a question */
#define RS_PROGRESS 0.02

/* looked at once in a while */
typedef struct {
    rs_clock clock;
    double tests; /* since the last look */
    int expired;
} stopwatch;

typedef struct {
    rs_context *ctx;
    rs_triple_features features;
    rs_triple_question question;
    rs_triple_index index;
    rs_triple_best best;
    rs_triple_tests tests;
    stopwatch watch;
    double bound;      /* no set explains more than this */
    double pairs;      /* whose third features were tested */
    double neighbours; /* of all apices for the question, about */
    int close_done;    /* the close pairs have been searched */
} search;

/* ---- time --------------------------------------------------------------- */

static double seconds(const stopwatch *watch)
{
    return rs_clock_seconds(&watch->clock);
}

static double seconds_left(const stopwatch *watch)
{
    return rs_clock_left(&watch->clock);
}

static rs_status look(search *s, double tests)
{
    s->watch.tests += tests;
    if (s->watch.tests < RS_TESTS_PER_LOOK)
        return RS_OK;
    s->watch.tests = 0.0;
    s->watch.expired = seconds_left(&s->watch) <= 0.0;
    return rs_poll(s->ctx);
}

/* ---- all sets that the question is about -------------------------------- */

/* the close pairs of feature j with those after it; A: the column of j */
static rs_status try_close_pairs(search *s, int j, const double *A)
{
    for (int i = j + 1; i < s->features.d && !s->watch.expired; i++)
        if (1.0 - A[i] * A[i] <= RS_LEFT_MINUTE) {
            RS_TRY(rs_triple_try_close(j, i, &s->best));
            RS_TRY(look(s, (double)s->features.d));
        }
    return RS_OK;
}

/* apices from the feature `first` on, as many as there is room for */
static rs_status fill_group(search *s, int first, int *next)
{
    const size_t d = (size_t)s->features.d;
    int j = first, k[RS_EXACT_PANEL];
    rs_triple_index_clear(first, &s->index);
    while (j < s->features.d && !s->watch.expired) {
        int width = rs_min_int(RS_EXACT_PANEL, s->features.d - j);
        for (int b = 0; b < width; b++)
            k[b] = j + b;
        RS_TRY(rs_triple_columns(&s->features, k, width));
        for (int b = 0; b < width; b++, j++) {
            const double *A = s->features.A + d * b;
            if (!rs_triple_index_has_room(&s->index)) {
                *next = j;
                return RS_OK;
            }
            rs_triple_index_add(A, s->features.C + d * b, &s->index);
            if (!s->close_done)
                RS_TRY(try_close_pairs(s, j, A));
        }
        RS_TRY(look(s, (double)width * s->features.d));
    }
    *next = j;
    return RS_OK;
}

/* apices from number `from` on whose lists stay at hand together */
static int end_of_block(const rs_triple_index *index, int from)
{
    int to = from + 1;
    while (to < index->apices &&
           index->start[to] - index->start[from] < RS_TRIPLE_BLOCK)
        to++;
    return to;
}

/* all sets with one of the panel as the second feature and an apex in the group:
 * a few apices beside all of the panel, for the sake of the cache */
static rs_status test_panel(search *s, const int *k, int width)
{
    rs_triple_set_seconds(width, s->features.A, s->features.C, &s->tests);
    for (int from = 0, to; from < s->index.apices; from = to) {
        to = end_of_block(&s->index, from);
        for (int b = 0; b < width; b++)
            for (int a = from; a < to && !s->watch.expired; a++) {
                double tested = rs_triple_test(a, k[b], b, &s->tests);
                s->pairs += tested > 0.0;
                RS_TRY(look(s, 1.0 + tested));
            }
    }
    return RS_OK;
}

/* all sets with an apex in the group */
static rs_status test_group(search *s)
{
    const int d = s->features.d;
    int k[RS_EXACT_PANEL], width = 0;
    for (int p = 0; p < d && !s->watch.expired; p++) {
        if (s->index.is_second[p])
            k[width++] = p;
        if (width == 0 || (width < RS_EXACT_PANEL && p < d - 1))
            continue;
        RS_TRY(rs_triple_columns(&s->features, k, width));
        RS_TRY(test_panel(s, k, width));
        width = 0;
    }
    return RS_OK;
}

/* afterwards no set explains more than the target but the best one, unless
 * the time is over */
static rs_status answer(search *s)
{
    const int d = s->features.d;
    const double wanted = 1.25 * s->neighbours + d;
    const double most = (double)RS_NEIGHBOURS;
    int next = 0;
    RS_TRY(rs_triple_index_reserve((size_t)fmin(wanted, most) + (size_t)d,
                                   &s->index));
    RS_TRY(look(s, RS_TESTS_PER_LOOK));
    for (int first = 0; first < d && !s->watch.expired; first = next) {
        RS_TRY(fill_group(s, first, &next));
        RS_TRY(test_group(s));
    }
    if (!s->watch.expired) {
        s->bound = fmax(s->question.target, rs_triple_to_beat(&s->best));
        s->close_done = 1;
    }
    return RS_OK;
}

/* ---- which question ----------------------------------------------------- */

/* what an answer to the question costs, about */
typedef struct {
    double seconds, neighbours;
} cost;

/* from a few apices spread over all */
static rs_status estimate(search *s, cost *out)
{
    const int d = s->features.d, count = rs_min_int(RS_SAMPLE, d);
    double tests = 0.0, found = 0.0;
    rs_triple_thirds thirds;
    for (int a = 0; a < count; a++) {
        int j = (int)(((double)a + 0.5) * d / count);
        RS_TRY(rs_triple_columns(&s->features, &j, 1));
        rs_triple_index_clear(j, &s->index);
        rs_triple_index_add(s->features.A, s->features.C, &s->index);
        found += (double)s->index.used;
        for (int k = 0; k < d; k++)
            if (s->index.entry[k] >= 0.0) {
                rs_triple_find_thirds(&s->index, 0, k, s->index.entry[k],
                                      &thirds);
                tests += thirds.count;
            }
    }
    out->seconds = tests * d / count / RS_TESTS_PER_SECOND +
                   (double)d * d / RS_PAIRS_PER_SECOND;
    out->neighbours = found * d / count;
    return RS_OK;
}

/*
 * tau / target. For one response 1 is exact; with more of them a smaller tau
 * raises the level, but makes the diagonal of M small, and it must not be below
 * the e_i: where all of these are, 2 can be posed. Of 18 values from 3 to 0.345
 * these cost at most 1.2 times what the best one does.
 */
static const double tau_factor[] = {1.0, 0.7, 0.5};
#define RS_TAU_FACTORS (sizeof tau_factor / sizeof tau_factor[0])
#define RS_FACTOR_ALWAYS 2.0

/*
 * Poses the question with the tau that makes it cheapest, and says how many
 * seconds it will take.
 */
static rs_status pose(search *s, double target, double *needed)
{
    const rs_triple_features *f = &s->features;
    double chosen = RS_FACTOR_ALWAYS; /* as e_i <= target */
    cost each;
    *needed = INFINITY;
    s->neighbours = 0.0;
    for (size_t i = 0; i < RS_TAU_FACTORS; i++) {
        if (!rs_triple_pose(f, target, tau_factor[i] * target, &s->question))
            continue;
        RS_TRY(estimate(s, &each));
        if (each.seconds < *needed) {
            *needed = each.seconds;
            s->neighbours = each.neighbours;
            chosen = tau_factor[i];
        }
    }
    rs_triple_pose(f, target, chosen * target, &s->question);
    return RS_OK;
}

static int is_proved(const search *s)
{
    return fmax(s->bound, s->best.unresolved) <= rs_triple_to_beat(&s->best);
}

/* the lowest target, from the bound at hand down to the question that is asked,
 * that is expected to take so many seconds; INFINITY where all take more */
static rs_status pose_hardest(search *s, double most, double *target)
{
    const double lowest = rs_triple_to_beat(&s->best);
    double low = 0.0, high = 1.0, cost;
    for (int step = 0; step < RS_TARGETS && seconds_left(&s->watch) > 0.0;
         step++) {
        const double fraction = 0.5 * (low + high);
        RS_TRY(pose(s, lowest + fraction * (s->bound - lowest), &cost));
        if (cost <= most)
            high = fraction;
        else
            low = fraction;
    }
    *target = high < 1.0 ? lowest + high * (s->bound - lowest) : INFINITY;
    return high < 1.0 ? pose(s, *target, &cost) : RS_OK;
}

/* easier questions, as long as the one that is asked is expected to take more
 * than a share of the time left: each answer is a bound */
static rs_status answer_easier(search *s)
{
    double needed, target;
    for (int i = 0; i < RS_EASIER && !s->watch.expired; i++) {
        const double most = RS_EASIER_SHARE * seconds_left(&s->watch);
        RS_TRY(pose(s, rs_triple_to_beat(&s->best), &needed));
        if (needed <= most)
            return RS_OK;
        RS_TRY(pose_hardest(s, most, &target));
        if (target > (1.0 - RS_PROGRESS) * s->bound)
            return RS_OK;
        RS_TRY(answer(s));
    }
    return RS_OK;
}

/* is there a better set? */
static rs_status search_sets(search *s)
{
    double needed;
    if (!s->best.near)
        RS_TRY(answer_easier(s));
    if (s->watch.expired || is_proved(s))
        return RS_OK;
    RS_TRY(pose(s, rs_triple_to_beat(&s->best), &needed));
    return answer(s);
}

/* ---- all together ------------------------------------------------------- */

static rs_status init_search(rs_context *ctx, const rs_lsq *problem,
                             const rs_exact_settings *settings,
                             rs_exact_fit *fit, search *s)
{
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    rs_clock_start(settings->time_limit, &s->watch.clock);
    RS_TRY(rs_triple_features_init(ctx, problem, settings->YtY, &s->features));
    RS_TRY(rs_triple_question_init(&s->features, &s->question));
    RS_TRY(rs_triple_index_init(&s->features, &s->question, &s->index));
    RS_TRY(rs_triple_best_init(&s->features, settings, fit->feature,
                               fit->explained / problem->total, &s->best));
    RS_TRY(rs_triple_tests_init(&s->features, &s->question, &s->index,
                                &s->best, &s->tests));
    s->bound = s->features.ceiling;
    return RS_OK;
}

rs_status rs_cdlsr_triples(rs_context *ctx, const rs_lsq *problem,
                           const rs_exact_settings *settings,
                           rs_exact_fit *fit)
{
    search s;
    RS_TRY(init_search(ctx, problem, settings, fit, &s));
    if (!is_proved(&s))
        RS_TRY(search_sets(&s));
    fit->complete = is_proved(&s);
    fit->resolved = s.best.unresolved <= rs_triple_to_beat(&s.best);
    fit->explained = s.best.explained * problem->total;
    fit->bound = fit->complete
                     ? fit->explained
                     : fmax(s.bound, s.best.unresolved) * problem->total;
    fit->nodes = s.pairs;
    fit->seconds = seconds(&s.watch);
    return RS_OK;
}
