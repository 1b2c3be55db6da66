/* A set that a search for roles comes to. */
#include "method/exact/roles_search.h"

int rs_roles_consider(void *self, const int *set)
{
    rs_roles_search *s = (rs_roles_search *)self;
    double least, most;
    int dependent;
    rs_set_value_of(s->asked->k, set, &least, &most, &dependent, &s->value);
    if (dependent)
        return 0;
    return rs_role_meet(s->asked, set, least, most, s->fit) ||
           (s->question >= 0 && !rs_role_is_left(s->question, s->cut, s->fit));
}
