/*
 * proof/role_search.h: what is asked about the sets of k features near the best
 * one, and what a search for the role of every feature answers, whatever the
 * value of a set is.
 *
 * With v the value of the best set known and a tolerance eps, the sets near it
 * have at least
 *
 *     cut = (1 - eps) v - slack,
 *
 * where the slack covers rounding: roles are read with this cut, so that
 * rounding can only leave a question undecided.
 */
#ifndef RS_ROLE_SEARCH_H
#define RS_ROLE_SEARCH_H

#include "proof/near_sets.h"
#include "proof/roles.h"

/* slack, as a share of the value of the best set */
#define RS_ROLE_SLACK 1e-9

typedef struct {
    int k;
    const int *given, *best; /* k: a set, and one to begin with */
    int tolerances;
    const double *tolerance; /* ascending */
    int list;                /* are all sets wanted, and how many there are? */
    double time_limit;
} rs_role_settings;

typedef struct {
    rs_roles roles;
    rs_near_sets near;
    unsigned char *open; /* d: may sets hold the feature, or not? */
    double *exchange;    /* k x d: the value of the best set with a feature in
                          * the place of its i-th; NaN: not known */
    double given;        /* of the given set */
    double bound;        /* no set has more */
    double slack;
    int *complete; /* tolerances: were all sets met? */
    int *stuck;    /* tolerances: would more time decide no question of it? */
    int proved;    /* do the bounds come from a search? */
    int late;      /* are questions left that more time might decide? */
    int better;    /* has a better set been met? Reset by the search */
    rs_status status; /* of keeping sets */
    double nodes, questions, seconds;
} rs_role_fit;

/* barred, first (or NULL): features in no set and in every one; the best set has
 * at least `value`, and no more than `most` */
rs_status rs_role_begin(rs_context *ctx, int d, const rs_role_settings *asked,
                        const unsigned char *barred,
                        const unsigned char *first, double value, double most,
                        rs_role_fit *fit);
double rs_role_cut(const rs_role_settings *asked, int tolerance,
                   const rs_role_fit *fit);
/* a set whose value lies between two numbers; nonzero: the search is to end, as a
 * better one has come up or there is no room for more */
int rs_role_meet(const rs_role_settings *asked, const int *set, double least,
                 double most, rs_role_fit *fit);
/* is the question of feature j open, and undecided at this cut? */
static inline int rs_role_is_left(int j, double cut, const rs_role_fit *fit)
{
    return fit->open[j] && !rs_roles_is_decided(j, cut, &fit->roles);
}
int rs_role_count_left(double cut, const rs_role_fit *fit);
/* all sets above `cut`, which is not above that of the tolerance, were met */
void rs_role_close(int tolerance, double cut, rs_role_fit *fit);
/* no set has more than `bound`: what follows for every feature */
void rs_role_conclude(const rs_role_settings *asked, double bound,
                      rs_role_fit *fit);

#endif
