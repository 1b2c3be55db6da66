/*
 * solve/em.h: what fits by EM to data with missing entries share: their
 * settings, and the course of their steps, which never lower
 *
 *     log likelihood of what is seen - penalty of the prior.
 */
#ifndef RS_EM_H
#define RS_EM_H

#include "base/history.h"
#include "data/gaps.h"

typedef struct {
    double ridge; /* above 0, in samples */
    double tol;   /* on the relative change of the objective */
    int maxit;    /* 0: only the missing entries, at the parameters given */
} rs_em_settings;

typedef struct {
    rs_history loss;   /* minus the objective */
    rs_history loglik; /* of what is seen */
    rs_status status;  /* RS_OK, RS_MAXIT */
} rs_em_course;

rs_status rs_em_begin(rs_context *ctx, const rs_em_settings *set,
                      rs_em_course *course);
/* after an E-step; *ends: changes were below the tolerance `patience` times in
 * a row, or there is no step left. RS_NOT_FINITE. */
rs_status rs_em_record(double loglik, double penalty, int patience,
                       const rs_em_settings *set, rs_em_course *course,
                       int *ends);

#endif
