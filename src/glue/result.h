/*
 * glue/result.h: the list that an entry point returns, put together element by
 * element, the name beside the value:
 *
 *     r_result out = r_open();
 *     fit.W = r_add_matrix(&out, "W", d, m);   room for the core to write into
 *     r_add_run(&out, "foo", rs_foo(&ctx, &op, m, &set, &fit), &fit.history, 1);
 *     r_add_number(&out, "kkt", fit.kkt);
 *     return r_close(&out);
 *
 * Whatever is added is protected by the list, and the list by r_open(): between
 * the two, other PROTECTs must be undone in pairs.
 */
#ifndef R_RESULT_H
#define R_RESULT_H

#include <Rinternals.h>

#include "base/history.h"
#include "proof/tree.h"
#include "solve/palm.h"

typedef struct {
    SEXP list, names;
    PROTECT_INDEX list_at, names_at;
    int count;
} r_result;

r_result r_open(void);
/* the finished list, no longer protected */
SEXP r_close(r_result *out);

/* room for the core, without values */
double *r_add_matrix(r_result *out, const char *name, int rows, int columns);
double *r_add_vector(r_result *out, const char *name, R_xlen_t length);
/* with the values of a matrix of R */
double *r_add_copy(r_result *out, const char *name, SEXP matrix);
int *r_add_integers(r_result *out, const char *name, R_xlen_t length);
int *r_add_integer_matrix(r_result *out, const char *name, int rows,
                          int columns);

/* values */
void r_add(r_result *out, const char *name, SEXP value);
void r_add_number(r_result *out, const char *name, double value);
void r_add_integer(r_result *out, const char *name, int value);
void r_add_flag(r_result *out, const char *name, int value);
/* several of one kind, named like the fields: R_ADD_NUMBERS(&out, fit.kkt) */
void r_add_numbers(r_result *out, const char *fields, size_t count,
                   const double *values);
void r_add_whole(void (*add)(r_result *, const char *, int), r_result *out,
                 const char *fields, size_t count, const int *values);
#define R_ADD_NUMBERS(out, ...)                                     \
    r_add_numbers(out, #__VA_ARGS__,                                \
                  sizeof((double[]){__VA_ARGS__}) / sizeof(double), \
                  (double[]){__VA_ARGS__})
#define R_ADD_WHOLE_(add, out, ...)                         \
    r_add_whole(add, out, #__VA_ARGS__,                     \
                sizeof((int[]){__VA_ARGS__}) / sizeof(int), \
                (int[]){__VA_ARGS__})
#define R_ADD_INTEGERS(out, ...) R_ADD_WHOLE_(r_add_integer, out, __VA_ARGS__)
#define R_ADD_FLAGS(out, ...) R_ADD_WHOLE_(r_add_flag, out, __VA_ARGS__)
void r_add_text(r_result *out, const char *name, const char *value);
void r_add_doubles(r_result *out, const char *name, size_t count,
                   const double *values);
void r_add_values(r_result *out, const char *name, int rows, int columns,
                  const double *values);
/* 0-based indices of C, 1-based in R */
void r_add_indices(r_result *out, const char *name, size_t count,
                   const int *index);

/* objective and rises: values of the core times `unit` */
void r_add_history(r_result *out, const rs_history *history, double unit);
/* trace: the incumbent's value and the bound over the seconds of a search, in
 * units of the core times `unit` */
void r_add_trace(r_result *out, const rs_tree_trace *trace, double unit);
/* converged and status: how the computation ended. After a status that leaves no
 * result there is an error, see r_check_status(). */
void r_add_ending(r_result *out, const char *where, rs_status status);
/*
 * What nearly every method tells of its run, once it is over: the ending, the
 * history, and iterations, which are one less than the values of the objective.
 */
void r_add_run(r_result *out, const char *where, rs_status status,
               const rs_history *history, double unit);

/* r_add_run(), and what is told of solve/palm.h besides: kkt, products (with the
 * operator) and inner (iterations) */
void r_add_palm(r_result *out, const char *where, rs_status status,
                const rs_palm_fit *fit, const rs_covop *op, double unit);

/* room for a regression: W (d x c), and what its penalty keeps each row of zeros
 * at zero against */
void r_add_regression(r_result *out, int d, int c, double **W, double **pull);

/* in place: 0-based to 1-based */
void r_to_one_based(size_t count, int *index);

#endif
