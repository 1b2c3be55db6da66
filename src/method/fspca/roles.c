#include "method/fspca/roles.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "method/fspca/branch.h"

/* values of sets are known up to this share */
#define RS_ROLES_VALUE_ERROR 1e-11
/* multiplications of the first climb, and of one for a question */
#define RS_ROLES_CLIMB 1e9
#define RS_ROLES_WORK 5e7
/* sweeps of a set that turns out not to be the best one */
#define RS_ROLES_SWEEPS 5
/* shares of the time of a tolerance: rounds at most, climbs at most */
#define RS_ROLES_ROUNDS 0.5
#define RS_ROLES_CLIMBS 0.15
/* time for a question in the first pass, as a share of what is left, and how it
 * grows from pass to pass; so many in a row that it did not do for end a pass */
#define RS_ROLES_QUESTION 0.02
#define RS_ROLES_GROW 4.0
#define RS_ROLES_FAILED 8
/* of the rows that are left, so many are marked before the rest is bounded anew
 */
#define RS_ROLES_FRESH 0.05

typedef struct {
    rs_certify s;
    const rs_role_settings *asked;
    rs_role_fit *fit;
    double seconds; /* of all */
    double end;     /* of the present tolerance, on the clock of the search */
    rs_trace_search all; /* exchanges among all features */
    int *swept;          /* k: the set that the exchanges belong to */
    int is_swept;        /* is there such a set? */
    int *slot;           /* d: for each feature the best place to take */
    double *promise;     /* d: what it has there at least */
    int *set;            /* k */
    int *climb;          /* k: the set that was climbed to, among the rows */
    /* exchanges among the rows that are left, or all of them */
    rs_arena arena;
    rs_covop near_op;
    rs_trace_search near;
    int is_loaded;
    int count;                     /* of these rows, */
    const int *rows;               /* which are these */
    int *every;                    /* d: 0, 1, ... */
    unsigned char *fixed, *barred; /* of these rows */
    int *place;                    /* d: among them, or -1 */
    unsigned char *climbed;        /* d: at the present tolerance */
    unsigned char *seen;           /* d: asked about in the present pass */
    rs_certify_tree *tree;
} finder;

static int is_over(const finder *f)
{
    return rs_clock_seconds(&f->s.search.clock) >= f->seconds;
}

/* the search goes on for so many seconds, within those of the tolerance */
static void allow(double seconds, finder *f)
{
    const double now = rs_clock_seconds(&f->s.search.clock);
    f->s.search.clock.limit = fmin(now + seconds, f->end);
    f->s.search.stopped = 0;
}

static double time_left(const finder *f)
{
    return f->end - rs_clock_seconds(&f->s.search.clock);
}

static int count_open(const finder *f)
{
    return rs_roles_undecided(rs_certify_witness_cut(&f->s), f->s.roles);
}

/* ---- exchanges -------------------------------------------------------------- */

/* the set with one place given to another feature */
static void meet_exchange(const int *set, int slot, int j, double promise,
                          finder *f)
{
    memcpy(f->set, set, (size_t)f->s.k * sizeof *set);
    f->set[slot] = j;
    rs_roles_meet(f->set, promise * (1.0 - RS_ROLES_VALUE_ERROR), f->s.roles);
}

/* T with j in the place a, where every set carries the sum of its variances */
static void sum_row(int slot, const int *set, double *row, const finder *f)
{
    const double *variance = f->s.op->diagonal;
    for (int j = 0; j < f->s.d; j++)
        row[j] = f->s.roles->value - variance[set[slot]] + variance[j];
}

/* row `slot` of the table of exchanges of J*; *best: the feature that promises
 * most there, or -1 */
static rs_status sweep_slot(int slot, int *best, finder *f)
{
    const rs_certify *s = &f->s;
    double *row = f->promise;
    if (s->m < s->k) {
        RS_TRY(f->all.value.exchanges(&f->all.trace, slot, row));
    } else {
        sum_row(slot, f->swept, row, f);
    }
    *best = -1;
    for (int j = 0; j < s->d; j++) {
        const int is_one = !s->roles->holds[j] && !s->locked[f->swept[slot]];
        const double value = is_one ? row[j] : -INFINITY;
        f->fit->exchange[slot + (size_t)s->k * j] = is_one ? value : NAN;
        if (is_one && (*best < 0 || value > row[*best]))
            *best = j;
    }
    return rs_poll(s->ctx);
}

/* witnesses among the exchanges: for every feature of J* the best one without it,
 * for every other one the best with it */
static rs_status sweep(finder *f)
{
    const rs_certify *s = &f->s;
    const double *table = f->fit->exchange;
    const size_t k = (size_t)s->k;
    memcpy(f->swept, s->roles->best, k * sizeof *f->swept);
    double worth;
    if (s->m < s->k)
        RS_TRY(rs_trace_search_load(&f->all, s->k, f->swept, &worth));
    for (int a = 0; a < s->k; a++) {
        int best;
        RS_TRY(sweep_slot(a, &best, f));
        if (best >= 0 && table[a + k * best] <= s->roles->value)
            meet_exchange(f->swept, a, best, table[a + k * best], f);
    }
    for (int j = 0; j < s->d; j++) {
        int slot = -1;
        for (int a = 0; a < s->k; a++)
            if (!isnan(table[a + k * j]) &&
                (slot < 0 || table[a + k * j] > table[slot + k * j]))
                slot = a;
        f->slot[j] = slot;
        if (slot >= 0 && table[slot + k * j] <= s->roles->value)
            meet_exchange(f->swept, slot, j, table[slot + k * j], f);
    }
    f->is_swept = 1;
    return RS_OK;
}

/* does the table belong to the best set? */
static int is_current(const finder *f)
{
    return f->is_swept && memcmp(f->swept, f->s.roles->best,
                                 (size_t)f->s.k * sizeof *f->swept) == 0;
}

/* the table of the best set, from which no exchange leads to a better one */
static rs_status keep_swept(finder *f)
{
    rs_certify *s = &f->s;
    for (int t = 0; t < RS_ROLES_SWEEPS && !is_current(f); t++) {
        double worth;
        if (s->m < s->k) {
            memcpy(f->set, s->roles->best, (size_t)s->k * sizeof *f->set);
            RS_TRY(rs_trace_search_exchange(&f->all, s->k, RS_ROLES_CLIMB,
                                            f->set, &worth));
            rs_certify_offer(f->set, worth, s);
        }
        RS_TRY(sweep(f));
    }
    return RS_OK;
}

/* ---- climbs ------------------------------------------------------------------ */

/* exchanges among the rows of the core, where these are all that is left;
 * otherwise among all rows */
static rs_status load_near(finder *f)
{
    rs_certify *s = &f->s;
    if (f->is_loaded)
        return RS_OK;
    f->is_loaded = 1;
    f->rows = s->core;
    f->count = s->p;
    if (s->p < s->left) {
        f->rows = f->every;
        f->count = s->d;
        f->near_op = *s->op;
    }
    for (int j = 0; j < s->d; j++)
        f->place[j] = -1;
    for (int i = 0; i < f->count; i++)
        f->place[f->rows[i]] = i;
    rs_arena_clear(&f->arena);
    if (f->count == s->p)
        RS_TRY(rs_covop_from_matrix(&f->arena.ctx, s->p, s->S, s->k,
                                    &f->near_op));
    RS_TRY(rs_trace_search_init(&f->arena.ctx, &f->near_op, s->k, s->m, 0,
                                &f->near));
    f->near.first = f->fixed;
    f->near.barred = f->barred;
    return RS_OK;
}

/* the set of the climb, by its features */
static void name_set(finder *f)
{
    for (int a = 0; a < f->s.k; a++)
        f->set[a] = f->rows[f->climb[a]];
}

/* the exchanges of the set that was climbed to, for open questions */
static rs_status spread(finder *f)
{
    rs_certify *s = &f->s;
    for (int slot = 0; slot < s->k; slot++) {
        if (s->locked[f->rows[f->climb[slot]]])
            continue;
        RS_TRY(f->near.value.exchanges(&f->near.trace, slot, f->promise));
        for (int i = 0; i < f->count; i++) {
            const double value = f->promise[i];
            const int row = f->rows[i];
            if (!(value > s->roles->low[row]) || value > s->roles->value ||
                s->roles->holds[row])
                continue;
            name_set(f);
            f->set[slot] = row;
            rs_roles_meet(f->set, value * (1.0 - RS_ROLES_VALUE_ERROR),
                          s->roles);
        }
    }
    return rs_poll(s->ctx);
}

/* the best exchange that answers the question of the row: a place of J* and the
 * row that takes it; 0: there is none */
static int first_exchange(int row, int *slot, int *enters, const finder *f)
{
    const rs_certify *s = &f->s;
    const double *table = f->fit->exchange;
    *enters = row;
    *slot = f->slot[row];
    if (!s->roles->holds[row])
        return *slot >= 0;
    *enters = -1;
    for (int a = 0; a < s->k; a++)
        if (f->swept[a] == row)
            *slot = a;
    for (int i = 0; i < f->count; i++) {
        const int j = f->rows[i];
        if (!s->roles->holds[j] &&
            (*enters < 0 || table[*slot + (size_t)s->k * j] >
                                table[*slot + (size_t)s->k * *enters]))
            *enters = j;
    }
    return *enters >= 0;
}

/* J* is at hand, with the row held in or kept out */
static int hold_row(int row, finder *f)
{
    const rs_certify *s = &f->s;
    const int with = !s->roles->holds[row];
    for (int i = 0; i < f->count; i++) {
        const int j = f->rows[i];
        f->fixed[i] = s->locked[j] || (with && j == row);
        f->barred[i] = s->found->out[j] || (!with && j == row);
    }
    for (int a = 0; a < s->k; a++) {
        f->climb[a] = f->place[f->swept[a]];
        if (f->climb[a] < 0)
            return 0;
    }
    return f->place[row] >= 0;
}

/* from the best exchange, with the row held in or kept out */
static rs_status climb_for(int row, finder *f)
{
    rs_certify *s = &f->s;
    int slot, enters;
    double worth;
    RS_TRY(keep_swept(f));
    RS_TRY(load_near(f));
    if (!rs_certify_is_open(row, s) ||
        !first_exchange(row, &slot, &enters, f) || !hold_row(row, f) ||
        f->place[enters] < 0)
        return RS_OK;
    f->climb[slot] = f->place[enters];
    RS_TRY(rs_trace_search_exchange(&f->near, s->k, RS_ROLES_WORK, f->climb,
                                    &worth));
    name_set(f);
    rs_certify_offer(f->set, worth, s);
    return worth >= rs_certify_witness_cut(s) ? spread(f) : RS_OK;
}

/* the place of the open row with the smallest bound that is not yet marked, or of
 * the best witness; -1: none */
static int next_open(int by_witness, const unsigned char *marked, int count,
                     const int *rows, const finder *f)
{
    const rs_certify *s = &f->s;
    double least = INFINITY;
    int best = -1;
    for (int i = 0; i < count; i++) {
        const int row = rows[i];
        if (marked[row] || !rs_certify_is_open(row, s))
            continue;
        const double value =
            by_witness ? -s->roles->low[row] : rs_roles_high(row, s->roles);
        if (best < 0 || value < least) {
            best = i;
            least = value;
        }
    }
    return best;
}

static rs_status climbs(finder *f)
{
    rs_certify *s = &f->s;
    int place;
    if (s->m == s->k)
        return RS_OK;
    allow(RS_ROLES_CLIMBS * time_left(f), f);
    while (!rs_bnb_is_late(&s->search) &&
           (place = next_open(1, f->climbed, s->left, s->list, f)) >= 0) {
        const int row = s->list[place];
        f->climbed[row] = 1;
        RS_TRY(climb_for(row, f));
    }
    allow(INFINITY, f);
    return RS_OK;
}

/* ---- questions ---------------------------------------------------------------- */

/* the bound of what is left, after rows were marked or the cut rose */
static rs_status bound_again(finder *f)
{
    f->is_loaded = 0;
    return rs_certify_again(&f->s);
}

/* has the tree all of what is left? */
static int is_whole(const finder *f)
{
    return !f->s.found->complete && f->s.p == f->s.left;
}

/* one question after the other, those with the smallest bound first */
static rs_status pass(double seconds, finder *f)
{
    rs_certify *s = &f->s;
    int place, marked = 0, failed = 0;
    memset(f->seen, 0, (size_t)s->d);
    while (is_whole(f) && time_left(f) > 0.0 && failed < RS_ROLES_FAILED &&
           (place = next_open(0, f->seen, s->p, s->core, f)) >= 0) {
        const int row = s->core[place];
        f->seen[row] = 1;
        if (!f->climbed[row] && s->m < s->k)
            RS_TRY(climb_for(row, f));
        f->climbed[row] = 1;
        if (!rs_certify_is_open(row, s))
            continue;
        allow(seconds, f);
        f->fit->questions += 1.0;
        RS_TRY(rs_certify_tree_ask(place, f->tree));
        allow(INFINITY, f);
        failed = rs_certify_is_open(row, s) ? failed + 1 : 0;
        marked += s->found->out[row] || s->found->in[row];
        if (marked > RS_ROLES_FRESH * s->p) {
            marked = 0;
            RS_TRY(bound_again(f));
        }
    }
    return marked > 0 && is_whole(f) ? bound_again(f) : RS_OK;
}

static rs_status questions(finder *f)
{
    double share = RS_ROLES_QUESTION;
    if (!is_whole(f))
        return RS_OK;
    if (!f->tree)
        RS_TRY(rs_certify_tree_init(&f->s, &f->tree));
    while (is_whole(f) && time_left(f) > 0.0 && count_open(f) > 0) {
        RS_TRY(pass(share * time_left(f), f));
        share = fmin(share * RS_ROLES_GROW, 1.0);
    }
    return RS_OK;
}

/* ---- counts --------------------------------------------------------------------- */

/* a set that the tree comes to, with what rounding leaves open of its value */
static int see(void *state, const int *set, double value)
{
    finder *f = (finder *)state;
    rs_role_fit *fit = f->fit;
    fit->status =
        rs_near_sets_meet(set, value * (1.0 - RS_ROLES_VALUE_ERROR),
                          value * (1.0 + RS_ROLES_VALUE_ERROR), &fit->near);
    return fit->status != RS_OK || fit->near.full;
}

/* all sets of this tolerance were seen, and so those of the smaller ones */
static void complete_counts(int level, finder *f)
{
    for (int t = 0; t <= level; t++)
        f->fit->complete[t] = 1;
}

/*
 * The sets of the present tolerance: where the rounds or the questions left
 * nothing, the best one alone, which is seen in any case; else all, by the tree,
 * and once more if one of them is better than the best one
 */
static rs_status count_sets(int level, finder *f)
{
    const rs_certify_visitor visitor = {see, f};
    rs_certify *s = &f->s;
    int complete = 0;
    double best;
    if (s->found->complete)
        complete_counts(level, f);
    if (!f->asked->list || !is_whole(f))
        return RS_OK;
    do {
        best = s->roles->value;
        RS_TRY(rs_certify_tree_visit(&visitor, &complete, f->tree));
        RS_TRY(f->fit->status);
    } while (s->roles->value > best && time_left(f) > 0.0);
    if (!complete || s->roles->value > best || f->fit->near.full)
        return RS_OK;
    complete_counts(level, f);
    rs_certify_close(s);
    return RS_OK;
}

/* ---- all of it --------------------------------------------------------------------- */

static rs_status make_room(finder *f)
{
    rs_context *ctx = f->s.ctx;
    const size_t d = (size_t)f->s.d, k = (size_t)f->s.k;
    RS_ALLOC_INTS(ctx, k, &f->swept, &f->set, &f->climb);
    RS_ALLOC_INTS(ctx, d, &f->slot, &f->place, &f->every);
    f->promise = rs_alloc_double(ctx, d);
    RS_ALLOC_BYTES(ctx, d, &f->fixed, &f->barred, &f->climbed, &f->seen);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < f->s.d; j++)
        f->every[j] = j;
    memset(f->fixed, 0, d);
    memset(f->barred, 0, d);
    rs_arena_init(ctx, &f->arena);
    return RS_OK;
}

/* what is open at one tolerance, within its share of the time */
static rs_status decide_level(int level, finder *f)
{
    rs_certify *s = &f->s;
    const double now = rs_clock_seconds(&s->search.clock);
    f->end = now + (f->seconds - now) / (level + 1);
    s->share = f->asked->tolerance[level];
    rs_certify_lower_cut(s);
    allow(RS_ROLES_ROUNDS * time_left(f), f);
    memset(f->climbed, 0, (size_t)s->d);
    if (level + 1 < f->asked->tolerances)
        RS_TRY(bound_again(f));
    f->is_loaded = 0;
    if (!s->found->complete && count_open(f) > 0)
        RS_TRY(rs_certify_rounds(s));
    if (s->found->complete)
        return count_sets(level, f);
    RS_TRY(climbs(f));
    allow(RS_ROLES_ROUNDS * time_left(f), f);
    if (count_open(f) > 0)
        RS_TRY(rs_certify_gather(s));
    RS_TRY(rs_certify_price_open(RS_ASK_WITH, s));
    RS_TRY(rs_certify_price_open(RS_ASK_WITHOUT, s));
    f->is_loaded = 0;
    allow(INFINITY, f);
    RS_TRY(questions(f));
    return count_sets(level, f);
}

static rs_status find(finder *f)
{
    rs_certify *s = &f->s;
    RS_TRY(keep_swept(f));
    RS_TRY(rs_certify_root(s));
    if (s->found->complete)
        complete_counts(f->asked->tolerances - 1, f);
    for (int level = f->asked->tolerances - 1;
         level >= 0 && !s->found->complete && !is_over(f); level--)
        RS_TRY(decide_level(level, f));
    return RS_OK;
}

/* what rounding of S may hide in the value of a set */
static double rounding_of(double value, int k, double samples,
                          const rs_covop *op)
{
    double largest = 0.0;
    for (int j = 0; j < op->d; j++)
        largest = fmax(largest, op->diagonal[j]);
    return DBL_EPSILON * (0.01 * samples + k + 64.0) * (k * largest + value);
}

static rs_status open_search(rs_context *ctx, rs_covop *op, int m,
                             const rs_certify_settings *settings,
                             rs_certificate *certificate, finder *f)
{
    const rs_role_settings *asked = f->asked;
    const int k = asked->k;
    const double value = certificate->value;
    RS_TRY(rs_role_begin(
        ctx, op->d, asked, certificate->out, certificate->in, value,
        value + 0.5 * rounding_of(value, k, settings->samples, op), f->fit));
    rs_roles_bound_all(certificate->bound, &f->fit->roles);
    RS_TRY(rs_certify_open(ctx, op, k, m, settings, certificate, &f->s));
    f->s.roles = &f->fit->roles;
    f->s.slack = f->fit->slack;
    f->s.share = asked->tolerance[asked->tolerances - 1];
    rs_certify_lower_cut(&f->s);
    f->seconds = f->end = settings->seconds;
    f->s.locked = certificate->in;
    RS_TRY(make_room(f));
    if (m < k)
        RS_TRY(rs_trace_search_init(ctx, op, k, m, 0, &f->all));
    f->all.first = certificate->in;
    return RS_OK;
}

rs_status rs_fspca_roles(rs_context *ctx, rs_covop *op, int m,
                         const rs_certify_settings *settings,
                         const rs_role_settings *asked,
                         rs_certificate *certificate, rs_role_fit *fit)
{
    finder f;
    rs_clock last;
    memset(&f, 0, sizeof f);
    f.asked = asked;
    f.fit = fit;
    RS_TRY(open_search(ctx, op, m, settings, certificate, &f));
    rs_certify_break_off(settings->seconds, &last, ctx);
    rs_status status = find(&f);
    ctx->clock = NULL;
    if (status != RS_LATE)
        RS_TRY(status);
    RS_TRY(keep_swept(&f));
    see(&f, f.s.roles->best, f.s.roles->value);
    RS_TRY(fit->status);
    rs_role_conclude(asked, certificate->bound, fit);
    fit->bound += fit->slack;
    fit->proved = 1;
    fit->nodes = certificate->nodes;
    fit->seconds = rs_clock_seconds(&f.s.search.clock);
    return RS_OK;
}
