#include "method/fspca/steps.h"

#include <float.h>
#include <math.h>

void rs_certify_lower_cut(rs_certify *s)
{
    s->search.limits.tie =
        rs_roles_cut(s->share, 2.0 * s->slack, s->roles) - s->search.value;
}

void rs_certify_offer(const int *set, double value, rs_certify *s)
{
    rs_bnb_offer(set, value, &s->search);
    if (!s->roles)
        return;
    rs_roles_meet(set, value, s->roles);
    rs_certify_lower_cut(s);
}

void rs_certify_close(rs_certify *s)
{
    rs_roles *roles = s->roles;
    s->found->complete = 1;
    for (int i = 0; roles && i < s->d; i++) {
        const double own = roles->low[i], other = roles->value;
        const int holds = roles->holds[i];
        rs_roles_bound_with(i, fmax(s->search.pruned, holds ? other : own),
                            roles);
        rs_roles_bound_without(i, fmax(s->search.pruned, holds ? own : other),
                               roles);
    }
}

static rs_status smooth_in_time(void *state, const double *x, double *value,
                                double *gradient)
{
    rs_certify *s = (rs_certify *)state;
    if (rs_bnb_is_late(&s->search) && s->lbfgs.evaluations > 1)
        return RS_MAXIT;
    return rs_rlx_smooth(&s->relax, x, value, gradient);
}

rs_status rs_certify_minimise(double width, int evaluations, double *x,
                              rs_certify *s)
{
    const rs_lbfgs_problem problem = {rs_rlx_size(&s->relax, s->relax.p),
                                      smooth_in_time,
                                      s,
                                      evaluations,
                                      RS_CERTIFY_WINDOW,
                                      1e-5,
                                      -INFINITY,
                                      s->metric};
    rs_rlx_metric(s->unit, s->metric, &s->relax);
    s->relax.width = width;
    rs_status status = rs_lbfgs_minimise(&problem, x, &s->lbfgs);
    s->found->evaluations += s->lbfgs.evaluations;
    return status == RS_MAXIT || status == RS_STALLED ? RS_OK : status;
}

rs_status rs_certify_value(const double *S, int p, const int *places,
                           double *sum, rs_certify *s)
{
    const int k = s->k;
    for (int b = 0; b < k; b++)
        for (int a = 0; a <= b; a++)
            s->A[a + (size_t)b * k] = S[places[a] + (size_t)places[b] * p];
    return rs_eigen_sum(k, s->A, s->m, s->values, NULL, sum, &s->eigen);
}

double rs_certify_sum(rs_certify *s)
{
    double smallest, next;
    for (int a = 0; a < s->left; a++) {
        s->terms[a] = s->h[s->list[a]];
        s->marks[a] = s->found->in[s->list[a]];
    }
    return rs_rlx_sum(s->left, s->terms, s->marks, s->k, &smallest, &next,
                      s->sum);
}

int rs_certify_screen(double F, int count, const double *h,
                      const unsigned char *in, unsigned char *verdict,
                      rs_certify *s)
{
    double smallest, next;
    rs_rlx_sum(count, h, in, s->k, &smallest, &next, s->sum);
    for (int i = 0; i < count; i++)
        verdict[i] = in[i] ? RS_ROW_IN : RS_ROW_FREE;
    for (int i = 0; i < count && isfinite(smallest); i++) {
        if (in[i])
            continue;
        if (h[i] <= smallest && rs_bnb_prune(F - smallest + h[i], &s->search))
            verdict[i] = RS_ROW_OUT;
        else if (h[i] >= smallest && next > -INFINITY &&
                 rs_bnb_prune(F - h[i] + next, &s->search))
            verdict[i] = RS_ROW_IN;
    }
    return rs_bnb_prune(F, &s->search);
}
