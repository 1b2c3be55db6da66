/*
 * glue/blocks.c: rows of data that an R function delivers, for data/blocks.h.
 * What it may deliver was settled in R: read(b) gives the rows of block b as a
 * matrix of doubles of the right size, or ends in a condition.
 */
#include <string.h>

#include "data/blocks.h"
#include "glue/glue.h"

typedef struct {
    SEXP call;  /* read(b) */
    int *block; /* b, in the call */
    int d;
} reader;

typedef struct {
    double *rows;
    size_t size;
} destination;

static void copy_rows(SEXP value, void *to_)
{
    destination *to = (destination *)to_;
    if (TYPEOF(value) != REALSXP || (size_t)Rf_xlength(value) != to->size)
        r_refuse("internal", "read", "a block of another size was delivered");
    memcpy(to->rows, REAL_RO(value), to->size * sizeof(double));
}

static rs_status read_rows(void *state, int block, int count, double *rows)
{
    reader *from = (reader *)state;
    destination to = {rows, (size_t)count * from->d};
    *from->block = block + 1;
    return r_call_back(from->call, copy_rows, &to);
}

rs_status r_blocks(SEXP data, int block, rs_context *ctx, int d, rs_data *X)
{
    SEXP start = r_required(data, "start");
    reader *from = (reader *)R_alloc(1, sizeof *from);
    /* kept alive by the data for as long as the core runs */
    SEXP number = Rf_allocVector(INTSXP, 1);
    R_SetExternalPtrProtected(r_required(data, "kept"), R_NilValue);
    PROTECT(number);
    SEXP call = PROTECT(Rf_lang2(r_required(data, "read"), number));
    R_SetExternalPtrProtected(r_required(data, "kept"), call);
    UNPROTECT(2);
    from->call = call;
    from->block = INTEGER(number);
    from->d = d;
    rs_block_source source = {read_rows,
                              from,
                              (int)Rf_xlength(start) - 1,
                              INTEGER_RO(start),
                              r_centring(data, ctx),
                              NULL};
    r_matrix(data, "weight", &source.weight);
    return rs_data_blocks(ctx, d, &source, block, X);
}
