/* Tabu search among the features nearest to coming in, from a set that no
 * exchange improves. */
#include "method/cdlsr/tabu.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "la/linalg.h"

/* features of the pool for each place in the set, and for all together */
#define RS_POOL_EACH 16
#define RS_POOL_MOST 160
/* numbers that the columns of the pool may take */
#define RS_POOL_NUMBERS ((size_t)1 << 23)
/* exchanges of a round, per place in the set */
#define RS_TABU_EXCHANGES 6
/* gains that differ by less tie, relative to ||Y||^2 */
#define RS_TABU_TIE 1e-9

/* features near each place; data that a reader delivers have no single columns
 */
static int pool_each(const rs_lsq *problem, int k)
{
    if (problem->c == 0 || k < 2)
        return 0;
    int each = rs_min_int(RS_POOL_EACH, RS_POOL_MOST / k);
    if (problem->X) {
        size_t most = RS_POOL_NUMBERS / (size_t)problem->n / (size_t)k;
        if (!rs_data_has_twins(problem->X) || most == 0)
            return 0;
        if (most - 1 < (size_t)each)
            each = (int)most - 1;
    }
    return each;
}

rs_status rs_tabu_init(rs_context *ctx, const rs_lsq *problem, int k,
                       rs_tabu *tabu)
{
    const size_t d = (size_t)problem->d;
    const int each = pool_each(problem, k);
    const int room = rs_min_int(k + k * each, problem->d);
    memset(tabu, 0, sizeof *tabu);
    if (room <= k)
        return RS_OK;
    tabu->each = each;
    tabu->able = 1;
    RS_ALLOC_BYTES(ctx, d, &tabu->near, &tabu->kept);
    tabu->panel =
        rs_alloc_double(ctx, problem->X ? (size_t)problem->n * room : 0);
    tabu->G = rs_alloc_double(ctx, (size_t)room * room);
    tabu->B = rs_alloc_double(ctx, (size_t)room * problem->c);
    RS_ALLOC_INTS(ctx, (size_t)room, &tabu->feature, &tabu->enter,
                  &tabu->leave);
    RS_ALLOC_DOUBLES(ctx, (size_t)room, &tabu->gain, &tabu->bar);
    tabu->best = rs_alloc_int(ctx, (size_t)k);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_choose_init(ctx, d, &tabu->choose));
    return rs_tableau_init(ctx, room, k, problem->c, k, &tabu->t);
}

/* ---- the pool ------------------------------------------------------------ */

/* the set, then the features nearest to coming in for one of it; there is room
 * for all, so that the index decides nothing */
static rs_status choose_pool(rs_tabu *tabu, rs_subset *s)
{
    const int room = tabu->t.room;
    int m = s->k;
    RS_TRY(rs_subset_nearest(s, tabu->each, &tabu->choose, tabu->kept,
                             tabu->near));
    memcpy(tabu->feature, s->feature, (size_t)s->k * sizeof(int));
    for (int j = 0; j < s->problem->d && m < room; j++)
        if (tabu->near[j] && !s->closed[j])
            tabu->feature[m++] = j;
    tabu->count = m;
    return RS_OK;
}

/* G and B of the pool */
static rs_status load_pool(rs_tabu *tabu, rs_subset *s)
{
    const rs_lsq *p = s->problem;
    rs_tableau *t = &tabu->t;
    const int m = tabu->count, *feature = tabu->feature;
    const size_t n = (size_t)p->n, d = (size_t)p->d;
    for (int i = 0; i < m && p->X; i++)
        rs_lsq_column(p, feature[i], tabu->panel + n * i);
    if (p->X)
        RS_TRY(rs_gemm_polled(s->ctx, 'T', 'N', m, m, p->n, 1.0, tabu->panel,
                              p->n, tabu->panel, p->n, 0.0, tabu->G, m));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m && !p->X; j++)
            tabu->G[j + (size_t)m * i] = p->S[feature[j] + d * feature[i]];
        tabu->G[i + (size_t)m * i] += p->ridge;
        for (int l = 0; l < p->c; l++)
            tabu->B[i + (size_t)m * l] = p->B[feature[i] + d * l];
    }
    rs_tableau_give(t, m, tabu->G, tabu->B);
    return RS_OK;
}

/* the tableau of the set itself; 0 where its features are nearly dependent */
static int start_tableau(rs_tabu *tabu, int k)
{
    const size_t m = (size_t)tabu->t.m;
    for (int i = 0; i < k; i++)
        if (rs_tableau_add(&tabu->t, i) != RS_OK)
            return 0;
    memset(tabu->enter, 0, m * sizeof(int));
    memset(tabu->leave, 0, m * sizeof(int));
    return 1;
}

/* ---- the search ---------------------------------------------------------- */

typedef struct {
    int slot, in; /* slot = -1: none */
    double gain;
} tabu_move;

/* a move of that gain is taken before the best one so far: of those that tie
 * the one that brings in the larger variance before scaling, then the first */
static int comes_before(const rs_tabu *tabu, const rs_lsq *p, double gain,
                        int in, const tabu_move *best)
{
    const double tie = RS_TABU_TIE * p->total;
    if (best->slot < 0 || gain > best->gain + tie)
        return 1;
    return gain >= best->gain - tie &&
           p->deviation[tabu->feature[in]] >
               p->deviation[tabu->feature[best->in]];
}

/* the exchanges of one feature, which is held or not */
static void look_at(rs_tabu *tabu, const rs_lsq *p, int slot, int held,
                    double needed, tabu_move *best)
{
    const rs_tableau *t = &tabu->t;
    const double *gain = tabu->gain, *bar = tabu->bar;
    const double worth = best->gain - RS_TABU_TIE * p->total;
    for (int j = 0; j < t->m; j++) {
        if (gain[j] < worth || gain[j] == -HUGE_VAL || t->member[j])
            continue;
        if ((held || bar[j] < 0.0) && gain[j] <= needed)
            continue;
        if (comes_before(tabu, p, gain[j], j, best))
            *best = (tabu_move){slot, j, gain[j]};
    }
}

/* the best exchange that is open, or leads to a better set than any before */
static tabu_move best_move(rs_tabu *tabu, const rs_lsq *p, int now,
                           double needed)
{
    rs_tableau *t = &tabu->t;
    tabu_move best = {-1, -1, -HUGE_VAL};
    for (int j = 0; j < t->m; j++)
        tabu->bar[j] = t->member[j] || tabu->enter[j] > now ? -HUGE_VAL : 0.0;
    rs_tableau_prepare_exchanges(t, t->k, NULL);
    for (int slot = 0; slot < t->k; slot++) {
        const int out = t->feature[slot], held = tabu->leave[out] > now;
        if (p->first && p->first[tabu->feature[out]])
            continue;
        double least = best.gain - 2.0 * RS_TABU_TIE * p->total;
        if (best.slot >= 0 &&
            !rs_tableau_exchange_pays(t, slot, slot, tabu->bar,
                                      held ? needed : least, needed))
            continue;
        rs_tableau_top top =
            rs_tableau_exchange_gains(t, slot, slot, tabu->bar, tabu->gain);
        double most = top.any > needed ? top.any : held ? -HUGE_VAL : top.open;
        if (most > -HUGE_VAL && most >= best.gain - RS_TABU_TIE * p->total)
            look_at(tabu, p, slot, held, needed, &best);
    }
    return best;
}

/* from `least` on, less than twice that */
static int tenure(rs_tabu *tabu, int least)
{
    double share = 0.5 * (1.0 + rs_quasi_number(tabu->drawn++));
    return least + 1 + (int)(share * (least / 2 + 1));
}

/* the set of the tableau is the best one so far */
static void note_best(rs_tabu *tabu)
{
    const rs_tableau *t = &tabu->t;
    tabu->best_explained = t->explained;
    for (int i = 0; i < t->k; i++)
        tabu->best[i] = tabu->feature[t->feature[i]];
}

/* the feature number move->slot goes, move->in comes; 0 where neither it nor
 * the old one can come in */
static int make_move(rs_tableau *t, const tabu_move *move)
{
    const int out = t->feature[move->slot];
    rs_tableau_remove(t, move->slot);
    return rs_tableau_add(t, move->in) == RS_OK ||
           rs_tableau_add(t, out) == RS_OK;
}

/* the best exchange again and again */
static rs_status take_best_exchanges(rs_tabu *tabu, rs_subset *s, double least)
{
    rs_tableau *t = &tabu->t;
    const int steps = RS_TABU_EXCHANGES * t->k;
    const int stay = t->k / 3 > 2 ? t->k / 3 : 2;
    note_best(tabu);
    for (int now = 1; now <= steps; now++) {
        double needed = tabu->best_explained - t->explained + least;
        tabu_move move = best_move(tabu, s->problem, now, needed);
        if (move.slot < 0)
            continue;
        int out = t->feature[move.slot];
        if (!make_move(t, &move))
            return RS_OK;
        tabu->enter[out] = now + tenure(tabu, stay);
        tabu->leave[move.in] = now + tenure(tabu, stay / 3);
        if (t->explained > tabu->best_explained + least)
            note_best(tabu);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* exchanges in the pool as long as one gains */
static rs_status descend_in_pool(rs_tabu *tabu, rs_subset *s, double least)
{
    rs_tableau *t = &tabu->t;
    const int all = RS_TABU_EXCHANGES * t->k;
    for (int steps = 0; steps < all; steps++) {
        /* nothing is closed any more */
        tabu_move move = best_move(tabu, s->problem, INT_MAX, HUGE_VAL);
        if (move.slot < 0 || move.gain <= least || !make_move(t, &move))
            break;
        RS_TRY(rs_poll(s->ctx));
    }
    note_best(tabu);
    return RS_OK;
}

rs_status rs_tabu_round(rs_tabu *tabu, rs_descent *descent, rs_cdlsr_end *end,
                        int *better)
{
    rs_subset *s = descent->set;
    rs_tableau *t = &tabu->t;
    const double least = descent->settings->tol * s->problem->total;
    const double before = end->explained;
    const int k = s->k;
    *better = 0;
    RS_TRY(choose_pool(tabu, s));
    RS_TRY(load_pool(tabu, s));
    if (!start_tableau(tabu, k))
        return RS_OK;
    RS_TRY(take_best_exchanges(tabu, s, least));
    if (t->k < k)
        return RS_OK;
    if (tabu->best_explained <= before + least)
        RS_TRY(descend_in_pool(tabu, s, least));
    RS_TRY(rs_descend_by_exchange(descent, k, tabu->best, k, &descent->other));
    if (descent->other.k == k)
        rs_keep_better(descent, end, &descent->other);
    *better = end->explained > before;
    return RS_OK;
}
