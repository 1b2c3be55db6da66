#include "method/css/restart.h"

#include <string.h>

#include "base/random.h"

/* share of the features that are replaced, and how many at least */
#define RS_CSS_SHARE 0.25
#define RS_CSS_FEWEST 2
/* sweeps of exchanges in a round, about */
#define RS_CSS_SWEEPS 4.0

typedef struct {
    const rs_lsq *problem;
    rs_subset set;
    rs_history history;
    int k, fixed;        /* features, and how many of them stay */
    int *best, *trial;   /* k: those that stay first */
    int *open, choices;  /* d: the features that may come in */
    unsigned char *used; /* d: in the trial */
    int *queue;          /* k */
    double explained;    /* by the best set */
    size_t drawn;
} restarts;

static rs_status init(rs_context *ctx, const rs_lsq *p, int k, restarts *r)
{
    const size_t d = (size_t)p->d, width = (size_t)k;
    memset(r, 0, sizeof *r);
    r->problem = p;
    r->k = k;
    RS_ALLOC_INTS(ctx, width, &r->best, &r->trial, &r->queue);
    r->open = rs_alloc_int(ctx, d);
    r->used = (unsigned char *)rs_alloc(ctx, d, 1);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_history_init(ctx, 1, &r->history));
    for (int j = 0; j < p->d; j++)
        if (!p->barred[j])
            r->open[r->choices++] = j;
    return rs_subset_init(ctx, p, k, 1, &r->set);
}

/* the locked features first */
static void begin(const int *set, restarts *r)
{
    const unsigned char *locked = r->problem->first;
    int at = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < r->k; i++)
            if ((locked && locked[set[i]]) == (pass == 0))
                r->best[at++] = set[i];
    r->fixed = 0;
    while (locked && r->fixed < r->k && locked[r->best[r->fixed]])
        r->fixed++;
}

/* a number from 0 to count - 1 */
static int draw(int count, restarts *r)
{
    const double number = 0.5 * (1.0 + rs_quasi_number(r->drawn++));
    return rs_min_int((int)(number * count), count - 1);
}

/* some of the features of the trial by others */
static void perturb(restarts *r)
{
    const int free = r->k - r->fixed, d = r->problem->d;
    int change = rs_max_int(RS_CSS_FEWEST, (int)(RS_CSS_SHARE * free + 0.5));
    change = rs_min_int(change, rs_min_int(free, r->choices - r->k));
    memcpy(r->trial, r->best, (size_t)r->k * sizeof *r->trial);
    memset(r->used, 0, (size_t)d);
    for (int i = 0; i < r->k; i++)
        r->used[r->trial[i]] = 1;
    for (int i = 0; i < change; i++) {
        /* the slots that were drawn stand last */
        const int last = r->k - 1 - i;
        const int slot = r->fixed + draw(last + 1 - r->fixed, r);
        int in = r->open[draw(r->choices, r)];
        while (r->used[in])
            in = r->open[draw(r->choices, r)];
        r->used[in] = 1;
        r->trial[slot] = r->trial[last];
        r->trial[last] = in;
    }
}

/* exchanges from these features, in a factorisation made for them */
static rs_status exchange(double tol, int maxit, const int *features,
                          restarts *r)
{
    rs_subset *s = &r->set;
    RS_TRY(rs_subset_assign(s, r->k, features));
    if (s->k < r->k)
        RS_TRY(rs_subset_grow(s, r->k, NULL));
    rs_history_clear(&r->history);
    const rs_status status =
        rs_subset_exchange(s, tol, maxit, r->queue, &r->history);
    return status == RS_MAXIT ? RS_OK : status;
}

static int is_better(double tol, const restarts *r)
{
    return r->set.k == r->k &&
           r->set.explained > r->explained + tol * r->problem->total;
}

/* exchanges from the trial; is the end better, also without the rounding errors
 * of the way there? */
static rs_status descend(double tol, int maxit, restarts *r, int *better)
{
    rs_subset *s = &r->set;
    const size_t bytes = (size_t)r->k * sizeof *r->best;
    RS_TRY(exchange(tol, maxit, r->trial, r));
    *better = is_better(tol, r);
    if (!*better)
        return RS_OK;
    memcpy(r->trial, s->feature, bytes);
    RS_TRY(exchange(tol, maxit, r->trial, r));
    memcpy(r->trial, s->feature, bytes);
    RS_TRY(rs_subset_assign(s, r->k, r->trial));
    *better = is_better(tol, r);
    if (*better) {
        r->explained = s->explained;
        memcpy(r->best, s->feature, bytes);
    }
    return RS_OK;
}

/* multiplications of a round, about */
static double work_of(const rs_lsq *p, int k)
{
    const double n = p->X ? p->n : p->d, d = p->d;
    const double add = p->X ? n * (n + 4.0 * d) : d * d;
    const double scan = 8.0 * d * (k + p->c);
    return k * (RS_CSS_SWEEPS * scan + 2.0 * add);
}

rs_status rs_css_restart(rs_context *ctx, const rs_lsq *problem, int k,
                         const rs_css_effort *effort, double tol, int *set)
{
    restarts r;
    int better;
    const double each = work_of(problem, k);
    RS_TRY(init(ctx, problem, k, &r));
    begin(set, &r);
    if (r.fixed == k || r.choices - k < 1)
        return RS_OK;
    memcpy(r.trial, r.best, (size_t)k * sizeof *r.trial);
    RS_TRY(descend(tol, effort->maxit, &r, &better));
    if (!better) /* the set is not independent enough to begin with */
        return RS_OK;
    memcpy(set, r.best, (size_t)k * sizeof *set);
    begin(set, &r);
    double done = each;
    for (int still = 0;
         still < effort->quiet && done + each <= effort->restarts; still++) {
        perturb(&r);
        RS_TRY(descend(tol, effort->maxit, &r, &better));
        if (better) {
            memcpy(set, r.best, (size_t)k * sizeof *set);
            begin(set, &r);
            still = -1;
        }
        done += each;
        RS_TRY(rs_poll(ctx));
    }
    return RS_OK;
}
