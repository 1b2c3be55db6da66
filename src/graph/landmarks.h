/*
 * graph/landmarks.h: graphs of many samples by way of a part of them. The
 * graph joins the landmarks alone; every sample knows the landmarks that are
 * nearest to it, and takes a vector on the graph as the mean of their values,
 * weighted as its edges to them would be.
 *
 * The inner products of the landmarks with all samples are computed once, in
 * tiles of landmarks: O(n L d) for L landmarks, and O(n k) numbers.
 */
#ifndef RS_LANDMARKS_H
#define RS_LANDMARKS_H

#include "graph/graph.h"

typedef struct {
    int count;
    const int *row; /* ascending */
} rs_landmarks;

/*
 * The k nearest landmarks of every sample, the nearest first; of equally near
 * ones the first. The distances are as accurate as the inner products make
 * them: only landmarks are compared again from their differences. A landmark
 * is its own nearest.
 */
typedef struct {
    int n, k;
    int *index;       /* n x k: landmarks, by their number */
    double *distance; /* n x k */
} rs_nearest_landmarks;

/* among[a] <- the neighbours of the landmarks among themselves by metric[a], as
 * rs_neighbours_find() gives them with ties; of_all[a] <- the nearest ones of
 * every sample. k < landmarks. */
rs_status rs_landmarks_find(rs_context *ctx, rs_data *X,
                            const rs_landmarks *landmarks, int k, int metrics,
                            const rs_metric *metric, rs_neighbours *among,
                            rs_nearest_landmarks *of_all);

/*
 * out (n x m) = the vectors V (landmarks x m) where these are, and elsewhere
 *
 *     v_i = sum_j w_ij v_j / sum_j w_ij,   w_ij = exp(-d_ij^2 / (s_i s_j)),
 *
 * over the q nearest landmarks of i, s_i the distance of the q-th of them and
 * s_j that of landmark j in the graph. Where V are eigenvectors of the random
 * walk of eigenvalue mu, Nystrom's extension has these means divided by mu.
 * They are not: a mean stays within the values around it, however small mu.
 */
rs_status rs_landmarks_extend(rs_context *ctx, const rs_landmarks *landmarks,
                              const rs_neighbours *among,
                              const rs_nearest_landmarks *of_all, int q, int m,
                              const double *V, double *out);

#endif
