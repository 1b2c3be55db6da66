#' RNE: robust neighbourhood embedding
#'
#' Chooses k features whose values in every sample are well predicted from its neighbours: few
#' features keep the local structure. Without labels. The result depends on the random start,
#' `seed` or `set.seed()`, and must be fitted anew for each k.
#'
#' @section The problem:
#' Chooses k features by the nonnegative matrix H (d x k) of
#' \deqn{\min_{H \ge 0} \; \|BH\|_1 + \frac{\alpha}{4} \|H'H - I\|_F^2, \quad
#' B = (I - R) X,}{
#' min over H >= 0 of ||B H||_1 + alpha/4 ||H'H - I||^2, B = (I - R) X,}
#' where \eqn{\|\cdot\|_1}{||.||_1} sums absolute values and row i of R holds the weights, with
#' sum 1, that best reconstruct sample i from its nearest neighbours (Liu et al., 2020). The
#' columns of H are nearly orthonormal and nonnegative, so that a feature hardly belongs to more
#' than one column; its score is the norm of its row. Features that the neighbours predict well
#' come first.
#'
#' @section Algorithm:
#' The method of multipliers on M = BH, as in the published code: M is soft-thresholded, and the
#' penalty on the difference grows by a tenth in each round, from 10. The published code updates H
#' by a multiplicative rule with the positive and the negative part of B'B, two d x d matrices.
#' Here H takes projected gradient steps with a line search, which need only products with B and
#' B', O(n d k): each step lowers the objective in H. At the start every row keeps only its
#' largest entry, so that the columns of H are orthogonal. The objective above may rise; the best
#' H is kept, and `objective` is the smallest value so far.
#'
#' The problem is not convex and the result depends on the random start: two starts can select
#' quite different features, as in the published code. With several `starts` the result with the
#' smallest objective is returned, and `overlap` shows how far they agree.
#'
#' @section Scale of the parameters:
#' By default `alpha` is 1000, or three times the number of samples where that is more, times the
#' root mean square of the norms of the centred samples; the published code takes 1000 on
#' samples scaled to norm 1. The result then does not depend on the units of x. The first term is
#' a sum over the samples, the second is not: more samples favour H = 0, and with 1000 this was
#' the result from about 8000 samples on 10 features. A column of norm 1 costs at most the sum of
#' the norms of the samples, and H stays away from zero if alpha is above 2.6 times this sum. A
#' larger `alpha` makes the columns of H more nearly orthonormal.
#'
#' @section Differences from public code:
#' The paper was not available: the problem is that of the public code, except for B. The public
#' code forms (I - R')X from the weights in the rows of R, which is not the residual of a
#' reconstruction and changes when a constant is added to x. `transpose = TRUE` does the same,
#' with x uncentred. The weights have a ridge of 1e-8 times the trace (1e-3 with more neighbours
#' than features).
#'
#' @inheritParams bsufs
#' @param x Data as for [bsufs()], but no moments.
#' @param k Number of features, at most the number that vary.
#' @param neighbours Number of neighbours that reconstruct a sample, or all where the samples
#'   are fewer.
#' @param transpose Take (I - R')X for B, as the public code does?
#' @param start A nonnegative d x k matrix; `NULL` draws one, uniform on (0, 1).
#' @param alpha Penalty; `NULL` for the default.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-3 (relative change
#'   of the objective between rounds; its root bounds the difference of M and BH), `maxit`
#'   100 (rounds), `inner_tol` 1e-5, `inner_maxit` 100 (of the steps of H in a round).
#' @param starts Number of random starts, of which the best is kept; 1 where `start` is given.
#' @param seed A whole number that determines the random starts; the state of R's generator has no
#'   effect and stays unchanged. `NULL`: R's generator, see `set.seed()`.
#' @return A list of class `c("rne", "rowsparse")` with the elements of [spcafs()], where
#'   \item{selected}{the k features of largest score}
#'   \item{scores}{row norms of H; 0 for constant features}
#'   \item{loadings}{H}
#'   \item{objective}{the smallest value so far, at the start and after each round}
#'   \item{residual}{difference of M and BH at the end, relative to BH}
#'   \item{start_objectives, best_start}{the objective that each start reached, and the number of
#'     the best start}
#'   \item{start_sets}{the features that each start selected, in rows}
#'   \item{overlap}{the mean share of features that two starts have in common; `NA` for one start}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     selected features reproduces}
#' @section Errors and warnings:
#' As for [bsufs()]; moments; `neighbours` or `starts` out of range.
#' @references
#' Liu, Ye, Li, Wang and Gao (2020) Robust neighborhood embedding for unsupervised feature
#' selection. Knowledge-Based Systems 193, 105462. \doi{10.1016/j.knosys.2019.105462}
#' @seealso [udfs()], [sogfs()]
#' @examples
#' fit <- rne(iris[, 1:4], k = 2, starts = 5, seed = 1)
#' fit
#' fit$start_objectives
#' fit$overlap
#' @export
rne <- function(x, k, neighbours = 5, transpose = FALSE, start = NULL, alpha = NULL, scale = FALSE,
                control = rowsparse_control(), include = NULL, exclude = NULL, starts = 1,
                seed = NULL, block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(k), "k")
  starts <- rne_starts(starts, start)
  seed <- check_seed(seed)
  transpose <- check_flag(transpose, "transpose")
  if (!is.null(alpha)) alpha <- check_number(alpha, "alpha", 0, open_lower = TRUE)
  control <- resolve_control(control,
    tol = 1e-3, maxit = 100L, inner_tol = 1e-5, inner_maxit = 100L
  )
  data <- sample_data("rne", x, scale, assay, block, include, exclude)
  check_locked_size(k, data)
  k <- check_count(k, "k", 1L, sum(!data$constant))
  neighbours <- few_neighbours(neighbours, data)
  check_fit_size("rne", data,
    k = k, neighbours = neighbours, starts = starts, argument = "k", control = control
  )
  if (!is.null(start)) start <- rne_start(start, data, k)

  inside <- in_unit_rows(data)
  near <- find_neighbours(data, neighbours, "euclidean", ties = FALSE)
  settings <- rne_settings(inside, alpha, neighbours, transpose, control)
  ends <- with_seed(seed, lapply(seq_len(starts), function(i) {
    from <- or_default(start, rne_start(NULL, data, k))
    rne_end(.Call(C_rne, unclass(inside), near, from, settings), data, k)
  }))
  spread <- spread_of_starts(ends, data)
  out <- ends[[spread$best_start]]
  fit <- new_fit("rne", data,
    scores = out$scores, selected = out$selected, loadings = out$H, run = out,
    explained = explained_by(out$selected, data),
    parameters = c(
      list(
        k = k, neighbours = neighbours, transpose = transpose, starts = starts,
        alpha = settings$alpha * inside$unit
      ), given_seed(seed), control
    ),
    call = call, started = started, verbose = control$verbose, residual = out$residual
  )
  fit[names(spread)] <- spread
  fit
}

rne_starts <- function(starts, start) {
  starts <- check_count(starts, "starts", 1L, 1e4)
  if (starts > 1L && !is.null(start)) {
    stop_rowsparse("range", "starts", "must be 1 where `start` is given", starts)
  }
  starts
}

# the features of one end
rne_end <- function(out, data, k) {
  out$scores <- row_norms(out$H)
  out$scores[data$constant] <- 0
  best <- order(data$constant, -out$scores, -raw_square(data))
  out$selected <- utils::head(include_first(best, data), k)
  out
}

rne_settings <- function(inside, alpha, neighbours, transpose, control) {
  c(
    list(
      alpha = if (is.null(alpha)) max(1000, 3 * inside$n) else alpha / inside$unit,
      penalty = 10, growth = 1.1,
      mean = if (transpose) inside$mean * or_default(inside$weight, 1),
      neighbours = neighbours, ridge = if (neighbours > inside$d) 1e-3 else 1e-8,
      unit = inside$unit
    ), control[c("tol", "maxit", "inner_tol", "inner_maxit")]
  )
}

# no weight on features that are constant: it would cost nothing
rne_start <- function(start, data, k) {
  start <- inner_rows(start, data)
  if (is.null(start)) {
    start <- drawn_rows(matrix(stats::runif(as.double(data$d) * k), data$d), data)
  } else if (!is.numeric(start) || !identical(dim(start), c(data$d, k)) ||
      !all(is.finite(start)) || any(start < 0)) {
    stop_rowsparse("type", "start",
      sprintf("must be a %d x %d matrix of nonnegative numbers", data$d, k), describe(start)
    )
  }
  storage.mode(start) <- "double"
  start[data$constant, ] <- 0
  disjoint_columns(unname(start), which(!data$constant))
}

# Every row keeps its largest entry: columns with no feature in common, and each with one
# at least, which it takes from a column that has more.
disjoint_columns <- function(start, varying) {
  owner <- max.col(start, "first")
  size <- tabulate(owner[varying], ncol(start))
  for (column in which(size == 0L)) {
    free <- varying[size[owner[varying]] > 1L]
    taken <- free[which.max(start[free, column])]
    size[c(column, owner[taken])] <- size[c(column, owner[taken])] + c(1L, -1L)
    owner[taken] <- column
  }
  at <- cbind(seq_along(owner), owner)[varying, , drop = FALSE]
  out <- 0 * start
  # an entry of zero stands for a small one, so that no column is empty
  out[at] <- pmax(start[at], 1e-3 * max(start, .Machine$double.xmin))
  out
}

# data whose centred samples have a mean square norm of 1; `unit` is what they were
# divided by
in_unit_rows <- function(data) {
  inside <- in_binary_units(data)
  unit <- sqrt(sum(inside$square) / inside$n)
  inside$weight <- or_default(inside$weight, rep(1, data$d)) / unit
  inside$square <- inside$square / unit / unit
  inside$unit <- inside$unit * unit
  inside
}

# ---- descriptor -------------------------------------------------------------

descriptor_rne <- function() {
  descriptor(rne,
    bytes = function(s) neighbour_bytes(s) + 8 * s$k * (5 * s$d + 6 * s$n),
    most_samples = 2e5,
    title = "Robust neighbourhood embedding", reference = "doi:10.1016/j.knosys.2019.105462",
    cost = "O(n^2 d) for the neighbours; O(n d k) per step",
    input = c("dense", "sparse", "blocks"), largest = varying_features, sizes = "refit",
    draws = TRUE, family = "graph", sees = "neighbours"
  )
}
