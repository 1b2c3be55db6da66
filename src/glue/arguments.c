#include <ctype.h>
#include <string.h>

#include "glue/glue.h"

SEXP r_element(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

SEXP r_required(SEXP list, const char *name)
{
    SEXP value = r_element(list, name);
    if (value == R_NilValue)
        r_refuse("internal", name, "an element of the arguments is missing");
    return value;
}

double r_number(SEXP list, const char *name)
{
    return Rf_asReal(r_required(list, name));
}

int r_integer(SEXP list, const char *name)
{
    return Rf_asInteger(r_required(list, name));
}

const char *r_field_name(const char *fields, char *name)
{
    const size_t length = strcspn(fields, ",");
    size_t from = length;
    while (from > 0 && (isalnum((unsigned char)fields[from - 1]) ||
                        fields[from - 1] == '_'))
        from--;
    r_expect(length - from < R_NAME_ROOM, "fields");
    memcpy(name, fields + from, length - from);
    name[length - from] = '\0';
    return fields + length + (fields[length] == ',');
}

void r_numbers(SEXP list, double unit, const char *fields, double *const *to)
{
    char name[R_NAME_ROOM];
    for (; *to; to++) {
        fields = r_field_name(fields, name);
        **to = r_number(list, name) / unit;
    }
}

void r_integers(SEXP list, const char *fields, int *const *to)
{
    char name[R_NAME_ROOM];
    for (; *to; to++) {
        fields = r_field_name(fields, name);
        **to = r_integer(list, name);
    }
}

const double *r_doubles(SEXP list, const char *name)
{
    SEXP value = r_required(list, name);
    r_expect(TYPEOF(value) == REALSXP, name);
    return REAL_RO(value);
}

const double *r_given(SEXP values)
{
    return values == R_NilValue ? NULL : REAL_RO(values);
}

int r_matrix(SEXP list, const char *name, const double **values)
{
    SEXP matrix = r_element(list, name);
    *values = r_given(matrix);
    return *values ? Rf_ncols(matrix) : 0;
}

/* number `at` of some words */
static const char *word_of(SEXP list, const char *name, int at)
{
    SEXP value = r_required(list, name);
    if (TYPEOF(value) != STRSXP || Rf_xlength(value) <= at)
        r_refuse("internal", name, "words are wanted");
    return CHAR(STRING_ELT(value, at));
}

int r_choice_at(SEXP list, const char *name, int at, const char *const *words)
{
    const char *word = word_of(list, name, at);
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    r_refuse("internal", name, "a word that the core does not know");
}

int r_choice(SEXP list, const char *name, const char *const *words)
{
    return r_choice_at(list, name, 0, words);
}

int r_is(SEXP list, const char *name, const char *word)
{
    return strcmp(word_of(list, name, 0), word) == 0;
}

int *r_zero_based(SEXP index, int limit)
{
    size_t count = (size_t)Rf_xlength(index);
    int *out = r_int_room(count);
    for (size_t i = 0; i < count; i++) {
        int at = INTEGER_RO(index)[i];
        r_expect(at >= 1 && at <= limit, "indices");
        out[i] = at - 1;
    }
    return out;
}

unsigned char *r_marks(SEXP list, const char *name, int length)
{
    SEXP marks = r_required(list, name);
    unsigned char *out = r_memory(length, 1);
    r_expect(Rf_xlength(marks) == length, name);
    for (int i = 0; i < length; i++)
        out[i] = LOGICAL_RO(marks)[i] == TRUE;
    return out;
}

unsigned char *r_indexed(SEXP index, int d)
{
    const R_xlen_t count = Rf_xlength(index);
    unsigned char *out = r_memory((size_t)d, 1);
    const int *column = r_zero_based(index, d);
    memset(out, 0, (size_t)d);
    for (R_xlen_t i = 0; i < count; i++)
        out[column[i]] = 1;
    return out;
}

const unsigned char *r_locked(SEXP data, int d)
{
    SEXP locked = r_element(data, "locked");
    return Rf_xlength(locked) == 0 ? NULL : r_indexed(locked, d);
}

rs_q_control r_q_control(SEXP settings)
{
    static const char *const solvers[] = {"mm", "rtr", "pencf", NULL};
    rs_q_control control = {(rs_q_method)r_choice(settings, "solver", solvers),
                            r_number(settings, "inner_tol"),
                            r_integer(settings, "inner_maxit")};
    return control;
}

const rs_row_groups *r_row_groups(SEXP settings)
{
    SEXP of = r_element(settings, "groups");
    if (of == R_NilValue)
        return NULL;
    const int rows = (int)Rf_xlength(of);
    rs_row_groups *groups = r_memory(1, sizeof *groups);
    groups->count = 0;
    for (int i = 0; i < rows; i++)
        groups->count = rs_max_int(groups->count, INTEGER_RO(of)[i]);
    groups->of = r_zero_based(of, groups->count);
    groups->norm = r_room((size_t)groups->count);
    return groups;
}

/* what the means lack, NULL where that is not known */
static const double *fine_means(SEXP list)
{
    SEXP fine = r_element(list, "fine");
    r_expect(fine == R_NilValue ||
                 Rf_xlength(fine) == Rf_xlength(r_required(list, "mean")),
             "fine");
    return r_given(fine);
}

/* the level of each row from 0, and its means; moments have no rows, and those
 * with weights come centred */
rs_centring r_centring(SEXP data, rs_context *ctx)
{
    SEXP block = r_element(data, "block"), code = r_element(block, "code");
    SEXP length = r_element(r_element(data, "observed"), "length");
    if (length != R_NilValue)
        return (rs_centring){.mean = r_doubles(data, "mean"),
                             .reach = Rf_asReal(length)};
    if (code == R_NilValue)
        return (rs_centring){.levels = 1,
                             .mean = r_doubles(data, "mean"),
                             .fine = fine_means(data)};
    const int n = r_integer(data, "n");
    const int levels = Rf_nrows(r_required(block, "mean"));
    rs_centring c;
    r_expect(Rf_xlength(code) == n, "block");
    r_check_status(rs_centre_levels(ctx, n, levels, r_zero_based(code, levels),
                                    r_doubles(block, "mean"),
                                    fine_means(block), &c),
                   "block");
    return c;
}
