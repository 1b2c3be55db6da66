#' SLAP: directions along which neighbours of the same class are near
#'
#' Ranks features by directions along which neighbours of the same class are near each other. With
#' classes only. The implementation follows the published idea, not its formulas; see "Which
#' method this is".
#'
#' @section The problem:
#' Ranks features for classes by the row norms of W in
#' \deqn{\min \; \mathrm{tr}(W'X_c'LX_cW) + \frac{\alpha}{2} \sum_{i,l} a_{il}^2 +
#' \gamma \sum_j \|w_j\|,}{
#' min  tr(W'Xc'L Xc W) + alpha/2 sum_il a_il^2 + gamma sum_j ||w_j||,}
#' over W (d x m) with \eqn{W'W = I} and A, whose rows are nonnegative, sum to 1 and are
#' zero but for samples of the same class; L is the Laplacian of
#' \eqn{(A + A')/2}{(A + A')/2}.
#'
#' @section Which method this is:
#' Chen and others (2018) propose to learn, in turn, similarities of the samples from
#' their distances in a projected space, within classes, and the projection from the similarities,
#' with few features. Their formulas were not available. This implementation of the idea is the
#' problem of [sogfs()] restricted to pairs of the same class, without its term for the number of
#' components, and with the constraint W'W = I. Results need not agree with those of the paper.
#'
#' @section Algorithm:
#' A starts from the weights of `weights = "can"` (see [lapscore()]) on the `neighbours` nearest
#' samples of the class; \eqn{\alpha}{alpha} is the mean of the parameters for which each row has
#' that many positive weights. Then each iteration updates A, row by row, the projection of
#' \eqn{-\|W'(x_i - x_l)\|^2 / (2 \alpha)}{-||W'(x_i - x_l)||^2 / (2 alpha)} on the simplex over
#' the nearest samples of the class along W, and W, as in [sogfs()]. The objective, with smoothed
#' row norms, never rises. If `neighbours` covers all other samples of each class, A starts from
#' equal weights, and W from the minor directions of the scatter within classes, in which a class
#' of c samples has the weight c / (c - 1).
#'
#' With at least as many features as samples W is sought in the row space of the data, as in
#' [udfs()].
#'
#' @inheritParams pgd
#' @inheritParams sogfs
#' @param y Classes of the samples: a factor, strings or logicals; `factor()` makes classes
#'   of numbers.
#' @param m Columns of W; `NULL`: the number of classes, if the data have that many dimensions.
#' @param neighbours Number of neighbours within the class, or all of them in smaller classes. A
#'   sample that is alone in its class has none.
#' @param scale Divide features by their standard deviation? By default yes: of features in
#'   their own units those of small variance would come first.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6 (relative change
#'   of the objective), `maxit` 200, `inner_tol` 1e-5, `inner_maxit` 100 (of W).
#' @return A list of class `c("slap", "rowsparse")` with the elements of [ftest()], where
#'   \item{scores}{row norms of W; 0 for constant features}
#'   \item{loadings}{W}
#'   \item{objective}{at the start and after each iteration}
#'   \item{kkt}{size of the projected gradient for W, relative to that of the gradient}
#'   \item{graph}{A: `index` and `weight`, n x neighbours; 0 where there is no neighbour}
#'   \item{restricted}{was W sought in the row space of the data?}
#' @section Errors and warnings:
#' As for [udfs()]; a response that is not classes.
#' @references
#' Chen, Yuan, Wang, Nie, Chang and Huang (2018) Local adaptive projection framework for feature
#' selection of labeled and unlabeled data. IEEE Transactions on Neural Networks and
#' Learning Systems 29, 6362-6373.
#' @seealso [sogfs()], [ftest()]
#' @examples
#' fit <- slap(iris[, 1:4], iris$Species)
#' fit
#' table(predict(fit, iris[, 1:4], k = 2, type = "class"), iris$Species)
#' @export
slap <- function(x, y, m = NULL, gamma = NULL, neighbours = 5, scale = TRUE,
                 control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                 assay = NULL, groups = NULL) {
  run_method("slap")
}

check_slap <- function(given, data) {
  if (!is.null(given$m)) given$m <- check_dimension(given$m, data)
  given$neighbours <- few_neighbours(given$neighbours, data, 1L)
  given
}

solve_slap <- function(problem, given, control) {
  label <- class_numbers(problem)
  data <- problem$given
  m <- or_default(given$m, min(max(label), largest_dimension(data)))
  out <- .Call(C_slap, unclass(in_unit_columns(data)), label,
    with_row_groups(slap_settings(m, given$gamma, given$neighbours, control), data)
  )
  warn_rank(ncol(out$W), m)
  list(
    scores = group_norms(row_norms(out$W), data), loadings = out$W, run = out, kkt = out$kkt,
    parameters = list(
      m = ncol(out$W), gamma = out$gamma, neighbours = given$neighbours, alpha = out$alpha,
      eps = out$eps
    ),
    graph = learned_graph(out), restricted = out$restricted
  )
}

slap_settings <- function(m, gamma, neighbours, control) {
  c(
    list(
      m = as.integer(m), neighbours = neighbours, gamma = or_default(gamma, 1),
      relative_gamma = as.integer(is.null(gamma)), eps = 1e-10
    ), control[c("tol", "maxit", "inner_tol", "inner_maxit")]
  )
}

# ---- descriptor -------------------------------------------------------------

descriptor_slap <- function() {
  descriptor(slap,
    rules = list(gamma = check_penalty),
    control = list(tol = 1e-6, maxit = 200L, inner_tol = 1e-5, inner_maxit = 100L),
    check = check_slap, solve = solve_slap,
    bytes = function(s) neighbour_bytes(s) + minor_bytes(s),
    most_samples = 1e5,
    passes = Inf,
    title = "Directions along which neighbours of the same class are near",
    reference = "Chen, Yuan, Wang, Nie, Chang and Huang (2018), IEEE TNNLS 29, 6362-6373",
    cost = "O(n^2 d) for the neighbours; O(min(n, d)^2 d) per step of W",
    input = c("dense", "sparse", "blocks"), sizes = "nested", family = "discriminant",
    sees = c("neighbours", "labels"), explains = FALSE, responses = "class"
  )
}
