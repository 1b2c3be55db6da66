/* Bounds of sets of groups. */
#include "method/groups/bounds.h"

#include <math.h>
#include <string.h>

#include "base/near.h"

/* columns up to which all that are left are looked at together: eigenvalues */
#define RS_GROUPS_TOGETHER 300

static void bounds_begin(rs_context *ctx, const rs_groups *groups,
                         const double *S, int d, rs_groups_bounds *b)
{
    *b = (rs_groups_bounds){.ctx = ctx, .groups = groups, .S = S, .d = d};
    RS_ALLOC_INTS(ctx, (size_t)d, &b->column, &b->owner);
    b->sizes = rs_alloc_int(ctx, (size_t)groups->count);
}

rs_status rs_groups_bounds_lsq(rs_context *ctx, const rs_groups *groups,
                               const double *S, rs_group_lsq *lsq,
                               const double *YtY, int rank,
                               rs_groups_bounds *b)
{
    const size_t d = (size_t)lsq->d, c = (size_t)lsq->c;
    const size_t wide = (size_t)rs_group_widest(groups);
    bounds_begin(ctx, groups, S, lsq->d, b);
    b->lsq = lsq;
    b->YtY = c > 1 ? YtY : NULL;
    b->rank = rank;
    RS_ALLOC_DOUBLES(ctx, S ? d * d : 0, &b->A, &b->H);
    b->beta = rs_alloc_double(ctx, d * c);
    b->corner = rs_alloc_double(ctx, wide * wide);
    b->part = rs_alloc_double(ctx, wide * c);
    b->residual = rs_alloc_double(ctx, b->YtY ? c * c : 0);
    b->values = rs_alloc_double(ctx, c);
    RS_TRY(rs_allocated(ctx));
    return b->YtY ? rs_eigen_init(ctx, lsq->c, &b->eigen) : RS_OK;
}

rs_status rs_groups_bounds_trace(rs_context *ctx, const rs_groups *groups,
                                 const double *S, rs_value_trace *trace,
                                 rs_groups_bounds *b)
{
    const int order = rs_max_int(rs_group_widest(groups),
                                 rs_min_int(trace->op->d, RS_GROUPS_TOGETHER));
    bounds_begin(ctx, groups, S, trace->op->d, b);
    b->trace = trace;
    b->sums = rs_alloc_double(ctx, (size_t)groups->count);
    b->A = rs_alloc_double(ctx, (size_t)order * order);
    b->values = rs_alloc_double(ctx, (size_t)order);
    RS_TRY(rs_allocated(ctx));
    RS_TRY(rs_eigen_init(ctx, order, &b->eigen));
    for (int g = 0; g < groups->count; g++) {
        const int size = rs_group_size(groups, g);
        RS_TRY(rs_eigen_sum(size, rs_value_trace_block(trace, g),
                            rs_min_int(size, trace->m), b->values, NULL,
                            b->sums + g, &b->eigen));
    }
    return RS_OK;
}

/* the columns of all groups that are not left out */
static int list_left(rs_groups_bounds *b, const unsigned char *mark)
{
    int count = 0;
    for (int g = 0; g < b->groups->count; g++) {
        const int *column = rs_group_columns(b->groups, g);
        if (mark[g] == RS_GROUP_OUT)
            continue;
        for (int i = 0; i < rs_group_size(b->groups, g); i++) {
            b->column[count] = column[i];
            b->owner[count++] = g;
        }
    }
    return count;
}

static void gather(rs_groups_bounds *b, int p, double ridge)
{
    for (int j = 0; j < p; j++) {
        const double *from = b->S + (size_t)b->d * b->column[j];
        double *to = b->A + (size_t)p * j;
        for (int i = 0; i < p; i++)
            to[i] = from[b->column[i]];
        to[j] += ridge;
    }
}

/* ---- explained sums of squares -------------------------------------------------- */

/* the factor in A, if no column depends on those before it */
static int factored(rs_groups_bounds *b, int p)
{
    if (rs_cholesky(p, b->A, p) != RS_OK)
        return 0;
    for (int j = 0; j < p; j++) {
        const double root = b->A[j + (size_t)p * j];
        const double whole =
            b->S[b->column[j] * ((size_t)b->d + 1)] + b->lsq->ridge;
        if (!(root * root > RS_LEFT_SLIGHT * whole))
            return 0;
    }
    return 1;
}

/* columns that depend on those before them leave the list */
static int drop_dependent(rs_groups_bounds *b, int p)
{
    int count = 0;
    double *L = b->H; /* rows of the factor by column */
    for (int j = 0; j < p; j++) {
        const double *column = b->S + (size_t)b->d * b->column[j];
        double *own = L + (size_t)p * count;
        const double whole = column[b->column[j]] + b->lsq->ridge;
        double left = whole;
        for (int i = 0; i < count; i++) {
            const double *row = L + (size_t)p * i;
            own[i] =
                (column[b->column[i]] - rs_dot((size_t)i, row, own)) / row[i];
            left -= own[i] * own[i];
        }
        if (!(left > RS_LEFT_SLIGHT * whole))
            continue;
        own[count] = sqrt(left);
        b->column[count] = b->column[j];
        b->owner[count++] = b->owner[j];
    }
    return count;
}

/* what all groups that are left explain, and without each of them */
static rs_status explained_by_all(rs_groups_bounds *b,
                                  const unsigned char *mark, double *bound,
                                  double *without)
{
    const rs_group_lsq *lsq = b->lsq;
    const int c = lsq->c;
    int p = list_left(b, mark), dependent = 0;
    gather(b, p, lsq->ridge);
    if (!factored(b, p)) {
        dependent = 1;
        p = drop_dependent(b, p);
        gather(b, p, lsq->ridge);
        if (!factored(b, p))
            return RS_OK;
    }
    for (int l = 0; l < c; l++)
        for (int i = 0; i < p; i++)
            b->beta[i + (size_t)p * l] =
                lsq->B[b->column[i] + (size_t)b->d * l];
    rs_triangular_solve('L', 'T', p, c, b->A, p, b->beta, p);
    const double value = rs_sum_squares((size_t)p * c, b->beta);
    *bound = fmin(*bound, value);
    if (dependent)
        return RS_OK; /* others may do what a group does */
    rs_triangular_solve('L', 'N', p, c, b->A, p, b->beta, p);
    RS_TRY(rs_cholesky_inverse(p, b->A));
    for (int from = 0, to; from < p; from = to) {
        const int g = b->owner[from];
        for (to = from; to < p && b->owner[to] == g; to++)
            ;
        const int size = to - from;
        for (int j = 0; j < size; j++)
            rs_copy((size_t)size, b->A + from + (size_t)p * (from + j),
                    b->corner + (size_t)size * j);
        for (int l = 0; l < c; l++)
            rs_copy((size_t)size, b->beta + from + (size_t)p * l,
                    b->part + (size_t)size * l);
        if (rs_cholesky(size, b->corner, size) != RS_OK)
            continue;
        rs_triangular_solve('L', 'T', size, c, b->corner, size, b->part, size);
        without[g] = value - rs_sum_squares((size_t)size * c, b->part);
    }
    return RS_OK;
}

/* the sum of the `most` largest sizes of free groups */
static int free_columns(rs_groups_bounds *b, const unsigned char *mark,
                        int most)
{
    int count = 0, columns = 0;
    for (int g = 0; g < b->groups->count; g++) {
        if (mark[g] != RS_GROUP_FREE)
            continue;
        const int own = rs_group_size(b->groups, g);
        int at = count++;
        for (; at > 0 && b->sizes[at - 1] < own; at--)
            b->sizes[at] = b->sizes[at - 1];
        b->sizes[at] = own;
    }
    for (int i = 0; i < rs_min_int(most, count); i++)
        columns += b->sizes[i];
    return columns;
}

/* what the groups inside explain, and the most that others can in addition */
static rs_status explained_beside(rs_groups_bounds *b,
                                  const unsigned char *mark, int count,
                                  const int *inside, int k, double *bound)
{
    rs_group_lsq *lsq = b->lsq;
    const rs_value value = rs_group_lsq_value(lsq);
    const int more = rs_min_int(free_columns(b, mark, k - count), lsq->c);
    double worth, rest;
    RS_TRY(value.move(value.state, count, inside, &worth));
    rs_group_lsq_residual(lsq, b->YtY, b->residual);
    RS_TRY(rs_eigen_sum(lsq->c, b->residual, more, b->values, NULL, &rest,
                        &b->eigen));
    *bound = fmin(*bound, worth + rest);
    return RS_OK;
}

/* of the groups that must go, the one that costs most costs at least the
 * smallest of so many costs: with r to go, the r-th smallest */
static double after_removals(rs_groups_bounds *b, const unsigned char *mark,
                             int go, const double *without)
{
    double least = INFINITY;
    /* the r-th largest of without[], r = go, by passes over it */
    double above = INFINITY;
    int taken = 0;
    for (int g = 0; g < b->groups->count; g++)
        taken += mark[g] == RS_GROUP_FREE && without[g] == INFINITY;
    while (taken < go) {
        double next = -INFINITY;
        int ties = 0;
        for (int g = 0; g < b->groups->count; g++) {
            if (mark[g] != RS_GROUP_FREE || !(without[g] < above))
                continue;
            if (without[g] > next) {
                next = without[g];
                ties = 1;
            } else if (without[g] == next) {
                ties++;
            }
        }
        if (ties == 0)
            break;
        taken += ties;
        above = least = next;
    }
    return least;
}

static rs_status of_lsq(void *state, const unsigned char *mark, int count,
                        const int *inside, int k, double *bound,
                        double *without, int *split)
{
    rs_groups_bounds *b = (rs_groups_bounds *)state;
    int open = 0, left = 0;
    double least = INFINITY;
    *bound = b->lsq->total;
    for (int g = 0; g < b->groups->count; g++) {
        without[g] = INFINITY;
        open += mark[g] == RS_GROUP_FREE;
        if (mark[g] != RS_GROUP_OUT)
            left += rs_group_size(b->groups, g);
    }
    if (b->S && (b->lsq->ridge > 0.0 || left < b->rank)) {
        RS_TRY(explained_by_all(b, mark, bound, without));
        *bound =
            fmin(*bound, after_removals(b, mark, count + open - k, without));
    }
    if (b->YtY)
        RS_TRY(explained_beside(b, mark, count, inside, k, bound));
    *split = -1;
    for (int g = 0; g < b->groups->count; g++)
        if (mark[g] == RS_GROUP_FREE &&
            (*split < 0 || without[g] < least ||
             (without[g] == least &&
              b->groups->second[g] > b->groups->second[*split]))) {
            *split = g;
            least = without[g];
        }
    return RS_OK;
}

/* ---- leading eigenvalues --------------------------------------------------------- */

static rs_status of_trace(void *state, const unsigned char *mark, int count,
                          const int *inside, int k, double *bound,
                          double *without, int *split)
{
    rs_groups_bounds *b = (rs_groups_bounds *)state;
    rs_value_trace *trace = b->trace;
    const rs_value value = rs_trace_as_value(trace);
    const int more = k - count;
    double worth, sum = 0.0, last = 0.0, next = 0.0;
    int taken = 0;
    RS_TRY(value.move(value.state, count, inside, &worth));
    /* the `more` largest sums of free groups, and the one after these */
    double above = INFINITY;
    *split = -1;
    while (taken <= more) {
        double largest = -INFINITY;
        int ties = 0;
        for (int g = 0; g < b->groups->count; g++) {
            if (mark[g] != RS_GROUP_FREE || !(b->sums[g] < above))
                continue;
            if (b->sums[g] > largest) {
                largest = b->sums[g];
                ties = 1;
                if (taken == 0)
                    *split = g;
            } else if (b->sums[g] == largest) {
                ties++;
            }
        }
        if (ties == 0)
            break;
        for (; ties > 0 && taken <= more; ties--, taken++) {
            if (taken < more) {
                sum += largest;
                last = largest;
            } else {
                next = largest;
            }
        }
        above = largest;
    }
    *bound = worth + sum;
    for (int g = 0; g < b->groups->count; g++)
        without[g] = mark[g] == RS_GROUP_FREE && b->sums[g] >= last
                         ? worth + sum - b->sums[g] + next
                         : INFINITY;
    const int p = list_left(b, mark);
    if (p <= RS_GROUPS_TOGETHER && b->S) {
        double all;
        gather(b, p, 0.0);
        RS_TRY(rs_eigen_sum(p, b->A, rs_min_int(p, trace->m), b->values, NULL,
                            &all, &b->eigen));
        *bound = fmin(*bound, all);
    }
    return RS_OK;
}

rs_group_bounds rs_groups_bounds_of(rs_groups_bounds *bounds)
{
    rs_group_bounds out = {bounds, bounds->lsq ? of_lsq : of_trace};
    return out;
}
