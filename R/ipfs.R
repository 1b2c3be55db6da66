#' @section Methods:
#' `ipfs()`: alternating direction method for
#' \deqn{\min_{B, v} \|X_c \mathrm{diag}(v) B - Y_c\|^2 + \mathrm{ridge} \, \|B\|^2, \quad
#' v \in \{0, 1\}^d, \quad \textstyle\sum_j v_j = k,}{
#' min over B, v of ||Xc diag(v) B - Yc||^2 + ridge ||B||^2, v in {0, 1}^d, sum v = k,}
#' where \{0, 1\}^d is the box \eqn{[0, 1]^d} intersected with a sphere. Features
#' get unit norm. The steps follow the published code and the description in Xu et al. (2023); the
#' graph term of the original is left out. Each iteration factors a d x d matrix: for a few
#' thousand features at most. The k largest \eqn{v_j} are selected, as v is binary only
#' approximately.
#'
#' @param ridge Ridge penalty of `ipfs()`, above 0. The refitted coefficients have none.
#' @references
#' Zhang, Fan, Wang, Zhou and Tao (2021) Top-k feature selection framework
#' using robust 0-1 integer programming. IEEE Transactions on Neural Networks
#' and Learning Systems 32, 3005-3019. \doi{10.1109/TNNLS.2020.3009209}
#' @examples
#' selected(ipfs(iris[, 1:4], iris$Species, k = 2), 2)
#' @rdname pgd
#' @order 3
#' @export
ipfs <- function(x, y, k, ridge = 0.1, rho = 1.05, control = rowsparse_control(), include = NULL,
                 exclude = NULL, block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_y_and_k(x, y, k)
  control <- resolve_control(control, tol = 1e-3, maxit = 300L)
  problem <- l20_problem(x, y, k, TRUE, assay, block, include, exclude, "ipfs")
  ridge <- check_number(ridge, "ridge", 0, open_lower = TRUE)
  rho <- check_number(rho, "rho", 1)
  check_fit_size("ipfs", problem$data,
    k = problem$k, classes = ncol(problem$response$Y), control = control
  )
  unit <- problem$data
  unit$weight <- unit$weight / sqrt(degrees_of_freedom(unit))
  out <- .Call(C_ipfs, unclass(unit), problem$response$Y,
    list(k = problem$k, ridge = ridge, rho = rho, tol = control$tol, maxit = control$maxit)
  )
  out$objective <- c(problem$response$total, out$objective) # B = 0 at the start
  new_l20("ipfs", problem, out, drop(out$end), list(ridge = ridge, rho = rho), control, call,
    started, weights = per_feature(drop(out$end), problem$data)
  )
}

# ---- descriptor -------------------------------------------------------------

descriptor_ipfs <- function() {
  descriptor(ipfs,
    bytes = function(s) 16 * s$d^2,
    family = "regression", sees = "labels",
    title = "Regression on k features by relaxed integer programming",
    input = c("dense", "sparse", "blocks"), cost = "O(d^3) per iteration",
    reference = "doi:10.1109/TNNLS.2020.3009209", largest = largest_rank, sizes = "refit"
  )
}
