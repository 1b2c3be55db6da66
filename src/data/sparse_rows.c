#include "data/sparse_rows.h"

#include "la/linalg.h"

void rs_sparse_rows_init(rs_context *ctx, int n, int d,
                         const rs_sparse_slots *slot, const rs_base *base,
                         const double *rest, rs_sparse_rows *R)
{
    *R = (rs_sparse_rows){
        .ctx = ctx, .n = n, .d = d, .slot = slot, .base = base, .rest = rest};
}

static double weight_of(const rs_sparse_rows *R, int j)
{
    return R->slot->weight ? R->slot->weight[j] : 1.0;
}

static int levels_of(const rs_sparse_rows *R)
{
    return R->slot->centring.levels;
}

static int level_at(const rs_sparse_rows *R, int at)
{
    return rs_level_of(&R->slot->centring, R->slot->row[at]);
}

/* ---- row by row ----------------------------------------------------------- */

/* start[i] = entries in the rows before row i */
static void count_rows(const rs_sparse_rows *R, int *start)
{
    const int *row = R->slot->row;
    const size_t entries = (size_t)R->slot->p[R->d];
    for (int i = 0; i <= R->n; i++)
        start[i] = 0;
    for (size_t at = 0; at < entries; at++)
        start[row[at] + 1]++;
    for (int i = 0; i < R->n; i++)
        start[i + 1] += start[i];
}

/* the entries of column j join their rows, which are filled up to start */
static void append_column(rs_sparse_rows *R, int j, int *start)
{
    const rs_sparse_slots *slot = R->slot;
    const double *mean = rs_level_means(&slot->centring, j);
    const double weight = weight_of(R, j);
    for (int l = 0; l < levels_of(R); l++)
        R->hole[j + (size_t)R->d * l] = -mean[l] * weight;
    for (int at = slot->p[j]; at < slot->p[j + 1]; at++) {
        const int to = start[slot->row[at]]++;
        R->column[to] = j;
        R->value[to] =
            rs_entry_less(slot->value[at],
                          rs_level_base(&slot->centring, j, level_at(R, at))) *
            weight;
    }
}

/* the slots by counting, once */
static rs_status compress(rs_sparse_rows *R)
{
    const size_t entries = (size_t)R->slot->p[R->d];
    if (R->start)
        return RS_OK;
    int *start = rs_alloc_int(R->ctx, (size_t)R->n + 1);
    R->column = rs_alloc_int(R->ctx, entries);
    R->value = rs_alloc_double(R->ctx, entries);
    R->hole = rs_alloc_double(R->ctx, (size_t)R->d * levels_of(R));
    RS_TRY(rs_allocated(R->ctx));
    count_rows(R, start);
    for (int j = 0; j < R->d; j++)
        append_column(R, j, start);
    for (int i = R->n; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
    R->start = start;
    return RS_OK;
}

rs_status rs_sparse_rows_get(rs_sparse_rows *R, int count, const int *index,
                             int from, double *out)
{
    const size_t d = (size_t)R->d;
    RS_TRY(compress(R));
    for (int c = 0; c < count; c++) {
        const int i = index ? index[c] : from + c;
        double *z = out + (size_t)c * d;
        rs_copy(d, R->hole + d * rs_level_of(&R->slot->centring, i), z);
        for (int at = R->start[i]; at < R->start[i + 1]; at++)
            z[R->column[at]] = R->value[at];
    }
    return rs_poll(R->ctx);
}

/* plain, once */
static rs_status weigh_entries(rs_sparse_rows *R)
{
    const size_t levels = (size_t)levels_of(R);
    RS_TRY(compress(R));
    if (R->plain)
        return RS_OK;
    double *plain = rs_alloc_double(R->ctx, (size_t)R->start[R->n]);
    RS_TRY(rs_allocated(R->ctx));
    for (int i = 0; i < R->n; i++) {
        const double *rest = R->rest + rs_level_of(&R->slot->centring, i);
        for (int at = R->start[i]; at < R->start[i + 1]; at++) {
            const int j = R->column[at];
            plain[at] = R->value[at] + rest[levels * j] * weight_of(R, j);
        }
    }
    R->plain = plain;
    return rs_poll(R->ctx);
}

rs_status rs_sparse_rows_crossprod(rs_sparse_rows *R, const double *y,
                                   double *c)
{
    const int levels = levels_of(R);
    RS_TRY(weigh_entries(R));
    rs_fill((size_t)R->d, 0.0, c);
    for (int i = 0; i < R->n; i++)
        for (int at = R->start[i]; y[i] != 0.0 && at < R->start[i + 1]; at++)
            c[R->column[at]] += y[i] * R->plain[at];
    for (int l = 0; l < levels; l++) {
        double sum = 0.0;
        for (int i = 0; i < R->n; i++)
            if (rs_level_of(&R->slot->centring, i) == l)
                sum += y[i];
        for (int j = 0; j < R->d && sum != 0.0; j++)
            c[j] -= sum * (R->rest[l + (size_t)levels * j] * weight_of(R, j));
    }
    return rs_poll(R->ctx);
}

/* ---- groups of rows ---------------------------------------------------------- */

/* entries and rows of a group: its columns stay near while many rows meet
 * them, and its part of a column of products all the more */
#define RS_GROUP_ENTRIES (1 << 17)
#define RS_GROUP_ROWS 1024
/* what the rows have in common, a group, and the listed rows */
typedef struct rs_row_groups {
    double *pull;  /* levels x n: products of the rows, entries less their
                    * base, with the rests that are taken out of the columns */
    double *rests; /* levels x levels: products of these rests */
    /* the group: rows from .. to, its entries column by column */
    int from, to;
    int *next;           /* d: the first entry of each column beyond it */
    int *begin;          /* d + 1: where its columns begin */
    unsigned short *row; /* less `from` */
    double *value;       /* less base */
    /* the listed rows, entries less base with the weights of both factors */
    size_t room; /* of column and factor */
    int places;  /* of first */
    size_t *first;
    int *column;
    double *factor;
} row_groups;

static size_t entries_of_group(const rs_sparse_rows *R)
{
    return (size_t)rs_max_int(RS_GROUP_ENTRIES, R->d);
}

/* pull and rests */
static rs_status make_pulls(rs_sparse_rows *R)
{
    row_groups *g = R->groups;
    const rs_sparse_slots *slot = R->slot;
    const size_t levels = (size_t)levels_of(R);
    rs_fill((size_t)R->n * levels, 0.0, g->pull);
    rs_fill(levels * levels, 0.0, g->rests);
    for (int j = 0; j < R->d; j++) {
        const rs_base *base = R->base + levels * j;
        const double *rest = R->rest + levels * j;
        const double weight = weight_of(R, j);
        for (size_t l = 0; l < levels; l++)
            for (size_t k = 0; k < levels; k++)
                g->rests[k + levels * l] +=
                    (rest[k] * weight) * (rest[l] * weight);
        for (int at = slot->p[j]; at < slot->p[j + 1]; at++) {
            const double value =
                rs_entry_less(slot->value[at], base[level_at(R, at)]);
            double *pull = g->pull + levels * slot->row[at];
            for (size_t l = 0; l < levels; l++)
                pull[l] += rest[l] * weight * value * weight;
        }
    }
    return rs_poll(R->ctx);
}

static rs_status make_groups(rs_sparse_rows *R)
{
    const size_t d = (size_t)R->d, levels = (size_t)levels_of(R);
    row_groups *g = (row_groups *)rs_alloc(R->ctx, 1, sizeof *g);
    RS_TRY_ALLOC(g);
    R->groups = g;
    g->from = g->to = 0;
    g->room = 0;
    g->places = 0;
    g->pull = rs_alloc_double(R->ctx, (size_t)R->n * levels);
    g->rests = rs_alloc_double(R->ctx, levels * levels);
    RS_TRY(rs_allocated(R->ctx));
    g->next = rs_alloc_int(R->ctx, d);
    g->begin = rs_alloc_int(R->ctx, d + 1);
    g->row = (unsigned short *)rs_alloc(R->ctx, entries_of_group(R),
                                        sizeof *g->row);
    g->value = rs_alloc_double(R->ctx, entries_of_group(R));
    RS_TRY(rs_allocated(R->ctx));
    return make_pulls(R);
}

/* ---- the listed rows ------------------------------------------------------------ */

static rs_status room_for_listed(rs_sparse_rows *R, int count,
                                 const int *index, int from)
{
    row_groups *g = R->groups;
    size_t entries = 0;
    for (int c = 0; c < count; c++) {
        const int i = index ? index[c] : from + c;
        entries += (size_t)(R->start[i + 1] - R->start[i]);
    }
    if (entries > g->room) {
        g->room = entries + entries / 2;
        g->column = rs_alloc_int(R->ctx, g->room);
        g->factor = rs_alloc_double(R->ctx, g->room);
    }
    if (count > g->places) {
        g->places = count;
        g->first =
            (size_t *)rs_alloc(R->ctx, (size_t)count + 1, sizeof *g->first);
    }
    return rs_allocated(R->ctx);
}

static rs_status read_listed(rs_sparse_rows *R, int count, const int *index,
                             int from)
{
    row_groups *g = R->groups;
    const size_t levels = (size_t)levels_of(R);
    size_t to = 0;
    RS_TRY(room_for_listed(R, count, index, from));
    for (int c = 0; c < count; c++) {
        const int i = index ? index[c] : from + c;
        const int own = rs_level_of(&R->slot->centring, i);
        g->first[c] = to;
        for (int at = R->start[i]; at < R->start[i + 1]; at++) {
            const int j = R->column[at];
            const double weight = weight_of(R, j);
            const double rest = R->rest[(size_t)own + levels * j];
            g->column[to] = j;
            g->factor[to++] = (R->value[at] + rest * weight) * weight;
        }
    }
    g->first[count] = to;
    return RS_OK;
}

/* ---- the products -------------------------------------------------------------------- */

/* the next rows, as many as there is room for */
static void next_rows(const rs_sparse_rows *R, row_groups *g)
{
    const size_t room = entries_of_group(R);
    int i = g->to;
    g->from = i;
    while (i < R->n && i - g->from < RS_GROUP_ROWS &&
           (size_t)(R->start[i + 1] - R->start[g->from]) <= room)
        i++;
    g->to = i;
}

/* the entries of the group */
static void gather(const rs_sparse_rows *R, row_groups *g)
{
    const rs_sparse_slots *slot = R->slot;
    const size_t levels = (size_t)levels_of(R);
    int to = 0;
    for (int j = 0; j < R->d; j++) {
        const rs_base *base = R->base + levels * j;
        int at = g->next[j];
        g->begin[j] = to;
        for (; at < slot->p[j + 1] && slot->row[at] < g->to; at++) {
            g->row[to] = (unsigned short)(slot->row[at] - g->from);
            g->value[to++] =
                rs_entry_less(slot->value[at], base[level_at(R, at)]);
        }
        g->next[j] = at;
    }
    g->begin[R->d] = to;
}

/* product[r] = what the means make of the product of rows i and r, for the rows
 * of the group */
static void put_rests(const rs_sparse_rows *R, const row_groups *g, int i,
                      double *product)
{
    const rs_centring *centring = &R->slot->centring;
    const size_t levels = (size_t)centring->levels;
    const int own = rs_level_of(centring, i);
    for (int r = g->from; r < g->to; r++) {
        const int other = rs_level_of(centring, r);
        product[r - g->from] = g->rests[(size_t)own + levels * other] -
                               g->pull[(size_t)other + levels * i] -
                               g->pull[(size_t)own + levels * r];
    }
}

/* product += those of listed row c with the group */
static void meet(const row_groups *g, int c, double *product)
{
    for (size_t at = g->first[c]; at < g->first[c + 1]; at++) {
        const int j = g->column[at], end = g->begin[j + 1];
        const double factor = g->factor[at];
        for (int a = g->begin[j]; a < end; a++)
            product[g->row[a]] += factor * g->value[a];
    }
}

rs_status rs_sparse_rows_products(rs_sparse_rows *R, int count,
                                  const int *index, int from, double *out)
{
    RS_TRY(compress(R));
    if (R->groups == NULL)
        RS_TRY(make_groups(R));
    row_groups *g = R->groups;
    const size_t n = (size_t)R->n;
    RS_TRY(read_listed(R, count, index, from));
    for (int j = 0; j < R->d; j++)
        g->next[j] = R->slot->p[j];
    g->to = 0;
    while (g->to < R->n) {
        next_rows(R, g);
        gather(R, g);
        for (int c = 0; c < count; c++) {
            double *products = out + g->from + n * (size_t)c;
            put_rests(R, g, index ? index[c] : from + c, products);
            meet(g, c, products);
        }
        RS_TRY(rs_poll(R->ctx));
    }
    return RS_OK;
}
