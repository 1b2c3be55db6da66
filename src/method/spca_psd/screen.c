#include "method/spca_psd/screen.h"

#include <math.h>

#define RS_SCREEN_TOL 1e-7

/*
 * At an optimum with omega_j = 0, row j of the gradient without its own norm,
 * h_j, satisfies h_j = -C b with ||F b|| <= lambda: the length of h_j in
 * C^{-1} is at most lambda. (D_j = 0 where the column is inactive.)
 */
static double dual_length(const rs_exact *s, int j)
{
    const double own = s->pr->lambda * s->at->D[j];
    double square = 0.0;
    for (int k = 0; k < s->r; k++) {
        size_t jk = j + (size_t)k * s->d;
        double h = s->g[jk] - own * s->at->F[jk] * s->L[k];
        square += h * h / s->L[k];
    }
    return sqrt(square);
}

/* f_j <- factor * h_j C^{-1} in the matrix M (d x r) */
static void set_row(const rs_exact *s, int j, double factor, double *M)
{
    for (int k = 0; k < s->r; k++) {
        size_t jk = j + (size_t)k * s->d;
        M[jk] = factor * s->g[jk] / s->L[k];
    }
}

/*
 * Columns shorter than their smoothing whose norm would hold them at zero are
 * taken out (their rows of F become zero and stay so); those that should not
 * have been come back, as long as the smoothing, for good. Returns how many
 * changed; s->g is the gradient at F.
 */
int rs_exact_screen(rs_exact *s)
{
    int changed = 0;
    const double floor = s->floors.column, lambda = s->pr->lambda;
    for (int j = 0; j < s->d; j++) {
        double length = dual_length(s, j);
        if (s->active[j] > 0.0) {
            if (s->returned[j] || length >= lambda ||
                s->at->column_square[j] >= floor)
                continue;
            s->active[j] = 0.0;
            set_row(s, j, 0.0, s->at->F);
        } else {
            if (length <= lambda * (1.0 + RS_SCREEN_TOL))
                continue;
            s->active[j] = 1.0;
            s->returned[j] = 1;
            set_row(s, j, -2.0 * sqrt(floor) / length, s->at->F);
        }
        changed++;
    }
    s->moved |= changed > 0;
    return changed;
}

/*
 * Z = F B' + diag(extra): the rows of B are -h_j C^{-1}, which makes M F zero
 * and hardly depends on a short f_j itself, shortened to lambda; under the l21
 * loss, where h_j is less accurate, lambda D_j f_j for active columns. Where
 * the column is inactive the length that is left goes into the diagonal unless
 * ||x_j||^2 is small beside eta. Row j of F being zero, this does not touch
 * M F.
 */
void rs_exact_dual_columns(rs_exact *s, double *B, double *extra)
{
    const double lambda = s->pr->lambda;
    for (int j = 0; j < s->d; j++) {
        const double own = lambda * s->at->D[j];
        double length = fmax(dual_length(s, j), 1e-300);
        double used = fmin(length, lambda);
        for (int k = 0; k < s->r; k++) {
            size_t jk = j + (size_t)k * s->d;
            double h = s->g[jk] / s->L[k] - own * s->at->F[jk];
            B[jk] = s->active[j] > 0.0 && s->pr->loss == RS_LOSS_L21
                        ? own * s->at->F[jk]
                        : -used / length * h;
        }
        extra[j] = 0.0;
        if (s->active[j] == 0.0 && 4.0 * s->square[j] > s->round.eta)
            extra[j] = sqrt(lambda * lambda - used * used);
    }
}
