/*
 * glue/glue.h: what the entry points share. Only glue/ and init.c know SEXP.
 */
#ifndef R_GLUE_H
#define R_GLUE_H

#include <R.h>
#include <Rinternals.h>

#include "data/centring.h"
#include "data/covop.h"
#include "data/dense.h"
#include "base/history.h"
#include "graph/graph.h"
#include "sets/lsq.h"
#include "sets/rules.h"
#include "sets/value_family.h"
#include "proof/tree.h"
#include "solve/palm.h"
#include "solve/penalty.h"

/* ---- entry points, whose list is entries.def ----------------------------- */

#define R_ARGUMENTS_0 void
#define R_ARGUMENTS_1 SEXP
#define R_ARGUMENTS_2 R_ARGUMENTS_1, SEXP
#define R_ARGUMENTS_3 R_ARGUMENTS_2, SEXP
#define R_ARGUMENTS_4 R_ARGUMENTS_3, SEXP
#define R_ARGUMENTS_5 R_ARGUMENTS_4, SEXP
#define R_ARGUMENTS_6 R_ARGUMENTS_5, SEXP

#define R_ENTRY(name, arguments) SEXP name(R_ARGUMENTS_##arguments);
#include "glue/entries.def"
#undef R_ENTRY

/* ---- conditions.c ------------------------------------------------------ */

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
NORET void r_refuse(const char *kind, const char *where, const char *what);

/* the error for arguments that no caller should pass, unless it holds */
void r_expect(int holds, const char *where);

/* memory of the glue itself, which stays until the call ends; an error where there
 * is none */
void *r_memory(size_t count, size_t size);
double *r_room(size_t count);
int *r_int_room(size_t count);
/* an error where there is no room for so many objects of that size. Asked before
 * R is, whose refusal would not be a condition of the package. */
void r_need_room(size_t count, size_t size, const char *where);
/*
 * Work of R inside the core: where R wants to leave it by a jump, the jump waits
 * for r_check_status(), and RS_INTERRUPTED is returned.
 */
rs_status r_call_back(SEXP (*work)(void *state), void *state);

/* ---- arguments.c ------------------------------------------------------- */

/* element of a named list; R_NilValue when absent */
SEXP r_element(SEXP list, const char *name);
/* the same where it must be there */
SEXP r_required(SEXP list, const char *name);
double r_number(SEXP list, const char *name);
int r_integer(SEXP list, const char *name);
/*
 * The elements that are named like the fields whose addresses follow, as in
 * R_NUMBERS(settings, &set.lambda, &set.tol); `fields` is that text.
 */
void r_numbers(SEXP list, double unit, const char *fields, double *const *to);
void r_integers(SEXP list, const char *fields, int *const *to);
#define R_NUMBERS(list, ...) R_PENALTIES(list, 1.0, __VA_ARGS__)
#define R_INTEGERS(list, ...) \
    r_integers(list, #__VA_ARGS__, (int *[]){__VA_ARGS__, NULL})
/* numbers in the unit of the objective, which is divided by */
#define R_PENALTIES(list, unit, ...) \
    r_numbers(list, unit, #__VA_ARGS__, (double *[]){__VA_ARGS__, NULL})
/* name (R_NAME_ROOM) <- that of the first field in such a text: "tol" of
 * "&set.tol, &set.p"; what follows its comma is returned */
#define R_NAME_ROOM 64
const char *r_field_name(const char *fields, char *name);
const double *r_doubles(SEXP list, const char *name);
/* those of a vector or matrix, NULL for NULL */
const double *r_given(SEXP values);
/* columns of the matrix of that name, its values in *values; 0 and NULL when
 * it is absent */
int r_matrix(SEXP list, const char *name, const double **values);
/*
 * A word that names a choice: its place in `words`, which end with NULL and
 * stand in the order of the core's enumeration.
 */
int r_choice(SEXP list, const char *name, const char *const *words);
/* the same for number `at` of some words */
int r_choice_at(SEXP list, const char *name, int at, const char *const *words);
int r_is(SEXP list, const char *name, const char *word);
/* 1-based indices up to `limit`, 0-based */
int *r_zero_based(SEXP index, int limit);
/* the features of 1-based indices, as marks */
unsigned char *r_indexed(SEXP index, int d);
/* the features of data that are locked in, as marks; NULL where none are */
const unsigned char *r_locked(SEXP data, int d);
/* a logical vector of that name and length */
unsigned char *r_marks(SEXP list, const char *name, int length);
/* the element `groups` of settings: by row the number of its group, from 1; NULL
 * where it is absent */
const rs_row_groups *r_row_groups(SEXP settings);
/* solver, inner_tol and inner_maxit: how problem (Q) is solved */
rs_q_control r_q_control(SEXP settings);
/* what is taken off the data: the means of their levels, or one mean */
rs_centring r_centring(SEXP data, rs_context *ctx);

/* ---- blocks.c ----------------------------------------------------------- */

/* data of kind "blocks": their element `read` is an R function that is called
 * with the number of a block, see blocks.c */
rs_status r_blocks(SEXP data, int block, rs_context *ctx, int d, rs_data *X);

/* ---- graph.c ----------------------------------------------------------- */

/* the list of one metric that C_neighbours() returns, checked */
rs_neighbours r_neighbours(SEXP list);
/* the graph of n samples that C_graph() returns, checked, its weights under that
 * name; or a symmetric matrix, where a row may hold itself and numbers have any sign */
rs_graph r_graph(SEXP list, int n, const char *name, int is_matrix);
/* the symmetric Laplacian of a graph of n samples that C_graph() returns */
rs_laplacian *r_symmetric_laplacian(SEXP list, int n, rs_context *ctx);

/* ---- input.c ----------------------------------------------------------- */

/*
 * The data of a list made by as_data() in R. Dense ones are copied, centred and
 * scaled, once: the copy stays with the list, in its element `kept`, for the calls
 * to come. Sparse ones are used as they are. `block` is the widest product.
 */
rs_data *r_data(SEXP data, int block, rs_context *ctx);
/* the rows of data of kind "dense", not yet centred */
rs_raw r_raw(SEXP data, rs_context *ctx);
/* has their centred copy been made? */
int r_has_centred(SEXP data);
int r_is_moments(SEXP data);
/* moments that hold a thin factor F, S ~ F'F, in place of S */
int r_is_sketch(SEXP data);
/* S (d x d) of data of kind "moments", scaled when weights are given */
const double *r_cross_products(SEXP data, int d);
/*
 * The covariance operator of the same list: the cross-products of moments, or
 * the two thin products with the data. `block` is the widest product.
 */
rs_covop *r_covop(SEXP data, int block, rs_context *ctx);
/*
 * The same operator in the unit that the setting `normalize` asks for: mean
 * diagonal 1, or the power of two next to it. *unit is what penalties are
 * divided by, and objectives multiplied with.
 */
rs_covop *r_covop_in_unit(SEXP data, SEXP settings, int block, rs_context *ctx,
                          double *unit);

/* ---- sets.c ------------------------------------------------------------ */

/*
 * response: Y (n x c, centred) or B (d x c), total, and reach, how far from zero it
 * was where B is made of parts; NULL for Y = X. search: the size of the sets that are
 * searched for, where the problem may be given by its cross-products; 0: the data
 * stay. least_block: products of so many columns must be possible.
 */
void r_lsq(SEXP data, SEXP response, SEXP settings, int search,
           int least_block, rs_context *ctx, rs_lsq *problem);
/* of, from 1; in: classes x sets; least, most; cost; budget; barred; k; or NULL */
rs_rules *r_rules(SEXP list, rs_context *ctx);
/* S beside the data, without a factor */
void r_form_products(rs_covop *op);

/* ---- family.c ----------------------------------------------------------- */

/* response: family, by name; Y (n x q); weights, offset, or NULL; for cox order
 * and last, from 1, as rs_family has them */
void r_family(SEXP response, rs_context *ctx, rs_family *family);
/* the same with its data; settings: ridge, and sign (d) or NULL */
void r_family_problem(SEXP data, SEXP response, SEXP settings, rs_context *ctx,
                      rs_family_problem *problem);
/* the fit of a set */
SEXP r_family_fit(rs_value_family *value, int count, const int *members);

/* ---- result.c ----------------------------------------------------------- */

/*
 * The list that an entry point returns, put together element by element, the
 * name beside the value:
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
/* with the values of a matrix of R, or of the orthonormal one next to it */
double *r_add_copy(r_result *out, const char *name, SEXP matrix);
double *r_add_start(r_result *out, const char *name, SEXP matrix,
                    rs_context *ctx);
/* W <- polar(W), d x m */
void r_orthonormalise(rs_context *ctx, int d, int m, double *W);
int *r_add_integers(r_result *out, const char *name, R_xlen_t length);
int *r_add_integer_matrix(r_result *out, const char *name, int rows,
                          int columns);

/* values */
void r_add(r_result *out, const char *name, SEXP value);
void r_add_number(r_result *out, const char *name, double value);
void r_add_integer(r_result *out, const char *name, int value);
void r_add_flag(r_result *out, const char *name, int value);
/* several of one type, named like the fields: R_ADD_NUMBERS(&out, fit.kkt) */
void r_add_each(r_result *out, SEXPTYPE type, const char *fields, size_t count,
                const double *values);
#define R_ADD_EACH_(out, type, ...)                              \
    r_add_each(out, type, #__VA_ARGS__,                          \
               sizeof((double[]){__VA_ARGS__}) / sizeof(double), \
               (double[]){__VA_ARGS__})
#define R_ADD_NUMBERS(out, ...) R_ADD_EACH_(out, REALSXP, __VA_ARGS__)
#define R_ADD_INTEGERS(out, ...) R_ADD_EACH_(out, INTSXP, __VA_ARGS__)
#define R_ADD_FLAGS(out, ...) R_ADD_EACH_(out, LGLSXP, __VA_ARGS__)
void r_add_text(r_result *out, const char *name, const char *value);
void r_add_doubles(r_result *out, const char *name, size_t count,
                   const double *values);
double *r_add_values(r_result *out, const char *name, int rows, int columns,
                     const double *values);
/* 0-based indices of C, 1-based in R */
void r_add_indices(r_result *out, const char *name, size_t count,
                   const int *index);

/* objective and rises: values of the core times `unit` */
void r_add_history(r_result *out, const rs_history *history, double unit);
/* of a proof: set, value, bound, complete, resolved, tied, nodes, seconds, dropped, joined,
 * and trace; in units of the core times `unit`, and `trace_unit` */
void r_add_proof(r_result *out, const rs_tree_fit *fit, int count, double unit,
                 double trace_unit);
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
