#' S2DFS: discriminant analysis on exactly k features
#'
#' Selects exactly k features on which the classes are furthest apart, by linear discriminant
#' analysis on these features alone. With classes only. With `m = k` the result is a global
#' optimum, otherwise a local one.
#'
#' @section The problem:
#' Selects the k features on which classes are furthest apart by the trace ratio,
#' \deqn{\max_{W'W = I_m} \; \frac{\mathrm{tr}(W'S_b W)}{\mathrm{tr}(W'(S_w + \delta I) W)}
#'   \quad \mbox{subject to at most } k \mbox{ nonzero rows},}{
#'   max over W'W = I_m of tr(W'S_b W) / tr(W'(S_w + delta I) W)
#'   subject to at most k nonzero rows,}
#' with the scatter between and within the classes, \eqn{S_b} and \eqn{S_w} (Wang, Nie,
#' Tian, Wang and Li, 2020). With m = k it is the trace-ratio criterion of Nie et al.
#' (2008), often listed as a separate method, trace ratio: the sum over k features of the sums of
#' squares between classes, divided by that within.
#'
#' @section Algorithm:
#' Dinkelbach's iteration: with \eqn{\lambda}{lambda} the ratio so far, the trace of
#' \eqn{W'(S_b - \lambda S_w)W}{W'(Sb - lambda Sw)W} is increased on k features, and the ratio at
#' the new W is the next \eqn{\lambda}{lambda}, which never falls. The set is found by the
#' projection updates of [fspca()], after the matrix has been shifted only by its smallest
#' eigenvalue, as the updates are slow for a large shift; on each set the ratio is then solved
#' exactly. The iteration runs from three sets and keeps the best result: the solution for m = k,
#' the k largest ratios of single features, and the set of [fspca()] for the same m, which does
#' not use the classes (left out if two of its features have the same standard deviation, as
#' copies have). When the updates change nothing, a selected feature is exchanged for one of the
#' thousand outside features that would add most to the trace, to second order, and
#' \eqn{\lambda}{lambda} is updated, until no such exchange (`candidates`) raises the ratio by
#' more than a share of 1e-10: bounds on the eigenvalues rule out most exchanges, and the others
#' are tried. There are fewer candidates if their columns hold more than 4e7 numbers, or if one
#' round of exchanges takes more than 2e10 operations, and none from about k = 210 on. The result
#' is a local solution. For m = k the problem is solved by sorting, and the solution is global.
#'
#' The data enter through products and the columns of the current set: no d x d matrix is formed
#' for large d.
#'
#' @section Differences from public code:
#' The authors' code starts at random, takes a fixed number of rounds and misses the optimum on
#' small problems where all sets can be tried, even for m = k. It has no \eqn{\delta}{delta};
#' without it the ratio is infinite for k > n - C.
#'
#' @inheritParams ilfs
#' @param k Number of features, at least m.
#' @param m Dimension of the subspace; `NULL` for C - 1 with C classes, or k where that
#'   is smaller.
#' @param ridge \eqn{\delta}{delta} over the mean of the features' sums of squares, at least
#'   0. Larger values avoid directions that hardly vary within the classes.
#' @param start Start of the iteration: a fit, or k features by name or column. `NULL`: the three
#'   sets above.
#' @param scale Divide features by their standard deviation? By default yes, so that units
#'   do not matter.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-8, relative
#'   change of the ratio; `maxit` 100, of the ratio and of the updates for each.
#' @return A list of class `c("s2dfs", "rowsparse")` with the elements of
#'   [bsufs()], where
#'   \item{selected}{the k features, by score}
#'   \item{scores}{the diagonal entries of \eqn{P = AW(W'AW)^+W'A}{P = A W (W'AW)^+ W'A} from
#'     which the set was chosen, A the shifted matrix; for m = k those of A}
#'   \item{loadings}{W, d x m, orthonormal, zero outside the selected rows}
#'   \item{objective}{minus the ratio, for the first set and after each iteration}
#'   \item{ratio}{the trace ratio}
#'   \item{candidates}{number of outside features tried last: exchanging one selected feature for
#'     one of them does not raise the ratio; 0 if this was not reached, all for m = k}
#'   \item{bound, gap}{the objective and 0 for m = k, else `NA`}
#'   \item{explained}{share of the centred sum of squares of the class indicators that
#'     regression on the selected features reproduces}
#'   `coef()` and [predict()][predict.cdlsr] use least squares on the first of the selected
#'   features.
#' @section Errors:
#' As for [ilfs()]; `k` below m or above d; with `ridge = 0` a set that does not vary
#' within the classes (`rowsparse_error_numerical`).
#' @references
#' Wang, Nie, Tian, Wang and Li (2020) Discriminative feature selection via a structured
#' sparse subspace learning module. Proceedings of the 29th International Joint
#' Conference on Artificial Intelligence, 3009-3015. \doi{10.24963/ijcai.2020/416}
#'
#' Nie, Xiang, Jia, Zhang and Yan (2008) Trace ratio criterion for feature selection.
#' Proceedings of the 23rd AAAI Conference on Artificial Intelligence, 671-676.
#' @aliases trace_ratio
#' @concept trace ratio
#' @seealso [fspca()], [cdlsr()]
#' @examples
#' fit <- s2dfs(iris[, 1:4], iris$Species, k = 2)
#' fit
#' fit$ratio
#' # the trace-ratio criterion for feature selection
#' s2dfs(iris[, 1:4], iris$Species, k = 2, m = 2)$ratio
#' @export
s2dfs <- function(x, y, k, m = NULL, ridge = 1e-3, start = NULL, scale = TRUE,
                  control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                  assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_y_and_k(x, y, k)
  ridge <- check_number(ridge, "ridge", 0)
  control <- resolve_control(control, tol = 1e-8, maxit = 100L)
  check_holds_samples(x)
  problem <- sample_problem(x, y, scale, assay, block, include, exclude, units = TRUE, "s2dfs")
  class_numbers(problem)
  k <- check_basis_size(k, m, problem$data)
  m <- or_default(m, min(k, length(problem$response$levels) - 1L))
  check_fit_size("s2dfs", problem$data, k = k, m = m, argument = "k", control = control)
  basis <- unname(whiten_response(problem$response, problem$data$n))
  delta <- ridge * mean(problem$data$square)
  starts <- s2dfs_starts(start, problem, basis, delta, k, m)
  out <- .Call(C_s2dfs, unclass(problem$data), basis, starts, list(
    m = as.integer(m), delta = delta, ties = problem$data$deviation,
    constant = problem$data$constant, tol = control$tol, maxit = control$maxit
  ))
  parameters <- c(list(k = k, m = as.integer(m), ridge = ridge), control)
  new_s2dfs(problem, out, parameters, call, started)
}

# columns of starting sets
s2dfs_starts <- function(start, problem, basis, delta, k, m) {
  if (!is.null(start)) {
    return(matrix(starting_set(start, problem$data, k), k))
  }
  total <- problem$data$square
  between <- pmin(total, .Call(C_product_squares, unclass(problem$data), basis))
  single <- between / (total - between + max(delta, 1e-12 * max(total)))
  first <- largest_scores(single, k, problem$data)
  solved <- trace_ratio_set(between, total - between + delta, first, problem$data)
  cbind(solved, first, if (m < k && k < problem$data$d) largest_trace_set(problem$data, k, m),
    deparse.level = 0
  )
}

# The k features that carry the most variance in m components, by exchanges; NULL where
# two of them vary alike: copies tie in every update, and rounding would choose the end
largest_trace_set <- function(data, k, m) {
  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  set <- run_fspca(operator, leading, k, "exchange", list(maxit = 100L))$subset
  if (anyDuplicated(data$deviation[set]) == 0) set
}

# k features, from a fit or by their names or columns
starting_set <- function(start, data, k) {
  whole <- view_of(data)
  index <- if (inherits(start, "rowsparse")) selected_index(start, k)
  set <- inner_index(feature_columns(start, "start", whole$d, whole$names, index), data)
  check_start_set(set, data)
  if (length(set) != k) {
    stop_rowsparse("length", "start", sprintf("must hold %d features", k), length(set))
  }
  set
}

# the k features with the largest sum of `above` over that of `below`, from a first set
trace_ratio_set <- function(above, below, set, data, rounds = 100L) {
  for (round in seq_len(rounds)) {
    if (sum(below[set]) <= 1e-14 * sum(above[set])) break
    ratio <- sum(above[set]) / sum(below[set])
    gain <- above - min(ratio, 1e12) * below
    # differences of rounding are none
    gain[abs(gain) <= 1e-11 * above] <- 0
    set <- largest_scores(gain, length(set), data)
    if (sum(above[set]) <= ratio * sum(below[set]) * (1 + 1e-13)) break
  }
  set
}

new_s2dfs <- function(problem, out, parameters, call, started) {
  data <- problem$data
  scores <- out$scores - min(0, out$scores)
  chosen <- order_features(scores[out$subset], data$deviation[out$subset])
  selected <- out$subset[chosen]
  objective <- utils::tail(out$objective, 1)
  new_filter("s2dfs", problem,
    scores = scores, selected = selected,
    loadings = expand_rows(out$V, out$subset, data), run = out,
    bound = if (out$is_global && out$converged) objective else NA_real_,
    parameters = parameters, ratio = out$ratio, candidates = out$candidates, call = call,
    started = started,
    verbose = parameters$verbose
  )
}

# the columns of a set and their image, its matrix
form_bytes <- function(s, m) 8 * (2 * s$n * (s$k + m) + 3 * s$k^2 + 12 * s$d * m)

descriptor_s2dfs <- function() {
  descriptor(s2dfs,
    bytes = function(s) {
      if (!"m" %in% s$given) s$m <- max(1, s$classes - 1)
      # candidates of exchanges, up to a thousand
      candidates <- if (s$m < s$k) min(4e7, (s$n + 2 * s$k) * (s$k + 1000)) else 0
      leading_bytes(s, s$m) + exchange_bytes(s) + form_bytes(s, s$m) + 8 * candidates
    },
    include = "given",
    family = "discriminant", sees = "labels",
    title = "Discriminant analysis on k features",
    reference = "Wang, Nie, Tian, Wang and Li (2020), IJCAI, 3009-3015",
    cost = "O(n d m + n k^2 + k^3) per iteration", input = c("dense", "sparse", "blocks"),
    sizes = "refit", responses = "class", also = c("trace ratio" = "m = k")
  )
}
