#include "method/fspca/certify.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/select.h"
#include "method/fspca/branch.h"
#include "method/fspca/extend.h"

#define RS_CERTIFY_MEMORY 8
/* bytes that open nodes may take */
#define RS_CERTIFY_ROOM 2e8
/* evaluations in a round, and while the core grows */
#define RS_CERTIFY_ROUND 150
#define RS_CERTIFY_GROWING 80
/* smoothing, as shares of the unit: first, second, then from the third on half
 * as much after a round that left the core as it was, down to the last */
#define RS_CERTIFY_WIDE 0.3
#define RS_CERTIFY_MIDDLE 0.1
#define RS_CERTIFY_WIDTH 0.07
#define RS_CERTIFY_NARROW 0.002
/* rounds that lower the bound by less than this share of it count as idle */
#define RS_CERTIFY_PROGRESS 2e-4
#define RS_CERTIFY_IDLE 3
/* open questions are asked together for groups with so much of the relaxed set;
 * a round that takes less than a share of what their bounds are above the cut is
 * idle, and the next one is about a tenth of it, down to so little or so few
 * rows */
#define RS_CERTIFY_MASS 0.5
#define RS_CERTIFY_LITTLE 0.01
#define RS_CERTIFY_PAID 0.97
#define RS_CERTIFY_GROUP 3
/* their smoothing, as a share of what the bounds are above the cut */
#define RS_CERTIFY_SHARP 0.25
/* rows that join the core in a round, at least */
#define RS_CERTIFY_JOIN 130
/* rows that press on the core, for every row of the largest one */
#define RS_CERTIFY_PRESS 4
/* A search looks at its clock between its steps. So many seconds beyond its
 * limit, and a share of that, whatever is under way is broken off. */
#define RS_CERTIFY_GRACE 0.3
#define RS_CERTIFY_GRACE_SHARE 0.05
/* multiplications for a new set */
#define RS_CERTIFY_SWAPS 1e8
/* relative differences of values that count as none */
#define RS_CERTIFY_TIE 1e-10

/* the root is bounded by this */
static void note_bound(double bound, rs_certify *s)
{
    s->search.now = fmin(s->search.now, bound);
    rs_bnb_note(&s->search);
}

static void report(const char *what, const rs_certify *s)
{
    if (s->settings->report)
        s->settings->report(s->settings->report_state, what,
                            rs_bnb_bound(&s->search), s->search.value, s->left,
                            0.0);
}

/* ---- room ------------------------------------------------------------------ */

static rs_status make_room(rs_certify *s)
{
    const size_t d = (size_t)s->d, most = (size_t)s->settings->most;
    rs_context *ctx = s->ctx;
    const int press = rs_min_int(s->d, RS_CERTIFY_PRESS * (int)most);
    RS_TRY(rs_rlx_init(ctx, (int)most, press, s->m, &s->relax));
    const size_t size = rs_rlx_size(&s->relax, (int)most);
    const size_t room = d > size ? d : size;
    RS_TRY(rs_lbfgs_init(ctx, size, RS_CERTIFY_MEMORY, RS_CERTIFY_WINDOW,
                         &s->lbfgs));
    s->core = rs_alloc_int(ctx, most);
    s->inside = rs_alloc(ctx, most, 1);
    s->rows = rs_alloc_double(ctx, d * most);
    s->S = rs_alloc_double(ctx, most * most);
    RS_ALLOC_DOUBLES(ctx, room, &s->x, &s->y);
    s->L = rs_alloc_double(ctx, d * s->relax.r);
    s->metric = rs_alloc_double(ctx, size);
    RS_ALLOC_DOUBLES(ctx, d * RS_EXTEND_BLOCK, &s->block, &s->rest);
    s->some = rs_alloc_double(ctx, (size_t)RS_EXTEND_BLOCK * s->relax.r);
    s->DL = rs_alloc_double(ctx, most * s->relax.r);
    s->G = rs_alloc_double(ctx, (size_t)s->relax.r * s->relax.r);
    RS_ALLOC_INTS(ctx, d, &s->others, &s->joining, &s->order);
    s->kept = rs_alloc_int(ctx, most);
    s->places = rs_alloc_int(ctx, (size_t)s->k);
    RS_ALLOC_DOUBLES(ctx, d, &s->score, &s->entries, &s->column, &s->length,
                     &s->square, &s->own);
    s->largest = rs_alloc_double(ctx, (size_t)s->k);
    s->tau = rs_alloc_double(ctx, most);
    s->asked = rs_alloc(ctx, most, 1);
    s->mass = rs_alloc_double(ctx, d);
    RS_TRY(rs_allocated(ctx));
    rs_fill(d, 1.0, s->mass);
    if (s->m == s->k)
        return RS_OK;
    RS_TRY(rs_trace_search_init(ctx, s->op, s->k, s->m, 0, &s->rounding));
    s->rounding.first = s->locked;
    s->rounding.barred = s->barred;
    return RS_OK;
}

static rs_status begin(rs_certify *s)
{
    const size_t d = (size_t)s->d;
    s->list = rs_alloc_int(s->ctx, d);
    RS_ALLOC_BYTES(s->ctx, d, &s->is_core, &s->locked, &s->barred);
    RS_ALLOC_DOUBLES(s->ctx, d, &s->sum, &s->h, &s->topk, &s->terms);
    s->chosen = rs_alloc_int(s->ctx, (size_t)s->k);
    RS_ALLOC_BYTES(s->ctx, d, &s->marks, &s->verdict);
    s->A = rs_alloc_double(s->ctx, (size_t)s->k * s->k);
    s->values = rs_alloc_double(s->ctx, (size_t)s->k);
    RS_TRY(rs_allocated(s->ctx));
    RS_TRY(rs_eigen_init(s->ctx, s->k, &s->eigen));
    memset(s->is_core, 0, d);
    memcpy(s->locked, s->found->in, d);
    memcpy(s->barred, s->found->out, d);
    s->left = 0;
    for (int j = 0; j < s->d; j++)
        if (!s->found->out[j])
            s->list[s->left++] = j;
    s->unit = fmax(s->found->value / s->k, DBL_MIN);
    return RS_OK;
}

/* ---- values ---------------------------------------------------------------- */

/* the k rows of the core with the largest z, improved by exchanges */
static rs_status try_rounding(rs_certify *s)
{
    double value;
    if (s->m == s->k || s->p < s->k || s->k == s->d)
        return RS_OK;
    rs_rlx_round(s->core, s->chosen, s->topk, &s->relax);
    RS_TRY(rs_trace_search_exchange(&s->rounding, s->k, RS_CERTIFY_SWAPS,
                                    s->chosen, &value));
    if (s->roles || value > s->search.value * (1.0 + RS_CERTIFY_TIE))
        rs_certify_offer(s->chosen, value, s);
    return RS_OK;
}

/* ---- elimination ----------------------------------------------------------- */

/*
 * Bounds of the sets with a row and without it, of those that are left and of
 * those that were left out. terms and marks are those of the rows that are left
 */
static void keep_bounds(double F, rs_certify *s)
{
    double smallest, next;
    const double pruned = s->search.pruned, most = fmax(F, pruned);
    rs_rlx_sum(s->left, s->terms, s->marks, s->k, &smallest, &next, s->sum);
    rs_roles_bound_all(most, s->roles);
    for (int a = 0; a < s->left; a++) {
        const int i = s->list[a], inside = s->marks[a];
        const double h = s->terms[a];
        double with = F, without = F;
        if (!inside && h <= smallest)
            with = isfinite(smallest) ? F - smallest + h : pruned;
        if (inside || (h >= smallest && !(next > -INFINITY)))
            without = pruned;
        else if (h >= smallest)
            without = F - h + next;
        rs_roles_bound_with(i, fmax(with, pruned), s->roles);
        rs_roles_bound_without(i, fmax(without, pruned), s->roles);
    }
}

/* rows that are out leave the list; *gone counts them */
static void shorten_list(int *gone, rs_certify *s)
{
    int at = 0;
    for (int a = 0; a < s->left; a++)
        if (!s->found->out[s->list[a]])
            s->list[at++] = s->list[a];
    *gone = s->left - at;
    s->left = at;
}

/*
 * By the terms h of the rows that are left and the eigenvalue part: the bound,
 * rows out and rows in. *gone: rows that left.
 */
static void eliminate(int *gone, rs_certify *s)
{
    double F = s->part + rs_certify_sum(s);
    F += 1e-13 * fabs(F);
    note_bound(F, s);
    if (s->roles)
        keep_bounds(F, s);
    if (rs_certify_screen(F, s->left, s->terms, s->marks, s->verdict, s))
        s->found->complete = 1;
    for (int a = 0; a < s->left; a++) {
        s->found->out[s->list[a]] = s->verdict[a] == RS_ROW_OUT;
        s->found->in[s->list[a]] = s->verdict[a] == RS_ROW_IN;
    }
    shorten_list(gone, s);
}

/* the set that remains: its value, from the columns of the rows */
static rs_status try_last(rs_certify *s)
{
    for (int a = 0, at = 0; a < s->left; a++)
        if (s->left == s->k || s->found->in[s->list[a]])
            s->chosen[at++] = s->list[a];
    double *columns = rs_alloc_double(s->ctx, (size_t)s->d * s->k), value;
    RS_TRY_ALLOC(columns);
    RS_TRY(rs_covop_columns(s->op, s->k, s->chosen, columns));
    for (int b = 0; b < s->k; b++)
        for (int a = 0; a <= b; a++)
            s->A[a + (size_t)b * s->k] =
                columns[s->chosen[a] + (size_t)b * s->d];
    RS_TRY(rs_eigen_sum(s->k, s->A, s->m, s->values, NULL, &value, &s->eigen));
    rs_certify_offer(s->chosen, value, s);
    return RS_OK;
}

/* are few enough rows left, or enough of them in every set? Then one set, or
 * none, remains. */
static rs_status close_if_one_remains(rs_certify *s)
{
    int in = 0;
    for (int a = 0; a < s->left; a++)
        in += s->found->in[s->list[a]];
    if (s->found->complete || (s->left > s->k && in < s->k))
        return RS_OK;
    if (in <= s->k && s->left >= s->k)
        RS_TRY(try_last(s));
    rs_certify_close(s);
    return RS_OK;
}

/* ---- the core -------------------------------------------------------------- */

/* S on the core, and the relaxation about it */
static void set_core(rs_certify *s)
{
    const int p = s->p;
    for (int j = 0; j < p; j++) {
        for (int i = 0; i < p; i++)
            s->S[i + (size_t)j * p] = s->rows[s->core[i] + (size_t)s->d * j];
        s->inside[j] = s->found->in[s->core[j]];
    }
    rs_symmetrise(p, s->S);
    rs_rlx_about(p, s->k, s->S, s->inside, &s->relax);
}

/* rows that are out leave the core */
static void shrink_core(rs_certify *s)
{
    int q = 0;
    for (int i = 0; i < s->p; i++)
        if (!s->found->out[s->core[i]])
            s->kept[q++] = i;
    if (q < s->p) {
        rs_rlx_restrict(s->p, q, s->kept, s->x, s->y, &s->relax);
        rs_copy(rs_rlx_size(&s->relax, q), s->y, s->x);
        for (int i = 0; i < q; i++) {
            const int from = s->kept[i];
            s->core[i] = s->core[from];
            if (from > i)
                rs_copy((size_t)s->d, s->rows + (size_t)s->d * from,
                        s->rows + (size_t)s->d * i);
        }
        s->p = q;
    }
}

/*
 * The first core: the best set, the rows in every set, and of the others those
 * with the largest sum of squares with the best set, and variances.
 */
static rs_status first_core(rs_certify *s)
{
    const int core = s->settings->core;
    const int most = rs_min_int(core + core / 4, s->settings->most);
    const int first =
        s->left <= most ? s->left : rs_min_int(core, s->settings->most);
    double *score = s->score, *column = s->column;
    rs_fill((size_t)s->d, 0.0, score);
    for (int a = 0; a < s->k; a++) {
        RS_TRY(rs_covop_columns(s->op, 1, s->search.set + a, column));
        for (int j = 0; j < s->d; j++)
            score[j] += fabs(column[j]) / s->k;
    }
    for (int j = 0; j < s->d; j++)
        score[j] =
            s->found->out[j] ? -1.0 : score[j] + 0.5 * s->op->diagonal[j];
    for (int a = 0; a < s->k; a++)
        if (!s->found->out[s->search.set[a]])
            score[s->search.set[a]] = INFINITY;
    for (int a = 0; a < s->left; a++)
        if (s->found->in[s->list[a]])
            score[s->list[a]] = INFINITY;
    rs_topk_order(s->d, score, first, s->core, s->topk);
    s->p = first;
    for (int i = 0; i < first; i++)
        s->is_core[s->core[i]] = 1;
    RS_TRY(rs_covop_columns(s->op, first, s->core, s->rows));
    set_core(s);
    return RS_OK;
}

/* L along the leading eigenvectors of the best set */
static rs_status start_variables(rs_certify *s)
{
    const int k = s->k, p = s->p;
    double *V = rs_alloc_double(s->ctx, (size_t)k * s->m);
    double *basis = rs_alloc_double(s->ctx, (size_t)p * s->m);
    RS_TRY(rs_allocated(s->ctx));
    rs_fill((size_t)p * s->m, 0.0, basis);
    for (int a = 0; a < k; a++) {
        s->places[a] = -1;
        for (int i = 0; i < p; i++)
            if (s->core[i] == s->search.set[a])
                s->places[a] = i;
        if (s->places[a] < 0) /* the best set was left out: it has no equal */
            return rs_rlx_start(NULL, NULL, s->unit, s->x, &s->relax), RS_OK;
    }
    for (int b = 0; b < k; b++)
        for (int a = 0; a <= b; a++)
            s->A[a + (size_t)b * k] =
                s->S[s->places[a] + (size_t)s->places[b] * p];
    RS_TRY(rs_eigen_largest(k, s->A, s->m, s->values, V, &s->eigen));
    for (int c = 0; c < s->m; c++) {
        for (int a = 0; a < k; a++)
            basis[s->places[a] + (size_t)c * p] = V[a + (size_t)c * k];
        s->values[c] *= 0.5;
    }
    rs_rlx_start(basis, s->values, s->unit, s->x, &s->relax);
    return RS_OK;
}

/* ---- rounds ---------------------------------------------------------------- */

/* the rows outside with h above the floor join the core, as far as it may
 * grow, and all of them once few rows are left; *count of them */
static rs_status price(double floor, int *count, rs_certify *s)
{
    const int room = s->settings->most - s->p;
    const int all = s->gathers || s->left <= s->settings->few;
    int above = 0;
    for (int j = 0; j < s->d; j++) {
        const int outside = !s->is_core[j] && !s->found->out[j];
        s->score[j] =
            outside && (all || s->h[j] > floor) ? s->h[j] : -INFINITY;
        above += s->score[j] > -INFINITY;
    }
    *count =
        rs_min_int(above, rs_min_int(room, rs_max_int(RS_CERTIFY_JOIN, s->k)));
    if (*count < 1) {
        *count = 0;
        return RS_OK;
    }
    rs_topk_order(s->d, s->score, *count, s->joining, s->topk);
    return rs_certify_join(*count, s->joining, s);
}

/* another core, where less than a set is left of the one that there was */
static rs_status begin_again(int *came, rs_certify *s)
{
    memset(s->is_core, 0, (size_t)s->d);
    RS_TRY(first_core(s));
    RS_TRY(start_variables(s));
    *came = s->p;
    return RS_OK;
}

/* the bound at the present variables, and what follows from it: rows that left,
 * rows that joined the core */
static rs_status conclude(int *gone, int *came, rs_certify *s)
{
    double bound, smallest, next;
    *gone = *came = 0;
    RS_TRY(rs_rlx_bound(s->x, &bound, &s->relax));
    rs_rlx_sum(s->p, s->relax.h, s->inside, s->k, &smallest, &next, s->sum);
    for (int i = 0; i < s->p; i++)
        s->h[s->core[i]] = s->relax.h[i];
    if (!isfinite(bound))
        return RS_OK;
    s->part = s->relax.eigenpart;
    if (s->p < s->left) {
        const double spare = fmax(bound - rs_bnb_cut(&s->search), 0.0);
        rs_status status = rs_certify_extend(smallest, spare, s);
        if (status == RS_SINGULAR)
            return RS_OK;
        RS_TRY(status);
    }
    eliminate(gone, s);
    RS_TRY(close_if_one_remains(s));
    if (s->found->complete)
        return RS_OK;
    if (s->p < s->left)
        RS_TRY(price(smallest, came, s));
    shrink_core(s);
    if (s->p < s->k)
        return begin_again(came, s);
    set_core(s);
    if (s->p < s->left && s->p == s->settings->most)
        rs_certify_keep_outside(s);
    return RS_OK;
}

/* is every question answered, where roles are asked for? */
static int is_answered(const rs_certify *s)
{
    return s->roles &&
           rs_roles_undecided(rs_certify_witness_cut(s), s->roles) == 0;
}

/* is it time to branch, or to stop? */
static int is_enough(int idle, rs_certify *s)
{
    return s->found->complete || rs_bnb_is_late(&s->search) ||
           is_answered(s) || idle >= RS_CERTIFY_IDLE ||
           (idle >= 1 && s->left <= s->settings->few && s->p == s->left);
}

static int evaluations(int came)
{
    return came ? RS_CERTIFY_GROWING : RS_CERTIFY_ROUND;
}

/* a round that left the core as it was asks for less smoothing */
static double narrower(double width, int came)
{
    return came > 0 ? width : fmax(0.5 * width, RS_CERTIFY_NARROW);
}

rs_status rs_certify_rounds(rs_certify *s)
{
    int idle = 0, gone, came = s->p < s->left;
    double width = RS_CERTIFY_WIDTH;
    RS_TRY(rs_certify_minimise(RS_CERTIFY_WIDE * s->unit, evaluations(came),
                               s->x, s));
    RS_TRY(rs_certify_minimise(RS_CERTIFY_MIDDLE * s->unit, evaluations(came),
                               s->x, s));
    while (!is_enough(idle, s)) {
        const double before = s->search.now, value = s->search.value;
        RS_TRY(rs_certify_minimise(
            width * s->unit, evaluations(came || s->relax.outside), s->x, s));
        RS_TRY(try_rounding(s));
        RS_TRY(conclude(&gone, &came, s));
        report("relaxation", s);
        const double fall = before - s->search.now;
        idle = gone + came > 0 || s->search.value > value ||
                       fall > RS_CERTIFY_PROGRESS * before
                   ? 0
                   : idle + 1;
        width = narrower(width, came || s->relax.outside);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* is the question of this row of the core open, with it or without it? */
static int is_asked(int i, rs_ask asking, const rs_certify *s)
{
    const int row = s->core[i];
    const rs_ask own = s->roles->holds[row] ? RS_ASK_WITHOUT : RS_ASK_WITH;
    return own == asking && !s->inside[i] && rs_certify_is_open(row, s);
}

/*
 * Of these rows, those are marked that have the least of the relaxed set, together
 * no more than `most` of a row, or of what lacks: where a group has a whole row of
 * it, asking for one of them asks for nothing. Count of them.
 */
static int mark_asked(double most, rs_ask asking, rs_certify *s)
{
    int open = 0, count = 0;
    double mass = 0.0;
    for (int i = 0; i < s->p; i++) {
        s->asked[i] = 0;
        if (is_asked(i, asking, s)) {
            s->score[open] = -s->mass[s->core[i]];
            s->kept[open++] = i;
        }
    }
    if (open > 0)
        rs_topk_order(open, s->score, open, s->order, s->topk);
    while (count < open && (mass -= s->score[s->order[count]]) <= most) {
        s->asked[s->kept[s->order[count]]] = 1;
        count++;
    }
    return count;
}

/* how much of each row is in the relaxed set at the present variables, or out of
 * it */
static rs_status measure_mass(rs_ask asking, rs_certify *s)
{
    double value;
    s->relax.width = RS_CERTIFY_NARROW * s->unit;
    RS_TRY(rs_rlx_smooth(&s->relax, s->x, &value, s->y));
    for (int i = 0; i < s->p; i++)
        s->mass[s->core[i]] =
            asking == RS_ASK_WITH ? s->relax.z[i] : 1.0 - s->relax.z[i];
    return RS_OK;
}

/* how many questions are open, and the sum of their bounds above the cut */
static int count_open(double *excess, rs_certify *s)
{
    const double cut = rs_bnb_cut(&s->search);
    int count = 0;
    *excess = 0.0;
    for (int a = 0; a < s->left; a++)
        if (rs_certify_is_open(s->list[a], s)) {
            *excess += fmax(rs_roles_high(s->list[a], s->roles) - cut, 0.0);
            count++;
        }
    return count;
}

/* of the smoothing, for rows with these bounds above the cut */
static double width_for(int open, double excess, const rs_certify *s)
{
    return fmin(
        fmax(RS_CERTIFY_SHARP * excess / open, RS_CERTIFY_NARROW * s->unit),
        RS_CERTIFY_MIDDLE * s->unit);
}

rs_status rs_certify_price_open(rs_ask asking, rs_certify *s)
{
    int gone, came = 0;
    double most = RS_CERTIFY_MASS, excess, after;
    if (s->found->complete || rs_bnb_is_late(&s->search))
        return RS_OK;
    RS_TRY(measure_mass(asking, s));
    while (!s->found->complete && !rs_bnb_is_late(&s->search) &&
           most > RS_CERTIFY_LITTLE &&
           mark_asked(most, asking, s) >= RS_CERTIFY_GROUP) {
        const int open = count_open(&excess, s);
        rs_rlx_ask(asking, s->asked, &s->relax);
        RS_TRY(rs_certify_minimise(width_for(open, excess, s),
                                   evaluations(came), s->x, s));
        RS_TRY(conclude(&gone, &came, s));
        report("prices", s);
        if (came == 0 && count_open(&after, s) == open &&
            after >= RS_CERTIFY_PAID * excess)
            most *= 0.1;
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

rs_status rs_certify_gather(rs_certify *s)
{
    int gone, came, idle = 0;
    s->gathers = 1;
    while (idle < RS_CERTIFY_IDLE && !s->found->complete && s->p < s->left &&
           s->left <= s->settings->most && !rs_bnb_is_late(&s->search)) {
        RS_TRY(conclude(&gone, &came, s));
        idle = came > 0 ? 0 : idle + 1;
        if (idle > 0)
            RS_TRY(rs_certify_minimise(RS_CERTIFY_NARROW * s->unit,
                                       RS_CERTIFY_GROWING, s->x, s));
    }
    s->gathers = 0;
    return RS_OK;
}

rs_status rs_certify_again(rs_certify *s)
{
    int gone, came;
    shorten_list(&gone, s);
    RS_TRY(close_if_one_remains(s));
    if (s->found->complete)
        return RS_OK;
    shrink_core(s);
    if (s->p < s->k)
        return begin_again(&came, s);
    set_core(s);
    return conclude(&gone, &came, s);
}

/* ---- all of it ------------------------------------------------------------- */

rs_status rs_certify_root(rs_certify *s)
{
    double smallest, next;
    int gone;
    RS_TRY(begin(s));
    s->found->diagonal = rs_rlx_sum(s->d, s->op->diagonal, s->found->in, s->k,
                                    &smallest, &next, s->sum);
    /* U = 0, M = S, alpha = 0: the largest variances */
    rs_copy((size_t)s->d, s->op->diagonal, s->h);
    s->part = 0.0;
    eliminate(&gone, s);
    RS_TRY(close_if_one_remains(s));
    if (s->found->complete || rs_bnb_is_late(&s->search))
        return RS_OK;
    RS_TRY(make_room(s));
    RS_TRY(first_core(s));
    return start_variables(s);
}

static rs_status search(rs_certify *s)
{
    RS_TRY(rs_certify_root(s));
    if (s->found->complete || rs_bnb_is_late(&s->search))
        return RS_OK;
    RS_TRY(rs_certify_rounds(s));
    if (s->found->complete || s->p < s->left || s->left > s->settings->few)
        return RS_OK;
    return rs_certify_branch(s);
}

/* the engine, with the root as its present node */
static rs_status start_engine(rs_certify *s)
{
    const rs_bnb_problem none = {NULL, 0, NULL, NULL};
    const rs_bnb_limits limits = {RS_BEST_FIRST, s->settings->seconds,
                                  s->settings->nodes, RS_CERTIFY_ROOM,
                                  s->settings->tie * s->found->value};
    RS_TRY(rs_bnb_init(s->ctx, &none, &limits, s->k, s->found->set,
                       s->found->value, &s->search));
    s->search.now = s->found->bound;
    return RS_OK;
}

/* what is known at the end, with what rounding of S itself may hide: its
 * entries are sums over the samples */
static void conclude_search(rs_certify *s)
{
    rs_certificate *found = s->found;
    if (found->complete)
        s->search.now = -INFINITY;
    rs_bnb_note(&s->search);
    memcpy(found->set, s->search.set, (size_t)s->k * sizeof *found->set);
    found->value = s->search.value;
    const double slack = DBL_EPSILON *
                         (0.01 * s->settings->samples + s->k + 64.0) *
                         (found->diagonal + found->value);
    found->bound =
        fmax(fmin(found->bound, rs_bnb_bound(&s->search)), found->value) +
        slack;
    found->trace = s->search.trace;
    found->seconds = rs_clock_seconds(&s->search.clock);
}

rs_status rs_certify_open(rs_context *ctx, rs_covop *op, int k, int m,
                          const rs_certify_settings *settings,
                          rs_certificate *found, rs_certify *s)
{
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    s->op = op;
    s->d = op->d;
    s->k = k;
    s->m = m;
    s->how_far = *settings;
    s->how_far.most = rs_min_int(settings->most, op->d);
    s->settings = &s->how_far;
    s->found = found;
    found->complete = 0;
    found->nodes = found->evaluations = 0.0;
    return start_engine(s);
}

void rs_certify_break_off(double seconds, rs_clock *last, rs_context *ctx)
{
    rs_clock_start(RS_CERTIFY_GRACE + (1.0 + RS_CERTIFY_GRACE_SHARE) * seconds,
                   last);
    ctx->clock = last;
}

rs_status rs_fspca_certify(rs_context *ctx, rs_covop *op, int k, int m,
                           const rs_certify_settings *settings,
                           rs_certificate *found)
{
    rs_certify s;
    rs_clock last;
    RS_TRY(rs_certify_open(ctx, op, k, m, settings, found, &s));
    rs_certify_break_off(settings->seconds, &last, ctx);
    rs_status status = search(&s);
    ctx->clock = NULL;
    if (status == RS_LATE) /* what was said before holds */
        found->complete = 0;
    else
        RS_TRY(status);
    conclude_search(&s);
    return RS_OK;
}
