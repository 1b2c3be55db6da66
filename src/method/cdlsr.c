#include "method/cdlsr.h"

#include <math.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/topk.h"
#include "la/linalg.h"

/* ---- forward selection ------------------------------------------------- */

/* forward selection, and what every size explains and leaves */
static rs_status grow_forward(rs_subset *s, int size, double *explained,
                              double *objective)
{
    while (s->k < size) {
        int before = s->k;
        RS_TRY(rs_subset_grow(s, before + 1, explained));
        if (s->k == before)
            break;
        objective[before] = rs_subset_objective(s);
    }
    return RS_OK;
}

/* ---- one start --------------------------------------------------------- */

/* what one thread needs */
typedef struct {
    rs_lsq problem; /* with a view of the data of its own */
    rs_data data;
    rs_context ctx;
    rs_subset own, *set;
    rs_cd cd;
    int *queue, *origin; /* k each */
    rs_history history;  /* of the second descent */
} worker;

static void keep_end(rs_subset *s, rs_status status, rs_history *history,
                     rs_cdlsr_end *end)
{
    end->k = s->k;
    memcpy(end->feature, s->feature, (size_t)s->k * sizeof(int));
    end->explained = s->explained;
    end->objective = rs_subset_objective(s);
    end->status = status;
    end->sweeps = history->count - 1;
    rs_history swapped = end->history;
    end->history = *history;
    *history = swapped;
}

/* the same set, in any order? */
static int same_features(int k, const int *a, const int *b)
{
    for (int i = 0; i < k; i++) {
        int at = 0;
        while (at < k && b[at] != a[i])
            at++;
        if (at == k)
            return 0;
    }
    return 1;
}

/* the paper's sweeps from w->origin, in w->cd */
static rs_status descend_by_cd(const rs_cdlsr_settings *settings, worker *w)
{
    memcpy(w->cd.feature, w->origin, (size_t)settings->k * sizeof(int));
    return rs_cd_run(&w->cd, settings->cd_tol, settings->maxit,
                     settings->method != RS_CDLSR_CD, &w->history);
}

/* exchanges from the end of the paper's sweeps; kept where they end lower */
static rs_status exchange_after_cd(const rs_cdlsr_settings *settings,
                                   worker *w, rs_cdlsr_end *end)
{
    rs_subset *s = w->set;
    const int k = settings->k;

    rs_history_clear(&w->history);
    rs_status status = descend_by_cd(settings, w);
    if (!rs_is_usable(status))
        return status;
    if (same_features(k, w->cd.feature, w->origin) ||
        (end->k == k && same_features(k, w->cd.feature, end->feature)))
        return RS_OK;
    RS_TRY(rs_subset_assign(s, k, w->cd.feature));
    RS_TRY(rs_subset_grow(s, k, NULL));
    status = rs_subset_exchange(s, settings->tol, settings->maxit, w->queue,
                                &w->history);
    if (!rs_is_usable(status))
        return status;
    if (s->explained > end->explained + settings->tol * s->problem->total)
        keep_end(s, status, &w->history, end);
    return RS_OK;
}

/*
 * The descent that the settings ask for, from w->origin (also in w->set); full
 * = 0 when the origin has fewer than k features. Exchanges start from the
 * origin itself and from the end of the paper's sweeps, so that their better
 * end is never above the sweeps' one.
 */
static rs_status descend(const rs_cdlsr_settings *settings, worker *w,
                         int full, rs_cdlsr_end *end)
{
    rs_subset *s = w->set;
    rs_status status = RS_OK;

    rs_history_clear(&w->history);
    if (settings->method == RS_CDLSR_CD && full) {
        status = descend_by_cd(settings, w);
        if (rs_is_usable(status))
            RS_TRY(rs_subset_assign(s, settings->k, w->cd.feature));
    } else if (settings->method == RS_CDLSR_EXCHANGE) {
        status = rs_subset_exchange(s, settings->tol, settings->maxit,
                                    w->queue, &w->history);
    } else {
        rs_history_add(&w->history, rs_subset_objective(s));
    }
    if (!rs_is_usable(status))
        return status;
    keep_end(s, status, &w->history, end);
    if (settings->method != RS_CDLSR_EXCHANGE || !full || s->problem->c == 0)
        return RS_OK;
    return exchange_after_cd(settings, w, end);
}

static rs_status forward_start(const rs_cdlsr_settings *settings, worker *w,
                               double *explained, double *objective,
                               rs_cdlsr_end *end)
{
    rs_subset_clear(w->set);
    RS_TRY(grow_forward(w->set, settings->k, explained, objective));
    memcpy(w->origin, w->set->feature, (size_t)w->set->k * sizeof(int));
    return descend(settings, w, w->set->k == settings->k, end);
}

/* exchanges begin with what is independent of the set, completed forward */
static rs_status given_start(const rs_cdlsr_settings *settings, worker *w,
                             int number, rs_cdlsr_end *end)
{
    for (int i = 0; i < settings->k; i++)
        w->origin[i] = settings->start[number + (size_t)i * settings->starts];
    RS_TRY(rs_subset_assign(w->set, settings->k, w->origin));
    if (settings->method == RS_CDLSR_EXCHANGE)
        RS_TRY(rs_subset_grow(w->set, settings->k, NULL));
    return descend(settings, w, 1, end);
}

/* ---- many starts ------------------------------------------------------- */

/*
 * Interrupts under threads: only the first thread asks the outside world, the
 * others read what it found.
 */
typedef struct {
    rs_context *outer;
    int *stop;
    int asks;
} thread_poll;

static int poll_thread(void *state)
{
    thread_poll *poll = (thread_poll *)state;
    int stop;
    if (poll->asks && poll->outer->interrupted(poll->outer->state)) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
        *poll->stop = 1;
    }
#ifdef _OPENMP
#pragma omp atomic read
#endif
    stop = *poll->stop;
    return stop;
}

/* a worker's memory is all taken here, before any thread starts */
static rs_status init_worker(rs_context *ctx,
                             const rs_cdlsr_settings *settings,
                             const rs_lsq *problem, rs_subset *shared,
                             int *stop, int asks, worker *w)
{
    size_t k = (size_t)settings->k;
    thread_poll *poll = (thread_poll *)rs_alloc(ctx, 1, sizeof *poll);
    RS_TRY_ALLOC(poll);
    poll->outer = ctx;
    poll->stop = stop;
    poll->asks = asks;
    w->ctx = *ctx;
    w->ctx.interrupted = poll_thread;
    w->ctx.state = poll;
    w->problem = *problem;
    w->queue = rs_alloc_int(ctx, k);
    w->origin = rs_alloc_int(ctx, k);
    RS_TRY(rs_allocated(ctx));
    if (problem->X) {
        RS_TRY(rs_data_twin(ctx, problem->X, &w->data));
        w->data.ctx = &w->ctx;
        w->problem.X = &w->data;
    }
    w->set = shared;
    if (shared == NULL) {
        w->set = &w->own;
        RS_TRY(rs_subset_init(ctx, &w->problem, settings->k, 1, w->set));
    }
    w->set->problem = &w->problem;
    w->set->ctx = &w->ctx;
    if (problem->c > 0 && settings->method != RS_CDLSR_FORWARD) {
        RS_TRY(rs_cd_init(ctx, &w->problem, settings->k, &w->cd));
        w->cd.ctx = &w->ctx;
    }
    return rs_history_init(ctx, 2 * settings->maxit + 4, &w->history);
}

/* the starts still to be run, shared by the threads */
typedef struct {
    int next, running; /* first start not taken, threads at work */
    int failed;        /* the first status that ends all */
} start_queue;

/* starts until none is left or one has failed */
static void run_queue(const rs_cdlsr_settings *settings, worker *w,
                      start_queue *queue, rs_cdlsr_end *end)
{
    for (;;) {
        int mine, failed;
#ifdef _OPENMP
#pragma omp atomic read
#endif
        failed = queue->failed;
        if (failed != RS_OK)
            return;
#ifdef _OPENMP
#pragma omp atomic capture
#endif
        mine = queue->next++;
        if (mine >= settings->starts)
            return;
        rs_status status = given_start(settings, w, mine, &end[mine]);
        if (status != RS_OK) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
            queue->failed = status;
        }
    }
}

#ifdef _OPENMP
/* the first thread, out of work, asks for the others until they are done:
 * nobody else may, and at a barrier nobody would */
static void wait_for_others(worker *first, start_queue *queue)
{
    for (;;) {
        int running;
#pragma omp atomic read
        running = queue->running;
        if (running == 0 || rs_poll(&first->ctx) != RS_OK)
            return;
        rs_pause();
    }
}
#endif

static rs_status run_given_starts(const rs_cdlsr_settings *settings,
                                  worker *workers, int threads,
                                  rs_cdlsr_end *end)
{
    start_queue queue = {0, threads, RS_OK};
#ifdef _OPENMP
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        int me = omp_get_thread_num(), missing;
        run_queue(settings, &workers[me], &queue, end);
#pragma omp atomic
        queue.running--;
        /* threads that the system did not grant */
        missing = threads - omp_get_num_threads();
        if (me == 0) {
#pragma omp atomic
            queue.running -= missing;
            wait_for_others(&workers[0], &queue);
        }
    }
#else
    run_queue(settings, workers, &queue, end);
#endif
    return (rs_status)queue.failed;
}

static int thread_count(const rs_lsq *problem,
                        const rs_cdlsr_settings *settings)
{
#ifdef _OPENMP
    if (problem->X && !rs_data_has_twins(problem->X))
        return 1;
    return rs_min_int(settings->threads,
                      settings->starts > 1 ? settings->starts : 1);
#else
    (void)problem;
    (void)settings;
    return 1;
#endif
}

/* ---- path -------------------------------------------------------------- */

/* the set of w, in greedy order, as the path's entry of its size */
static void keep_size(worker *w, const int *order, double *V,
                      rs_cdlsr_fit *fit)
{
    rs_subset *s = w->set;
    const int k = s->k, c = s->problem->c;
    size_t at = (size_t)k * (k - 1) / 2;
    double *coefficients = fit->path_coefficients + at * c;
    rs_subset_coefficients(s, V);
    for (int i = 0; i < k; i++) {
        fit->path_feature[at + i] = s->feature[order[i]];
        for (int l = 0; l < c; l++)
            coefficients[i + (size_t)l * k] = V[order[i] + (size_t)l * k];
    }
    fit->path_explained[k - 1] = s->explained;
    fit->path_objective[k - 1] = rs_subset_objective(s);
}

static rs_status exchange_here(const rs_cdlsr_settings *settings, worker *w)
{
    rs_history_clear(&w->history);
    if (settings->method != RS_CDLSR_EXCHANGE)
        return RS_OK;
    rs_status status = rs_subset_exchange(
        w->set, settings->tol, settings->maxit, w->queue, &w->history);
    return rs_is_usable(status) ? RS_OK : status;
}

/*
 * Sizes 1, 2, ...: the best addition to the size before, then exchanges;
 * where that ends above forward selection alone, exchanges start from there.
 */
static rs_status walk_path(const rs_cdlsr_settings *settings, worker *w,
                           const int *forward, rs_cdlsr_fit *fit, double *V,
                           double *work)
{
    rs_subset *s = w->set;
    const double slack = settings->tol * s->problem->total;
    rs_subset_clear(s);
    for (int size = 1; size <= fit->reached; size++) {
        RS_TRY(rs_subset_grow(s, size, NULL));
        if (s->k < size) {
            fit->reached = size - 1;
            break;
        }
        RS_TRY(exchange_here(settings, w));
        if (s->explained + slack < fit->forward_explained[size - 1]) {
            RS_TRY(rs_subset_assign(s, size, forward));
            RS_TRY(exchange_here(settings, w));
        }
        rs_subset_order(s, fit->order, work, work + settings->k);
        keep_size(w, fit->order, V, fit);
    }
    return RS_OK;
}

/* ---- pairs ------------------------------------------------------------- */

/* operations that the search for the best pair may take */
#define RS_PAIR_FLOPS 3.0e8

/* features by what each explains alone, best first; as many as the search for
 * pairs can afford to lead with */
static rs_status pair_leaders(rs_context *ctx, const rs_lsq *p, int **leader,
                              int *count)
{
    const size_t d = (size_t)p->d;
    double rows = p->X ? p->n : 1.0, responses = p->c > 0 ? p->c : rows;
    double most = RS_PAIR_FLOPS / (2.0 * d * rows + 4.0 * d * responses);
    double *score = rs_alloc_double(ctx, d), *work = rs_alloc_double(ctx, d);
    *leader = rs_alloc_int(ctx, d);
    if (!score || !work || !*leader)
        return RS_NO_MEMORY;
    for (size_t j = 0; j < d; j++)
        score[j] =
            p->barred[j] ? -1.0 : p->base[j] / (p->square[j] + p->ridge);
    *count = most < (double)d ? (int)most : (int)d;
    rs_topk_order((int)d, score, *count, *leader, work);
    return RS_OK;
}

/* size 2: the best partner of every leader, the best pair of all */
static rs_status search_pairs(rs_context *ctx, worker *w, double tol,
                              rs_cdlsr_end *end)
{
    rs_subset *s = w->set;
    const double *deviation = w->problem.deviation;
    int *leader, count, pair[2];
    double best = end->explained + tol * w->problem.total, width = 0.0;
    int found = 0;

    RS_TRY(pair_leaders(ctx, &w->problem, &leader, &count));
    for (int i = 0; i < count; i++) {
        rs_subset_clear(s);
        rs_status status =
            s->closed[leader[i]] ? RS_SINGULAR : rs_subset_add(s, leader[i]);
        if (status == RS_SINGULAR)
            continue;
        RS_TRY(status);
        rs_candidate partner = rs_subset_best_addition(s);
        if (partner.feature < 0)
            continue;
        /* a gain beyond the ties, or a tie with more variance */
        double here = s->explained + partner.score;
        double wide = deviation[leader[i]] + deviation[partner.feature];
        double tie = RS_TIE * best + RS_TIE_FLOOR * w->problem.total;
        if (here > best + tie ||
            (found && here > best - tie && wide > width)) {
            best = here;
            width = wide;
            pair[0] = leader[i];
            pair[1] = partner.feature;
            found = 1;
        }
        RS_TRY(rs_poll(s->ctx));
    }
    if (!found)
        return RS_OK;
    RS_TRY(rs_subset_assign(s, 2, pair));
    rs_history_clear(&w->history);
    rs_history_add(&w->history, rs_subset_objective(s));
    keep_end(s, RS_OK, &w->history, end);
    return RS_OK;
}

/* ---- all together ------------------------------------------------------ */

static rs_status init_fit(rs_context *ctx, const rs_cdlsr_settings *settings,
                          int c, rs_cdlsr_fit *fit)
{
    const size_t k = (size_t)settings->k, packed = k * (k + 1) / 2;
    int ends = settings->forward + settings->starts;
    fit->end = (rs_cdlsr_end *)rs_alloc(ctx, (size_t)ends, sizeof *fit->end);
    RS_TRY_ALLOC(fit->end);
    for (int i = 0; i < ends; i++) {
        fit->end[i].feature = rs_alloc_int(ctx, k);
        RS_TRY_ALLOC(fit->end[i].feature);
        RS_TRY(rs_history_init(ctx, 2 * settings->maxit + 4,
                               &fit->end[i].history));
    }
    fit->best = 0;
    fit->reached = 0;
    fit->doubtful = 0;
    fit->path_feature = rs_alloc_int(ctx, settings->path ? packed : 0);
    fit->path_coefficients =
        rs_alloc_double(ctx, settings->path ? packed * c : 0);
    fit->path_explained = rs_alloc_double(ctx, k);
    fit->path_objective = rs_alloc_double(ctx, k);
    fit->forward_objective = rs_alloc_double(ctx, k);
    fit->forward_explained = rs_alloc_double(ctx, k);
    fit->explained = rs_alloc_double(ctx, k);
    fit->order = rs_alloc_int(ctx, k);
    return rs_allocated(ctx);
}

/* forward start, its path, and the better of both ends at the last size */
static rs_status run_forward(rs_context *ctx,
                             const rs_cdlsr_settings *settings, worker *w,
                             rs_cdlsr_fit *fit, double *V, double *work)
{
    rs_cdlsr_end *end = &fit->end[0];
    RS_TRY(forward_start(settings, w, fit->forward_explained,
                         fit->forward_objective, end));
    if (settings->k == 2 && settings->method == RS_CDLSR_EXCHANGE)
        RS_TRY(search_pairs(ctx, w, settings->tol, end));
    if (!settings->path)
        return RS_OK;
    fit->reached = end->k;
    RS_TRY(walk_path(settings, w, w->origin, fit, V, work));
    if (w->set->explained > end->explained + settings->tol * w->problem.total)
        keep_end(w->set, RS_OK, &w->history, end);
    return RS_OK;
}

/* the winner into w->set, its greedy order, and the end of the path */
static rs_status finish(const rs_cdlsr_settings *settings, worker *w,
                        rs_cdlsr_fit *fit, double *V, double *work)
{
    rs_subset *s = w->set;
    int ends = settings->forward + settings->starts;
    for (int i = 1; i < ends; i++)
        if (fit->end[i].explained >
            fit->end[fit->best].explained + settings->tol * w->problem.total)
            fit->best = i;
    const rs_cdlsr_end *end = &fit->end[fit->best];
    if (s->k != end->k || !same_features(s->k, s->feature, end->feature))
        RS_TRY(rs_subset_assign(s, end->k, end->feature));
    if (s->k == 0)
        return RS_OK;
    rs_subset_order(s, fit->order, fit->explained, work);
    fit->explained[s->k - 1] = s->explained;
    if (settings->path && s->k == fit->reached)
        keep_size(w, fit->order, V, fit);
    return RS_OK;
}

rs_status rs_cdlsr(rs_context *ctx, const rs_cdlsr_settings *settings,
                   rs_subset *set, rs_cdlsr_fit *fit)
{
    const rs_lsq *problem = set->problem;
    const size_t k = (size_t)settings->k;
    int threads = thread_count(problem, settings),
        *stop = rs_alloc_int(ctx, 1);
    worker *workers =
        (worker *)rs_alloc(ctx, (size_t)threads, sizeof *workers);
    double *V = rs_alloc_double(ctx, k * problem->c);
    double *work = rs_alloc_double(ctx, 3 * k * k + k);
    RS_TRY(rs_allocated(ctx));
    *stop = 0;
    RS_TRY(init_fit(ctx, settings, problem->c, fit));
    for (int i = 0; i < threads; i++)
        RS_TRY(init_worker(ctx, settings, problem, i == 0 ? set : NULL, stop,
                           i == 0, &workers[i]));
    if (settings->forward)
        RS_TRY(run_forward(ctx, settings, &workers[0], fit, V, work));
    RS_TRY(run_given_starts(settings, workers, threads,
                            fit->end + settings->forward));
    RS_TRY(finish(settings, &workers[0], fit, V, work));
    for (int i = 0; i < threads; i++)
        fit->doubtful |= workers[i].set->doubtful;
    return RS_OK;
}
