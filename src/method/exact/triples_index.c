/* The lists of third features beside each apex, from its columns of products. */
#include "method/exact/triples_index.h"

#include <string.h>

/* most apices held at a time: the offsets of their cells are then 8 MB */
#define RS_APICES 4096

/* ---- memory ------------------------------------------------------------- */

/* d/128, d/128, d/64, ..., d/2 features: shares fall fastest at the start */
static void divide_shares(rs_triple_index *index)
{
    index->band_from[0] = 0;
    for (int band = 1; band <= RS_BANDS; band++)
        index->band_from[band] = index->features->d >> (RS_BANDS - band);
}

rs_status rs_triple_index_init(const rs_triple_features *f,
                               const rs_triple_question *q,
                               rs_triple_index *index)
{
    rs_context *ctx = f->ctx;
    const size_t d = (size_t)f->d, apices = d < RS_APICES ? d : RS_APICES;
    index->features = f;
    index->question = q;
    index->room = 0;
    index->start = (size_t *)rs_alloc(ctx, apices, sizeof *index->start);
    index->cell = rs_alloc_int(ctx, apices * (RS_CELLS + 1));
    index->is_second = (unsigned char *)rs_alloc(ctx, d, 1);
    index->entry = rs_alloc_double(ctx, d);
    index->second = rs_alloc_int(ctx, d);
    RS_TRY(rs_allocated(ctx));
    divide_shares(index);
    return rs_triple_index_reserve(d, index);
}

/* strips reach beyond the end of a list */
rs_status rs_triple_index_reserve(size_t room, rs_triple_index *index)
{
    const size_t padded = room + RS_TRIPLE_STRIP;
    rs_context *ctx = index->features->ctx;
    rs_triple_list *list = &index->list;
    if (room <= index->room)
        return RS_OK;
    list->rho = (float *)rs_alloc(ctx, padded, sizeof(float));
    list->joint = (float *)rs_alloc(ctx, padded, sizeof(float));
    list->alone = (float *)rs_alloc(ctx, padded, sizeof(float));
    list->feature = rs_alloc_int(ctx, padded);
    index->room = room;
    rs_triple_index_clear(0, index);
    return rs_allocated(ctx);
}

void rs_triple_index_clear(int first, rs_triple_index *index)
{
    index->first = first;
    index->apices = 0;
    index->used = 0;
    memset(index->is_second, 0, (size_t)index->features->d);
}

int rs_triple_index_has_room(const rs_triple_index *index)
{
    return index->apices < RS_APICES &&
           (index->apices == 0 ||
            index->used + (size_t)index->features->d <= index->room);
}

/* ---- the list of an apex ------------------------------------------------ */

static inline int bin_of(double entry)
{
    return entry < 1.0 ? (int)(entry * RS_BINS) : RS_BINS - 1;
}

/* the cells of a band of shares start with the largest entries */
static inline int cell_of(int band, int bin)
{
    return band * RS_BINS + RS_BINS - 1 - bin;
}

/* features k that can be second beside j: whose entry, as y, would do for a
 * third feature with the largest share; returns how many */
static int find_seconds(rs_triple_index *index, int j)
{
    const rs_triple_question *q = index->question;
    double L = 1.0 - q->share[j] - q->share[0];
    int count = 0;
    for (int k = 0; k < index->features->d; k++)
        if (index->entry[k] >= 0.0 &&
            rs_triple_least_y(L - q->share[k] - q->slack,
                              index->entry[k] + q->slack) >= 0.0) {
            index->second[count++] = k;
            index->is_second[k] = 1;
        }
    return count;
}

/* the least y over all `count` second features, for an i of the band */
static double band_threshold(const rs_triple_index *index, int j, int band,
                             int count)
{
    const rs_triple_question *q = index->question;
    double share = q->share[j] + q->share[index->band_from[band]];
    double least = 2.0; /* more than any entry that matters */
    for (int h = 0; h < count; h++) {
        int k = index->second[h];
        double y = rs_triple_least_y(1.0 - share - q->share[k] - q->slack,
                                     index->entry[k] + q->slack);
        if (y >= 0.0)
            least = fmin(least, y);
    }
    return least - q->slack;
}

static inline int is_near(const rs_triple_index *index, int i, double least)
{
    return index->entry[i] >= 0.0 && index->entry[i] >= least;
}

/* how many of the neighbours fall into each cell, as offsets; least[]: the
 * thresholds of the bands of shares */
static void count_cells(const rs_triple_index *index, const double *least,
                        int *cell)
{
    memset(cell, 0, (RS_CELLS + 1) * sizeof *cell);
    for (int band = 0; band < RS_BANDS; band++)
        for (int i = index->band_from[band]; i < index->band_from[band + 1];
             i++)
            if (is_near(index, i, least[band]))
                cell[cell_of(band, bin_of(index->entry[i])) + 1]++;
    for (int b = 0; b < RS_CELLS; b++)
        cell[b + 1] += cell[b];
}

static void put(rs_triple_index *index, size_t at, int i, double rho,
                double joint)
{
    rs_triple_list *list = &index->list;
    list->rho[at] = (float)rho;
    list->joint[at] = (float)joint;
    list->alone[at] = (float)index->features->alone[i];
    list->feature[at] = i;
}

/* what strips find beyond the end is harmless */
static void pad_list(rs_triple_index *index)
{
    rs_triple_list *list = &index->list;
    for (size_t at = index->used; at < index->used + RS_TRIPLE_STRIP; at++) {
        list->rho[at] = list->joint[at] = list->alone[at] = 0.0F;
        list->feature[at] = 0;
    }
}

void rs_triple_index_add(const double *A, const double *C,
                         rs_triple_index *index)
{
    const int j = index->first + index->apices;
    int *cell = index->cell + (size_t)(RS_CELLS + 1) * index->apices, seconds;
    int next[RS_CELLS + 1];
    double least[RS_BANDS];

    for (int i = 0; i < index->features->d; i++)
        index->entry[i] =
            i == j ? -1.0
                   : rs_triple_entry(index->features, index->question, j, i,
                                     A[i], C[i]);
    seconds = find_seconds(index, j);
    for (int band = 0; band < RS_BANDS; band++)
        least[band] = band_threshold(index, j, band, seconds);
    count_cells(index, least, cell);
    memcpy(next, cell, sizeof next);
    for (int band = 0; band < RS_BANDS; band++)
        for (int i = index->band_from[band]; i < index->band_from[band + 1];
             i++)
            if (is_near(index, i, least[band])) {
                int b = cell_of(band, bin_of(index->entry[i]));
                put(index, index->used + (size_t)next[b]++, i, A[i], C[i]);
            }
    index->start[index->apices++] = index->used;
    index->used += (size_t)cell[RS_CELLS];
    pad_list(index);
}

/* ---- third features ----------------------------------------------------- */

/*
 * Bands come with descending shares: once one cannot win, none can. A cell
 * holds entries that are up to one bin lower than its own threshold; what
 * the tests then find too small costs time and nothing else.
 */
void rs_triple_find_thirds(const rs_triple_index *index, int a, int k,
                           double x, rs_triple_thirds *thirds)
{
    const rs_triple_question *q = index->question;
    const int *cell = index->cell + (size_t)(RS_CELLS + 1) * a;
    const double share = q->share[index->first + a] + q->share[k];
    int band;
    thirds->count = 0.0;
    for (band = 0; band < RS_BANDS; band++) {
        double L = 1.0 - share - q->slack - q->share[index->band_from[band]];
        double y = rs_triple_least_y(L, x + q->slack);
        if (y < 0.0)
            break;
        y = fmax(y - q->slack, 0.0);
        thirds->from[band] = cell[cell_of(band, bin_of(x + 2.0 * q->slack))];
        thirds->to[band] = cell[cell_of(band, bin_of(y)) + 1];
        thirds->count += rs_max_int(thirds->to[band] - thirds->from[band], 0);
    }
    thirds->bands = band;
}
