#' @section Methods:
#' `rpfs()`: augmented Lagrangian for
#' \deqn{\min_{W, b} \sum_i \|W'x_i + b - y_i\|}{min over W, b of sum_i ||W'x_i + b - y_i||}
#' with exactly k nonzero rows of W, a loss that outlying samples affect less.
#' The steps follow the published form: W by one linear system, whose n x n or
#' d x d matrix is factored once; V, the k largest rows of W plus multiplier; E,
#' the row-wise shrunken residual; multipliers; \eqn{\mu \leftarrow \rho\mu}{mu <- rho mu}.
#' The iteration is not monotone; the V with the lowest loss is returned. It ends when the copies
#' agree, or when mu has reached 1e10, where the loss has no influence, and 100 iterations have
#' not lowered it.
#'
#' @param mu,rho Penalty at the start and its growth per iteration. A large
#'   `mu` or `rho` fixes the first set found.
#' @references
#' Cai, Nie and Huang (2013) Exact top-k feature selection via l2,0-norm
#' constraint. Proceedings of the 23rd International Joint Conference on
#' Artificial Intelligence, 1240-1246.
#' @examples
#' selected(rpfs(iris[, 1:4], iris$Species, k = 2, seed = 1), 2)
#' @rdname pgd
#' @order 2
#' @export
rpfs <- function(x, y, k, mu = 0.01, rho = 1.05, start = "random", scale = TRUE,
                 control = rowsparse_control(), include = NULL, exclude = NULL, seed = NULL,
                 block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_y_and_k(x, y, k)
  control <- resolve_control(control, tol = 1e-4, maxit = 2000L)
  seed <- check_seed(seed)
  problem <- l20_problem(x, y, k, scale, assay, block, include, exclude, "rpfs")
  check_fit_size("rpfs", problem$data, classes = ncol(problem$response$Y), control = control)
  mu <- check_number(mu, "mu", 0, open_lower = TRUE)
  rho <- check_number(rho, "rho", 1)
  drawn <- with_seed(seed, list(
    start = l20_start(start, problem, "random"),
    residual = matrix(stats::runif(length(problem$response$Y)), problem$data$n)
  ))
  start <- drawn$start
  out <- .Call(C_rpfs, unclass(problem$data), problem$response$Y, start$W, drawn$residual,
    list(k = problem$k, mu = mu, rho = rho, tol = control$tol, maxit = control$maxit)
  )
  at_start <- problem$response$Y - data_times(problem$data, start$W)
  out$objective <- c(sum(row_norms(at_start)), out$objective)
  new_l20("rpfs", problem, out, row_norms(out$end), list(mu = mu, rho = rho, start = start$name),
    control, call, started, power = 1
  )
}

# ---- descriptor -------------------------------------------------------------

descriptor_rpfs <- function() {
  descriptor(rpfs,
    bytes = function(s) ridge_bytes(s, s$classes),
    family = "regression", sees = "labels",
    title = "Robust regression on k features",
    input = c("dense", "sparse", "blocks"), cost = "O(n d min(n, d)), then O(n d c) per iteration",
    reference = "Cai, Nie and Huang (2013), IJCAI, 1240-1246", largest = largest_rank,
    sizes = "refit", draws = TRUE
  )
}
