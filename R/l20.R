#' Other solvers of regression with exactly k features
#'
#' Three published methods for the problem of [cdlsr()] or a close relative,
#' for comparison. Each ends with a set of k features, which is then refitted by
#' least squares; the result has all methods of a [cdlsr()] fit. On this problem
#' `cdlsr()` finds lower objectives in less time.
#'
#' @section Methods:
#' `pgd()`: projected gradient,
#' \deqn{W \leftarrow H_k(W - \eta X_c'(X_c W - Y_c)),}{W <- H_k(W - eta Xc'(Xc W - Yc)),}
#' where \eqn{H_k} keeps the k rows of largest norm. With the default step
#' \eqn{\eta = 1/\sigma_{\max}(X_c)^2}{eta = 1/sigma_max(Xc)^2} the loss
#' \eqn{\|X_c W - Y_c\|^2}{||Xc W - Yc||^2} never rises. The start `"fisher"` is
#' the refitted set of the k features with the largest
#' \eqn{\|x_j' Y_c (Y'Y)^{-1/2}\|}{||xj' Yc (Y'Y)^(-1/2)||} (for classes, the
#' between-class sum of squares). The step rule and this start are
#' reconstructions: the original's details could not be confirmed.
#'
#' `rpfs()`: augmented Lagrangian for
#' \deqn{\min_{W, b} \sum_i \|W'x_i + b - y_i\|}{min over W, b of sum_i ||W'x_i + b - y_i||}
#' with exactly k nonzero rows of W, a loss that outlying samples affect less.
#' The steps follow the published form: W by one linear system, whose n x n or
#' d x d matrix is factored once; V, the k largest rows of W plus multiplier; E,
#' the row-wise shrunken residual; multipliers; \eqn{\mu \leftarrow \rho\mu}{mu <- rho mu}.
#' The iteration is not monotone; the V with the lowest loss is returned. It ends
#' when the copies agree, or when mu has reached 1e10, where the loss has no say
#' any more, and 100 iterations have not lowered it.
#'
#' `ipfs()`: alternating direction method for
#' \deqn{\min_{B, v} \|X_c \mathrm{diag}(v) B - Y_c\|^2 + \mathrm{ridge} \, \|B\|^2, \quad
#' v \in \{0, 1\}^d, \quad \textstyle\sum_j v_j = k,}{
#' min over B, v of ||Xc diag(v) B - Yc||^2 + ridge ||B||^2, v in {0, 1}^d, sum v = k,}
#' where \{0, 1\}^d is the box \eqn{[0, 1]^d} intersected with a sphere. Features
#' get unit norm. The steps were read off the published code and the description
#' in Xu et al. (2023); the graph term of the original is left out. Each
#' iteration factors a d x d matrix: for some thousands of features at most.
#' The k largest \eqn{v_j} are selected, as v is binary only approximately.
#'
#' The response is divided by a power of two, so that its largest centred entry
#' lies between 1/2 and 1 (class indicators stay as they are): `mu`, the random
#' starts and the tolerances of `rpfs()` and `ipfs()` refer to that. Features that
#' tie come by their variance before scaling, then by column.
#'
#' @inheritParams cdlsr
#' @param x Data as for [bsufs()], but no moments.
#' @param k Number of features, at most min(n - 1, features that vary).
#' @param step Step length; `NULL` for \eqn{1/\sigma_{\max}(X_c)^2}{1/sigma_max(Xc)^2}.
#' @param start `"fisher"`, `"random"` (normal entries), or a d x c matrix.
#' @param mu,rho Penalty at the start and its growth per iteration. A large
#'   `mu` or `rho` freezes the first set that comes up.
#' @param ridge Ridge penalty of `ipfs()`, above 0. The refitted coefficients have none.
#' @param control Settings from [rowsparse_control()]. Defaults of `tol`,
#'   `maxit`: 1e-4, 1000 (`pgd()`, relative change of the loss), 1e-4, 2000
#'   (`rpfs()`, largest difference of W and V and of the residual and E), 1e-3,
#'   300 (`ipfs()`, largest violation of the constraints).
#' @return A list of class `c("pgd", "cdlsr", "rowsparse")` and so on with the
#'   elements of a [cdlsr()] fit. `objective` is the method's own loss at the
#'   start (`ipfs()`: at B = 0) and after each iteration; `path$objective` is that of
#'   the refitted set. `weights`: the v of `ipfs()`.
#' @references
#' Pang, Nie, Han and Li (2019) Efficient feature selection via l2,0-norm
#' constrained sparse regression. IEEE Transactions on Knowledge and Data
#' Engineering 31, 880-893.
#'
#' Cai, Nie and Huang (2013) Exact top-k feature selection via l2,0-norm
#' constraint. Proceedings of the 23rd International Joint Conference on
#' Artificial Intelligence, 1240-1246.
#'
#' Zhang, Fan, Wang, Zhou and Tao (2021) Top-k feature selection framework
#' using robust 0-1 integer programming. IEEE Transactions on Neural Networks
#' and Learning Systems 32, 3005-3019. \doi{10.1109/TNNLS.2020.3009209}
#' @examples
#' selected(pgd(iris[, 1:4], iris$Species, k = 2), 2)
#' set.seed(1)
#' selected(rpfs(iris[, 1:4], iris$Species, k = 2), 2)
#' selected(ipfs(iris[, 1:4], iris$Species, k = 2), 2)
#' @export
pgd <- function(x, y, k, step = NULL, start = c("fisher", "random"), scale = TRUE,
                control = rowsparse_control(), assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  check_given(missing(k), "k")
  control <- resolve_control(control, tol = 1e-4, maxit = 1000L)
  problem <- l20_problem(x, y, k, scale, assay)
  unit <- problem$data$unit
  if (is.null(step)) {
    step <- 1 / leading_eigenvectors(as_operator(problem$data, 1L), 1L)$values
  } else {
    step <- check_number(step, "step", 0, open_lower = TRUE) * unit * unit
  }
  start <- l20_start(start, problem, c("fisher", "random"))
  out <- .Call(C_pgd, unclass(problem$data), problem$response$Y, start$W,
    list(k = problem$k, step = step, tol = control$tol, maxit = control$maxit)
  )
  new_l20("pgd", problem, out, row_norms(out$end),
    list(step = step / unit / unit, start = start$name),
    control, call, started
  )
}

#' @rdname pgd
#' @export
rpfs <- function(x, y, k, mu = 0.01, rho = 1.05, start = "random", scale = TRUE,
                 control = rowsparse_control(), assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  check_given(missing(k), "k")
  control <- resolve_control(control, tol = 1e-4, maxit = 2000L)
  problem <- l20_problem(x, y, k, scale, assay)
  mu <- check_number(mu, "mu", 0, open_lower = TRUE)
  rho <- check_number(rho, "rho", 1)
  start <- l20_start(start, problem, "random")
  residual <- matrix(stats::runif(length(problem$response$Y)), problem$data$n)
  out <- .Call(C_rpfs, unclass(problem$data), problem$response$Y, start$W, residual,
    list(k = problem$k, mu = mu, rho = rho, tol = control$tol, maxit = control$maxit)
  )
  at_start <- problem$response$Y - data_times(problem$data, start$W)
  out$objective <- c(sum(row_norms(at_start)), out$objective)
  new_l20("rpfs", problem, out, row_norms(out$end), list(mu = mu, rho = rho, start = start$name),
    control, call, started, power = 1
  )
}

#' @rdname pgd
#' @export
ipfs <- function(x, y, k, ridge = 0.1, rho = 1.05, control = rowsparse_control(),
                 assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(y), "y", inherits(x, "rowsparse_moments"))
  check_given(missing(k), "k")
  control <- resolve_control(control, tol = 1e-3, maxit = 300L)
  problem <- l20_problem(x, y, k, TRUE, assay)
  ridge <- check_number(ridge, "ridge", 0, open_lower = TRUE)
  rho <- check_number(rho, "rho", 1)
  check_memory(16 * as.double(problem$data$d)^2, "x", "select features first, or use cdlsr()")
  unit <- problem$data
  unit$weight <- unit$weight / sqrt(unit$n - 1)
  out <- .Call(C_ipfs, unclass(unit), problem$response$Y,
    list(k = problem$k, ridge = ridge, rho = rho, tol = control$tol, maxit = control$maxit)
  )
  out$objective <- c(problem$response$total, out$objective) # B = 0 at the start
  new_l20("ipfs", problem, out, drop(out$end), list(ridge = ridge, rho = rho), control, call,
    started, weights = stats::setNames(out$end, problem$data$names)
  )
}

l20_problem <- function(x, y, k, scale, assay) {
  problem <- sample_problem(x, y, scale, assay, units = TRUE)
  c(problem, list(k = check_size(k, problem$data, 0)))
}

# Data and centred response of methods that need the samples themselves; with
# `units` in units of theirs, and `given` the data in those of the caller.
sample_problem <- function(x, y, scale, assay, units = FALSE) {
  given <- as_data(x, scale, assay)
  data <- if (units) in_binary_units(given) else given
  if (data$kind == "moments") {
    stop_rowsparse("type", "x", "must be data, not moments: the method works on residuals")
  }
  list(data = data, given = given, response = prepare_response(data, x, y, units))
}

l20_start <- function(start, problem, choices) {
  if (is.numeric(start)) {
    W <- given_loadings(start, problem) / problem$response$unit * problem$data$unit
    return(list(name = "matrix", W = W))
  }
  start <- check_choice(start, "start", choices)
  size <- problem$data$d * ncol(problem$response$Y)
  W <- if (start == "random") {
    matrix(stats::rnorm(size), problem$data$d)
  } else {
    fisher_start(problem)
  }
  list(name = start, W = W)
}

# a d x c matrix of the caller
given_loadings <- function(start, problem) {
  d <- problem$data$d
  c <- ncol(problem$response$Y)
  if (!is.numeric(start) || !is.matrix(start) || !all(dim(start) == c(d, c))) {
    stop_rowsparse("size", "start", sprintf("must be a numeric %d x %d matrix", d, c),
      describe(start)
    )
  }
  start <- unname(start)
  storage.mode(start) <- "double"
  check_finite_numbers(start, "start")
}

# the k features of largest ||xj'Yc (Y'Y)^{-1/2}||, refitted
fisher_start <- function(problem) {
  response <- problem$response
  data <- problem$data
  cross <- cross_with_response(data, whiten_response(response, data$n))
  set <- largest_scores(row_norms(cross), problem$k, data)
  subset <- refit_set(problem, set)$subset
  W <- matrix(0, problem$data$d, ncol(response$Y))
  W[subset$selected, ] <- subset$coefficients
  W
}

# Yc (Y'Y)^{-1/2}; Y'Y is diagonal for indicators, the centred one serves else
whiten_response <- function(response, n) {
  if (response$type == "class") {
    return(response$Y * rep(1 / sqrt(n * response$mean), each = n))
  }
  spectrum <- eigen(response$YtY, symmetric = TRUE)
  good <- spectrum$values > 1e-10 * spectrum$values[1]
  response$Y %*% (spectrum$vectors[, good] %*% diag(1 / sqrt(spectrum$values[good]), sum(good)))
}

# the raw result of cdlsr() for a given set, without any descent
refit_set <- function(problem, set) {
  start <- list(forward = FALSE)
  settings <- cdlsr_settings("exchange", length(set), start, FALSE, 0, problem$data,
    list(tol = 0, maxit = 1L, threads = 1L)
  )
  settings$solver <- "forward"
  .Call(C_cdlsr, unclass(problem$data), problem$response[c("Y", "B", "total")],
    matrix(set, 1), settings
  )
}

# the k features of the largest scores; ties by variance, then by column
largest_scores <- function(score, k, data) {
  order(data$constant, -tidy_ties(as.double(score)), -data$deviation)[seq_len(k)]
}

new_l20 <- function(name, problem, out, score, parameters, control, call, started, ...) {
  set <- largest_scores(score, problem$k, problem$data)
  refitted <- fill_rank(refit_set(problem, set), problem$k, problem$data, prefer = set)
  refitted[c("objective", "iterations", "converged", "status")] <-
    out[c("objective", "iterations", "converged", "status")]
  parameters <- c(list(k = problem$k), parameters)
  new_cdlsr(name, problem$given, problem$data, problem$response, refitted, parameters, control,
    call, started, ...
  )
}

# ---- descriptor -------------------------------------------------------------

descriptor_pgd <- function() {
  descriptor(pgd,
    title = "Least squares on k features by projected gradient",
    input = c("dense", "sparse", "blocks"), cost = "O(n d c) per iteration",
    reference = "Pang, Nie, Han and Li (2019), IEEE TKDE 31, 880-893",
    largest = largest_rank, sizes = "refit", draws = TRUE
  )
}

descriptor_rpfs <- function() {
  descriptor(rpfs,
    title = "Robust regression on k features",
    input = c("dense", "sparse", "blocks"), cost = "O(n d min(n, d)), then O(n d c) per iteration",
    reference = "Cai, Nie and Huang (2013), IJCAI, 1240-1246", largest = largest_rank,
    sizes = "refit", draws = TRUE
  )
}

descriptor_ipfs <- function() {
  descriptor(ipfs,
    title = "Regression on k features by relaxed integer programming",
    input = c("dense", "sparse", "blocks"), cost = "O(d^3) per iteration",
    reference = "doi:10.1109/TNNLS.2020.3009209", largest = largest_rank, sizes = "refit"
  )
}
