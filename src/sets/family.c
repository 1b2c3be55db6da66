/* Losses of linear predictors, their conjugates, and Newton's method. */
#include "sets/family.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "la/linalg.h"
#include "solve/steps.h"

/* exponents beyond this, below the largest of a risk set, count as this */
#define RS_EXPONENT 650.0
/* logarithms of rates, at most */
#define RS_RATE 500.0
#define RS_LINE_HALVINGS 30

static double weight_of(const rs_family *f, int i)
{
    return f->weight ? f->weight[i] : 1.0;
}

static double offset_of(const rs_family *f, int i)
{
    return f->offset ? f->offset[i] : 0.0;
}

/* x log x */
static double entropy(double x)
{
    return x > 0.0 ? x * log(x) : 0.0;
}

/* ---- saturated likelihoods --------------------------------------------------- */

/* events that are tied, with weights that sum to U, have log U at least */
static double least_of_risk_sets(const rs_family *f)
{
    double sum = 0.0, tied = 0.0;
    for (int a = 0; a < f->n; a++) {
        const int i = f->order[a];
        tied += f->y[i] > 0.0 ? weight_of(f, i) : 0.0;
        if (f->last[a] == a) {
            sum += entropy(tied);
            tied = 0.0;
        }
    }
    return sum;
}

rs_status rs_family_init(rs_context *ctx, rs_family *f)
{
    const size_t n = (size_t)f->n, q = (size_t)f->q;
    f->saturated = 0.0;
    RS_ALLOC_DOUBLES(ctx, n, &f->least, &f->e, &f->S, &f->A, &f->B);
    f->square = rs_alloc_double(ctx, q * q + q);
    f->share = rs_alloc_double(ctx, f->kind == RS_MULTINOMIAL ? n * q : 0);
    RS_TRY(rs_allocated(ctx));
    if (f->kind == RS_COX)
        f->saturated = -least_of_risk_sets(f);
    rs_fill(n, 0.0, f->least);
    for (size_t i = 0; i < n; i++)
        if (f->kind == RS_BINOMIAL)
            f->least[i] = entropy(f->y[i]) + entropy(1.0 - f->y[i]);
        else if (f->kind == RS_POISSON)
            f->least[i] = entropy(f->y[i]) - f->y[i];
    return RS_OK;
}

/* ---- samples by themselves --------------------------------------------------- */

typedef struct {
    double loss, slope, curve;
} point;

static point point_of(const rs_family *f, int i, double h)
{
    const double y = f->y[i];
    if (f->kind == RS_GAUSSIAN)
        return (point){0.5 * (h - y) * (h - y), h - y, 1.0};
    if (f->kind == RS_POISSON) {
        const double m = exp(fmin(h, RS_RATE));
        return (point){m - y * h + f->least[i], m - y, m};
    }
    /* the probabilities of the likelier class, and of the other one */
    const double e = exp(-fabs(h)), most = 1.0 / (1.0 + e), rare = e * most;
    const double p = h > 0.0 ? most : rare, none = h > 0.0 ? rare : most;
    return (point){fmax(h, 0.0) + log1p(e) - y * h + f->least[i],
                   (1.0 - y) * p - y * none, p * none};
}

static double loss_of_points(const rs_family *f, const double *H, double *g,
                             double *w)
{
    double loss = 0.0;
    for (int i = 0; i < f->n; i++) {
        const double u = weight_of(f, i);
        const point at = point_of(f, i, H[i] + offset_of(f, i));
        loss += u * at.loss;
        if (g)
            g[i] = u * at.slope;
        if (w)
            w[i] = u * at.curve;
    }
    return loss;
}

/* p (q) <- probabilities of sample i; returns log sum e^h */
static double probabilities(const rs_family *f, int i, const double *H,
                            double *p)
{
    const size_t n = (size_t)f->n;
    double top = -INFINITY, sum = 0.0;
    for (int l = 0; l < f->q; l++)
        top = fmax(top, H[i + n * l]);
    for (int l = 0; l < f->q; l++)
        sum += p[l] = exp(H[i + n * l] - top);
    rs_scale((size_t)f->q, 1.0 / sum, p);
    return top + log(sum);
}

/* a quadratic model by classes alone has to be steeper than that of all, by
 * K / (K - 1) */
static double loss_of_classes(const rs_family *f, const double *H, double *g,
                              double *w)
{
    const size_t n = (size_t)f->n;
    const double steeper = f->q / (f->q - 1.0);
    double loss = 0.0, *p = f->square;
    for (int i = 0; i < f->n; i++) {
        const double u = weight_of(f, i);
        loss += u * probabilities(f, i, H, p);
        for (int l = 0; l < f->q; l++) {
            const double y = f->y[i + n * l];
            loss -= u * y * H[i + n * l];
            if (g)
                g[i + n * l] = u * (p[l] - y);
            if (w)
                w[i + n * l] = u * p[l] * (1.0 - p[l]) * steeper;
        }
    }
    return loss;
}

/* ---- samples at risk --------------------------------------------------------- */

/* by place: e = u e^{h - top} and S, the sum over those at risk; returns top */
static double find_risks(const rs_family *f, const double *H)
{
    double top = -INFINITY, sum = 0.0;
    for (int i = 0; i < f->n; i++)
        top = fmax(top, H[i] + offset_of(f, i));
    for (int a = 0; a < f->n; a++) {
        const int i = f->order[a];
        const double h = H[i] + offset_of(f, i) - top;
        sum += f->e[a] = weight_of(f, i) * exp(fmax(h, -RS_EXPONENT));
        f->S[a] = sum;
    }
    for (int a = 0; a < f->n; a++)
        f->S[a] = f->S[f->last[a]];
    return top;
}

/* by place: A = sum of u / S, B of u / S^2, over the events at which the sample is at
 * risk */
static void find_hazards(const rs_family *f)
{
    double a = 0.0, b = 0.0;
    for (int at = f->n - 1; at >= 0; at--) {
        const int i = f->order[at];
        const double u = f->y[i] > 0.0 ? weight_of(f, i) : 0.0;
        f->A[at] = a += u / f->S[at];
        f->B[at] = b += u / f->S[at] / f->S[at];
    }
    /* those of one time have what the first of them has */
    for (int at = 0, first = 0; at < f->n; at++) {
        f->A[at] = f->A[first];
        f->B[at] = f->B[first];
        first = f->last[at] == at ? at + 1 : first;
    }
}

static double loss_of_risks(const rs_family *f, const double *H, double *g,
                            double *w)
{
    const double top = find_risks(f, H);
    double loss = 0.0;
    for (int a = 0; a < f->n; a++) {
        const int i = f->order[a];
        if (f->y[i] > 0.0)
            loss += weight_of(f, i) *
                    (log(f->S[a]) + top - H[i] - offset_of(f, i));
    }
    if (g || w)
        find_hazards(f);
    for (int a = 0; a < f->n && (g || w); a++) {
        const int i = f->order[a];
        const double event = f->y[i] > 0.0 ? weight_of(f, i) : 0.0;
        if (g)
            g[i] = f->e[a] * f->A[a] - event;
        if (w)
            w[i] = fmax(f->e[a] * (f->A[a] - f->e[a] * f->B[a]), 0.0);
    }
    return loss + f->saturated;
}

double rs_family_loss(const rs_family *f, const double *H, double *g,
                      double *w)
{
    if (f->kind == RS_COX)
        return loss_of_risks(f, H, g, w);
    return f->kind == RS_MULTINOMIAL ? loss_of_classes(f, H, g, w)
                                     : loss_of_points(f, H, g, w);
}

/* ---- Hessians ---------------------------------------------------------------- */

/* S = P'diag(t)P, t >= 0; t <- its roots */
static void weigh_products(const rs_family *f, int p, double *t,
                           const double *P, double *S, double *room)
{
    for (int i = 0; i < f->n; i++)
        t[i] = sqrt(t[i]);
    rs_copy((size_t)f->n * p, P, room);
    rs_scale_rows(f->n, p, t, room);
    rs_gram(f->n, p, room, S);
}

static void hessian_of_classes(const rs_family *f, const double *H, int p,
                               const double *P, double *S, double *room)
{
    const int n = f->n, q = f->q, ld = p * q;
    double *t = f->e, *own = f->square;
    for (size_t i = 0; i < (size_t)n; i++) {
        probabilities(f, (int)i, H, own);
        for (int l = 0; l < q; l++)
            f->share[i + (size_t)n * l] = own[l];
    }
    for (int k = 0; k < q; k++)
        for (int l = 0; l <= k; l++) {
            const double *a = f->share + (size_t)n * k,
                         *b = f->share + (size_t)n * l;
            for (int i = 0; i < n; i++)
                t[i] = weight_of(f, i) * a[i] * ((k == l ? 1.0 : 0.0) - b[i]);
            rs_copy((size_t)n * p, P, room);
            rs_scale_rows(n, p, t, room);
            rs_gemm('T', 'N', p, p, n, 1.0, P, n, room, n, 0.0,
                    S + (size_t)p * l + (size_t)ld * p * k, ld);
        }
    rs_mirror_upper(ld, S);
}

/* P'diag(e A)P - sum over times with events of U (m m'), m the mean of the rows at
 * risk and U the weight of the events */
static void hessian_of_risks(const rs_family *f, const double *H, int p,
                             const double *P, double *S, double *room)
{
    const int n = f->n;
    int times = 0;
    find_risks(f, H);
    find_hazards(f);
    for (int a = 0; a < n; a++)
        f->B[f->order[a]] = f->e[a] * f->A[a];
    weigh_products(f, p, f->B, P, S, room);
    for (int j = 0; j < p; j++) {
        double sum = 0.0, events = 0.0;
        times = 0;
        for (int a = 0; a < n; a++) {
            const int i = f->order[a];
            sum += f->e[a] * P[i + (size_t)n * j];
            events += f->y[i] > 0.0 ? weight_of(f, i) : 0.0;
            if (f->last[a] != a)
                continue;
            if (events > 0.0)
                room[times++ + (size_t)n * j] = sqrt(events) * sum / f->S[a];
            events = 0.0;
        }
    }
    rs_gemm('T', 'N', p, p, times, -1.0, room, n, room, n, 1.0, S, p);
}

void rs_family_hessian(const rs_family *f, const double *H, const double *w,
                       int p, const double *P, double *S, double *room)
{
    if (f->kind == RS_COX) {
        hessian_of_risks(f, H, p, P, S, room);
    } else if (f->kind == RS_MULTINOMIAL) {
        hessian_of_classes(f, H, p, P, S, room);
    } else {
        rs_copy((size_t)f->n, w, f->e);
        weigh_products(f, p, f->e, P, S, room);
    }
}

/* ---- conjugates -------------------------------------------------------------- */

/* g of one predictor <- g - w (sum g) / (sum w), w its curvature, so that it stays
 * within the range of gradients */
static void centre_points(const rs_family *f, const double *w, double *g)
{
    const double sum = rs_sum(f->n, g), all = rs_sum(f->n, w);
    if (all > 0.0)
        rs_axpy((size_t)f->n, -sum / all, w, g);
}

/* g of several ones, by the step in the intercepts that takes its sums off */
static void centre_classes(const rs_family *f, const double *H, double *g)
{
    const int n = f->n, q = f->q;
    double *ones = f->A, *a = f->B, *S = f->square + q, trace = 0.0;
    rs_fill((size_t)n, 1.0, ones);
    hessian_of_classes(f, H, 1, ones, S, f->S);
    for (int l = 0; l < q; l++) {
        trace += S[l + q * l];
        a[l] = rs_sum(n, g + (size_t)n * l);
    }
    /* S 1 = 0, and the sums add up to 0 */
    for (int l = 0; l < q * q; l++)
        S[l] += trace / q + DBL_MIN;
    if (rs_cholesky(q, S, q) != RS_OK ||
        rs_cholesky_solve(q, 1, S, q, a, q) != RS_OK)
        return;
    for (size_t i = 0; i < (size_t)n; i++) {
        const double u = weight_of(f, (int)i);
        double mean = 0.0;
        for (int l = 0; l < q; l++)
            mean += f->share[i + (size_t)n * l] * a[l];
        for (int l = 0; l < q; l++)
            g[i + (size_t)n * l] -=
                u * f->share[i + (size_t)n * l] * (a[l] - mean);
    }
}

/* by sample the least of u loss(h) - g h over all h; NaN out of range */
static double least_of_point(const rs_family *f, int i, double g)
{
    const double u = weight_of(f, i), y = f->y[i], t = u > 0.0 ? g / u : 0.0;
    if (f->kind == RS_GAUSSIAN)
        return -u * t * (0.5 * t + y);
    if (f->kind == RS_POISSON) {
        const double m = y + t;
        return m < 0.0 ? NAN : u * (m - entropy(m) + f->least[i]);
    }
    const double p = y + t, none = (1.0 - y) - t;
    return p < 0.0 || none < 0.0
               ? NAN
               : u * (f->least[i] - entropy(p) - entropy(none));
}

static double least_of_classes(const rs_family *f, int i, const double *g)
{
    const size_t n = (size_t)f->n;
    const double u = weight_of(f, i);
    double least = 0.0;
    for (int l = 0; l < f->q && u > 0.0; l++) {
        const double p = f->y[i + n * l] + g[i + n * l] / u;
        least -= p < 0.0 ? NAN : u * entropy(p);
    }
    return least;
}

/* the entropy of the distributions over those at risk, of every event; the sum of the
 * moduli of what it consists of */
static double least_of_risks(const rs_family *f, const double *H,
                             double *moduli)
{
    const double top = find_risks(f, H);
    double sum = 0.0, events = 0.0, least = f->saturated;
    *moduli = fabs(f->saturated);
    for (int a = 0; a < f->n; a++) {
        const int i = f->order[a];
        const double h = fmax(H[i] + offset_of(f, i) - top, -RS_EXPONENT);
        sum += f->e[a] * h;
        events += f->y[i] > 0.0 ? weight_of(f, i) : 0.0;
        if (f->last[a] != a)
            continue;
        least += events * (log(f->S[a]) - sum / f->S[a]);
        *moduli += events * (fabs(log(f->S[a])) + fabs(sum / f->S[a]));
        events = 0.0;
    }
    return least;
}

double rs_family_dual(const rs_family *f, const double *H, double *g)
{
    const int n = f->n;
    double least = 0.0, moduli = 0.0, *w = f->B;
    rs_family_loss(f, H, g, f->q == 1 ? w : NULL);
    if (f->kind == RS_COX) {
        least = least_of_risks(f, H, &moduli);
    } else if (f->kind == RS_MULTINOMIAL) {
        centre_classes(f, H, g);
    } else if (f->intercept) {
        centre_points(f, w, g);
    }
    for (int i = 0; i < n && f->kind != RS_COX; i++) {
        const double own = f->kind == RS_MULTINOMIAL
                               ? least_of_classes(f, i, g)
                               : least_of_point(f, i, g[i]);
        least += own;
        moduli += fabs(own);
    }
    for (int i = 0; i < n && f->offset; i++) {
        least += g[i] * f->offset[i];
        moduli += fabs(g[i] * f->offset[i]);
    }
    least -= 4.0 * (n + 16.0) * DBL_EPSILON * moduli;
    return isfinite(least) ? least : -INFINITY;
}

/* ---- Newton's method --------------------------------------------------------- */

rs_status rs_newton_init(rs_context *ctx, const rs_family *f, int most,
                         rs_newton *newton)
{
    const size_t n = (size_t)f->n, p = (size_t)(most + f->intercept);
    const size_t size = p * (size_t)f->q;
    *newton = (rs_newton){.ctx = ctx, .family = f};
    newton->S = rs_alloc_double(ctx, size * size);
    RS_ALLOC_DOUBLES(ctx, size, &newton->gradient, &newton->step,
                     &newton->trial);
    RS_ALLOC_DOUBLES(ctx, n * (size_t)f->q, &newton->H);
    RS_ALLOC_DOUBLES(ctx, n * p, &newton->room);
    return rs_allocated(ctx);
}

static double penalty_of(const rs_newton_fit *fit, int q, const double *B)
{
    double sum = 0.0;
    for (int l = 0; l < q; l++)
        for (int i = 0; i < fit->p; i++)
            sum += fit->ridge[i] * B[i + fit->p * l] * B[i + fit->p * l];
    return 0.5 * sum;
}

static void predict(const rs_family *f, const rs_newton_fit *fit,
                    const double *B, double *H)
{
    if (fit->p == 0)
        rs_fill((size_t)f->n * f->q, 0.0, H);
    else
        rs_gemm('N', 'N', f->n, f->q, fit->p, 1.0, fit->P, f->n, B, fit->p,
                0.0, H, f->n);
}

/* the gradient and the Hessian at B, which is shifted so that it has a factor */
static void find_model(const rs_newton_fit *fit, rs_newton *newton)
{
    const rs_family *f = newton->family;
    const int p = fit->p, size = p * f->q;
    double *S = newton->S, trace = 0.0;
    rs_gemm('T', 'N', p, f->q, f->n, 1.0, fit->P, f->n, fit->g, f->n, 0.0,
            newton->gradient, p);
    rs_family_hessian(f, fit->H, fit->w, p, fit->P, S, newton->room);
    newton->work += (double)f->n * size * size;
    for (int a = 0; a < size; a++) {
        newton->gradient[a] += fit->ridge[a % p] * fit->B[a];
        S[a + (size_t)size * a] += fit->ridge[a % p];
        trace += S[a + (size_t)size * a];
    }
    for (int a = 0; a < size; a++)
        S[a + (size_t)size * a] += RS_SHIFT * trace / size + DBL_MIN;
}

/* coefficients that are 0, and whose signs let them only stay there, leave the model:
 * the projected Newton method of Bertsekas */
static void hold_signs(const rs_newton_fit *fit, rs_newton *newton)
{
    const int p = fit->p;
    for (int j = 0; j < p; j++) {
        if (fit->B[j] != 0.0 || fit->sign[j] * newton->gradient[j] <= 0.0)
            continue;
        for (int i = 0; i < p; i++)
            newton->S[i + (size_t)p * j] = newton->S[j + (size_t)p * i] = 0.0;
        newton->S[j + (size_t)p * j] = 1.0;
        newton->gradient[j] = 0.0;
    }
}

/* B - step is the minimum of the model */
static rs_status find_step(const rs_newton_fit *fit, rs_newton *newton)
{
    const int size = fit->p * newton->family->q;
    if (fit->sign)
        hold_signs(fit, newton);
    rs_copy((size_t)size, newton->gradient, newton->step);
    RS_TRY(rs_cholesky(size, newton->S, size));
    return rs_cholesky_solve(size, 1, newton->S, size, newton->step, size);
}

/* trial <- B - t step, wrong signs set to 0; returns what this promises */
static double move_within_signs(double t, const rs_newton_fit *fit,
                                rs_newton *newton)
{
    const int size = fit->p * newton->family->q;
    double promised = 0.0;
    for (int a = 0; a < size; a++) {
        newton->trial[a] = fit->B[a] - t * newton->step[a];
        if (fit->sign && fit->sign[a] * newton->trial[a] < 0.0)
            newton->trial[a] = 0.0;
        promised += newton->gradient[a] * (fit->B[a] - newton->trial[a]);
    }
    return fmax(promised, 0.0);
}

static void evaluate(rs_newton_fit *fit, const rs_family *f)
{
    fit->objective = rs_family_loss(f, fit->H, fit->g, fit->w) +
                     penalty_of(fit, f->q, fit->B);
}

/* along the step as far as the objective falls by a part of what is promised; 0: it
 * does not */
static int search_line(rs_newton_fit *fit, rs_newton *newton)
{
    const rs_family *f = newton->family;
    const size_t size = (size_t)fit->p * f->q, cells = (size_t)f->n * f->q;
    const double now = fit->objective, least = RS_ROUNDING * fabs(now);
    double t = 1.0;
    for (int half = 0; half < RS_LINE_HALVINGS; half++, t *= 0.5) {
        const double promised = move_within_signs(t, fit, newton);
        predict(f, fit, newton->trial, newton->H);
        const double next = rs_family_loss(f, newton->H, fit->g, fit->w) +
                            penalty_of(fit, f->q, newton->trial);
        if (!(next <= now - RS_DECREASE * promised + least))
            continue;
        rs_copy(size, newton->trial, fit->B);
        rs_copy(cells, newton->H, fit->H);
        fit->objective = next;
        return 1;
    }
    evaluate(fit, f);
    return 0;
}

rs_status rs_newton_minimise(double tol, rs_newton_fit *fit, rs_newton *newton)
{
    const rs_family *f = newton->family;
    const size_t size = (size_t)fit->p * f->q;
    predict(f, fit, fit->B, fit->H);
    evaluate(fit, f);
    fit->converged = fit->p == 0;
    for (int at = 0; at < RS_INNER_STEPS && !fit->converged; at++) {
        RS_TRY(rs_poll(newton->ctx));
        find_model(fit, newton);
        if (find_step(fit, newton) != RS_OK)
            break;
        const double promised = rs_dot(size, newton->gradient, newton->step);
        if (!(promised > 0.0) || !search_line(fit, newton)) {
            fit->converged = promised <= RS_NOTHING * fabs(fit->objective);
            break;
        }
        fit->converged = promised <= 2.0 * tol;
    }
    return RS_OK;
}
