/* Questions about single features, each a search from one root. */
#include "method/exact/tree_roles.h"

#include <math.h>
#include <string.h>

/* the record's lists, as rs_tree_write() leaves them */
static int *ids_of(double *record, const rs_cdlsr_tree *t)
{
    return (int *)(record + 2 * (size_t)t->d);
}

/* where the column stands in the root; -1: it has gone */
static int place_of(int column, rs_cdlsr_tree *t)
{
    const int *id = ids_of(t->begin, t), N = id[t->d];
    for (int j = 0; j < N; j++)
        if (t->root.list[id[j] < 0 ? -1 - id[j] : id[j]] == column)
            return j;
    return -1;
}

/* what is late is left open */
static rs_status lose(rs_status status, rs_cdlsr_tree *t)
{
    if (status != RS_LATE)
        return status;
    t->search.lost = fmax(t->search.lost, t->bound);
    t->search.stopped = 1;
    return RS_OK;
}

static rs_status relax_root(const rs_tree_watch *watch, int *done,
                            double *bound, rs_cdlsr_tree *t)
{
    *done = 0;
    t->search.now = t->bound;
    *done = rs_tree_has_no_choice(t);
    if (!*done) {
        t->watch = watch;
        const rs_status status = lose(rs_tree_refine_root(done, t), t);
        t->watch = NULL;
        RS_TRY(status);
    }
    *bound = fmax(t->bound, t->search.pruned);
    *done = *done && !t->search.stopped;
    /* broken off, the node may be half changed: the root stays as it was */
    if (!*done && !t->search.stopped)
        rs_tree_write(-1, t->begin, t);
    return RS_OK;
}

rs_status rs_old_tree_pose(const rs_exact_settings *settings,
                       const rs_exact_fit *fit, const rs_tree_watch *watch,
                       int *done, double *bound, rs_cdlsr_tree *t)
{
    if (!t->begin) {
        t->begin = (double *)rs_alloc(t->ctx, rs_tree_record_size(t), 1);
        RS_TRY_ALLOC(t->begin);
    }
    RS_TRY(rs_tree_begin(t, settings, fit));
    rs_tree_start_root(fit, t);
    memcpy(t->relax.best_z, t->relax.z, (size_t)t->N * sizeof(double));
    rs_tree_write(-1, t->begin, t);
    return relax_root(watch, done, bound, t);
}

rs_status rs_tree_pose_again(const rs_exact_settings *settings,
                             const rs_exact_fit *fit,
                             const rs_tree_watch *watch, int *done,
                             double *bound, rs_cdlsr_tree *t)
{
    RS_TRY(rs_tree_begin(t, settings, fit));
    /* what has left the root explains no more than the cut did then */
    t->search.pruned = rs_bnb_cut(&t->search);
    rs_tree_read(t->begin, 0, *bound, t);
    return relax_root(watch, done, bound, t);
}

rs_status rs_old_tree_ask(const rs_exact_settings *settings,
                      const rs_exact_fit *fit, int column, int holds,
                      double nodes, rs_tree_answer *answer, rs_cdlsr_tree *t)
{
    int *id = ids_of(t->begin, t);
    int place = column >= 0 ? place_of(column, t) : -1;
    RS_TRY(rs_tree_begin(t, settings, fit));
    t->search.limits.nodes = nodes;
    t->search.pruned = rs_bnb_cut(&t->search);
    answer->nodes = 1.0;
    answer->complete = 1;
    /* the answer is known: such sets do not explain more than the cut */
    if (column >= 0 && (place < 0 || (!holds && id[place] < 0))) {
        answer->bound = t->search.pruned;
        return RS_OK;
    }
    if (place >= 0 && id[place] < 0) /* as all sets of the root do */
        place = -1;
    id[t->d + 2] = place;
    rs_tree_read(t->begin, holds && place >= 0, 1.0, t);
    id[t->d + 2] = -1;
    t->search.now = 1.0;
    RS_TRY(lose(rs_tree_process_node(t), t));
    t->search.now = -INFINITY;
    if (!t->search.stopped)
        RS_TRY(rs_bnb_run(&t->search));
    answer->complete = rs_bnb_is_complete(&t->search) && !t->search.stopped;
    answer->bound = fmin(rs_bnb_rest(&t->search), 1.0);
    answer->nodes += t->search.nodes;
    return RS_OK;
}

rs_status rs_tree_ask_all(const rs_exact_settings *settings,
                          const rs_exact_fit *fit,
                          const rs_tree_questions *questions,
                          rs_tree_answer *answer, rs_cdlsr_tree *t)
{
    t->questions = questions;
    const rs_status status =
        rs_old_tree_ask(settings, fit, -1, 0, INFINITY, answer, t);
    t->questions = NULL;
    return status;
}

void rs_tree_fix(int column, int holds, rs_cdlsr_tree *t)
{
    double *D = t->begin, *z = D + t->d;
    int *id = ids_of(t->begin, t), *size = id + t->d;
    const int place = place_of(column, t);
    if (place < 0)
        return;
    if (holds) {
        size[1] -= id[place] >= 0;
        if (id[place] >= 0)
            id[place] = -1 - id[place];
        return;
    }
    const size_t after = (size_t)(size[0] - place - 1);
    memmove(D + place, D + place + 1, after * sizeof *D);
    memmove(z + place, z + place + 1, after * sizeof *z);
    memmove(id + place, id + place + 1, after * sizeof *id);
    size[0]--;
}
