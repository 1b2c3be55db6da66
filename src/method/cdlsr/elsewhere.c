#include "method/cdlsr/elsewhere.h"

#include <string.h>

/* of the sets that they lead to, so many are followed by exchanges */
#define RS_FOLLOWED 3

typedef struct {
    int *start;                    /* k: locked features, and the first one */
    double *alone;                 /* d: -1 where it has been tried */
    int *feature[RS_FOLLOWED];     /* k each: the best sets so far */
    double explained[RS_FOLLOWED]; /* -1: none */
} elsewhere;

static rs_status init(rs_context *ctx, const rs_lsq *p, int k, elsewhere *e)
{
    e->start = rs_alloc_int(ctx, (size_t)k);
    e->alone = rs_alloc_double(ctx, (size_t)p->d);
    for (int i = 0; i < RS_FOLLOWED; i++) {
        e->feature[i] = rs_alloc_int(ctx, (size_t)k);
        e->explained[i] = -1.0;
    }
    RS_TRY(rs_allocated(ctx));
    rs_explained_alone(p, e->alone);
    return RS_OK;
}

/* the set of the tableau, in the place of the worst one that is kept, where it
 * is another one and better */
static void keep(const rs_walk *walk, double least, elsewhere *e)
{
    int worst = 0;
    for (int i = 0; i < RS_FOLLOWED; i++) {
        if (e->explained[i] >= 0.0 &&
            rs_same_features(walk->t.k, walk->order, e->feature[i]))
            return;
        if (e->explained[i] < e->explained[worst] - least)
            worst = i;
    }
    if (walk->t.explained <= e->explained[worst] + least)
        return;
    e->explained[worst] = walk->t.explained;
    memcpy(e->feature[worst], walk->order, (size_t)walk->t.k * sizeof(int));
}

/* forward selection from the next first feature, behind `locked` ones; *any = 0
 * where there is none */
static rs_status try_next(rs_walk *walk, int locked, int k, double least,
                          elsewhere *e, int *any)
{
    rs_candidate first = rs_best_candidate(walk->problem, e->alone);
    *any = first.feature >= 0;
    if (!*any)
        return RS_OK;
    e->alone[first.feature] = -1.0;
    e->start[locked] = first.feature;
    rs_status status = rs_walk_take(walk, locked + 1, e->start);
    if (status == RS_OK)
        status = rs_walk_grow(walk, k);
    if (status == RS_OK)
        keep(walk, least, e);
    return status == RS_SINGULAR ? RS_OK : status;
}

rs_status rs_start_elsewhere(rs_context *ctx, rs_descent *descent,
                             const int *forward, rs_cdlsr_end *end,
                             int *better)
{
    rs_walk *walk = &descent->walk;
    const rs_lsq *p = walk->problem;
    const double before = end->explained;
    const int most = descent->settings->firsts;
    int locked = 0, any = 1;
    elsewhere e;
    *better = 0;
    if (!walk->able || most == 0)
        return RS_OK;
    const double least = descent->settings->tol * p->total;
    RS_TRY(init(ctx, p, end->k, &e));
    while (p->first && locked < end->k && p->first[forward[locked]])
        locked++;
    if (locked == end->k)
        return RS_OK;
    memcpy(e.start, forward, (size_t)locked * sizeof(int));
    for (int l = 0; l <= locked; l++)
        e.alone[forward[l]] = -1.0;
    for (int tried = 0; tried < most && any; tried++)
        RS_TRY(try_next(walk, locked, end->k, least, &e, &any));
    for (int i = 0; i < RS_FOLLOWED; i++)
        if (e.explained[i] >= 0.0)
            RS_TRY(rs_descend_in_tableau(descent, e.feature[i], end));
    *better = end->explained > before;
    return RS_OK;
}
