/*
 * method/cdlsr/starts.h: descents from many given sets, shared by threads.
 */
#ifndef RS_CDLSR_STARTS_H
#define RS_CDLSR_STARTS_H

#include "method/cdlsr/descent.h"

/* what one thread has of its own: a view of the data, and the rest */
typedef struct {
    rs_lsq problem;
    rs_data data;
    rs_context ctx;
    rs_subset set;
    rs_descent descent;
    int *start; /* k */
} rs_worker;

/* threads that the settings ask for, no more than there are starts, and one
 * where the data cannot be read by several */
int rs_worker_count(const rs_lsq *problem, const rs_cdlsr_settings *settings);
/* all their memory, before any thread starts; the first one works with `set` */
rs_status rs_workers_init(rs_context *ctx, const rs_cdlsr_settings *settings,
                          rs_subset *set, int count, rs_worker **workers);
/* end[i] = where the descent from the start number i ends */
rs_status rs_run_starts(const rs_cdlsr_settings *settings, rs_worker *workers,
                        int count, rs_cdlsr_end *end);

#endif
