#' Features of largest variance
#'
#' Ranks features by their variance: the simplest baseline without labels, and hard to beat if
#' noise is small and all features have the same units. Near-copies of a variable feature are all
#' ranked high; `rowsparse(method = "variance", diverse = TRUE)` skips them.
#'
#' @section The problem:
#' Scores every feature by its variance,
#' \deqn{s_j = \frac{1}{n - 1} \sum_i (x_{ij} - \bar x_j)^2,}{
#'       s_j = sum_i (x_ij - mean_j)^2 / (n - 1),}
#' and with [groups] a group by the sum over its features: the ranking is exact for every k.
#'
#' @inheritParams bsufs
#' @param control Settings from [rowsparse_control()]; only `verbose` matters.
#' @return A list of class `c("variance", "rowsparse")` with the elements of
#'   [bsufs()]; `scores` are the variances, and `objective` is minus their sum.
#' @seealso [rowsparse()], [css()]
#' @examples
#' variance(iris[, 1:4])
#' @export
variance <- function(x, control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                     assay = NULL, groups = NULL) {
  run_method("variance")
}

solve_variance <- function(data, given, control) {
  scores <- data$square / variance_divisor(data)
  total <- -sum(scores)
  if (is_grouped(data)) {
    groups <- inner_groups(data)
    scores <- by_group(scores, groups)[groups$at]
  }
  list(
    scores = scores, objective = total, bound = total, iterations = 0L, converged = TRUE,
    status = "solved"
  )
}

descriptor_variance <- function() {
  descriptor(variance, solve = solve_variance, passes = 1, moments = TRUE, family = "score",
    sees = "variances", scaled = FALSE, title = "Features of largest variance",
    reference = "the simplest baseline without labels", cost = "O(n d)"
  )
}
