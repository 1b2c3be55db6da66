#include "method/spectral/spectral.h"

#include <math.h>
#include <string.h>

#include "base/select.h"
#include "la/linalg.h"

/* correlations that differ by less than this share of lambda tie with it */
#define RS_LARS_TIE 1e-9

typedef enum { LARS_OUT, LARS_ACTIVE, LARS_DEPENDENT, LARS_LEFT } lars_place;

/* one response */
typedef struct {
    unsigned char *place; /* d; LARS_LEFT: since the last move */
    double *c;            /* d: Z'(y - Z a) */
    int count, *index;    /* the active features */
    double *value, *sign; /* size: their coefficients, and those of c */
    double *way;          /* size: change of the coefficients per lambda */
    double *columns;      /* n x size */
    double *root;         /* size x size: Cholesky factor of their Gram matrix
                           * with the ridge */
    double lambda, floor; /* what counts as zero */
    int steps, has_dropped, is_done;
} lars_path;

typedef struct {
    rs_data *X;
    int size;
    double ridge;
    const double *square; /* d: ||z_j||^2 */
    double *rank;         /* d: scratch */
    rs_lars_fit *fit;
} lars_problem;

/* ---- the active features ------------------------------------------------------ */

/* root (upper triangle) with a further column: root'r = Z_A'z_j. *entered = 0:
 * the feature depends on the active ones */
static rs_status enter(const lars_problem *s, lars_path *p, int j,
                       int *entered)
{
    const int n = s->X->n, k = p->count, size = s->size;
    double *z = p->columns + (size_t)n * k, *r = p->root + (size_t)size * k;
    RS_TRY(rs_data_columns(s->X, 1, NULL, j, z));
    rs_gemv('T', n, k + 1, 1.0, p->columns, n, z, 0.0, r);
    const double own = r[k] + s->ridge;
    if (k > 0)
        rs_triangular_solve('L', 'T', k, 1, p->root, size, r, size);
    const double rest = own - rs_sum_squares((size_t)k, r);
    *entered = rest > RS_NOTHING * own; /* else it depends on the others */
    p->place[j] = *entered ? LARS_ACTIVE : LARS_DEPENDENT;
    if (!*entered)
        return RS_OK;
    r[k] = sqrt(rest);
    p->index[k] = j;
    p->value[k] = 0.0;
    p->sign[k] = p->c[j] < 0.0 ? -1.0 : 1.0;
    p->count++;
    p->steps++;
    return RS_OK;
}

/* the column a of the active ones is taken out of what is kept of them */
static rs_status leave(const lars_problem *s, lars_path *p, int a)
{
    const size_t n = (size_t)s->X->n, size = (size_t)s->size;
    p->place[p->index[a]] = LARS_LEFT;
    p->count--;
    for (int b = a; b < p->count; b++) {
        p->index[b] = p->index[b + 1];
        p->value[b] = p->value[b + 1];
        p->sign[b] = p->sign[b + 1];
        rs_copy(n, p->columns + n * (b + 1), p->columns + n * b);
    }
    /* what depended on the feature may not any more */
    for (int j = 0; j < s->X->d; j++)
        if (p->place[j] == LARS_DEPENDENT)
            p->place[j] = LARS_OUT;
    p->has_dropped = 1;
    p->steps++;
    if (p->count == 0)
        return RS_OK;
    rs_gemm('T', 'N', p->count, p->count, s->X->n, 1.0, p->columns, s->X->n,
            p->columns, s->X->n, 0.0, p->root, (int)size);
    for (int b = 0; b < p->count; b++)
        p->root[b * (size + 1)] += s->ridge;
    return rs_cholesky(p->count, p->root, (int)size);
}

/* ---- one step -------------------------------------------------------------------- */

/* the feature whose correlation has come up to lambda joins, where there is one */
static rs_status enter_next(const lars_problem *s, lars_path *p)
{
    int entered = p->has_dropped;
    p->has_dropped = 0;
    while (!entered) {
        for (int j = 0; j < s->X->d; j++)
            s->rank[j] = p->place[j] == LARS_OUT ? fabs(p->c[j]) : -INFINITY;
        const int j = rs_choose_best(s->X->d, s->rank, s->square);
        if (j < 0 || fabs(p->c[j]) < (1.0 - RS_LARS_TIE) * p->lambda)
            return RS_OK;
        RS_TRY(enter(s, p, j, &entered));
    }
    return RS_OK;
}

/* way = (Z_A'Z_A + ridge I)^{-1} sign, along which the correlations of the
 * active features fall as lambda does; a feature that would start against its
 * sign leaves again, which is possible among ties only */
static rs_status find_way(const lars_problem *s, lars_path *p)
{
    for (;;) {
        int against = -1;
        if (p->count == 0)
            return RS_OK;
        rs_copy((size_t)p->count, p->sign, p->way);
        RS_TRY(
            rs_cholesky_solve(p->count, 1, p->root, s->size, p->way, s->size));
        for (int a = 0; a < p->count && against < 0; a++)
            if (p->value[a] == 0.0 && p->way[a] * p->sign[a] < 0.0)
                against = a;
        if (against < 0)
            return RS_OK;
        RS_TRY(leave(s, p, against));
        p->has_dropped = 0;
    }
}

/* how far lambda falls before another feature has |c_j| = lambda; a = Z'Z_A way */
static double to_next_entry(const lars_problem *s, const lars_path *p,
                            const double *a)
{
    double least = p->lambda;
    for (int j = 0; j < s->X->d; j++) {
        if (p->place[j] == LARS_ACTIVE || p->place[j] == LARS_DEPENDENT)
            continue;
        const double below = fmax(p->lambda - p->c[j], 0.0),
                     above = fmax(p->lambda + p->c[j], 0.0);
        const int has_left = p->place[j] == LARS_LEFT;
        if (a[j] < 1.0 && !(has_left && p->c[j] > 0.0))
            least = fmin(least, below / (1.0 - a[j]));
        if (a[j] > -1.0 && !(has_left && p->c[j] < 0.0))
            least = fmin(least, above / (1.0 + a[j]));
    }
    return least;
}

/* how far before a coefficient is zero; *which: whose */
static double to_next_exit(const lars_path *p, int *which)
{
    double least = INFINITY;
    *which = -1;
    for (int a = 0; a < p->count; a++) {
        if (p->value[a] * p->way[a] >= 0.0)
            continue;
        const double length = -p->value[a] / p->way[a];
        if (length < least) {
            least = length;
            *which = a;
        }
    }
    return least;
}

/* the coefficients, the correlations and lambda after a move */
static void move(const lars_problem *s, lars_path *p, double length,
                 const double *a)
{
    double largest = 0.0;
    for (int b = 0; b < p->count; b++) {
        p->value[b] += length * p->way[b];
        largest = fmax(largest, fabs(p->value[b]));
    }
    for (int b = 0; b < p->count; b++)
        if (fabs(p->value[b]) <= RS_ROUNDING * largest)
            p->value[b] = 0.0;
    rs_axpy((size_t)s->X->d, -length, a, p->c);
    const int has_moved = length > RS_NOTHING * p->lambda;
    p->lambda -= length;
    if (has_moved)
        for (int j = 0; j < s->X->d; j++)
            if (p->place[j] == LARS_LEFT)
                p->place[j] = LARS_OUT;
}

static void note_pull(const lars_problem *s, const lars_path *p, double *pull)
{
    for (int j = 0; j < s->X->d; j++)
        pull[j] = p->place[j] == LARS_ACTIVE ? 1.0
                  : p->lambda > 0.0 ? fmin(fabs(p->c[j]) / p->lambda, 1.0)
                                    : 0.0;
}

/* to the next event; the path is done where that is an entry too many */
static rs_status advance(const lars_problem *s, lars_path *p, const double *a,
                         double *pull)
{
    int which;
    const double entry = to_next_entry(s, p, a),
                 leaving = to_next_exit(p, &which);
    note_pull(s, p, pull);
    if (leaving < entry) {
        move(s, p, leaving, a);
        p->value[which] = 0.0;
        return leave(s, p, which);
    }
    move(s, p, entry, a);
    p->is_done = p->count == s->size;
    if (p->lambda <= p->floor) {
        p->is_done = 1;
        p->lambda = 0.0;
    } else if (p->is_done) {
        note_pull(s, p, pull);
    }
    return RS_OK;
}

/* ---- start and end -------------------------------------------------------------- */

/* correlations c with y, of which the largest is where the path begins */
static rs_status begin(rs_context *ctx, const lars_problem *s, const double *y,
                       const double *c, double *pull, lars_path *p)
{
    const size_t n = (size_t)s->X->n, d = (size_t)s->X->d,
                 size = (size_t)s->size;
    *p = (lars_path){.count = 0};
    p->place = (unsigned char *)rs_alloc(ctx, d, 1);
    p->c = rs_alloc_double(ctx, d);
    p->index = rs_alloc_int(ctx, size);
    RS_ALLOC_DOUBLES(ctx, size, &p->value, &p->sign, &p->way);
    p->columns = rs_alloc_double(ctx, n * size);
    p->root = rs_alloc_double(ctx, size * size);
    RS_TRY(rs_allocated(ctx));
    memset(p->place, LARS_OUT, d);
    rs_copy(d, c, p->c);
    for (size_t j = 0; j < d; j++)
        p->lambda = fmax(p->lambda, fabs(c[j]));
    /* correlations below it, and such a lambda, are the rounding of zero */
    p->floor =
        RS_ROUNDING * sqrt(rs_largest(s->X->d, s->square)) * rs_norm(n, y);
    p->is_done = p->lambda <= p->floor;
    if (p->is_done)
        p->lambda = 0.0;
    note_pull(s, p, pull);
    return RS_OK;
}

/* one step of every path that is not done; *live: how many these are */
static rs_status step_all(const lars_problem *s, int m, lars_path *path,
                          double *U, double *A, int *live)
{
    const size_t n = (size_t)s->X->n, d = (size_t)s->X->d;
    *live = 0;
    for (int l = 0; l < m; l++) {
        lars_path *p = path + l;
        if (p->is_done)
            continue;
        RS_TRY(enter_next(s, p));
        RS_TRY(find_way(s, p));
        p->is_done = p->count == 0;
        if (p->is_done)
            continue;
        rs_gemv('N', s->X->n, p->count, 1.0, p->columns, s->X->n, p->way, 0.0,
                U + n * (*live)++);
    }
    if (*live == 0)
        return RS_OK;
    RS_TRY(rs_data_crossprod(s->X, *live, U, A));
    for (int l = 0, at = 0; l < m; l++)
        if (!path[l].is_done)
            RS_TRY(advance(s, path + l, A + d * at++, s->fit->pull + d * l));
    return RS_OK;
}

rs_status rs_lars(rs_context *ctx, rs_data *X, int m, const double *Y,
                  int size, double ridge, rs_lars_fit *fit)
{
    const size_t n = (size_t)X->n, d = (size_t)X->d;
    const int most = RS_INNER_STEPS * (size + 1);
    int live = 1;
    if (size < 1 || m > X->block)
        return RS_BAD_INPUT;
    double *square, *rank;
    RS_ALLOC_DOUBLES(ctx, d, &square, &rank);
    double *U = rs_alloc_double(ctx, n * (size_t)m);
    double *A = rs_alloc_double(ctx, d * (size_t)m);
    lars_path *path = (lars_path *)rs_alloc(ctx, (size_t)m, sizeof *path);
    RS_TRY(rs_allocated(ctx));
    lars_problem s = {X, size, ridge, square, rank, fit};
    RS_TRY(rs_data_column_squares(X, square));
    RS_TRY(rs_data_crossprod(X, m, Y, A));
    if (!rs_all_finite(d * (size_t)m, A))
        return RS_NOT_FINITE;
    for (int l = 0; l < m; l++)
        RS_TRY(
            begin(ctx, &s, Y + n * l, A + d * l, fit->pull + d * l, path + l));
    for (int step = 0; step < most && live > 0; step++) {
        RS_TRY(step_all(&s, m, path, U, A, &live));
        RS_TRY(rs_poll(ctx));
    }
    rs_fill(d * (size_t)m, 0.0, fit->coefficients);
    for (int l = 0; l < m; l++) {
        for (int a = 0; a < path[l].count; a++)
            fit->coefficients[path[l].index[a] + d * l] = path[l].value[a];
        fit->lambda[l] = path[l].lambda;
        fit->steps[l] = path[l].steps;
    }
    return live > 0 ? RS_MAXIT : RS_OK;
}
