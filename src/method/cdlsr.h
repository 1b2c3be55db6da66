/*
 * method/cdlsr.h: exactly k features for multi-response least squares,
 *
 *     min ||Y - X W||^2 + ridge ||W||^2   s.t.  W has k nonzero rows,
 *
 * by the coordinate descent of Xu, Wang, Nie and Li (2023), or by exchanges
 * with exact refit from a forward selection, from given sets, or both.
 */
#ifndef RS_CDLSR_H
#define RS_CDLSR_H

#include "solve/exchange.h"

typedef enum {
    RS_CDLSR_EXCHANGE = 0, /* to a set that no single exchange improves */
    RS_CDLSR_CD = 1,       /* the paper's sweeps */
    RS_CDLSR_FORWARD = 2   /* no descent after the start */
} rs_cdlsr_method;

typedef struct {
    rs_cdlsr_method method;
    int k;
    int path;         /* also every size below k (forward start only) */
    int forward;      /* 1: one start is the forward selection */
    int starts;       /* number of given starting sets */
    const int *start; /* starts x k, column-major, 0-based */
    double tol;       /* exchanges that gain less, relative to ||Y||^2, stop */
    double cd_tol;    /* relative change that counts as none in a sweep */
    int maxit;        /* sweeps per start */
    int threads;
} rs_cdlsr_settings;

/* how one start ended */
typedef struct {
    int *feature; /* k */
    int k;        /* fewer than asked for when the features span no more */
    double explained, objective;
    int sweeps;
    rs_status status;
    rs_history history; /* objective: the start, then after every sweep */
} rs_cdlsr_end;

typedef struct {
    rs_cdlsr_end *end; /* forward + starts of them */
    int best;          /* the winner among them */
    int *order;        /* k: greedy order of the winner's features */
    double *explained; /* k: E of the first l of them */
    /* the sets of every size 1..reached, size after size, when asked for */
    int reached;
    int *path_feature;         /* k (k + 1) / 2 */
    double *path_explained;    /* k */
    double *path_coefficients; /* c k (k + 1) / 2: k' x c blocks */
    double *path_objective;    /* k */
    double *forward_explained; /* k; forward selection alone */
    double *forward_objective; /* k */
    int doubtful; /* candidates were beyond what cross-products resolve */
} rs_cdlsr_fit;

/*
 * `set` is an initialised subset of capacity settings->k; on return it holds
 * the winner.
 */
rs_status rs_cdlsr(rs_context *ctx, const rs_cdlsr_settings *settings,
                   rs_subset *set, rs_cdlsr_fit *fit);

/* ---- the paper's sweeps ------------------------------------------------ */

/* columns x_j'X of the cross-products, computed when asked for and kept */
typedef struct {
    const rs_lsq *problem;
    int slots;
    double *columns; /* d x slots */
    double *z;       /* n */
    int *owner;      /* slots; -1: free */
    int *slot_of;    /* d; -1: not here */
    long *stamp;     /* slots */
    long clock;
} rs_columns;

typedef struct {
    const rs_lsq *problem;
    int k;
    int *feature;          /* k */
    unsigned char *member; /* d */
    rs_columns cache;
    const double **pointer; /* k: columns of the set */
    double *A, *factor;     /* k x k */
    double *V, *B;          /* k x c */
    double *U;              /* k x k */
    double *score;          /* d */
    rs_context *ctx;
} rs_cd;

rs_status rs_cd_init(rs_context *ctx, const rs_lsq *problem, int k, rs_cd *cd);
/*
 * From cd->feature (k distinct features) to a set that a sweep no longer
 * changes: at least five sweeps, the last three within tol. `brief` leaves out
 * the sweeps that follow one without a change, as they have none either.
 */
rs_status rs_cd_run(rs_cd *cd, double tol, int maxit, int brief,
                    rs_history *history);

#endif
