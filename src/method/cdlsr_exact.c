#include "method/cdlsr_exact.h"

#include "solve/copies.h"
#include "method/cdlsr_branch.h"
#include "method/cdlsr_triples.h"

rs_status rs_cdlsr_exact(rs_context *ctx, const rs_lsq *problem,
                         const rs_exact_settings *settings, rs_exact_fit *fit)
{
    rs_lsq distinct = *problem;
    int left = 0;
    RS_TRY(rs_bar_copies(ctx, problem, settings->k, fit->feature,
                         &distinct.barred));
    for (int j = 0; j < problem->d; j++)
        left += !distinct.barred[j];
    if (left < settings->k)
        distinct.barred = problem->barred;
    if (settings->k == 3)
        return rs_cdlsr_triples(ctx, &distinct, settings, fit);
    return rs_cdlsr_branch(ctx, &distinct, settings, fit);
}
