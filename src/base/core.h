/*
 * base/core.h: what every part of the numeric core shares.
 *
 * The core is plain C99 on doubles. It never sees an R object: memory and the
 * question "does the user want to stop?" reach it through an rs_context, and
 * every routine that can fail returns an rs_status.
 *
 * Matrices are column-major. The letters are the same everywhere: n samples,
 * d features, m columns of a loading matrix.
 */
#ifndef RS_CORE_H
#define RS_CORE_H

#include <stddef.h>

typedef enum {
    RS_OK = 0,        /* done: the stopping test was met */
    RS_MAXIT,         /* the iteration limit came first */
    RS_STALLED,       /* no progress is possible at rounding level */
    RS_INTERRUPTED,   /* the user asked to stop */
    RS_NO_MEMORY,     /* the allocator returned NULL */
    RS_LAPACK_FAILED, /* a LAPACK routine reported info != 0 */
    RS_SINGULAR,      /* a matrix that must be invertible is not */
    RS_NOT_FINITE,    /* NaN or Inf arose in the iteration */
    RS_TOO_MANY_TIES, /* more equal values than can be kept */
    RS_BAD_INPUT,     /* arguments that no caller should pass */
    RS_LATE,          /* a limit of time is over */
    RS_UNSOUND        /* a bound is on the wrong side of what it bounds */
} rs_status;

/* One line of text for a status; a static string. */
const char *rs_status_text(rs_status status);

/* True for the statuses after which the result is still usable. */
int rs_is_usable(rs_status status);

/*
 * Elapsed time, as on a watch: that is what a user waits. Every limit of seconds
 * begins at the call in R; what is left of it when the core begins is told to
 * the core.
 */
typedef struct {
    double started; /* seconds, from an origin of its own */
    double limit;   /* seconds that may be taken; INFINITY: any */
} rs_clock;

void rs_clock_start(double limit, rs_clock *clock);
/* seconds since the start */
double rs_clock_seconds(const rs_clock *clock);
/* seconds until the limit, negative beyond */
double rs_clock_left(const rs_clock *clock);
int rs_clock_is_over(const rs_clock *clock);

/*
 * The surroundings of a computation. `alloc` returns transient memory that
 * stays valid until the outermost call returns (nothing is ever freed by the
 * core); solvers call it only before their loops. `interrupted` is asked at
 * least every half second; nonzero means stop. Where there is a `clock`, its
 * limit ends what is under way in the same places, with RS_LATE: for who set it
 * and knows what to do without a result.
 */
typedef struct {
    void *(*alloc)(void *state, size_t count, size_t size);
    int (*interrupted)(void *state);
    void *state;
    int out_of_memory;     /* some request was not met; stays so */
    const rs_clock *clock; /* or NULL */
} rs_context;

/* `count` objects of `size` bytes (at least one), or NULL. Requests are made
 * in a row; rs_allocated() then says whether all of them were met. */
void *rs_alloc(rs_context *ctx, size_t count, size_t size);
double *rs_alloc_double(rs_context *ctx, size_t count);
int *rs_alloc_int(rs_context *ctx, size_t count);
rs_status rs_allocated(const rs_context *ctx);

/* The same for several pointers: `count` objects for each of those whose
 * addresses follow, as in RS_ALLOC_DOUBLES(ctx, n * m, &R, &residual); */
void rs_alloc_doubles(rs_context *ctx, size_t count, double **const *to);
void rs_alloc_ints(rs_context *ctx, size_t count, int **const *to);
void rs_alloc_bytes(rs_context *ctx, size_t count, unsigned char **const *to);
#define RS_ALLOC_DOUBLES(ctx, count, ...) \
    rs_alloc_doubles(ctx, count, (double **[]){__VA_ARGS__, NULL})
#define RS_ALLOC_INTS(ctx, count, ...) \
    rs_alloc_ints(ctx, count, (int **[]){__VA_ARGS__, NULL})
#define RS_ALLOC_BYTES(ctx, count, ...) \
    rs_alloc_bytes(ctx, count, (unsigned char **[]){__VA_ARGS__, NULL})

int rs_all_finite(size_t n, const double *x);

/* RS_INTERRUPTED when the user asked to stop, RS_LATE when the clock is over,
 * RS_OK otherwise. */
rs_status rs_poll(rs_context *ctx);
/* The same after `more` multiplications, once there have been many since the last
 * one: *since_poll. */
rs_status rs_poll_after(rs_context *ctx, double more, double *since_poll);

/* Return from the enclosing function unless the call gave RS_OK. */
#define RS_TRY(call)                \
    do {                            \
        rs_status status_ = (call); \
        if (status_ != RS_OK)       \
            return status_;         \
    } while (0)

/* Return RS_NO_MEMORY from the enclosing function for a NULL pointer. */
#define RS_TRY_ALLOC(pointer)    \
    do {                         \
        if ((pointer) == NULL)   \
            return RS_NO_MEMORY; \
    } while (0)

/* flops of one BLAS call between two polls: well under half a second */
#define RS_FLOPS_PER_CALL 2.0e8
/* columns that are worked on at a time: with more BLAS gains nothing */
#define RS_PANEL 64
/* what stays in a cache while other numbers pass by: bytes, or entries where
 * these are met once */
#define RS_CACHED (1 << 18)
/* steps of an inner iteration: it ends long before, but for rounding */
#define RS_INNER_STEPS 100

/*
 * Sizes of rounding, relative to the quantities that were computed with:
 * errors of sums, in machine epsilons; what one product of vectors may leave of
 * zero; what is none after several of them; values that are equal, because
 * nothing that decides between them is known.
 */
#define RS_ERRORS 64.0
#define RS_ROUNDING 1e-13
#define RS_NOTHING 1e-12
#define RS_TIE 1e-10
/* what is added to a diagonal, relative to its mean, so that it has a factor */
#define RS_SHIFT 1e-9

static inline int rs_min_int(int a, int b)
{
    return a < b ? a : b;
}

static inline int rs_max_int(int a, int b)
{
    return a > b ? a : b;
}

/* of `columns` columns with `length` entries, how many make
 * RS_FLOPS_PER_CALL when multiplied by a block of width m; at least one */
static inline int rs_columns_per_call(double length, double m, int columns)
{
    double count = RS_FLOPS_PER_CALL / (2.0 * length * m + 1.0);
    if (count < 1.0)
        return 1;
    return count < columns ? (int)count : columns;
}

#endif
