/* A set that may be better, evaluated from the data in twice the precision. */
#include "method/exact/branch_sets.h"

#include <math.h>

/* columns of the node, of p and of `last` (none where negative) */
int rs_branch_list(rs_branch *s, int depth, int p, int last)
{
    int count = 0;
    for (int i = 0; i < depth; i++)
        s->members[count++] = s->root.list[s->chosen[i]];
    if (p >= 0)
        s->members[count++] = s->root.list[p];
    if (last >= 0)
        s->members[count++] = s->root.list[last];
    return count;
}

/*
 * A set that may win: `most` is what it explains at most. What it explains is
 * found from the data; where they are not at hand, `about` is what rounding
 * lets one see of it. When it is late nothing is done: who visits the set
 * bounds it then.
 */
void rs_branch_try(rs_branch *s, int depth, int p, int last, double about,
                   double most)
{
    int count = rs_branch_list(s, depth, p, last);
    if (rs_bnb_is_late(&s->search))
        return;
    if (s->set->near) {
        s->search.stopped =
            s->set->near->meet(s->set->near->state, s->members);
        return;
    }
    if (s->accurate.able) {
        about = rs_accurate_explained(&s->accurate, count, s->members) /
                s->problem->total;
        most = about;
    }
    if (!rs_cannot_win(s, about))
        rs_bnb_offer(s->members, about, &s->search);
    if (!rs_cannot_win(s, most))
        s->unresolved = fmax(s->unresolved, fmin(most, 1.0));
}
