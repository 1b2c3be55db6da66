/*
 * proof/role_search.c: sets that a search for roles meets, and what follows in
 * the end, see role_search.h.
 */
#include "proof/role_search.h"

#include <math.h>
#include <string.h>

/* what rounding may hide where the best set has from `least` to `most` */
static double slack_of(double least, double most)
{
    return RS_ROLE_SLACK * least + 2.0 * (most - least);
}

rs_status rs_role_begin(rs_context *ctx, int d, const rs_role_settings *asked,
                        const unsigned char *barred,
                        const unsigned char *first, double value, double most,
                        rs_role_fit *fit)
{
    const size_t k = (size_t)asked->k, cells = k * (size_t)d;
    memset(fit, 0, sizeof *fit);
    fit->slack = slack_of(value, most);
    fit->given = value;
    fit->bound = INFINITY;
    fit->open = (unsigned char *)rs_alloc(ctx, (size_t)d, 1);
    fit->exchange = rs_alloc_double(ctx, cells);
    RS_ALLOC_INTS(ctx, (size_t)asked->tolerances, &fit->complete, &fit->stuck);
    RS_TRY(rs_allocated(ctx));
    for (int j = 0; j < d; j++)
        fit->open[j] = !barred[j] && !(first && first[j]);
    for (size_t i = 0; i < cells; i++)
        fit->exchange[i] = NAN;
    for (int t = 0; t < asked->tolerances; t++)
        fit->complete[t] = fit->stuck[t] = 0;
    RS_TRY(rs_near_sets_init(ctx, d, asked->k, &fit->near));
    RS_TRY(rs_roles_init(ctx, d, asked->k, asked->best, value, INFINITY,
                         &fit->roles));
    return rs_near_sets_meet(asked->best, value, most, &fit->near);
}

double rs_role_cut(const rs_role_settings *asked, int tolerance,
                   const rs_role_fit *fit)
{
    return rs_roles_cut(asked->tolerance[tolerance], fit->slack, &fit->roles);
}

int rs_role_meet(const rs_role_settings *asked, const int *set, double least,
                 double most, rs_role_fit *fit)
{
    const double v = fit->roles.value;
    if (least > v + fit->slack) {
        fit->better = 1;
        fit->slack = fmax(fit->slack, slack_of(least, most));
    } else {
        least = fmin(least, v);
    }
    rs_roles_meet(set, least, &fit->roles);
    if (most >= rs_role_cut(asked, asked->tolerances - 1, fit) &&
        fit->status == RS_OK)
        fit->status =
            rs_near_sets_meet(set, least, fmax(least, most), &fit->near);
    return fit->better || fit->status != RS_OK || fit->near.full;
}

int rs_role_count_left(double cut, const rs_role_fit *fit)
{
    int count = 0;
    for (int j = 0; j < fit->roles.d; j++)
        count += rs_role_is_left(j, cut, fit);
    return count;
}

void rs_role_close(int tolerance, double cut, rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    if (fit->near.full || fit->better)
        return;
    rs_roles_bound_all(fmax(cut, roles->value), roles);
    for (int j = 0; j < roles->d; j++) {
        const double shown = fmax(cut, roles->low[j]);
        if (roles->holds[j])
            rs_roles_bound_without(j, shown, roles);
        else
            rs_roles_bound_with(j, shown, roles);
    }
    for (int t = 0; t <= tolerance; t++)
        fit->complete[t] = 1;
}

/* ---- the end ------------------------------------------------------------------- */

/* a set other than the best one lacks a feature of it and holds another one */
static double bound_by_questions(double bound, const rs_role_fit *fit)
{
    const rs_roles *roles = &fit->roles;
    double in = roles->value, out = roles->value;
    for (int j = 0; j < roles->d; j++) {
        if (!fit->open[j])
            continue;
        if (roles->holds[j])
            in = fmax(in, rs_roles_high(j, roles));
        else
            out = fmax(out, rs_roles_high(j, roles));
    }
    return fmin(bound, fmin(in, out));
}

/* no bound is below what rounding lets a set that was met have at most */
static void raise_bounds(rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    const rs_near_sets *near = &fit->near;
    for (int number = 0; number < near->count; number++) {
        const int *set = near->member + (size_t)near->k * (size_t)number;
        const double most = near->most[number];
        fit->bound = fmax(fit->bound, most);
        for (int i = 0; i < near->k; i++) {
            roles->mark[set[i]] = 1;
            roles->with[set[i]] = fmax(roles->with[set[i]], most);
        }
        for (int i = 0; i < near->k; i++) {
            const int j = roles->best[i];
            if (!roles->mark[j])
                roles->without[j] = fmax(roles->without[j], most);
        }
        for (int i = 0; i < near->k; i++)
            roles->mark[set[i]] = 0;
    }
}

/* no interval is empty; those that no set may hold have none, nor have those of
 * every set */
static void close_intervals(rs_role_fit *fit)
{
    rs_roles *roles = &fit->roles;
    for (int j = 0; j < roles->d; j++) {
        double *high = roles->holds[j] ? roles->without + j : roles->with + j;
        *high = fit->open[j] ? fmax(*high, roles->low[j]) : -INFINITY;
        if (!fit->open[j])
            roles->low[j] = -INFINITY;
    }
}

void rs_role_conclude(const rs_role_settings *asked, double bound,
                      rs_role_fit *fit)
{
    fit->bound = bound_by_questions(bound, fit);
    rs_roles_bound_all(fit->bound, &fit->roles);
    raise_bounds(fit);
    close_intervals(fit);
    fit->late = 0;
    for (int t = 0; t < asked->tolerances; t++)
        fit->late |= !fit->stuck[t] &&
                     rs_role_count_left(rs_role_cut(asked, t, fit), fit) > 0;
}
