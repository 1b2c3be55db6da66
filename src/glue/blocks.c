/*
 * glue/blocks.c: rows of data that an R function delivers, for data/blocks.h.
 * R has checked what it may deliver: read(b) gives the rows of block b as a
 * matrix of numbers of the right size, or as a dgCMatrix, or ends in a
 * condition.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "data/blocks.h"
#include "glue/glue.h"

typedef struct {
    SEXP call;  /* read(b) */
    SEXP held;  /* list: what was read last to each place, where sparse */
    int *block; /* b, in the call */
    const int *start;
    int d, sparse;
    /* of the block that is asked for */
    int place, height;
    double *rows;
    rs_sparse_slots *slots;
} reader;

static void copy_rows(SEXP value, const reader *to)
{
    const size_t size = (size_t)to->height * to->d;
    const int is_real = TYPEOF(value) == REALSXP;
    r_expect((is_real || TYPEOF(value) == INTSXP) &&
                 (size_t)Rf_xlength(value) == size,
             "read");
    const int *whole = is_real ? NULL : INTEGER_RO(value);
    if (is_real)
        memcpy(to->rows, REAL_RO(value), size * sizeof(double));
    for (size_t i = 0; whole && i < size; i++)
        to->rows[i] = whole[i];
}

static SEXP slot_of(SEXP value, const char *name, SEXPTYPE type)
{
    SEXP slot = R_do_slot(value, Rf_install(name));
    r_expect(TYPEOF(slot) == (int)type, "read");
    return slot;
}

/* the slots stay where they are for as long as the block is held */
static void point_to_slots(SEXP value, const reader *to)
{
    r_expect(Rf_inherits(value, "dgCMatrix"), "read");
    SEXP p = slot_of(value, "p", INTSXP);
    const int *size = INTEGER_RO(slot_of(value, "Dim", INTSXP));
    r_expect(size[0] == to->height && size[1] == to->d &&
                 Rf_xlength(p) == (R_xlen_t)to->d + 1,
             "read");
    SET_VECTOR_ELT(to->held, to->place, value);
    to->slots->p = INTEGER_RO(p);
    to->slots->row = INTEGER_RO(slot_of(value, "i", INTSXP));
    to->slots->value = REAL_RO(slot_of(value, "x", REALSXP));
}

static SEXP read_block(void *state)
{
    const reader *from = (const reader *)state;
    SEXP value = PROTECT(Rf_eval(from->call, R_BaseEnv));
    if (from->sparse)
        point_to_slots(value, from);
    else
        copy_rows(value, from);
    UNPROTECT(1);
    return R_NilValue;
}

static rs_status read_rows(void *state, int block, int place, double *rows,
                           rs_sparse_slots *slots)
{
    reader *from = (reader *)state;
    from->place = place;
    from->height = from->start[block + 1] - from->start[block];
    from->rows = rows;
    from->slots = slots;
    *from->block = block + 1;
    SET_VECTOR_ELT(from->held, place, R_NilValue);
    return r_call_back(read_block, from);
}

rs_status r_blocks(SEXP data, int block, rs_context *ctx, int d, rs_data *X)
{
    SEXP start = r_required(data, "start");
    reader *from = r_memory(1, sizeof *from);
    /* the call, and what it gave, are kept alive by the data for as long as
     * the core runs */
    SEXP number = PROTECT(Rf_allocVector(INTSXP, 1));
    SEXP call = PROTECT(Rf_lang2(r_required(data, "read"), number));
    SEXP held = PROTECT(Rf_allocVector(VECSXP, 3));
    SET_VECTOR_ELT(held, 2, call);
    R_SetExternalPtrProtected(r_required(data, "kept"), held);
    UNPROTECT(3);
    *from =
        (reader){.call = call,
                 .held = held,
                 .block = INTEGER(number),
                 .start = INTEGER_RO(start),
                 .d = d,
                 .sparse = Rf_asLogical(r_required(data, "sparse")) == TRUE};
    const double stored = r_number(data, "density") * r_integer(data, "n") * d;
    const rs_block_source source = {read_rows,
                                    from,
                                    (int)Rf_xlength(start) - 1,
                                    from->start,
                                    from->sparse,
                                    stored,
                                    r_centring(data, ctx),
                                    r_given(r_element(data, "weight"))};
    return rs_data_blocks(ctx, d, &source, block, X);
}

/* 64 bits that tell whether numbers are still what they were, and whether all
 * are finite */
typedef struct {
    uint64_t sum;
    double bad, first_bad, count;
} fingerprint;

/* Numbers, or whole ones, whose missing value is the smallest one. What is added
 * is a bijection of the sum so far for given bits, and of the bits for a given
 * sum: one number that changes is always seen. */
static void check_numbers(SEXP x, fingerprint *f)
{
    const R_xlen_t n = Rf_xlength(x);
    const double *real = TYPEOF(x) == REALSXP ? REAL_RO(x) : NULL;
    const int *whole = real ? NULL : INTEGER_RO(x);
    for (R_xlen_t i = 0; i < n; i++, f->count += 1.0) {
        const double value = real                     ? real[i]
                             : whole[i] == NA_INTEGER ? NA_REAL
                                                      : whole[i];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        f->sum = (f->sum ^ bits) * UINT64_C(0x9E3779B97F4A7C15);
        f->sum ^= f->sum >> 29;
        if (!isfinite(value) && f->bad++ == 0.0)
            f->first_bad = f->count;
    }
}

/*
 * The numbers `x` of a block and, where it is sparse, its slots i and p:
 * `print`, two numbers that change where any of them does; how many of x are
 * not finite, and the first one.
 */
SEXP C_check_block(SEXP x, SEXP i, SEXP p)
{
    fingerprint f = {1, 0.0, -1.0, 0.0};
    r_result out = r_open();
    check_numbers(x, &f);
    r_add_number(&out, "bad", f.bad);
    r_add_number(&out, "first", f.first_bad);
    if (i != R_NilValue)
        check_numbers(i, &f);
    if (p != R_NilValue)
        check_numbers(p, &f);
    double *print = r_add_vector(&out, "print", 2);
    print[0] = (double)(f.sum >> 32);
    print[1] = (double)(f.sum & UINT64_C(0xFFFFFFFF));
    return r_close(&out);
}

static void *add_bytes(r_result *out, const char *name, size_t size)
{
    SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    r_add(out, name, bytes);
    UNPROTECT(1);
    return RAW(bytes);
}

/* the rows i and counts x of sparse data, packed in two bytes for a row, and one
 * or two for a count; NULL where they are no small whole numbers */
SEXP C_pack_counts(SEXP i, SEXP x)
{
    const size_t stored = (size_t)Rf_xlength(x);
    const double *given = REAL_RO(x);
    double largest = 0.0;
    for (size_t e = 0; e < stored; e++) {
        if (!(given[e] >= 0.0 && given[e] <= UINT16_MAX &&
              given[e] == floor(given[e])))
            return R_NilValue;
        largest = fmax(largest, given[e]);
    }
    const int bytes = largest <= UINT8_MAX ? 1 : 2;
    r_result out = r_open();
    uint16_t *row = add_bytes(&out, "row", 2 * stored);
    void *count = add_bytes(&out, "count", (size_t)bytes * stored);
    for (size_t e = 0; e < stored; e++) {
        row[e] = (uint16_t)INTEGER_RO(i)[e];
        if (bytes == 1)
            ((uint8_t *)count)[e] = (uint8_t)given[e];
        else
            ((uint16_t *)count)[e] = (uint16_t)given[e];
    }
    r_add_integer(&out, "bytes", bytes);
    return r_close(&out);
}

/* what was packed, divided by the factors of the rows and logged: log2(count /
 * factor + 1), for small counts taken once a row */
SEXP C_unpack_logged(SEXP packed, SEXP factors)
{
    enum { SMALL = 8 };
    const int bytes = r_integer(packed, "bytes");
    const uint16_t *row = (const void *)RAW_RO(r_element(packed, "row"));
    const void *count = RAW_RO(r_element(packed, "count"));
    const R_xlen_t stored = Rf_xlength(r_element(packed, "row")) / 2;
    const size_t rows = (size_t)Rf_xlength(factors);
    const double *factor = REAL_RO(factors);
    double *small = r_room(rows * SMALL);
    r_result out = r_open();
    int *i = r_add_integers(&out, "i", stored);
    double *x = r_add_vector(&out, "x", stored);
    for (size_t e = 0; e < rows * SMALL; e++)
        small[e] = log2((double)(e % SMALL) / factor[e / SMALL] + 1.0);
    for (R_xlen_t e = 0; e < stored; e++) {
        const unsigned c = bytes == 1 ? ((const uint8_t *)count)[e]
                                      : ((const uint16_t *)count)[e];
        if (row[e] >= rows)
            r_expect(0, "packed counts");
        i[e] = row[e];
        x[e] = c < SMALL ? small[(size_t)row[e] * SMALL + c]
                         : log2(c / factor[row[e]] + 1.0);
    }
    return r_close(&out);
}
