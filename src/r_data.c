#include "r_entries.h"
#include "r_glue.h"

/* One column's sums; missing and infinite values are counted, not summed. */
typedef struct {
    double sum, square; /* of values; of (value - mean) */
    R_xlen_t bad;       /* non-finite entries */
    R_xlen_t first_bad; /* position of the first one, or -1 */
} column_stats;

/* entries of a double or an integer vector, without asking R for each */
typedef struct {
    const double *real;
    const int *whole; /* where real is NULL */
} entries;

static entries entries_of(SEXP x)
{
    entries e = {NULL, NULL};
    if (TYPEOF(x) == REALSXP)
        e.real = REAL_RO(x);
    else
        e.whole = INTEGER_RO(x);
    return e;
}

static int is_bad(entries x, R_xlen_t at)
{
    return x.real ? !R_FINITE(x.real[at]) : x.whole[at] == NA_INTEGER;
}

static double entry(entries x, R_xlen_t at)
{
    return x.real ? x.real[at] : (double)x.whole[at];
}

/* entries from..to of x are stored, the rest of the n are zeros */
static column_stats scan_column(entries x, R_xlen_t from, R_xlen_t to,
                                double n)
{
    column_stats s = {0.0, 0.0, 0, -1};
    for (R_xlen_t at = from; at < to; at++)
        s.sum += entry(x, at);
    if (x.whole || !R_FINITE(s.sum)) { /* a finite sum has no bad terms */
        s.sum = 0.0;
        for (R_xlen_t at = from; at < to; at++) {
            if (!is_bad(x, at))
                s.sum += entry(x, at);
            else if (s.bad++ == 0)
                s.first_bad = at;
        }
    }
    if (s.bad > 0)
        return s;
    double mean = s.sum / n, correction = 0.0;
    for (R_xlen_t at = from; at < to; at++) {
        double gap = entry(x, at) - mean;
        s.square += gap * gap;
        correction += gap;
    }
    double zeros = n - (double)(to - from);
    s.square += zeros * mean * mean;
    correction -= zeros * mean;
    s.square -= correction * correction / n;
    return s;
}

/*
 * Means, centred sums of squares and the whereabouts of non-finite entries of
 * a matrix (p = NULL) or of a sparse one with column pointers p.
 */
SEXP C_column_stats(SEXP x, SEXP p, SEXP n_)
{
    const double n = Rf_asReal(n_);
    const int *pointer = p == R_NilValue ? NULL : INTEGER_RO(p);
    const R_xlen_t d =
        pointer ? Rf_xlength(p) - 1
                : (R_xlen_t)((double)Rf_xlength(x) / (n > 0.0 ? n : 1.0));
    SEXP mean = PROTECT(Rf_allocVector(REALSXP, d));
    SEXP square = PROTECT(Rf_allocVector(REALSXP, d));
    double bad = 0.0, first_entry = NA_REAL, first_column = NA_REAL;
    const entries all = entries_of(x);

    for (R_xlen_t j = 0; j < d; j++) {
        R_xlen_t from = pointer ? pointer[j] : j * (R_xlen_t)n;
        R_xlen_t to = pointer ? pointer[j + 1] : from + (R_xlen_t)n;
        column_stats s = scan_column(all, from, to, n);
        REAL(mean)[j] = s.sum / n;
        REAL(square)[j] = s.square > 0.0 ? s.square : 0.0;
        if (s.bad > 0 && bad == 0.0) {
            first_entry = (double)s.first_bad;
            first_column = (double)j;
        }
        bad += (double)s.bad;
        if ((j & 1023) == 1023)
            R_CheckUserInterrupt();
    }
    const char *names[] = {"mean", "square", "bad", "first_entry",
                           "first_column"};
    SEXP values[] = {mean, square, PROTECT(Rf_ScalarReal(bad)),
                     PROTECT(Rf_ScalarReal(first_entry)),
                     PROTECT(Rf_ScalarReal(first_column))};
    SEXP out = r_named_list(5, names, values);
    UNPROTECT(5);
    return out;
}

/* S = Xc'Xc */
SEXP C_gram(SEXP data)
{
    rs_context ctx = r_context();
    rs_data X;
    r_data(data, 1, &ctx, &X);
    SEXP S = PROTECT(Rf_allocMatrix(REALSXP, X.d, X.d));
    r_check_status(rs_data_gram_features(&X, REAL(S)), "cross-products");
    UNPROTECT(1);
    return S;
}

/* is forming S cheaper than `iterations` pairs of thin products? */
SEXP C_prefers_explicit(SEXP n, SEXP d, SEXP m, SEXP iterations)
{
    return Rf_ScalarLogical(rs_covop_prefers_explicit(
        Rf_asReal(n), Rf_asReal(d), Rf_asReal(m), Rf_asReal(iterations)));
}
