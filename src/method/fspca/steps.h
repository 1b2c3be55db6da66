/*
 * method/fspca/steps.h: what the parts of the certificate of row-sparse PCA
 * share: its state, and the steps that the rounds on the core
 * (certify.c) and the nodes of branch and bound (branch.c) both
 * take.
 *
 * The search engine keeps the best set, the cut, the largest bound of what was
 * left out, and the clock, from the first step on: the rounds are the work on
 * the root, whose bound is that of the present node.
 *
 * Where F = T + sum of the k largest h bounds all sets, T + sum_J h bounds the
 * set J. So F - h_(k) + h_i bounds the sets that hold a row i outside the k
 * largest, and F - h_i + h_(k+1) those without a row i among them. Rows are
 * screened by these bounds.
 */
#ifndef RS_FSPCA_STEPS_H
#define RS_FSPCA_STEPS_H

#include "data/covop.h"
#include "method/fspca/relax.h"
#include "proof/bnb.h"
#include "proof/roles.h"
#include "sets/value_trace.h"

typedef struct {
    double seconds; /* elapsed */
    double nodes;   /* that are branched on, at most */
    double tie;     /* differences of values that do not count, as a share */
    double samples; /* that entries of S are sums over */
    int core;       /* rows of the first core */
    int most;       /* rows of the largest one */
    int few;        /* rows that are left when branching begins */
    /* progress; or NULL. Called between two steps, never inside of one. */
    void (*report)(void *state, const char *what, double bound, double value,
                   int left, double open);
    void *report_state;
} rs_certify_settings;

typedef struct {
    int *set;     /* k: the best set known; a better one where one was found */
    double value; /* its sum of m eigenvalues */
    double bound; /* no set has more; on entry a bound that is known */
    double diagonal;    /* the sum of the k largest variances */
    unsigned char *out; /* d: in no set that is better than the best known; on
                           entry: in no set */
    unsigned char *in;  /* d: in all of these; on entry: in every set */
    int complete;       /* nothing is left */
    double nodes, evaluations, seconds;
    rs_bnb_trace trace; /* value and bound over time */
} rs_certificate;

/* settings of the extension */
typedef struct {
    double share, weight;
} rs_extension;

#define RS_EXTEND_BLOCK 64
/* values of the bound that a search may look back on */
#define RS_CERTIFY_WINDOW 15

typedef struct {
    rs_context *ctx;
    rs_covop *op;
    int d, k, m;
    rs_certify_settings how_far; /* with `most` at most d */
    const rs_certify_settings *settings;
    rs_certificate *found;
    rs_bnb search;
    rs_roles *roles;       /* what is shown of every feature; or NULL */
    double slack;          /* what roles leave to rounding */
    double share;          /* of the best value: sets so near count for them */
    unsigned char *locked; /* d: in every set, as the caller has it */
    unsigned char *barred; /* d: in no set, likewise */
    double unit;           /* value of a row in the best set */
    int gathers;           /* do all of them join the core? */
    int left;              /* rows that are not out, */
    int *list;             /* ascending */
    /* the core */
    int p;
    int *core;              /* rows */
    unsigned char *inside;  /* p: in every set */
    unsigned char *is_core; /* d */
    double *rows;           /* d x most: S[, core]; NULL where all are core */
    double *S;              /* p x p */
    double *x, *y, *metric; /* variables */
    rs_rlx relax;
    rs_lbfgs lbfgs;
    double *h; /* d */
    double *L; /* d x r: of the other rows */
    /* the extension */
    double *block, *rest; /* d x RS_EXTEND_BLOCK: columns of S, of E */
    double *some;         /* RS_EXTEND_BLOCK x r */
    double *DL, *G;       /* most x r, r x r */
    int *others;          /* d: rows outside the core, ascending */
    rs_extension how;
    unsigned char *asked; /* most: rows of the core that are asked about */
    double *mass;         /* d: of them in the relaxed set, or out of it */
    rs_trace_search
        rounding; /* where m < k: exchanges from sets that are rounded to */
    double *tau;  /* most */
    double *length, *square, *own; /* d: ||L_i||^2, s_i, E_ii of T */
    double level;                  /* nu */
    double part;                   /* of the bound, by the eigenvalues */
    /* h of the rows that are left, which of them are in every set, and what
     * screening says of them: d */
    double *terms;
    unsigned char *marks, *verdict;
    /* values of sets */
    double *A;      /* k x k */
    double *values; /* k */
    rs_eigen_ws eigen;
    int *chosen; /* k: a set that is rounded to, or left over */
    int *places; /* k: of the best set in the core */
    /* moves of rows */
    int *joining; /* d: rows that join the core */
    int *kept;    /* most: places of the core that stay */
    /* rankings: what rows are ranked by, and their order */
    double *score;   /* d */
    int *order;      /* d */
    double *entries; /* d: |u_j| of a row of U */
    double *largest; /* k: the largest of them */
    double *column;  /* d: of S, or of E */
    double *topk;    /* d: scratch of base/topk */
    double *sum;     /* d: scratch of rs_rlx_sum() */
} rs_certify;

/* the value at which a set is a witness: above the cut by more than rounding, so
 * that rows without one are below it */
static inline double rs_certify_witness_cut(const rs_certify *s)
{
    return rs_bnb_cut(&s->search) + s->slack;
}

/* is it open whether some witness answers the question of the row? */
static inline int rs_certify_is_open(int row, const rs_certify *s)
{
    return !s->locked[row] &&
           !rs_roles_is_decided(row, rs_certify_witness_cut(s), s->roles);
}

/* roles: the cut is that of the sets near the best one */
void rs_certify_lower_cut(rs_certify *s);
/* a set was evaluated: it may be the best one, or a witness */
void rs_certify_offer(const int *set, double value, rs_certify *s);
/* nothing is left of what was not pruned, but for sets that were evaluated */
void rs_certify_close(rs_certify *s);
/* smoothed minimisation of x, within the time that is left */
rs_status rs_certify_minimise(double width, int evaluations, double *x,
                              rs_certify *s);
/* the value of k rows, given by their places in a p x p matrix; *sum */
rs_status rs_certify_value(const double *S, int p, const int *places,
                           double *sum, rs_certify *s);
/* the sum of the k largest h of the rows that are left, rounded upwards; leaves
 * terms and marks */
double rs_certify_sum(rs_certify *s);

typedef enum { RS_ROW_OUT, RS_ROW_FREE, RS_ROW_IN } rs_row;

/*
 * Screening by the bound F and its terms h of `count` rows: which rows are in
 * no better set, and which in all. Those in `in` stay. Returns whether no set
 * is better at all; what is left out is pruned.
 */
int rs_certify_screen(double F, int count, const double *h,
                      const unsigned char *in, unsigned char *verdict,
                      rs_certify *s);

#endif
