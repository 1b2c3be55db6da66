#' Regression with exactly k features by projected gradient
#'
#' A published method for the problem of [cdlsr()], for comparison: on this problem `cdlsr()` finds
#' lower objectives in less time. It ends with a set of k features, which is then refitted by least
#' squares; the result has all methods of a [cdlsr()] fit.
#'
#' @section The problem:
#' Projected gradient for least squares on k rows,
#' \deqn{W \leftarrow H_k(W - \eta X_c'(X_c W - Y_c)),}{W <- H_k(W - eta Xc'(Xc W - Yc)),}
#' where \eqn{H_k} keeps the k rows of largest norm. With the default step \eqn{\eta =
#' 1/\sigma_{\max}(X_c)^2}{eta = 1/sigma_max(Xc)^2} the loss \eqn{\|X_c W - Y_c\|^2}{||Xc W -
#' Yc||^2} never rises. The start `"fisher"` is the refitted set of the k features with the largest
#' \eqn{\|x_j' Y_c (Y'Y)^{-1/2}\|}{||xj' Yc (Y'Y)^(-1/2)||} (for classes, the between-class sum of
#' squares). The step rule and this start are reconstructions: the original's details could not be
#' confirmed. With many features \eqn{\eta}{eta} is small, and `pgd()` often ends after one
#' iteration with the features of [ftest()]. A larger `step` or another start, such as zeros,
#' `start = matrix(0, d, c)`, changes the set. The response is divided by a power of
#' two, so that its largest centred entry lies between 1/2 and 1; random starts refer to this scale.
#'
#' @inheritParams cdlsr
#' @param x Data, see [rowsparse_data], but no moments.
#' @param k Number of features, at most min(n - 1, features that vary).
#' @param step Step length; `NULL` for \eqn{1/\sigma_{\max}(X_c)^2}{1/sigma_max(Xc)^2}.
#' @param start `"fisher"`, `"random"` (normal entries), or a d x c matrix.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-4 (relative change of the
#'   loss), `maxit` 1000.
#' @return A list of class `c("pgd", "cdlsr", "rowsparse")` with the elements of a [cdlsr()] fit.
#'   `objective` is the loss at the start and after each iteration; `path$objective` is that of
#'   the refitted set.
#' @references
#' Pang, Nie, Han and Li (2019) Efficient feature selection via l2,0-norm constrained sparse
#' regression. IEEE Transactions on Knowledge and Data Engineering 31, 880-893.
#' @examples
#' selected(pgd(iris[, 1:4], iris$Species, k = 2), 2)
#' @export
pgd <- function(x, y, k, step = NULL, start = c("fisher", "random"), scale = TRUE,
                control = rowsparse_control(), weights = NULL, include = NULL, exclude = NULL,
                seed = NULL, block = NULL, assay = NULL) {
  run_method("pgd")
}

solve_pgd <- function(problem, args, control) {
  unit <- problem$data$unit
  step <- args[["step"]] * unit * unit
  if (is.null(args[["step"]])) {
    step <- 1 / leading_eigenvectors(as_operator(problem$data, 1L), 1L)$values
  }
  start <- l20_start(args[["start"]], problem, args$k, c("fisher", "random"), args$seed)
  out <- .Call(C_pgd, unclass(problem$data), problem$response$Y, start$W,
    c(args["k"], step = step, control[c("tol", "maxit")])
  )
  list(
    out = out, score = row_norms(out$end),
    parameters = list(k = args$k, step = step / unit / unit, start = start$name)
  )
}

descriptor_pgd <- function() {
  descriptor(pgd, rules = list(step = optional(positive)),
    control = list(tol = 1e-4, maxit = 1000L), check = check_l20, solve = solve_pgd,
    build = new_l20, family = "regression", sees = "labels",
    title = "Least squares on k features by projected gradient", cost = "O(n d c) per iteration",
    reference = "Pang, Nie, Han and Li (2019), IEEE TKDE 31, 880-893", weighted = TRUE,
    largest = largest_rank, draws = TRUE
  )
}
