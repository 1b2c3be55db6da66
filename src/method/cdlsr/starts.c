/* Local search from many given sets, shared out among threads. */
#include "method/cdlsr/starts.h"

#include "la/blas.h"

#ifdef _OPENMP
#include <omp.h>
#endif

/* ---- workers ------------------------------------------------------------ */

/* data that come block by block serve one thread */
static int serves_threads(const rs_lsq *problem)
{
    return !problem->X || rs_data_has_twins(problem->X);
}

int rs_worker_count(const rs_lsq *problem, const rs_cdlsr_settings *settings)
{
#ifdef _OPENMP
    if (!serves_threads(problem))
        return 1;
    return rs_min_int(settings->threads,
                      settings->starts > 1 ? settings->starts : 1);
#else
    (void)problem;
    (void)settings;
    return 1;
#endif
}

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

static rs_status init_poll(rs_context *ctx, int *stop, int asks,
                           rs_context *own)
{
    thread_poll *poll = (thread_poll *)rs_alloc(ctx, 1, sizeof *poll);
    RS_TRY(rs_allocated(ctx));
    poll->outer = ctx;
    poll->stop = stop;
    poll->asks = asks;
    *own = *ctx;
    own->interrupted = poll_thread;
    own->state = poll;
    return RS_OK;
}

/* `set` is the one to work with, or NULL for one of the worker's own */
static rs_status init_worker(rs_context *ctx,
                             const rs_cdlsr_settings *settings,
                             const rs_lsq *problem, rs_subset *set,
                             rs_worker *w)
{
    w->problem = *problem;
    w->start = rs_alloc_int(ctx, (size_t)settings->k);
    RS_TRY(rs_allocated(ctx));
    if (problem->X) {
        RS_TRY(rs_data_twin(ctx, problem->X, &w->data));
        w->data.ctx = &w->ctx;
        w->problem.X = &w->data;
    }
    if (set == NULL) {
        set = &w->set;
        RS_TRY(rs_subset_init(ctx, &w->problem, settings->k, 1, set));
    }
    set->problem = &w->problem;
    set->ctx = &w->ctx;
    return rs_descent_init(ctx, settings, &w->problem, &w->ctx, set,
                           &w->descent);
}

rs_status rs_workers_init(rs_context *ctx, const rs_cdlsr_settings *settings,
                          rs_subset *set, int count, rs_worker **workers)
{
    const rs_lsq *problem = set->problem;
    int *stop = rs_alloc_int(ctx, 1);
    *workers = (rs_worker *)rs_alloc(ctx, (size_t)count, sizeof **workers);
    RS_TRY(rs_allocated(ctx));
    *stop = 0;
    for (int i = 0; i < count; i++) {
        rs_worker *w = &(*workers)[i];
        RS_TRY(init_poll(ctx, stop, i == 0, &w->ctx));
        RS_TRY(init_worker(ctx, settings, problem, i == 0 ? set : NULL, w));
    }
    return RS_OK;
}

/* ---- starts ------------------------------------------------------------- */

/* start number `number`, from a fresh factorisation: what the thread did
 * before must not matter */
static rs_status run_start(const rs_cdlsr_settings *settings, rs_worker *w,
                           int number, rs_cdlsr_end *end)
{
    for (int i = 0; i < settings->k; i++)
        w->start[i] = settings->start[number + (size_t)i * settings->starts];
    rs_subset_clear(w->descent.set);
    w->ctx.clock = settings->clock;
    rs_status status =
        rs_descend(&w->descent, settings->k, w->start, settings->sweeps, end);
    w->ctx.clock = NULL;
    return status == RS_LATE
               ? rs_complete_set(&w->descent, settings->k, w->start, end)
               : status;
}

/* the starts still to be run, shared by the threads */
typedef struct {
    int next, running; /* first start not taken, threads at work */
    int failed;        /* the first status that ends all */
} start_queue;

/* starts until none is left or one has failed */
static void run_queue(const rs_cdlsr_settings *settings, rs_worker *w,
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
        rs_status status = run_start(settings, w, mine, &end[mine]);
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
static void wait_for_others(rs_worker *first, start_queue *queue)
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

rs_status rs_run_starts(const rs_cdlsr_settings *settings, rs_worker *workers,
                        int count, rs_cdlsr_end *end)
{
    start_queue queue = {0, count, RS_OK};
    /* also where one thread runs all: its results are then the same */
    const int blas_threads =
        settings->starts > 0 && serves_threads(workers->descent.set->problem)
            ? rs_blas_set_threads(1)
            : 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(count) if (count > 1)
    {
        int me = omp_get_thread_num(), missing;
        run_queue(settings, &workers[me], &queue, end);
#pragma omp atomic
        queue.running--;
        /* threads that the system did not grant */
        missing = count - omp_get_num_threads();
        if (me == 0) {
#pragma omp atomic
            queue.running -= missing;
            wait_for_others(&workers[0], &queue);
        }
    }
#else
    run_queue(settings, workers, &queue, end);
#endif
    rs_blas_set_threads(blas_threads);
    return (rs_status)queue.failed;
}
