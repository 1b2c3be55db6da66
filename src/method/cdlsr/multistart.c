/* Local search from forward selections with other first features, from what
 * features explain alone. */
#include "method/cdlsr/multistart.h"

#include <string.h>

/* of the sets that they lead to, so many are followed by exchanges */
#define RS_FOLLOWED 3

typedef struct {
    int *start;                    /* k: locked features, and the first one */
    double *alone;                 /* d: -1 where it has been tried */
    int *feature[RS_FOLLOWED];     /* k each: the best sets so far */
    double explained[RS_FOLLOWED]; /* -1: none */
} multistart;

static rs_status init(rs_context *ctx, const rs_lsq *p, int k, multistart *e)
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
static void keep(const rs_local *local, double least, multistart *e)
{
    int worst = 0;
    for (int i = 0; i < RS_FOLLOWED; i++) {
        if (e->explained[i] >= 0.0 &&
            rs_same_features(local->t.k, local->order, e->feature[i]))
            return;
        if (e->explained[i] < e->explained[worst] - least)
            worst = i;
    }
    if (local->t.explained <= e->explained[worst] + least)
        return;
    e->explained[worst] = local->t.explained;
    memcpy(e->feature[worst], local->order, (size_t)local->t.k * sizeof(int));
}

/* forward selection from the next first feature, behind `locked` ones; *any = 0
 * where there is none */
static rs_status try_next(rs_local *local, int locked, int k, double least,
                          multistart *e, int *any)
{
    rs_candidate first = rs_best_candidate(local->problem, e->alone);
    *any = first.feature >= 0;
    if (!*any)
        return RS_OK;
    e->alone[first.feature] = -1.0;
    e->start[locked] = first.feature;
    rs_status status = rs_local_take(local, locked + 1, e->start);
    if (status == RS_OK)
        status = rs_local_grow(local, k);
    if (status == RS_OK)
        keep(local, least, e);
    return status == RS_SINGULAR ? RS_OK : status;
}

rs_status rs_multistart(rs_context *ctx, rs_descent *descent,
                        const int *forward, rs_cdlsr_end *end, int *better)
{
    rs_local *local = &descent->local;
    const rs_lsq *p = local->problem;
    const double before = end->explained;
    const int most = descent->settings->firsts;
    int locked = 0, any = 1;
    multistart e;
    *better = 0;
    if (!local->able || most == 0)
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
        RS_TRY(try_next(local, locked, end->k, least, &e, &any));
    for (int i = 0; i < RS_FOLLOWED; i++)
        if (e.explained[i] >= 0.0)
            RS_TRY(rs_descend_in_tableau(descent, e.feature[i], end));
    *better = end->explained > before;
    return RS_OK;
}
