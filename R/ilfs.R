#' ILFS: infinite latent feature selection
#'
#' Ranks features one by one by the probability of being relevant for the classes, from how close
#' samples are to the mean of their own class relative to the other means. With classes only; kept
#' for comparison.
#'
#' @section The problem:
#' Ranks features by the probability of being relevant for the classes, from a mixture of two
#' fixed distributions of tokens (Roffo, Melzi, Castellani and Vinciarelli, 2017). For feature j
#' and sample i, with the class means \eqn{\mu_{cj}}{mu_cj},
#' \deqn{p_{ij} = \frac{(x_{ij} - \mu_{y_i j})^2}{\sum_c (x_{ij} - \mu_{cj})^2}}{
#'   p_ij = (x_ij - mu_{y_i, j})^2 / sum_c (x_ij - mu_cj)^2}
#' is small where the sample is close to the mean of its own class. The \eqn{p_{ij}}{
#' p_ij} of a feature are counted on T equally spaced edges from their smallest to their largest
#' value: \eqn{N_{tj}}{N_tj} of the tokens t = 1, ..., T, the last of which counts only the
#' largest. Tokens come from a relevant feature with probabilities \eqn{a_t} that fall linearly
#' from 5000 to 1 before they are divided by their sum, and from another one with \eqn{b_t =
#' a_{T + 1 - t}}{b_t = a_(T+1-t)}. `scores` are the mixing weights \eqn{\pi_j}{pi_j} from EM for
#' \deqn{\max_{\pi_j} \; \sum_t N_{tj} \log(\pi_j a_t + (1 - \pi_j) b_t),}{
#'   max over pi_j of sum_t N_tj log(pi_j a_t + (1 - pi_j) b_t),}
#' from the share of the first tokens (a fifth of them, at
#' least one), in 15 steps.
#'
#' The method then weights the edge between features i and j of a graph by \eqn{\pi_i \pi_j}{pi_i
#' pi_j} and adds up the paths of all lengths, \eqn{(I - rA)^{-1} - I}{(I - rA)^-1 - I}. That
#' matrix A has rank one, so that the sums are proportional to \eqn{\pi_j}{pi_j}: ranking by
#' \eqn{\pi_j}{pi_j} is the same, without a d x d matrix.
#'
#' Features are scored one by one, and a score depends on counts only: ties are
#' frequent, and go to the feature of larger variance.
#'
#' @section Differences from public code:
#' Several public versions differ in substance. This one starts from the share of the
#' first tokens and keeps the token distributions, so that the likelihood rises in
#' every step; others start from the last tokens, which mean a large distance from the own class,
#' or change the distributions by a step after which the likelihood falls. Values within 1e-12 of
#' an edge count as on it, so that rounding has no effect. Where all \eqn{p_{ij}}{p_ij} of a
#' feature are equal (all zero if it does not vary within the classes) the edges are those from 0
#' to 1, and where all class means are equal to a value its \eqn{p_{ij}}{p_ij} is 1 / C.
#'
#' @inheritParams ftest
#' @param y Class labels: a factor, strings or logicals; `factor()` makes classes of
#'   numbers.
#' @param tokens T, number of edges, at least 2. From 8 on more than one token counts
#'   for a feature at the start.
#' @param control Settings from [rowsparse_control()]. Defaults: `maxit` 15, steps of EM; `tol` 0,
#'   no earlier stop. Raise both for the maximum of the likelihood.
#' @return A list of class `c("ilfs", "rowsparse")` with the elements of
#'   [bsufs()], where
#'   \item{scores}{\eqn{\pi_j}{pi_j}; 0 for constant features}
#'   \item{counts}{\eqn{N_{tj}}{N_tj}, T x d}
#'   \item{objective}{minus the sum of the log-likelihoods of all features}
#'   There are no `loadings`. `coef()` and [predict()][predict.cdlsr] take least
#'   squares on the first k features.
#' @section Errors:
#' As for [cdlsr()]; moments; a numeric response; `tokens` out of range.
#' @references
#' Roffo, Melzi, Castellani and Vinciarelli (2017) Infinite latent feature selection: a
#' probabilistic latent graph-based ranking approach. Proceedings of the IEEE
#' International Conference on Computer Vision, 1398-1406. \doi{10.1109/ICCV.2017.156}
#' @seealso [ftest()]
#' @examples
#' fit <- ilfs(iris[, 1:4], iris$Species)
#' fit$scores
#' @export
ilfs <- function(x, y, tokens = 4, scale = TRUE, control = rowsparse_control(), include = NULL,
                 exclude = NULL, block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  tokens <- check_count(tokens, "tokens", 2L, 1000L)
  control <- resolve_control(control, tol = 0, maxit = 15L)
  check_holds_samples(x)
  problem <- sample_problem(x, y, scale, assay, block, include, exclude, units = TRUE)
  check_fit_size("ilfs", problem$data, classes = ncol(problem$response$Y), control = control)
  class <- class_numbers(problem)
  out <- .Call(C_ilfs, unclass(problem$data), class, list(
    classes = length(problem$response$levels), tokens = tokens, tol = control$tol,
    maxit = control$maxit
  ))
  new_filter("ilfs", problem,
    scores = out$pi, run = out, parameters = c(list(tokens = tokens), control),
    counts = t(per_feature(t(out$counts), problem$data)), call = call, started = started,
    verbose = control$verbose
  )
}

# the number of each sample's class; numeric responses have none
class_numbers <- function(problem) {
  response <- problem$response
  if (response$type != "class") {
    stop_rowsparse("type", "y", "must hold class labels", response$text,
      "factor() makes classes of numbers"
    )
  }
  response$class
}

descriptor_ilfs <- function() {
  descriptor(ilfs,
    bytes = function(s) 8 * s$d * (20 + s$classes),
    passes = 8,
    family = "score", sees = "labels", explains = FALSE,
    title = "Infinite latent feature selection",
    reference = "Roffo, Melzi, Castellani and Vinciarelli (2017), ICCV, 1398-1406",
    cost = "O(n d c)", input = c("dense", "sparse", "blocks"), sizes = "nested", responses = "class"
  )
}
