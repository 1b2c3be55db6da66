/* The core: its rows, columns and variables, see relax_trace.h. */
#include <math.h>
#include <string.h>

#include "base/select.h"
#include "proof/relax_trace.h"

/* columns of rows that are in no core give way */
static void forget_columns(rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const size_t d = (size_t)s->op->d;
    for (int i = 0; i < core->p; i++) { /* in the order of their slots */
        const int from = core->slot[core->row[i]];
        if (from > i)
            rs_copy(d, core->columns + d * from, core->columns + d * i);
    }
    for (size_t j = 0; j < d; j++)
        core->slot[j] = -1;
    for (int i = 0; i < core->p; i++)
        core->slot[core->row[i]] = i;
    core->known = core->p;
}

/* the column of S, until the next one is asked for: it is kept if there is room */
static rs_status column_of(int row, const double **column, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const size_t d = (size_t)s->op->d;
    if (core->slot[row] < 0) {
        if (core->known == s->sizes.most)
            forget_columns(s);
        const int is_full = core->known == s->sizes.most;
        double *to =
            is_full ? s->outside.block : core->columns + d * core->known;
        *column = to;
        if (!is_full)
            core->slot[row] = core->known++;
        return rs_covop_columns(s->op, 1, &row, to);
    }
    *column = core->columns + d * core->slot[row];
    return RS_OK;
}

/* an exchange of a member needs no column beside those of the other ones */
rs_status rs_trace_square(const int *set, rs_relax_trace *s)
{
    const int k = s->k, *slot = s->core.slot;
    double *A = s->relax.A;
    for (int b = 0; b < k; b++) {
        for (int a = 0; a < b; a++) {
            const int from = slot[set[b]] < 0 ? a : b, to = a + b - from;
            const double *column;
            if (slot[set[from]] < 0)
                RS_TRY(column_of(set[to], &column, s));
            RS_TRY(column_of(set[from], &column, s));
            A[a + (size_t)b * k] = column[set[to]];
        }
        A[b * ((size_t)k + 1)] = s->op->diagonal[set[b]];
    }
    return RS_OK;
}

/* the matrix of the core, and what the relaxation is about */
static void set_about(const rs_node *node, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const int p = core->p, d = s->op->d;
    for (int j = 0; j < p; j++) {
        const double *column =
            core->columns + (size_t)d * core->slot[core->row[j]];
        for (int i = 0; i < p; i++)
            core->S[i + (size_t)j * p] = column[core->row[i]];
        core->in[j] = node->mark[core->row[j]] == RS_UNIT_IN;
    }
    rs_symmetrise(p, core->S);
    rs_relax_about(p, s->k, core->S, core->in, &s->relax);
}

/* these rows come to the end of the core, with their columns */
static rs_status append(int count, const int *rows, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    if (core->known + count > s->sizes.most)
        forget_columns(s);
    RS_TRY(rs_covop_columns(s->op, count, rows,
                            core->columns + (size_t)s->op->d * core->known));
    for (int b = 0; b < count; b++) {
        core->row[core->p + b] = rows[b];
        core->slot[rows[b]] = core->known + b;
        core->holds[rows[b]] = 1;
    }
    core->known += count;
    core->p += count;
    return RS_OK;
}

rs_status rs_trace_know(rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const int p = core->p;
    int last = -1, unknown = 0;
    memset(core->holds, 0, (size_t)s->op->d);
    for (int i = 0; i < p; i++) {
        const int slot = core->slot[core->row[i]];
        core->holds[core->row[i]] = 1;
        unknown += slot <= last; /* unknown, or in another order */
        last = slot;
    }
    if (unknown == 0)
        return RS_OK;
    memcpy(s->order, core->row, (size_t)p * sizeof *core->row);
    core->p = 0;
    forget_columns(s);
    return append(p, s->order, s);
}

/* L along the leading eigenvectors of the good set */
static rs_status start_variables(rs_relax_trace *s)
{
    const int k = s->k, p = s->core.p, m = s->m;
    double *V = s->relax.V, *basis = s->core.y, *values = s->relax.lambda;
    RS_TRY(rs_trace_square(s->set, s));
    RS_TRY(rs_eigen_largest(k, s->relax.A, m, values, V, &s->relax.eigen));
    rs_fill((size_t)p * m, 0.0, basis);
    for (int i = 0; i < p; i++)
        for (int a = 0; a < k; a++)
            for (int c = 0; c < m && s->set[a] == s->core.row[i]; c++)
                basis[i + (size_t)c * p] = V[a + (size_t)c * k];
    rs_scale((size_t)m, 0.5, values);
    rs_relax_start(basis, values, s->unit, s->core.x, &s->relax);
    return RS_OK;
}

/*
 * The first core: the good set, the rows in every set, and of the others those
 * with the largest covariances with the good set, and variances.
 */
static rs_status begin(const rs_node *node, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    const int d = s->op->d, rest = node->count + node->open;
    const int most =
        rs_min_int(rs_max_int(s->sizes.first, s->k), s->sizes.most);
    double *score = s->score;
    rs_fill((size_t)d, 0.0, score);
    for (int a = 0; a < s->k; a++) {
        const double *column;
        RS_TRY(column_of(s->set[a], &column, s));
        for (int j = 0; j < d; j++)
            score[j] += fabs(column[j]) / s->k;
    }
    for (int a = 0; a < s->k; a++)
        score[s->set[a]] = INFINITY;
    for (int j = 0; j < d; j++) {
        score[j] += 0.5 * s->op->diagonal[j];
        if (node->mark[j] != RS_UNIT_FREE)
            score[j] = node->mark[j] == RS_UNIT_IN ? INFINITY : -1.0;
    }
    const int first = rest <= most + most / 4 ? rest : most;
    rs_topk_order(d, score, rs_min_int(first, s->sizes.most), s->order,
                  s->score + d);
    memset(core->holds, 0, (size_t)d);
    core->p = core->joins = 0;
    forget_columns(s);
    RS_TRY(append(rs_min_int(first, s->sizes.most), s->order, s));
    set_about(node, s);
    return start_variables(s);
}

/* the variables of q rows, by core->from */
static void move_variables(int q, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    double *x = core->x;
    rs_relax_move(core->p, x, q, core->from, core->y, &s->relax);
    core->x = core->y;
    core->y = x;
}

static void drop_rows(const rs_node *node, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    int q = 0;
    for (int i = 0; i < core->p; i++) {
        core->holds[core->row[i]] = node->mark[core->row[i]] != RS_UNIT_OUT;
        if (core->holds[core->row[i]])
            core->from[q++] = i;
    }
    if (q < core->p)
        move_variables(q, s);
    for (int i = 0; i < q; i++) {
        core->row[i] = core->row[core->from[i]];
        s->outside.tau[i] = s->outside.tau[core->from[i]];
    }
    core->p = q;
}

rs_status rs_trace_fit(const rs_node *node, int *came, rs_relax_trace *s)
{
    rs_trace_core *core = &s->core;
    *came = 0;
    drop_rows(node, s);
    if (core->p < s->k && core->p < node->count + node->open) {
        RS_TRY(begin(node, s));
        *came = core->p;
        return RS_OK;
    }
    for (int b = 0; b < core->joins; b++)
        if (node->mark[core->joining[b]] != RS_UNIT_OUT)
            core->joining[(*came)++] = core->joining[b];
    core->joins = 0;
    if (*came > 0) {
        const int p = core->p, q = p + *came;
        for (int i = 0; i < q; i++)
            core->from[i] = i < p ? i : -1;
        move_variables(q, s);
        RS_TRY(append(*came, core->joining, s));
        rs_trace_fill(p, s);
    }
    set_about(node, s);
    return RS_OK;
}
