#include <stdint.h>

#include "glue/glue.h"
#include "la/linalg.h"
#include "solve/stiefel.h"

#define R_FIRST_ROOM 16

r_result r_open(void)
{
    r_result out;
    out.count = 0;
    PROTECT_WITH_INDEX(out.list = Rf_allocVector(VECSXP, R_FIRST_ROOM),
                       &out.list_at);
    PROTECT_WITH_INDEX(out.names = Rf_allocVector(STRSXP, R_FIRST_ROOM),
                       &out.names_at);
    return out;
}

static void resize(r_result *out, R_xlen_t room)
{
    REPROTECT(out->list = Rf_xlengthgets(out->list, room), out->list_at);
    REPROTECT(out->names = Rf_xlengthgets(out->names, room), out->names_at);
}

SEXP r_close(r_result *out)
{
    resize(out, out->count);
    Rf_setAttrib(out->list, R_NamesSymbol, out->names);
    UNPROTECT(2);
    return out->list;
}

void r_add(r_result *out, const char *name, SEXP value)
{
    PROTECT(value);
    if (out->count == Rf_xlength(out->list))
        resize(out, 2 * (R_xlen_t)out->count);
    SET_VECTOR_ELT(out->list, out->count, value);
    SET_STRING_ELT(out->names, out->count, Rf_mkChar(name));
    out->count++;
    UNPROTECT(1);
}

/* room for a matrix, or for a vector (columns -1). R's own refusal would not be a
 * condition of the package. */
static SEXP add_room(r_result *out, const char *name, SEXPTYPE type,
                     R_xlen_t rows, int columns)
{
    const double cells = columns < 0 ? (double)rows : (double)rows * columns;
    r_need_room(cells <= (double)R_XLEN_T_MAX ? (size_t)cells : SIZE_MAX,
                type == REALSXP ? sizeof(double) : sizeof(int), name);
    SEXP value = columns < 0 ? Rf_allocVector(type, rows)
                             : Rf_allocMatrix(type, (int)rows, columns);
    r_add(out, name, value);
    return value;
}

double *r_add_matrix(r_result *out, const char *name, int rows, int columns)
{
    return REAL(add_room(out, name, REALSXP, rows, columns));
}

double *r_add_vector(r_result *out, const char *name, R_xlen_t length)
{
    return REAL(add_room(out, name, REALSXP, length, -1));
}

int *r_add_integers(r_result *out, const char *name, R_xlen_t length)
{
    return INTEGER(add_room(out, name, INTSXP, length, -1));
}

int *r_add_integer_matrix(r_result *out, const char *name, int rows,
                          int columns)
{
    return INTEGER(add_room(out, name, INTSXP, rows, columns));
}

double *r_add_values(r_result *out, const char *name, int rows, int columns,
                     const double *values)
{
    double *to = r_add_matrix(out, name, rows, columns);
    rs_copy((size_t)rows * columns, values, to);
    return to;
}

double *r_add_copy(r_result *out, const char *name, SEXP matrix)
{
    return r_add_values(out, name, Rf_nrows(matrix), Rf_ncols(matrix),
                        REAL_RO(matrix));
}

void r_orthonormalise(rs_context *ctx, int d, int m, double *W)
{
    rs_stiefel_ws ws;
    r_check_status(rs_stiefel_init(ctx, d, m, &ws), "start");
    r_check_status(rs_stiefel_polar(W, &ws), "start");
}

double *r_add_start(r_result *out, const char *name, SEXP matrix,
                    rs_context *ctx)
{
    double *W = r_add_copy(out, name, matrix);
    r_orthonormalise(ctx, Rf_nrows(matrix), Rf_ncols(matrix), W);
    return W;
}

void r_add_number(r_result *out, const char *name, double value)
{
    r_add(out, name, Rf_ScalarReal(value));
}

void r_add_integer(r_result *out, const char *name, int value)
{
    r_add(out, name, Rf_ScalarInteger(value));
}

void r_add_flag(r_result *out, const char *name, int value)
{
    r_add(out, name, Rf_ScalarLogical(value));
}

void r_add_each(r_result *out, SEXPTYPE type, const char *fields, size_t count,
                const double *values)
{
    char name[R_NAME_ROOM];
    for (size_t i = 0; i < count; i++) {
        SEXP value = PROTECT(Rf_ScalarReal(values[i]));
        fields = r_field_name(fields, name);
        r_add(out, name, Rf_coerceVector(value, type));
        UNPROTECT(1);
    }
}

void r_add_text(r_result *out, const char *name, const char *value)
{
    r_add(out, name, Rf_mkString(value));
}

void r_add_doubles(r_result *out, const char *name, size_t count,
                   const double *values)
{
    rs_copy(count, values, r_add_vector(out, name, (R_xlen_t)count));
}

void r_to_one_based(size_t count, int *index)
{
    for (size_t i = 0; i < count; i++)
        index[i]++;
}

void r_add_indices(r_result *out, const char *name, size_t count,
                   const int *index)
{
    int *to = r_add_integers(out, name, (R_xlen_t)count);
    for (size_t i = 0; i < count; i++)
        to[i] = index[i] + 1;
}

void r_add_history(r_result *out, const rs_history *history, double unit)
{
    double *f = r_add_vector(out, "objective", history->count);
    for (int i = 0; i < history->count; i++)
        f[i] = unit * history->objective[i];
    r_add_integer(out, "rises", history->rises);
}

void r_add_ending(r_result *out, const char *where, rs_status status)
{
    r_check_status(status, where);
    r_add_flag(out, "converged", status == RS_OK);
    r_add_text(out, "status", rs_status_text(status));
}

void r_add_regression(r_result *out, int d, int c, double **W, double **pull)
{
    *W = r_add_matrix(out, "W", d, c);
    *pull = r_add_vector(out, "pull", d);
}

void r_add_run(r_result *out, const char *where, rs_status status,
               const rs_history *history, double unit)
{
    r_add_ending(out, where, status);
    r_add_history(out, history, unit);
    r_add_integer(out, "iterations", history->count - 1);
}

void r_add_palm(r_result *out, const char *where, rs_status status,
                const rs_palm_fit *fit, const rs_covop *op, double unit)
{
    r_add_run(out, where, status, &fit->history, unit);
    R_ADD_NUMBERS(out, fit->kkt, op->products);
    r_add_integer(out, "inner", fit->inner_iterations);
}

/* trace: the incumbent's value and the bound over the seconds of a search */
static void add_trace(r_result *out, const rs_tree_trace *trace, double unit)
{
    const int count = trace->count;
    r_result states = r_open();
    double *seconds = r_add_vector(&states, "seconds", count);
    double *value = r_add_vector(&states, "value", count);
    double *bound = r_add_vector(&states, "bound", count);
    for (int i = 0; i < count; i++) {
        seconds[i] = trace->at[i].seconds;
        value[i] = unit * trace->at[i].value;
        bound[i] = unit * trace->at[i].bound;
    }
    r_add(out, "trace", r_close(&states));
}

void r_add_proof(r_result *out, const rs_tree_fit *fit, int count, double unit,
                 double trace_unit)
{
    r_add_indices(out, "set", (size_t)count, fit->set);
    r_add_number(out, "value", fit->value * unit);
    r_add_number(out, "bound", fit->bound * unit);
    R_ADD_FLAGS(out, fit->complete, fit->resolved, fit->tied);
    R_ADD_NUMBERS(out, fit->nodes, fit->seconds);
    r_add_number(out, "dropped", fit->excluded);
    r_add_number(out, "joined", fit->fixed);
    add_trace(out, &fit->trace, trace_unit);
}
