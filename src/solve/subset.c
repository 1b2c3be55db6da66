#include "solve/subset.h"

#include <math.h>
#include <string.h>

#include "la/linalg.h"

static int is_self(const rs_subset *s)
{
    return s->problem->c == 0;
}

/* column l of a matrix with `rows` rows */
static double *column(double *M, int rows, int l)
{
    return M + (size_t)rows * l;
}

/* ---- memory ------------------------------------------------------------ */

static rs_status init_exchange(rs_context *ctx, rs_subset *s)
{
    const rs_lsq *p = s->problem;
    size_t width = (size_t)s->capacity;
    s->T = rs_alloc_double(ctx, width * RS_SLOTS);
    s->H = rs_alloc_double(ctx, (size_t)p->c * RS_SLOTS);
    s->G = rs_alloc_double(ctx, (size_t)p->d * RS_SLOTS);
    s->M = rs_alloc_double(ctx, (size_t)p->d * RS_SLOTS);
    if (is_self(s)) {
        s->Z = rs_alloc_double(ctx, p->d * width);
        RS_TRY_ALLOC(s->Z);
    }
    return rs_allocated(ctx);
}

/* the data in twice the precision, where Y and X are at hand */
static rs_status init_accurate(rs_context *ctx, rs_subset *s)
{
    const rs_lsq *p = s->problem;
    rs_accurate *accurate;
    s->accurate = NULL;
    s->list = rs_alloc_int(ctx, (size_t)s->capacity + 1);
    s->position = rs_alloc_int(ctx, (size_t)s->capacity);
    RS_TRY_ALLOC(s->list);
    RS_TRY_ALLOC(s->position);
    if (!p->X || !p->Y)
        return RS_OK;
    accurate = (rs_accurate *)rs_alloc(ctx, 1, sizeof *accurate);
    RS_TRY_ALLOC(accurate);
    RS_TRY(rs_accurate_init(ctx, p, s->capacity + 1, accurate));
    if (accurate->able)
        s->accurate = accurate;
    return RS_OK;
}

rs_status rs_subset_init(rs_context *ctx, const rs_lsq *problem, int capacity,
                         int exchange, rs_subset *s)
{
    const size_t n = (size_t)problem->n, d = (size_t)problem->d;
    const size_t c = (size_t)problem->c, width = (size_t)capacity;
    int lean = problem->c == 0 && !exchange && problem->X;

    memset(s, 0, sizeof *s);
    s->problem = problem;
    s->ctx = ctx;
    s->capacity = capacity;
    s->feature = rs_alloc_int(ctx, width);
    s->closed = (unsigned char *)rs_alloc(ctx, d, 1);
    s->R = rs_alloc_double(ctx, width * width);
    s->Q = rs_alloc_double(ctx, problem->X ? n * width : 0);
    s->C = lean ? NULL : rs_alloc_double(ctx, d * width);
    s->D = rs_alloc_double(ctx, c * width);
    s->rest = rs_alloc_double(ctx, c * d);
    s->left = rs_alloc_double(ctx, d);
    s->base = rs_alloc_double(ctx, d);
    s->pair_n = rs_alloc_double(ctx, problem->X ? 2 * n : 0);
    s->pair_d = rs_alloc_double(ctx, 2 * d);
    s->coef = rs_alloc_double(ctx, width);
    s->shift = rs_alloc_double(ctx, width);
    if (!s->feature || !s->closed || !s->R || !s->Q || (!lean && !s->C) ||
        !s->D || !s->rest || !s->left || !s->base || !s->pair_n ||
        !s->pair_d || !s->coef || !s->shift)
        return RS_NO_MEMORY;
    RS_TRY(init_accurate(ctx, s));
    if (exchange)
        RS_TRY(init_exchange(ctx, s));
    rs_subset_clear(s);
    return RS_OK;
}

void rs_subset_reopen(rs_subset *s)
{
    memcpy(s->closed, s->problem->barred, (size_t)s->problem->d);
    for (int l = 0; l < s->k; l++)
        s->closed[s->feature[l]] = 1;
}

void rs_subset_clear(rs_subset *s)
{
    const rs_lsq *p = s->problem;
    s->k = 0;
    s->explained = 0.0;
    s->updates = 0;
    s->untidy = 0;
    memcpy(s->closed, p->barred, (size_t)p->d);
    rs_copy((size_t)p->d * p->c, p->B, s->rest);
    rs_copy((size_t)p->d, p->base, s->base);
    for (int j = 0; j < p->d; j++)
        s->left[j] = p->square[j] + p->ridge;
}

/* ---- growing ----------------------------------------------------------- */

/* y (k) = R^{-1} b or R^{-T} b, in place */
static void solve_triangle(const rs_subset *s, char trans, int cols, double *b,
                           int ldb)
{
    if (s->k > 0)
        rs_triangular_solve('L', trans, s->k, cols, s->R, s->capacity, b, ldb);
}

/*
 * z = x_p - Q a, a = Q'x_p, by Gram-Schmidt done twice; the appended rows
 * count in every inner product: those of Q are sqrt(ridge) R^{-1}, those of z
 * are sqrt(ridge) (e_p - R^{-1} a). Returns ||[z; .]||^2.
 */
static double orthogonalise(rs_subset *s, int p, double *z)
{
    const rs_lsq *problem = s->problem;
    const int n = problem->n, k = s->k;
    double *a = s->coef, *t = s->shift, extra = 0.0;

    rs_lsq_column(problem, p, z);
    rs_fill((size_t)k, 0.0, a);
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        rs_copy((size_t)k, a, t); /* t = ridge R^{-T} R^{-1} a */
        solve_triangle(s, 'N', 1, t, s->capacity);
        solve_triangle(s, 'T', 1, t, s->capacity);
        rs_gemv('T', n, k, 1.0, s->Q, n, z, -problem->ridge, t);
        rs_gemv('N', n, k, -1.0, s->Q, n, t, 1.0, z);
        rs_axpy((size_t)k, 1.0, t, a);
    }
    if (problem->ridge > 0.0) {
        rs_copy((size_t)k, a, t);
        solve_triangle(s, 'N', 1, t, s->capacity);
        extra = problem->ridge * (1.0 + rs_sum_squares((size_t)k, t));
    }
    return rs_sum_squares((size_t)n, z) + extra;
}

/* a = row p of C; returns ||x_p||^2 + ridge - ||a||^2 */
static double left_from_loadings(rs_subset *s, int p)
{
    const rs_lsq *problem = s->problem;
    for (int l = 0; l < s->k; l++)
        s->coef[l] = s->C[p + (size_t)l * problem->d];
    return problem->square[p] + problem->ridge -
           rs_sum_squares((size_t)s->k, s->coef);
}

/* y = S x, S symmetric, in pieces with polls between them */
static rs_status times_S(const rs_subset *s, const double *x, double *y)
{
    const int d = s->problem->d;
    const int step = rs_columns_per_call(d, 1.0, d);
    for (int j = 0; j < d; j += step) {
        int width = step < d - j ? step : d - j;
        rs_gemv('T', d, width, 1.0, s->problem->S + (size_t)j * d, d, x, 0.0,
                y + j);
        RS_TRY(rs_poll(s->ctx));
    }
    return RS_OK;
}

/* w = (I - QQ') K q, the second column of the pair whose first one is q */
static void residual_image(rs_subset *s)
{
    const int n = s->problem->n, k = s->k;
    double *q = s->pair_n, *w = s->pair_n + n;
    rs_gemv('N', n, n, 1.0, s->problem->K, n, q, 0.0, w);
    if (k == 0)
        return;
    rs_gemv('T', n, k, 1.0, s->Q, n, w, 0.0, s->shift);
    rs_gemv('N', n, k, -1.0, s->Q, n, s->shift, 1.0, w);
}

/*
 * c = X'q, first column of pair_d; for Y = X also v = X'(I - QQ')XX'q with
 * the basis before q, second column. From X: with the vector q itself; from S:
 * c = (S_p - C a) / r and v = (S - CC') c.
 */
static rs_status new_loadings(rs_subset *s, int p, double r)
{
    const rs_lsq *problem = s->problem;
    const int d = problem->d;
    double *c = s->pair_d, *v = s->pair_d + d;

    if (problem->X) {
        if (is_self(s))
            residual_image(s);
        return rs_data_crossprod(problem->X, is_self(s) ? 2 : 1, s->pair_n, c);
    }
    rs_copy((size_t)d, problem->S + (size_t)p * d, c);
    if (s->k > 0)
        rs_gemv('N', d, s->k, -1.0, s->C, d, s->coef, 1.0, c);
    rs_scale((size_t)d, 1.0 / r, c);
    if (!is_self(s))
        return RS_OK;
    RS_TRY(times_S(s, c, v));
    if (s->k > 0) {
        rs_gemv('T', d, s->k, 1.0, s->C, d, c, 0.0, s->shift);
        rs_gemv('N', d, s->k, -1.0, s->C, d, s->shift, 1.0, v);
    }
    return RS_OK;
}

/* D column = Y'q; without Y: (B_p - D a) / r */
static void new_response(rs_subset *s, int p, double r)
{
    const rs_lsq *problem = s->problem;
    const int c = problem->c;
    double *h = column(s->D, c, s->k);

    if (problem->Y) {
        rs_gemv('T', problem->n, c, 1.0, problem->Y, problem->n, s->pair_n,
                0.0, h);
        return;
    }
    for (int l = 0; l < c; l++)
        h[l] = problem->B[p + (size_t)l * problem->d];
    if (s->k > 0)
        rs_gemv('N', c, s->k, -1.0, s->D, c, s->coef, 1.0, h);
    rs_scale((size_t)c, 1.0 / r, h);
}

/* left -= sign c^2;  rest -= sign c h';  base = row sums of rest^2 */
static void shift_rest(rs_subset *s, double sign, const double *c,
                       const double *h)
{
    const size_t d = (size_t)s->problem->d;
    for (size_t j = 0; j < d; j++)
        s->left[j] -= sign * c[j] * c[j];
    if (is_self(s))
        return;
    rs_fill(d, 0.0, s->base);
    for (int l = 0; l < s->problem->c; l++) {
        double *rest = s->rest + d * (size_t)l;
        double a = sign * h[l];
        for (size_t j = 0; j < d; j++) {
            rest[j] -= a * c[j];
            s->base[j] += rest[j] * rest[j];
        }
    }
}

/*
 * Y = X, basis grown by q: base -= 2 c v - c^2 kappa, the columns of Z lose
 * c (q'XX'q_l) and gain v - c kappa; kappa = ||c||^2.
 */
static void grow_self(rs_subset *s, double kappa)
{
    const int d = s->problem->d, k = s->k;
    const double *c = s->pair_d, *v = s->pair_d + d;
    for (int j = 0; j < d; j++) {
        double base = s->base[j] - 2.0 * c[j] * v[j] + c[j] * c[j] * kappa;
        s->base[j] = base > 0.0 ? base : 0.0;
    }
    if (s->Z == NULL)
        return;
    if (k > 0) {
        rs_gemv('T', d, k, 1.0, s->C, d, c, 0.0, s->shift);
        rs_gemm('N', 'N', d, k, 1, -1.0, c, d, s->shift, 1, 1.0, s->Z, d);
    }
    double *z = column(s->Z, d, k);
    for (int j = 0; j < d; j++)
        z[j] = v[j] - c[j] * kappa;
}

/*
 * The direction that p adds to J from the data in twice the precision, times
 * its length, into pair_n; returns its squared length, 0 for a p that depends
 * on J.
 */
static double accurate_direction(rs_subset *s, int p)
{
    const rs_lsq *problem = s->problem;
    rs_accurate *acc = s->accurate;
    double length = sqrt(problem->square[p] + problem->ridge);
    memcpy(s->list, s->feature, (size_t)s->k * sizeof(int));
    s->list[s->k] = p;
    rs_accurate_explained(acc, s->k + 1, s->list);
    length *= acc->residual[s->k];
    rs_accurate_basis(acc, s->k, s->pair_n, NULL);
    rs_scale((size_t)problem->n, length, s->pair_n);
    return length * length;
}

/* squared norm left, relative, that makes a feature independent */
static double least_left(const rs_subset *s)
{
    return s->problem->X ? RS_COLLINEAR : RS_COLLINEAR_PRODUCTS;
}

rs_status rs_subset_add(rs_subset *s, int p)
{
    const rs_lsq *problem = s->problem;
    const int d = problem->d, k = s->k;

    if (k == s->capacity)
        return RS_BAD_INPUT;
    double left =
        problem->X ? orthogonalise(s, p, s->pair_n) : left_from_loadings(s, p);
    double full = problem->square[p] + problem->ridge;
    if (s->accurate && left < RS_MINUTE * full) {
        left = accurate_direction(s, p);
        s->untidy = 1;
    }
    if (!(left > (s->accurate ? 0.0 : least_left(s) * full)))
        return RS_SINGULAR;
    double r = sqrt(left), gain;
    if (problem->X)
        rs_scale((size_t)problem->n, 1.0 / r, s->pair_n);
    RS_TRY(new_loadings(s, p, r));
    if (is_self(s)) {
        gain = rs_sum_squares((size_t)d, s->pair_d);
        grow_self(s, gain);
    } else {
        new_response(s, p, r);
        gain = rs_sum_squares((size_t)problem->c, column(s->D, problem->c, k));
    }
    shift_rest(s, 1.0, s->pair_d, column(s->D, problem->c, k));
    rs_copy((size_t)k, s->coef, column(s->R, s->capacity, k));
    s->R[k + (size_t)k * s->capacity] = r;
    if (s->C)
        rs_copy((size_t)d, s->pair_d, column(s->C, d, k));
    if (problem->X)
        rs_copy((size_t)problem->n, s->pair_n, column(s->Q, problem->n, k));
    s->explained += gain;
    s->feature[k] = p;
    s->closed[p] = 1;
    s->k++;
    return RS_OK;
}

/* ---- shrinking --------------------------------------------------------- */

/* [a, b] <- [cos a + sin b, -sin a + cos b] */
static void rotate(size_t length, double cosine, double sine, double *a,
                   double *b)
{
    for (size_t i = 0; i < length; i++) {
        double x = a[i], y = b[i];
        a[i] = cosine * x + sine * y;
        b[i] = cosine * y - sine * x;
    }
}

/* the plane rotation of the basis vectors l, l + 1 in all that carries them */
static void rotate_basis(rs_subset *s, int l, double cosine, double sine)
{
    const rs_lsq *p = s->problem;
    if (p->X)
        rotate((size_t)p->n, cosine, sine, column(s->Q, p->n, l),
               column(s->Q, p->n, l + 1));
    rotate((size_t)p->d, cosine, sine, column(s->C, p->d, l),
           column(s->C, p->d, l + 1));
    rotate((size_t)p->c, cosine, sine, column(s->D, p->c, l),
           column(s->D, p->c, l + 1));
    if (s->Z)
        rotate((size_t)p->d, cosine, sine, column(s->Z, p->d, l),
               column(s->Z, p->d, l + 1));
}

/*
 * Column `slot` leaves R; what stands below the diagonal then is rotated
 * away, and the last basis vector is the direction that J loses.
 */
static void delete_column(rs_subset *s, int slot)
{
    const int k = s->k, ld = s->capacity;
    double *R = s->R;
    for (int j = slot; j < k - 1; j++) {
        rs_copy((size_t)j + 2, column(R, ld, j + 1), column(R, ld, j));
        s->feature[j] = s->feature[j + 1];
    }
    for (int l = slot; l < k - 1; l++) {
        double a = R[l + (size_t)l * ld], b = R[l + 1 + (size_t)l * ld];
        double length = hypot(a, b), cosine = a / length, sine = b / length;
        for (int j = l; j < k - 1; j++)
            rotate(1, cosine, sine, R + l + (size_t)j * ld,
                   R + l + 1 + (size_t)j * ld);
        rotate_basis(s, l, cosine, sine);
    }
}

/* Y = X, basis without u: base += 2 g z + g^2 kappa, Z += g (u'XX'Q) */
static void shrink_self(rs_subset *s, const double *g, const double *z,
                        double kappa)
{
    const int d = s->problem->d, k = s->k;
    for (int j = 0; j < d; j++) {
        double base = s->base[j] + 2.0 * g[j] * z[j] + g[j] * g[j] * kappa;
        s->base[j] = base > 0.0 ? base : 0.0;
    }
    if (k > 0) {
        rs_gemv('T', d, k, 1.0, s->C, d, g, 0.0, s->shift);
        rs_gemm('N', 'N', d, k, 1, 1.0, g, d, s->shift, 1, 1.0, s->Z, d);
    }
}

rs_status rs_subset_remove(rs_subset *s, int slot)
{
    const rs_lsq *p = s->problem;
    const int d = p->d, last = s->k - 1;
    if (slot < 0 || slot > last || !s->C || (is_self(s) && !s->Z))
        return RS_BAD_INPUT;
    s->closed[s->feature[slot]] = 0;
    delete_column(s, slot);
    s->k = last;
    const double *g = column(s->C, d, last), *h = column(s->D, p->c, last);
    double loss = is_self(s) ? rs_sum_squares((size_t)d, g)
                             : rs_sum_squares((size_t)p->c, h);
    shift_rest(s, -1.0, g, h);
    if (is_self(s))
        shrink_self(s, g, column(s->Z, d, last), loss);
    s->explained -= loss;
    s->updates++;
    return RS_OK;
}

rs_status rs_subset_assign(rs_subset *s, int count, const int *features)
{
    rs_subset_clear(s);
    for (int l = 0; l < count; l++) {
        if (s->closed[features[l]])
            continue;
        rs_status status = rs_subset_add(s, features[l]);
        if (status != RS_SINGULAR)
            RS_TRY(status);
    }
    return RS_OK;
}

rs_status rs_subset_take(rs_subset *s, int count, const int *features)
{
    int same = count == s->k;
    for (int l = 0; same && l < count; l++)
        same = features[l] == s->feature[l];
    return same ? RS_OK : rs_subset_assign(s, count, features);
}

int rs_same_features(int k, const int *a, const int *b)
{
    for (int i = 0; i < k; i++) {
        int at = 0;
        while (at < k && b[at] != a[i])
            at++;
        if (at == k)
            return 0;
    }
    return 1;
}

/* is feature number l nearly dependent on those before it? */
static int is_minute(const rs_subset *s, int l)
{
    const rs_lsq *p = s->problem;
    double r = s->R[l + (size_t)l * s->capacity];
    return r * r < RS_MINUTE * (p->square[s->feature[l]] + p->ridge);
}

/* feature number l to the end of the list, unless it is there */
static int place(int l, int *position, int count)
{
    for (int i = 0; i < count; i++)
        if (position[i] == l)
            return count;
    position[count] = l;
    return count + 1;
}

rs_status rs_subset_tidy(rs_subset *s)
{
    const rs_lsq *p = s->problem;
    const int k = s->k, ld = s->capacity;
    double *w = s->coef;
    int count = 0;
    if (!s->untidy)
        return RS_OK;
    for (int l = 0; l < k; l++) {
        if (!is_minute(s, l))
            continue;
        rs_copy((size_t)l, s->R + (size_t)l * ld, w);
        if (l > 0)
            rs_triangular_solve('L', 'N', l, 1, s->R, ld, w, ld);
        for (int i = 0; i < l; i++)
            if (w[i] * w[i] * p->square[s->feature[i]] >
                RS_MINUTE * RS_MINUTE * p->square[s->feature[l]])
                count = place(i, s->position, count);
        count = place(l, s->position, count);
    }
    for (int l = 0; l < k; l++)
        count = place(l, s->position, count);
    for (int l = 0; l < k; l++)
        s->list[l] = s->feature[s->position[l]];
    memcpy(s->position, s->list, (size_t)k * sizeof(int));
    RS_TRY(rs_subset_assign(s, k, s->position));
    s->untidy = 0;
    return RS_OK;
}

/* ---- scoring ----------------------------------------------------------- */

/*
 * z <- x_j less its projection on J without u = Q t (t = NULL: on J), twice;
 * returns its squared length. No ridge.
 */
static double residual_of(rs_subset *s, int j, const double *t, double *z)
{
    const rs_lsq *p = s->problem;
    const int n = p->n, k = s->k;
    double *a = s->coef;
    rs_lsq_column(p, j, z);
    for (int pass = 0; pass < 2 && k > 0; pass++) {
        rs_gemv('T', n, k, 1.0, s->Q, n, z, 0.0, a);
        if (t)
            rs_axpy((size_t)k, -rs_dot((size_t)k, t, a), t, a);
        rs_gemv('N', n, k, -1.0, s->Q, n, a, 1.0, z);
    }
    return rs_sum_squares((size_t)n, z);
}

/*
 * What j adds to E of J without its feature number `slot` (-1: to all of J),
 * from the data; -1 when it depends on them.
 */
static double careful_gain(rs_subset *s, int slot, const double *t, int j)
{
    const rs_lsq *p = s->problem;
    rs_accurate *acc = s->accurate;
    const double full = p->square[j] + p->ridge;
    int count = 0;
    if (p->ridge <= 0.0) {
        double *z = s->pair_n, left = residual_of(s, j, t, z), gain = 0.0;
        if (left <= 0.25 * RS_DEPENDENT * RS_DEPENDENT * full)
            return -1.0;
        for (int l = 0; left > RS_MINUTE * full && l < p->c; l++) {
            double h = rs_dot((size_t)p->n, p->Y + (size_t)p->n * l, z);
            gain += h * h;
        }
        if (left > RS_MINUTE * full)
            return gain / left;
    }
    for (int l = 0; l < s->k; l++)
        if (l != slot)
            s->list[count++] = s->feature[l];
    s->list[count] = j;
    rs_accurate_explained(acc, count + 1, s->list);
    if (acc->residual[count] <= 0.0)
        return -1.0;
    return acc->explained[count] - (count > 0 ? acc->explained[count - 1] : 0);
}

/* score[j] of an open feature whose numbers are beyond double precision */
static double doubtful_score(rs_subset *s, int slot, const double *t, int j,
                             double value, double left, double full)
{
    s->doubtful = 1;
    if (s->accurate)
        return careful_gain(s, slot, t, j);
    return left > least_left(s) * full ? value / left : -1.0;
}

/* score[j] = what j adds to E, -1 where it cannot be added */
static void score_additions(rs_subset *s, double *score)
{
    const rs_lsq *p = s->problem;
    for (int j = 0; j < p->d; j++) {
        double left = s->left[j], full = p->square[j] + p->ridge;
        if (s->closed[j])
            score[j] = -1.0;
        else if (left > RS_DOUBTFUL * full)
            score[j] = s->base[j] / left;
        else
            score[j] = doubtful_score(s, -1, NULL, j, s->base[j], left, full);
    }
}

/* score[j] for the exchange of feature number `slot`; see the header */
static void score_exchange(rs_subset *s, int slot, const double *t,
                           const double *g, const double *m, double kappa,
                           double *score)
{
    const rs_lsq *p = s->problem;
    for (int j = 0; j < p->d; j++) {
        double full = p->square[j] + p->ridge;
        double g2 = g[j] * g[j], left = s->left[j] + g2;
        double value = s->base[j] + 2.0 * g[j] * m[j] + g2 * kappa;
        if (s->closed[j])
            score[j] = -1.0;
        else if (left > RS_DOUBTFUL * full)
            score[j] = value / left;
        else
            score[j] = doubtful_score(s, slot, t, j, value, left, full);
    }
}

/* the largest score; ties by the variance before scaling, then by column */
static rs_candidate pick(const rs_subset *s, const double *score)
{
    const rs_lsq *p = s->problem;
    rs_candidate best = {-1, -1.0};
    double top = -1.0, least;
    for (int j = 0; j < p->d; j++)
        top = score[j] > top ? score[j] : top;
    if (top < 0.0)
        return best;
    least = top * (1.0 - RS_TIE) - RS_TIE_FLOOR * p->total;
    for (int j = 0; j < p->d; j++)
        if (score[j] >= least && score[j] >= 0.0 &&
            (best.feature < 0 || p->deviation[j] > p->deviation[best.feature]))
            best.feature = j;
    best.score = score[best.feature];
    return best;
}

rs_candidate rs_subset_best_addition(rs_subset *s)
{
    score_additions(s, s->pair_d);
    return pick(s, s->pair_d);
}

/* columns t of T for the given positions: R^{-T} e_i of unit length */
static void lost_directions(rs_subset *s, int count, const int *slots)
{
    const int k = s->k, ld = s->capacity;
    rs_fill((size_t)ld * count, 0.0, s->T);
    for (int b = 0; b < count; b++)
        s->T[slots[b] + (size_t)b * ld] = 1.0;
    solve_triangle(s, 'T', count, s->T, ld);
    for (int b = 0; b < count; b++) {
        double *t = column(s->T, ld, b);
        rs_scale((size_t)k, 1.0 / rs_norm((size_t)k, t), t);
    }
}

void rs_subset_best_exchange(rs_subset *s, int count, const int *slots,
                             rs_candidate *best, double *loss)
{
    const int d = s->problem->d, c = s->problem->c, k = s->k;
    lost_directions(s, count, slots);
    rs_gemm('N', 'N', d, count, k, 1.0, s->C, d, s->T, s->capacity, 0.0, s->G,
            d);
    if (is_self(s)) {
        rs_gemm('N', 'N', d, count, k, 1.0, s->Z, d, s->T, s->capacity, 0.0,
                s->M, d);
    } else {
        rs_gemm('N', 'N', c, count, k, 1.0, s->D, c, s->T, s->capacity, 0.0,
                s->H, c);
        rs_gemm('N', 'N', d, count, c, 1.0, s->rest, d, s->H, c, 0.0, s->M, d);
    }
    for (int b = 0; b < count; b++) {
        const double *g = column(s->G, d, b);
        loss[b] = is_self(s) ? rs_sum_squares((size_t)d, g)
                             : rs_sum_squares((size_t)c, column(s->H, c, b));
        score_exchange(s, slots[b], column(s->T, s->capacity, b), g,
                       column(s->M, d, b), loss[b], s->pair_d);
        best[b] = pick(s, s->pair_d);
    }
}

/* ---- what a set says --------------------------------------------------- */

/* ||Y - QD'||^2 + ridge ||V||^2, one response at a time */
static double sum_of_squares(rs_subset *s)
{
    const rs_lsq *p = s->problem;
    const size_t n = (size_t)p->n, k = (size_t)s->k;
    double sum = 0.0;
    for (int l = 0; l < p->c; l++) {
        for (size_t i = 0; i < k; i++)
            s->coef[i] = s->D[l + i * p->c];
        rs_copy(n, p->Y + n * l, s->pair_n);
        if (k > 0)
            rs_gemv('N', p->n, s->k, -1.0, s->Q, p->n, s->coef, 1.0,
                    s->pair_n);
        sum += rs_sum_squares(n, s->pair_n);
        if (p->ridge > 0.0) {
            solve_triangle(s, 'N', 1, s->coef, s->capacity);
            sum += p->ridge * rs_sum_squares(k, s->coef);
        }
    }
    return sum;
}

double rs_subset_objective(rs_subset *s)
{
    double left = s->problem->total - s->explained;
    if (s->problem->X && s->problem->Y)
        return sum_of_squares(s);
    return left > 0.0 ? left : 0.0;
}

/* V = R^{-1} D' */
void rs_subset_coefficients(const rs_subset *s, double *V)
{
    const int k = s->k, c = s->problem->c;
    for (int l = 0; l < c; l++)
        for (int i = 0; i < k; i++)
            V[i + (size_t)l * k] = s->D[l + (size_t)i * c];
    if (c > 0)
        solve_triangle(s, 'N', c, V, k);
}

void rs_subset_response_shares(const rs_subset *s, double *explained)
{
    const int c = s->problem->c;
    rs_fill((size_t)c, 0.0, explained);
    for (int i = 0; i < s->k; i++)
        for (int l = 0; l < c; l++) {
            double h = s->D[l + (size_t)i * c];
            explained[l] += h * h;
        }
}

void rs_subset_gains(rs_subset *s, double *gain)
{
    const double none = 64.0 * 2.220446049250313e-16 * s->problem->total;
    score_additions(s, gain);
    for (int j = 0; j < s->problem->d; j++)
        if (gain[j] < none)
            gain[j] = 0.0;
}

/* the position from `at` on whose v'F v / ||v||^2 is largest */
static int best_in_order(int k, int at, const int *order, const double *V,
                         const double *FV, double *score)
{
    int best = at;
    *score = -1.0;
    for (int l = at; l < k; l++) {
        const double *v = V + (size_t)k * order[l];
        double norm2 = rs_sum_squares((size_t)k, v);
        double value = rs_dot((size_t)k, v, FV + (size_t)k * order[l]);
        value = norm2 > 0.0 ? value / norm2 : 0.0;
        if (value > *score) {
            best = l;
            *score = value;
        }
    }
    return best;
}

/*
 * In the basis Q the features of J are the columns v of R and the response is
 * known by F = Q'YY'Q (C'C for Y = X). Greedy Gram-Schmidt on the v, whose
 * images F v are carried along.
 */
void rs_subset_order(const rs_subset *s, int *order, double *explained,
                     double *work)
{
    const int k = s->k, ld = s->capacity;
    const size_t square = (size_t)k * k;
    double *F = work, *V = F + square, *FV = V + square, sum = 0.0, score;

    if (is_self(s))
        rs_gram(s->problem->d, k, s->C, F);
    else
        rs_gram(s->problem->c, k, s->D, F);
    rs_fill(square, 0.0, V);
    for (int l = 0; l < k; l++) {
        rs_copy((size_t)l + 1, column(s->R, ld, l), column(V, k, l));
        order[l] = l;
    }
    rs_matmul(k, k, k, F, V, FV);
    for (int at = 0; at < k; at++) {
        int best = best_in_order(k, at, order, V, FV, &score);
        int chosen = order[best];
        order[best] = order[at];
        order[at] = chosen;
        sum += score;
        explained[at] = sum;
        double *q = column(V, k, chosen), *Fq = column(FV, k, chosen);
        double norm = rs_norm((size_t)k, q);
        double inverse = norm > 0.0 ? 1.0 / norm : 0.0;
        rs_scale((size_t)k, inverse, q);
        rs_scale((size_t)k, inverse, Fq);
        for (int l = at + 1; l < k; l++) {
            double *v = column(V, k, order[l]);
            double a = -rs_dot((size_t)k, q, v);
            rs_axpy((size_t)k, a, q, v);
            rs_axpy((size_t)k, a, Fq, column(FV, k, order[l]));
        }
    }
}
