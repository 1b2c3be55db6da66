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
#include "data/packed.h"
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

static unsigned char *add_bytes(r_result *out, const char *name, size_t size)
{
    SEXP bytes = PROTECT(Rf_allocVector(RAWSXP, (R_xlen_t)size));
    r_add(out, name, bytes);
    UNPROTECT(1);
    return RAW(bytes);
}

/* the rows i and counts x of sparse data, packed; NULL where they are no small
 * whole numbers */
SEXP C_pack_counts(SEXP i, SEXP x)
{
    const size_t stored = (size_t)Rf_xlength(x);
    const int bytes = rs_packed_bytes(stored, REAL_RO(x));
    if (bytes == 0)
        return R_NilValue;
    r_result out = r_open();
    unsigned char *row = add_bytes(&out, "row", 2 * stored);
    unsigned char *count = add_bytes(&out, "count", (size_t)bytes * stored);
    rs_pack(stored, INTEGER_RO(i), REAL_RO(x), bytes, row, count);
    r_add_integer(&out, "bytes", bytes);
    return r_close(&out);
}

/* what was packed, divided by the factors of the rows and logged */
SEXP C_unpack_logged(SEXP packed, SEXP factors)
{
    rs_context ctx = r_context();
    SEXP row = r_element(packed, "row");
    const R_xlen_t stored = Rf_xlength(row) / 2;
    const rs_packed from = {(size_t)stored, r_integer(packed, "bytes"),
                            RAW_RO(row), RAW_RO(r_element(packed, "count"))};
    r_result out = r_open();
    int *i = r_add_integers(&out, "i", stored);
    double *x = r_add_vector(&out, "x", stored);
    r_check_status(rs_unpack_logged(&ctx, &from, (int)Rf_xlength(factors),
                                    REAL_RO(factors), i, x),
                   "packed counts");
    return r_close(&out);
}
