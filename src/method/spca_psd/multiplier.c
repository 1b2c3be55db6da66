#include "method/spca_psd/multiplier.h"

#include <float.h>
#include <math.h>

#include "la/linalg.h"

/*
 * The bound for the sum of row norms. Its multipliers y_i are directions of
 * residuals, and where a residual vanishes rounding leaves nothing of its
 * direction. So Y is held as numbers, in the coordinates of the basis Q
 * (n x k), made feasible as these numbers are, and moved until the dual slack
 * M = eta I - sym(X'Y) + sym(Z) is zero on the range of F and has no negative
 * part beside it:
 *
 *   Y += diag(w) X S_w^+ E (2 I - P),   S_w = X' diag(w) X,
 *
 * with E what M has too much and P the projector onto the range of S_w, makes
 * sym(X'Y) larger by E (but for what lies outside of the range on both sides).
 * The weights w_i = 1 - ||y_i||^2 leave multipliers of residuals that are not
 * zero where they are. Then all that is left of the gap is
 * sum_i ||r_i|| - <y_i, r_i>, which is small where r_i is. In the same way the
 * columns z_j of Z move where omega_j is (nearly) zero, as far as the basis
 * holds the unit vectors of these j: with weights u_j = lambda^2 - ||z_j||^2,
 * S = S_w + diag(u) takes the place of S_w, and with K = S^+ E (2 I - P)
 *
 *   Y += diag(w) X K,   Z -= K' diag(u).
 */

#define RS_CORRECTIONS 12
#define RS_WORTHWHILE \
    0.1 /* share of what is left that another one must gain */
#define RS_LEAST_WEIGHT 1e-5 /* of multipliers at full length */
#define RS_SHORTENINGS 8     /* of rows that are too long, where Y is new */
#define RS_SHORT 0.9         /* rows up to this length keep their weight */
#define RS_RANGE 1e-13       /* eigenvalues of S below count as zero */

static rs_status explicit_data(rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const int d = pr->d, k = ws->k, r = ws->at->r;
    if (k < d) {
        RS_TRY(rs_spca_times(pr, NULL, k, ws->Q, ws->Xq));
        rs_crossprod(d, k, r, ws->Q, ws->at->F, ws->Fq);
        rs_crossprod(d, k, r, ws->Q, ws->B, ws->Bq);
    } else {
        RS_TRY(rs_data_column_range(pr->X, 0, d, ws->Xq));
        rs_copy((size_t)d * r, ws->at->F, ws->Fq);
        rs_copy((size_t)d * r, ws->B, ws->Bq);
    }
    return rs_poll(pr->ctx);
}

/* may column j of Z move? All may where the basis is the identity, else those
 * whose unit vectors are in the basis. */
static int may_move(const rs_spca_slack *ws, int j)
{
    return ws->at->r > 0 &&
           (ws->k == ws->pr->d || (ws->units > 0 && ws->extra[j] > 0.0));
}

/* the length of the longest column of Z that may not move, F b_j */
static rs_status longest_fixed(rs_spca_slack *ws)
{
    const int d = ws->pr->d, k = ws->k, r = ws->at->r;
    ws->fixed = 0.0;
    if (r == 0 || k == d)
        return RS_OK;
    for (int from = 0; from < d; from += RS_SLACK_BLOCK) {
        const int width = rs_min_int(RS_SLACK_BLOCK, d - from);
        rs_gemm('N', 'T', k, width, r, 1.0, ws->Fq, k, ws->B + from, d, 0.0,
                ws->panel, k);
        for (int c = 0; c < width; c++)
            if (!may_move(ws, from + c))
                ws->fixed = fmax(
                    ws->fixed,
                    rs_norm((size_t)k, ws->panel + (size_t)c * (size_t)k));
        RS_TRY(rs_poll(ws->pr->ctx));
    }
    return RS_OK;
}

/*
 * Columns of Z that may move. QJ holds their unit vectors in the coordinates,
 * ZJ = Fq b_j + extra_j q_j the columns (k x moved), and Bq what is left for the
 * others: Z = Fq Bq' + ZJ QJ'.
 */
static rs_status free_columns(rs_spca_slack *ws)
{
    const int d = ws->pr->d, k = ws->k, r = ws->at->r;
    ws->moved = 0;
    for (int j = 0; j < d; j++) {
        if (!may_move(ws, j))
            continue;
        double *q = ws->QJ + (size_t)ws->moved * k;
        double *z = ws->ZJ + (size_t)ws->moved * k;
        ws->moved++;
        for (int a = 0; a < k; a++)
            q[a] = k == d ? (double)(a == j) : ws->Q[j + (size_t)a * d];
        rs_gemm('N', 'T', k, 1, r, 1.0, ws->Fq, k, ws->B + j, d, 0.0, z, k);
        if (ws->units > 0)
            rs_axpy((size_t)k, ws->extra[j], q, z);
        for (int a = 0; k < d && a < r; a++)
            rs_axpy((size_t)k, -ws->B[j + (size_t)a * d], q,
                    ws->Bq + (size_t)a * k);
    }
    return longest_fixed(ws);
}

/* Zq = eta I + sym(Z), from the columns of Z as they are */
static void explicit_penalties(rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const int k = ws->k, r = ws->at->r;
    const size_t step = (size_t)k + 1, kk = (size_t)k * k;
    if (r > 0 && k == pr->d) {
        rs_copy(kk, ws->ZJ, ws->Zq);
    } else {
        rs_fill(kk, 0.0, ws->Zq);
        if (r > 0)
            rs_gemm('N', 'T', k, k, r, 1.0, ws->Fq, k, ws->Bq, k, 0.0, ws->Zq,
                    k);
        if (ws->moved > 0)
            rs_gemm('N', 'T', k, k, ws->moved, 1.0, ws->ZJ, k, ws->QJ, k, 1.0,
                    ws->Zq, k);
    }
    rs_symmetrise(k, ws->Zq);
    for (int j = 0; j < k; j++)
        ws->Zq[j * step] += pr->eta + (r == 0 ? ws->level : 0.0);
}

/* ZJ += step (k x moved), columns cut to lambda */
static void move_columns(rs_spca_slack *ws, const double *step)
{
    const int k = ws->k;
    const double full = ws->pr->lambda * (1.0 - 4.0 * (k + 4) * DBL_EPSILON);
    for (int j = 0; j < ws->moved; j++) {
        double *z = ws->ZJ + (size_t)j * k;
        rs_axpy((size_t)k, 1.0, step + (size_t)j * k, z);
        double length = rs_norm((size_t)k, z);
        if (length > full)
            rs_scale((size_t)k, full / length, z);
    }
}

/* Y = diag(t) (X - 1 c' - A F') */
static void residual_multipliers(rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const rs_spca_point *at = ws->at;
    const int n = pr->n, d = pr->d, k = ws->k, r = at->r;
    const double *c = at->centre.c;
    rs_copy((size_t)n * k, ws->Xq, ws->Y);
    for (int a = 0; c && a < k; a++) {
        const double shift =
            k == d ? c[a] : rs_dot((size_t)d, c, ws->Q + (size_t)a * d);
        for (int i = 0; i < n; i++)
            ws->Y[i + (size_t)a * n] -= shift;
    }
    if (r > 0)
        rs_gemm('N', 'T', n, k, r, -1.0, at->A, n, ws->Fq, k, 1.0, ws->Y, n);
    rs_scale_rows(n, k, at->t, ws->Y);
}

/*
 * Rows no longer than 1 and, where the centre is free, 1'Y = 0; `length`
 * receives their norms. Leaves room for its own rounding.
 */
static void make_feasible(rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const int n = pr->n, k = ws->k;
    const double full = 1.0 - 4.0 * (k + 4) * DBL_EPSILON;
    rs_row_norms(n, k, ws->Y, ws->length);
    for (int i = 0; i < n; i++)
        ws->length[i] = ws->length[i] > full ? full / ws->length[i] : 1.0;
    rs_scale_rows(n, k, ws->length, ws->Y);
    if (pr->adaptive) {
        double longest = 0.0;
        for (int a = 0; a < k; a++) {
            double *y = ws->Y + (size_t)a * n, mean = 0.0;
            for (int i = 0; i < n; i++)
                mean += y[i] / n;
            for (int i = 0; i < n; i++)
                y[i] -= mean;
        }
        rs_row_norms(n, k, ws->Y, ws->length);
        for (int i = 0; i < n; i++)
            longest = fmax(longest, ws->length[i]);
        if (longest > full)
            rs_scale((size_t)n * k, full / longest, ws->Y);
    }
    rs_row_norms(n, k, ws->Y, ws->length);
}

/* H = -M, from the data, Y and the columns of Z alone */
static void explicit_slack(rs_spca_slack *ws)
{
    const size_t kk = (size_t)ws->k * ws->k;
    explicit_penalties(ws);
    rs_crossprod(ws->pr->n, ws->k, ws->k, ws->Xq, ws->Y, ws->H);
    rs_symmetrise(ws->k, ws->H);
    rs_axpy(kk, -1.0, ws->Zq, ws->H);
}

/* what rounding may have done to M, in the spectral norm, and to <Y, X> */
static void rounding_margins(const rs_spca_slack *ws, double *slack,
                             double *value)
{
    const rs_spca *pr = ws->pr;
    const size_t k = (size_t)ws->k, r = (size_t)ws->at->r, n = (size_t)pr->n;
    const double unit = RS_MARGIN * DBL_EPSILON * sqrt((double)(n + k));
    double samples = 0.0;
    for (size_t i = 0; i < n; i++)
        samples += ws->length[i] * sqrt(pr->data_square[i]);
    *value = unit * samples;
    *slack =
        unit * (sqrt(pr->trace) * rs_norm(n * k, ws->Y) +
                rs_norm(k * r, ws->Fq) * rs_norm(k * r, ws->Bq) +
                rs_norm(k * (size_t)ws->moved, ws->ZJ) + pr->lambda + pr->eta);
}

/* ---- the bound of the multipliers at hand ------------------------------- */

/*
 * Columns from .. from + width - 1: ZP <- U'Z and VP <- rows of Q U, transposed
 * (count x width), where U is k x count; squares of the columns' norms.
 * *moved is the first of these columns that may move.
 */
static void column_panel(rs_spca_slack *ws, int from, int width, int count,
                         int *moved, double *square)
{
    const int d = ws->pr->d, k = ws->k, r = ws->at->r;
    double *Z = ws->panel;
    if (k == d)
        for (int c = 0; c < width; c++)
            for (int a = 0; a < count; a++)
                ws->VP[a + (size_t)c * count] =
                    ws->U[from + c + (size_t)a * k];
    else
        rs_gemm('T', 'T', count, width, k, 1.0, ws->U, k, ws->Q + from, d, 0.0,
                ws->VP, count);
    if (r == 0) {
        rs_copy((size_t)count * width, ws->VP, ws->ZP);
        rs_scale((size_t)count * width, ws->level, ws->ZP);
        rs_fill((size_t)width, ws->level * ws->level, square);
        return;
    }
    rs_gemm('N', 'T', k, width, r, 1.0, ws->Fq, k, ws->B + from, d, 0.0, Z, k);
    for (int c = 0; c < width; c++) {
        if (may_move(ws, from + c))
            rs_copy((size_t)k, ws->ZJ + (size_t)(*moved)++ * k,
                    Z + (size_t)c * k);
        square[c] = rs_sum_squares((size_t)k, Z + (size_t)c * k);
    }
    rs_crossprod(k, count, width, ws->U, Z, ws->ZP);
}

/*
 * The negative part of M, N = U diag(values) U' with `count` columns, added to
 * Z makes M positive semidefinite and some columns of Z longer: *share is what
 * takes the longest of them back to lambda. As N is orthogonal to Omega, and z_j
 * a multiple of omega_j, their lengths hardly grow.
 */
static rs_status share_of_repair(rs_spca_slack *ws, int count, double *share)
{
    const int d = ws->pr->d;
    double longest = 0.0, square[RS_SLACK_BLOCK];
    int moved = 0;
    for (int from = 0; from < d; from += RS_SLACK_BLOCK) {
        int width = rs_min_int(RS_SLACK_BLOCK, d - from);
        column_panel(ws, from, width, count, &moved, square);
        for (int c = 0; c < width; c++) {
            const size_t at = (size_t)c * count;
            for (int a = 0; a < count; a++) {
                double v = ws->values[a] * ws->VP[at + a];
                square[c] += v * (2.0 * ws->ZP[at + a] + v);
            }
            longest = fmax(longest, square[c]);
        }
        RS_TRY(rs_poll(ws->pr->ctx));
    }
    const double lambda = ws->pr->lambda;
    longest = sqrt(longest) * (1.0 + 4.0 * (ws->k + 4) * DBL_EPSILON);
    *share = longest > lambda ? lambda / longest : 1.0;
    return RS_OK;
}

/* the smallest eigenvalue of M = -H, also of what the basis does not show */
static rs_status smallest(rs_spca_slack *ws, const double *H, double *lowest)
{
    const rs_spca *pr = ws->pr;
    RS_TRY(rs_eigen_largest(ws->k, H, 1, ws->values, NULL, &ws->eigen));
    *lowest = -ws->values[0];
    if (ws->k < pr->d)
        *lowest = fmin(*lowest, pr->eta + (ws->at->r == 0 ? ws->level : 0.0));
    return RS_OK;
}

/* M without its negative part, in T: its smallest eigenvalue, and the share */
static rs_status repair(rs_spca_slack *ws, double *lowest, double *share)
{
    const int k = ws->k;
    const size_t kk = (size_t)k * k;
    int count;
    RS_TRY(
        rs_eigen_above(k, ws->H, 0.0, &count, ws->values, ws->U, &ws->eigen));
    RS_TRY(share_of_repair(ws, count, share));
    rs_copy((size_t)k * count, ws->U, ws->K1);
    for (int a = 0; a < count; a++)
        rs_scale((size_t)k, ws->values[a], ws->K1 + (size_t)a * k);
    rs_copy(kk, ws->H, ws->T);
    if (count > 0)
        rs_gemm('N', 'T', k, k, count, -1.0, ws->K1, k, ws->U, k, 1.0, ws->T,
                k);
    rs_symmetrise(k, ws->T);
    return smallest(ws, ws->T, lowest);
}

/* <M, Omega> */
static double complementarity(rs_spca_slack *ws)
{
    const int k = ws->k, r = ws->at->r;
    if (r == 0)
        return 0.0;
    rs_matmul(k, k, r, ws->H, ws->Fq, ws->HF);
    return rs_dot((size_t)k * r, ws->HF, ws->Fq);
}

/*
 * What takes the longest row of Y back to 1 and the longest column of Z to
 * lambda, at most 1, from their numbers alone. Where the centre is free, what
 * is left of 1'Y is taken off the rows.
 */
static double share_of_lengths(const rs_spca_slack *ws)
{
    const rs_spca *pr = ws->pr;
    const size_t n = (size_t)pr->n, k = (size_t)ws->k;
    const double margin = 1.0 + 4.0 * (double)(k + 4) * DBL_EPSILON;
    double row = 0.0, sums = 0.0;
    double column = ws->at->r > 0 ? ws->fixed : ws->level;
    rs_row_norms(pr->n, ws->k, ws->Y, ws->length);
    for (size_t i = 0; i < n; i++)
        row = fmax(row, ws->length[i]);
    for (size_t a = 0; pr->adaptive && a < k; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < n; i++)
            sum += ws->Y[i + a * n];
        sums += sum * sum;
    }
    row = (row + sqrt(sums) / (double)n) * margin;
    for (int j = 0; j < ws->moved; j++)
        column = fmax(column, rs_norm(k, ws->ZJ + (size_t)j * k));
    if (ws->at->r > 0)
        column *= margin;
    return fmin(row > 1.0 ? 1.0 / row : 1.0,
                column > pr->lambda ? pr->lambda / column : 1.0);
}

/* the bound of the Y at hand; kept with its slack and residual where best */
static rs_status keep_better(rs_spca_slack *ws, rs_spca_fit *fit)
{
    const rs_spca *pr = ws->pr;
    const double level = pr->lambda + pr->eta;
    double slack, value, lowest, repaired, share = 1.0;
    const double lengths = share_of_lengths(ws);
    rounding_margins(ws, &slack, &value);
    RS_TRY(smallest(ws, ws->H, &lowest));
    ws->lowest = repaired = lowest;
    if (lowest < -slack)
        RS_TRY(repair(ws, &repaired, &share));
    double delta = fmax(0.0, slack - repaired), other = slack - lowest;
    double a = rs_dot((size_t)pr->n * ws->k, ws->Y, ws->Xq);
    double part = share * level / (level + delta);
    if (other > 0.0)
        part = fmax(part, level / (level + other));
    double bound = lengths * part * a - value;
    if (bound <= fit->bound && isfinite(fit->bound))
        return RS_OK;
    fit->bound = bound;
    fit->margin = value + fabs(a) * slack / (level + delta);
    fit->lowest = lowest;
    fit->kkt = fmax(fmax(0.0, -lowest) / level,
                    fabs(complementarity(ws)) / fit->objective);
    return RS_OK;
}

/* T = sign * H without its rows and columns along the range of F */
static rs_status off_range(double sign, rs_spca_slack *ws)
{
    const int k = ws->k, r = ws->at->r;
    const size_t kk = (size_t)k * k;
    double *basis = ws->range;
    rs_copy(kk, ws->H, ws->T);
    rs_scale(kk, sign, ws->T);
    if (r == 0)
        return RS_OK;
    rs_copy((size_t)k * r, ws->Fq, basis);
    RS_TRY(rs_qr_orthonormal(k, r, basis, &ws->qr));
    for (int twice = 0; twice < 2; twice++) {
        rs_crossprod(k, r, k, basis, ws->T, ws->HF);
        rs_gemm('N', 'N', k, k, r, -1.0, basis, k, ws->HF, r, 1.0, ws->T, k);
        for (int j = 0; j < k; j++) /* transposed for the other side */
            for (int i = 0; i < j; i++) {
                size_t ij = i + (size_t)j * k, ji = j + (size_t)i * k;
                double kept = ws->T[ij];
                ws->T[ij] = ws->T[ji];
                ws->T[ji] = kept;
            }
    }
    rs_symmetrise(k, ws->T);
    return RS_OK;
}

/* H <- E = M - T, T = M without its rows and columns along the range of F and
 * without its negative part */
static rs_status excess(rs_spca_slack *ws)
{
    const int k = ws->k;
    int count = 0;
    RS_TRY(off_range(-1.0, ws));
    rs_scale((size_t)k * k, -1.0, ws->H);
    RS_TRY(rs_eigen_largest(k, ws->T, k, ws->values, ws->U, &ws->eigen));
    while (count < k && ws->values[count] > 0.0)
        count++;
    for (int j = 0; j < count; j++)
        rs_scale((size_t)k, sqrt(ws->values[j]), ws->U + (size_t)j * k);
    if (count > 0)
        rs_gemm('N', 'T', k, k, count, -1.0, ws->U, k, ws->U, k, 1.0, ws->H,
                k);
    return RS_OK;
}

/*
 * Eigenvectors of M below the threshold, of the part that is orthogonal to F:
 * where steep directions are not at their minimum to many digits, what F M has
 * left there would otherwise hide them.
 */
static rs_status descent_directions(rs_spca_slack *ws, double below, int room,
                                    int *count, double *vectors)
{
    const int d = ws->pr->d, k = ws->k;
    *count = 0;
    if (room == 0 || !(ws->lowest < below))
        return RS_OK;
    RS_TRY(off_range(1.0, ws));
    RS_TRY(rs_eigen_above(k, ws->T, -below, count, ws->values, ws->U,
                          &ws->eigen));
    *count = rs_min_int(*count, room);
    if (*count > 0 && k == d)
        rs_copy((size_t)d * *count, ws->U, vectors);
    else if (*count > 0)
        rs_matmul(d, k, *count, ws->Q, ws->U, vectors);
    return RS_OK;
}

/* how far each multiplier may move, from those of the residuals: w, u */
static void set_weights(rs_spca_slack *ws)
{
    const double square = ws->pr->lambda * ws->pr->lambda;
    for (int i = 0; i < ws->pr->n; i++)
        ws->w[i] =
            fmax(1.0 - ws->length[i] * ws->length[i], 0.0) + RS_LEAST_WEIGHT;
    for (int j = 0; j < ws->moved; j++)
        ws->u[j] = fmax(
            square - rs_sum_squares((size_t)ws->k, ws->ZJ + (size_t)j * ws->k),
            0.0);
}

/* WX <- diag(w) X; where the centre is free diag(w) (X - 1 m'), m the mean with
 * these weights, so that 1'Y stays what it is */
static void weigh_data(rs_spca_slack *ws)
{
    const int n = ws->pr->n, k = ws->k;
    double total = 0.0;
    rs_copy((size_t)n * k, ws->Xq, ws->WX);
    rs_scale_rows(n, k, ws->w, ws->WX);
    for (int i = 0; i < n; i++)
        total += ws->w[i];
    for (int a = 0; ws->pr->adaptive && a < k; a++) {
        double *column = ws->WX + (size_t)a * n, sum = 0.0;
        for (int i = 0; i < n; i++)
            sum += column[i];
        rs_axpy((size_t)n, -sum / total, ws->w, column);
    }
}

/* T <- S = X' diag(w) X + sum_j u_j q_j q_j' */
static void correction_matrix(rs_spca_slack *ws)
{
    const int n = ws->pr->n, k = ws->k;
    weigh_data(ws);
    rs_crossprod(n, k, k, ws->Xq, ws->WX, ws->T);
    for (int j = 0; j < ws->moved; j++) {
        const double *q = ws->QJ + (size_t)j * k;
        for (int a = 0; a < k; a++)
            if (q[a] != 0.0)
                rs_axpy((size_t)k, ws->u[j] * q[a], q, ws->T + (size_t)a * k);
    }
    rs_symmetrise(k, ws->T);
}

/* K1 <- K = S^+ E (2 I - P), E in H */
static rs_status solve_correction(rs_spca_slack *ws)
{
    const int k = ws->k;
    int range = 0;
    RS_TRY(rs_eigen_largest(k, ws->T, k, ws->values, ws->U, &ws->eigen));
    while (range < k && ws->values[range] > RS_RANGE * ws->values[0])
        range++;
    double *UE = ws->K1, *EU = ws->K2, *rest = ws->T;
    rs_crossprod(k, range, k, ws->U, ws->H, UE);
    for (int j = 0; j < range; j++)
        for (int i = 0; i < k; i++)
            EU[i + (size_t)j * k] = UE[j + (size_t)i * range];
    rs_copy((size_t)k * k, ws->H, rest);
    rs_gemm('N', 'T', k, k, range, -1.0, EU, k, ws->U, k, 2.0, rest, k);
    rs_crossprod(k, range, k, ws->U, rest, UE);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < range; i++)
            UE[i + (size_t)j * range] /= ws->values[i];
    rs_matmul(k, range, k, ws->U, UE, ws->K2);
    rs_copy((size_t)k * k, ws->K2, ws->K1);
    return rs_poll(ws->pr->ctx);
}

/* Y += diag(w) X K, Z -= K' diag(u) */
static rs_status correct(rs_spca_slack *ws)
{
    const int n = ws->pr->n, k = ws->k;
    correction_matrix(ws);
    RS_TRY(solve_correction(ws));
    rs_gemm('N', 'N', n, k, k, 1.0, ws->WX, n, ws->K1, k, 1.0, ws->Y, n);
    if (ws->moved > 0) {
        rs_gemm('T', 'N', k, ws->moved, k, -1.0, ws->K1, k, ws->QJ, k, 0.0,
                ws->K2, k);
        for (int j = 0; j < ws->moved; j++)
            rs_scale((size_t)k, ws->u[j], ws->K2 + (size_t)j * k);
        move_columns(ws, ws->K2);
    }
    return rs_poll(ws->pr->ctx);
}

/*
 * Y = diag(w) X K for the excess of the penalties alone: its rows are about as
 * short as they can be once the weights of those that are too long have been
 * lowered, as in Lawson's method for minimax problems.
 */
static rs_status fresh_multipliers(rs_spca_slack *ws)
{
    const int n = ws->pr->n, k = ws->k;
    for (int i = 0; i < n; i++)
        ws->w[i] = 1.0;
    rs_fill((size_t)ws->moved, 0.0, ws->u);
    RS_TRY(excess(ws));
    for (int step = 0; step < RS_SHORTENINGS; step++) {
        double longest = 0.0;
        correction_matrix(ws);
        RS_TRY(solve_correction(ws));
        rs_matmul(n, k, k, ws->WX, ws->K1, ws->Y);
        rs_row_norms(n, k, ws->Y, ws->length);
        for (int i = 0; i < n; i++) {
            const double length = fmax(ws->length[i], RS_SHORT);
            longest = fmax(longest, length);
            ws->w[i] /= length * length;
        }
        if (longest < 1.0)
            break;
        RS_TRY(rs_poll(ws->pr->ctx));
    }
    make_feasible(ws);
    explicit_slack(ws);
    return RS_OK;
}

/* At Omega = 0 nothing tells Z: beside lambda I the negative part of M alone */
static rs_status keep_better_without_columns(rs_spca_slack *ws,
                                             rs_spca_fit *fit)
{
    const double lowest = ws->lowest;
    if (ws->at->r > 0)
        return RS_OK;
    ws->level = 0.0;
    explicit_slack(ws);
    RS_TRY(keep_better(ws, fit));
    ws->level = ws->pr->lambda;
    ws->lowest = lowest;
    explicit_slack(ws);
    return RS_OK;
}

rs_status rs_spca_bound_rows(rs_spca_slack *ws, double below, int room,
                             int *count, double *vectors, double wanted,
                             rs_spca_fit *fit)
{
    const rs_spca *pr = ws->pr;
    ws->level = pr->lambda;
    RS_TRY(explicit_data(ws));
    RS_TRY(free_columns(ws));
    residual_multipliers(ws);
    make_feasible(ws);
    explicit_slack(ws);
    if (rs_sum_squares((size_t)pr->n, ws->at->t) == 0.0)
        RS_TRY(fresh_multipliers(ws));
    fit->bound = -INFINITY;
    RS_TRY(keep_better(ws, fit));
    RS_TRY(keep_better_without_columns(ws, fit));
    RS_TRY(descent_directions(ws, below, room, count, vectors));
    double last = fit->bound;
    for (int c = 0; c < RS_CORRECTIONS && fit->bound < wanted; c++) {
        set_weights(ws);
        RS_TRY(excess(ws));
        RS_TRY(correct(ws));
        make_feasible(ws);
        explicit_slack(ws);
        RS_TRY(keep_better(ws, fit));
        if (!(fit->bound - last > RS_WORTHWHILE * (wanted - last)))
            break;
        last = fit->bound;
    }
    return RS_OK;
}
