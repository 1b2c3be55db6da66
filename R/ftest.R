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
#' where \eqn{x_j} is the centred feature and the q columns of Q are an orthonormal basis of the
#' centred indicators of the classes (q = C - 1 for C classes) or of the centred numeric responses.
#' With classes \eqn{F_j} is the statistic of the one-way analysis of variance, with two classes the
#' square of the t-statistic with pooled variance, with numeric responses that of the regression of
#' the feature on them. Features that separate the classes only together are missed.
#'
#' `q_value` is the p-value adjusted over all features that vary (Benjamini and Hochberg, 1995): of
#' the features with \eqn{q \le 0.1}{q <= 0.1} at most a tenth on average are not associated with
#' the response. That is association, one feature at a time: read as "needed" it is wrong for most,
#' as features that copy a needed one are associated too. For these see the false discoveries of
#' [cross-validation][predict.cv_rowsparse].
#'
#' With [groups] each group is tested as a whole: the regression of one response on its columns,
#' or for several responses or classes Wilks' lambda, \eqn{\Lambda = \det(I - Q'P_gQ)}{Lambda =
#' det(I - Q'P_g Q)} with \eqn{P_g}{P_g} the projection on the columns of the group, and Rao's
#' approximation of its distribution by that of F. `scores` hold \eqn{-\log_{10} p}{-log10 p},
#' which takes the sizes of the groups into account, and `degrees` has a row for each group.
#'
#' @inheritParams cdlsr
#' @param x Data, see [rowsparse_data], but no moments.
#' @param scale Divide features by their standard deviation? This changes no score.
#' @param control Settings from [rowsparse_control()]; only `verbose` matters.
#' @return A list of class `c("ftest", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{\eqn{R_j^2}{R2_j}; 0 for constant features}
#'   \item{statistic, p_value, q_value}{\eqn{F_j}, its p-value, and the adjusted one, `NA` for
#'     constant features; `p` and `q` in the table that [as.data.frame()][as.data.frame.rowsparse]
#'     gives}
#'   \item{degrees}{q and n - 1 - q}
#'   \item{objective}{the largest \eqn{R_j^2}{R2_j}}
#' @references
#' Fisher (1925) Statistical Methods for Research Workers. Oliver and Boyd, Edinburgh.
#'
#' Benjamini and Hochberg (1995) Controlling the false discovery rate. Journal of the Royal
#' Statistical Society B 57, 289--300. \doi{10.1111/j.2517-6161.1995.tb02031.x}
#' @seealso [cdlsr()], which evaluates features jointly; [lapscore()]
#' @examples
#' fit <- ftest(iris[, 1:4], iris$Species)
#' fit
#' fit$statistic
#' @export
ftest <- function(x, y, scale = TRUE, control = rowsparse_control(), include = NULL, exclude = NULL,
                  block = NULL, assay = NULL, groups = NULL) {
  run_method("ftest")
}

solve_ftest <- function(problem, given, control) {
  data <- problem$data
  degrees <- test_degrees(problem)
  grouped <- is_grouped(data)
  groups <- if (grouped) inner_groups(data) else list(at = seq_len(data$d))
  # F, its degrees of freedom, and the share
  tests <- if (grouped) group_tests(problem, groups, degrees) else feature_tests(problem, degrees)
  log_p <- stats::pf(tests[1, ], tests[2, ], tests[3, ], lower.tail = FALSE, log.p = TRUE)
  score <- if (grouped) ifelse(is.na(log_p), 0, pmin(-log_p / log(10), 1e300)) else tests[4, ]
  if (grouped) {
    degrees <- t(tests[2:3, , drop = FALSE])
    dimnames(degrees) <- list(data$groups$label[groups$number], c("group", "residual"))
  }
  p <- exp(log_p)
  by_feature <- function(value) per_feature(value[groups$at], data, NA)
  list(
    scores = score[groups$at], ties = if (grouped) tests[4, groups$at], objective = max(tests[4, ]),
    iterations = 0L, converged = TRUE, status = "solved", statistic = by_feature(tests[1, ]),
    p_value = by_feature(p), q_value = by_feature(stats::p.adjust(p, "BH")), degrees = degrees
  )
}

# the share is ||Q'x_j||^2 / ||x_j||^2 for centred features
feature_tests <- function(problem, degrees) {
  data <- problem$data
  Q <- whiten_response(problem$response, data$n)
  between <- .Call(C_product_squares, unclass(data), unname(Q))
  share <- ifelse(data$constant, 0, pmin(1, between / data$square))
  share[share >= 1 - data$n * .Machine$double.eps] <- 1
  statistic <- (share / degrees[1]) / ((1 - share) / degrees[2])
  statistic[data$constant] <- NA
  rbind(statistic, degrees[1], degrees[2], share)
}

test_degrees <- function(problem) {
  used <- response_rank(problem$response)
  rest <- degrees_of_freedom(problem$data) - used
  refuse_if(rest < 1L, "size", "y", sprintf(
    "must leave degrees of freedom: with %d samples at most %d %s", problem$data$n,
    degrees_of_freedom(problem$data) - 1L + (problem$response$type == "class"),
    if (problem$response$type == "class") "classes" else "responses"
  ), problem$response$text)
  c(used, rest)
}

# Wilks' lambda of each group and Rao's F, which is exact for one response, two classes, or one
# column
group_tests <- function(problem, groups, degrees) {
  data <- problem$data
  Q <- whiten_response(problem$response, data$n)
  vapply(groups$columns, function(columns) {
    group_test(.Call(C_columns, unclass(data), columns), Q, degrees[1], sum(degrees))
  }, numeric(4))
}

# F, its degrees of freedom, and 1 - lambda, the share that the group explains of one response
group_test <- function(columns, Q, used, total) {
  length <- sqrt(colSums(columns^2))
  if (all(length == 0)) {
    return(c(NA, NA, NA, 0))
  }
  columns <- columns[, length > 0, drop = FALSE] / rep(length[length > 0], each = nrow(columns))
  decomposition <- qr(columns, tol = 1e-7)
  rank <- decomposition$rank
  shared <- qr.qty(decomposition, Q)[seq_len(rank), , drop = FALSE]
  left <- pmax(0, 1 - svd(shared, 0, 0)$d^2)
  left[left <= nrow(columns) * .Machine$double.eps] <- 0
  lambda <- prod(left)
  both <- rank^2 + used^2 - 5
  power <- if (both > 0) sqrt((rank^2 * used^2 - 4) / both) else 1
  first <- rank * used
  second <- (total - (rank + used + 1) / 2) * power - first / 2 + 1
  if (second <= 0) {
    return(c(NA, NA, NA, 1 - lambda))
  }
  root <- lambda^(1 / power)
  c((1 - root) / root * second / first, first, second, 1 - lambda)
}

descriptor_ftest <- function() {
  descriptor(ftest, solve = solve_ftest, passes = 4, family = "score", sees = "labels",
    title = "F-test of each feature", reference = "Fisher (1925)", cost = "O(n d c)"
  )
}
