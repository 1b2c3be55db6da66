#' F-test: how much of a feature the classes explain
#'
#' Scores every feature by itself: how much of its variation the classes, or a numeric
#' response, explain. The usual baseline with labels: very fast, but copies of a good
#' feature are all ranked high. [cdlsr()] looks at features together.
#'
#' @section The problem:
#' Scores every feature by the share of its sum of squares that lies between the
#' classes, or that a regression on the response explains,
#' \deqn{R_j^2 = \frac{\|Q'x_j\|^2}{\|x_j\|^2}, \qquad
#'   F_j = \frac{R_j^2 / q}{(1 - R_j^2) / (n - 1 - q)},}{
#'   R2_j = ||Q'x_j||^2 / ||x_j||^2,   F_j = (R2_j / q) / ((1 - R2_j) / (n - 1 - q)),}
#' where \eqn{x_j} is the centred feature and the q columns of Q are an orthonormal
#' basis of the centred indicators of the classes (q = C - 1 for C classes) or of the
#' centred numeric responses. With classes \eqn{F_j} is the statistic of the one-way
#' analysis of variance, with two classes the square of the t-statistic with pooled
#' variance, with one numeric response that of simple regression, and with several
#' that of the regression of the feature on all of them.
#'
#' `scores` hold \eqn{R_j^2}{R2_j}, which orders the features as \eqn{F_j} does and
#' stays finite where nothing varies within the classes (F is infinite there, and
#' the share 1). Features are tested one by one: copies of a good one are all ranked
#' high, and features that separate the classes only together are missed. p-values
#' are not adjusted; [stats::p.adjust()] does that.
#'
#' The Laplacian score on the graph that joins the samples of each class with weight
#' 1 over the size of the class is \eqn{1 - R_j^2}{1 - R2_j}, so that both rank alike;
#' so does the Fisher score, \eqn{R_j^2 / (1 - R_j^2)}{R2_j / (1 - R2_j)}.
#'
#' @inheritParams cdlsr
#' @param x Data as for [bsufs()], but no moments.
#' @param scale Divide features by their standard deviation? This changes no score.
#' @param control Settings from [rowsparse_control()]; only `verbose` matters.
#' @return A list of class `c("ftest", "rowsparse")` with the elements of
#'   [bsufs()], where
#'   \item{scores}{\eqn{R_j^2}{R2_j}; 0 for constant features}
#'   \item{statistic, p_value}{\eqn{F_j} and its p-value, `NA` for constant features}
#'   \item{degrees}{q and n - 1 - q}
#'   \item{objective}{the largest \eqn{R_j^2}{R2_j}}
#'   There are no `loadings`. `coef()` and [predict()][predict.cdlsr] take least
#'   squares on the first k features.
#' @section Errors:
#' As for [cdlsr()]; moments; a response that leaves no degrees of freedom, n - 1 - q
#' < 1.
#' @references
#' Fisher (1925) Statistical Methods for Research Workers. Oliver and Boyd, Edinburgh.
#' @seealso [cdlsr()], which sees what features add to each other; [lapscore()]
#' @examples
#' fit <- ftest(iris[, 1:4], iris$Species)
#' fit
#' fit$statistic
#' @export
ftest <- function(x, y, scale = TRUE, control = rowsparse_control(), include = NULL, exclude = NULL,
                  block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  control <- resolve_control(control, tol = 0, maxit = 1L)
  check_holds_samples(x)
  problem <- sample_problem(x, y, scale, assay, block, include, exclude, units = TRUE)
  check_needs("ftest", problem$data, classes = ncol(problem$response$Y), control = control)
  degrees <- test_degrees(problem)
  share <- explained_shares(problem)
  share[share >= 1 - problem$data$n * .Machine$double.eps] <- 1
  statistic <- (share / degrees[1]) / ((1 - share) / degrees[2])
  statistic[problem$data$constant] <- NA
  p_value <- stats::pf(statistic, degrees[1], degrees[2], lower.tail = FALSE)
  new_filter("ftest", problem,
    scores = share, objective = max(share), iterations = 0L, converged = TRUE,
    status = "solved", parameters = control, statistic = per_feature(statistic, problem$data, NA),
    p_value = per_feature(p_value, problem$data, NA),
    degrees = degrees, call = call, started = started, verbose = control$verbose
  )
}

test_degrees <- function(problem) {
  used <- response_rank(problem$response)
  rest <- degrees_of_freedom(problem$data) - used
  if (rest < 1L) {
    stop_rowsparse("size", "y", sprintf(
      "must leave degrees of freedom: with %d samples at most %d %s", problem$data$n,
      degrees_of_freedom(problem$data) - 1L + (problem$response$type == "class"),
      if (problem$response$type == "class") "classes" else "responses"
    ), problem$response$text)
  }
  c(used, rest)
}

# ||Q'x_j||^2 / ||x_j||^2 for centred features
explained_shares <- function(problem) {
  data <- problem$data
  Q <- whiten_response(problem$response, data$n)
  between <- .Call(C_product_squares, unclass(data), unname(Q))
  ifelse(data$constant, 0, pmin(1, between / data$square))
}

descriptor_ftest <- function() {
  descriptor(ftest,
    needs = function(s) data_product(s, s$classes),
    passes = 4,
    family = "score", sees = "labels", explains = FALSE,
    title = "F-test of each feature", reference = "Fisher (1925)", cost = "O(n d c)",
    input = c("dense", "sparse", "blocks"), sizes = "nested"
  )
}
