/* Cross-products of sparse columns. */
#include "data/sparse_rows.h"

#include "la/linalg.h"

/* entries of a group of rows: they stay near while every column meets them */
#define RS_GRAM_GROUP_ENTRIES (1 << 18)
#define RS_MEETINGS_PER_POLL ((size_t)1 << 26)

/* the rows from .. to once more, row by row, filled as the columns come */
typedef struct {
    int from, to;
    int *length;   /* n: entries of each row of the data */
    size_t *start; /* n + 1: where the rows of the group begin */
    size_t *end;   /* n: and how far they are filled */
    int *column;   /* ascending within a row */
    double *value;
    int *next; /* d: the first entry of each column beyond the group */
} row_group;

static void count_lengths(int n, int d, const rs_sparse_slots *slot,
                          const unsigned char *apart, int *length)
{
    for (int i = 0; i < n; i++)
        length[i] = 0;
    for (int j = 0; j < d; j++)
        for (int at = slot->p[j]; at < slot->p[j + 1] && !apart[j]; at++)
            length[slot->row[at]]++;
}

static rs_status group_init(rs_context *ctx, int n, int d,
                            const rs_sparse_slots *slot,
                            const unsigned char *apart, row_group *group)
{
    const size_t room = (size_t)rs_max_int(RS_GRAM_GROUP_ENTRIES, d);
    group->from = group->to = 0;
    group->length = rs_alloc_int(ctx, (size_t)n);
    group->start = (size_t *)rs_alloc(ctx, (size_t)n + 1, sizeof(size_t));
    group->end = (size_t *)rs_alloc(ctx, (size_t)n, sizeof(size_t));
    group->column = rs_alloc_int(ctx, room);
    group->value = rs_alloc_double(ctx, room);
    group->next = rs_alloc_int(ctx, (size_t)d);
    RS_TRY(rs_allocated(ctx));
    count_lengths(n, d, slot, apart, group->length);
    for (int j = 0; j < d; j++)
        group->next[j] = slot->p[j];
    return RS_OK;
}

/* the next rows, as many as there is room for */
static void next_group(int n, int d, row_group *group)
{
    const size_t room = (size_t)rs_max_int(RS_GRAM_GROUP_ENTRIES, d);
    size_t entries = 0;
    int i = group->to;
    group->from = i;
    for (; i < n && entries + (size_t)group->length[i] <= room; i++) {
        group->start[i] = group->end[i] = entries;
        entries += (size_t)group->length[i];
    }
    group->to = i;
}

/* the entries of column j in the group join their rows, and meet what is there,
 * themselves last: g += sum over rows of v_j v_i; returns how many met */
static size_t meet_column(const rs_sparse_slots *slot, const rs_base *base,
                          int j, row_group *group, double *g)
{
    const double weight = slot->weight ? slot->weight[j] : 1.0;
    size_t met = 0;
    int at = group->next[j];
    for (; at < slot->p[j + 1] && slot->row[at] < group->to; at++) {
        const int i = slot->row[at];
        const size_t first = group->start[i], last = group->end[i]++;
        const double value =
            rs_entry_less(slot->value[at],
                          base[rs_level_of(&slot->centring, i)]) *
            weight;
        group->column[last] = j;
        group->value[last] = value;
        for (size_t a = first; a <= last; a++)
            g[group->column[a]] += value * group->value[a];
        met += last - first + 1;
    }
    group->next[j] = at;
    return met;
}

rs_status rs_sparse_cross_products(rs_context *ctx, int n, int d,
                                   const rs_sparse_slots *slot,
                                   const rs_base *base,
                                   const unsigned char *apart, double *G)
{
    const size_t levels = (size_t)slot->centring.levels;
    size_t since_poll = 0;
    row_group group;
    RS_TRY(group_init(ctx, n, d, slot, apart, &group));
    while (group.to < n) {
        next_group(n, d, &group);
        for (int j = 0; j < d; j++) {
            if (apart[j])
                continue;
            since_poll += (size_t)1 + meet_column(slot, base + levels * j, j,
                                                  &group, G + (size_t)d * j);
            if (since_poll > RS_MEETINGS_PER_POLL) {
                RS_TRY(rs_poll(ctx));
                since_poll = 0;
            }
        }
    }
    return RS_OK;
}
