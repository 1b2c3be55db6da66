/*
 * glue/glue.h: what the entry points share. Only r_*.c and init.c know SEXP.
 */
#ifndef R_GLUE_H
#define R_GLUE_H

#include <R.h>
#include <Rinternals.h>

#include "data/covop.h"
#include "data/data.h"
#include "solve/qsolve.h"

/* ---- glue/conditions.c --------------------------------------------------- */

/* when the package is loaded, and unloaded */
void r_init_conditions(void);
void r_end_conditions(void);
/*
 * The surroundings of one call: transient memory by R_alloc, and a poll that
 * hears of interrupts and time limits without leaving the core.
 */
rs_context r_context(void);
/*
 * Every status that the core returns comes here. Goes on with the interrupt
 * that stopped the core, or raises a classed error for a status after which
 * there is no result; returns otherwise.
 */
void r_check_status(rs_status status, const char *where);
/* a classed error: kind "numerical", "memory" or "internal" */
void NORET r_refuse(const char *kind, const char *where, const char *what);

/* memory that the glue itself asked of the context: the pointer, or an error */
void *r_need(void *memory);

/* entries between two polls of a simple loop over the data */
#define R_ENTRIES_PER_POLL ((size_t)1 << 24)

/* ---- glue/glue.c ---------------------------------------------------------- */

/* element of a named list; R_NilValue when absent */
SEXP r_element(SEXP list, const char *name);
double r_number(SEXP list, const char *name);
int r_integer(SEXP list, const char *name);
/* the solver of problem (Q): elements method, inner_tol, inner_maxit */
rs_q_control r_q_control(SEXP settings);

/*
 * The list made by data_for_c() in R: dense data are copied centred and
 * scaled, sparse data are kept by their slots. `block` is the widest product.
 */
void r_data(SEXP data, int block, rs_context *ctx, rs_data *X);
/* S (d x d) of data of kind "moments", scaled when weights are given */
const double *r_cross_products(SEXP data, int d, rs_context *ctx);
/*
 * The covariance operator of the same list: the cross-products of moments, or
 * the two thin products with the data. `block` is the widest product.
 */
void r_covop(SEXP data, int block, rs_context *ctx, rs_covop *op);

/* W <- polar(W), d x m */
void r_orthonormalise(rs_context *ctx, int d, int m, double *W);

/* a named list from names and already protected values */
SEXP r_named_list(int count, const char *const *names, const SEXP *values);
SEXP r_doubles(size_t count, const double *x);

#endif
