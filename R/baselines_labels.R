#' Baselines with labels: CRFS, RPFS, IPFS, ILFS, S2DFS, SLAP
#'
#' Methods that select by a response, called by name: `rowsparse(x, y, k = 10, method = "crfs",
#' sigma = 0.5)`. CRFS, RPFS and IPFS take classes or numbers, ILFS, S2DFS and SLAP classes alone.
#' Their own arguments stand below with their defaults, shared ones in [rowsparse_data] (but no
#' [moments()]). \eqn{x_i} and \eqn{y_i} are the centred features and responses (indicators of
#' classes) of sample i, \eqn{w_j} row j of W. `coef()` and `predict()` go by the regression of the
#' method, or by least squares on the selected features.
#'
#' @section CRFS, regression by correntropy:
#' `lambda = NULL, sigma = NULL, sigma_steps = 20, start = NULL, scale = TRUE`.
#' \deqn{\min_W \; \sum_i s \, (1 - e^{-\|y_i - W'x_i\|^2 / s}) + \lambda \sum_j \|w_j\|, \qquad
#'   s = 2 \sigma^2.}{min over W of sum_i s (1 - exp(-||y_i - W'x_i||^2 / s))
#'   + lambda sum_j ||w_j||, s = 2 sigma^2.}
#' Beyond a few sigma a sample has no influence. Half-quadratic steps, each a regression with
#' weights of samples and rows from the last W; the solution is a local one, and no row is exactly
#' zero. With `sigma = NULL` the first `sigma_steps` iterations set s to 4 times the mean square of
#' the residuals, as the authors' code does; `objective` is computed with the last s. `lambda` is by
#' default a tenth of `parameters$lambda_max`, from which W = 0. `start`: a fit or a d x c matrix,
#' of which the row norms count. Control: `tol` 1e-6, `maxit` 500. Also in the fit:
#' `sample_weights`, near 0 for outlying samples. The authors' code takes five steps, weights rows
#' by four times as much, leaves out 1 / s and does not centre.
#'
#' He, Tan, Wang and Zheng (2012) l2,1 regularized correntropy for robust feature selection. CVPR,
#' 2504-2511. \doi{10.1109/CVPR.2012.6247966}
#'
#' @section RPFS, robust regression on k features:
#' `k, mu = 0.01, rho = 1.05, start = "random", scale = TRUE, seed = NULL`.
#' \deqn{\min_{W, b} \sum_i \|W'x_i + b - y_i\|}{min over W, b of sum_i ||W'x_i + b - y_i||}
#' with exactly k nonzero rows, by an augmented Lagrangian as published: W by a linear system that
#' is factored once, V the k largest rows of W plus multiplier, E the shrunken residual, `mu`
#' growing by `rho`. It is not monotone: the V of lowest loss is returned, refitted by least
#' squares. `start`: `"random"` or a d x c matrix. Responses are divided by a power of two, to
#' which `mu` and tolerances refer. Control: `tol` 1e-4, `maxit` 2000.
#'
#' Cai, Nie and Huang (2013) Exact top-k feature selection via l2,0-norm constraint. IJCAI,
#' 1240-1246.
#'
#' @section IPFS, regression by relaxed integer programming:
#' `k, ridge = 0.1, rho = 1.05`; features get unit norm, for a few thousand of them.
#' \deqn{\min_{B, v} \|X_c \mathrm{diag}(v) B - Y_c\|^2 + \mathrm{ridge} \, \|B\|^2, \quad
#'   v \in \{0, 1\}^d, \quad \textstyle\sum_j v_j = k,}{
#'   min over B, v of ||Xc diag(v) B - Yc||^2 + ridge ||B||^2, v in {0, 1}^d, sum v = k,}
#' where \{0, 1\}^d is the box intersected with a sphere, by an alternating direction method; each
#' iteration factors a d x d matrix. The k largest \eqn{v_j} (`weights`) are selected and refitted
#' without ridge. The steps follow the published code and Xu et al. (2023), without the graph term.
#' Control: `tol` 1e-3 (violation of the constraints), `maxit` 300.
#'
#' Zhang, Fan, Wang, Zhou and Tao (2021) Top-k feature selection framework using robust 0-1 integer
#' programming. IEEE TNNLS 32, 3005-3019. \doi{10.1109/TNNLS.2020.3009209}
#'
#' @section ILFS, infinite latent feature selection:
#' `tokens = 4, scale = TRUE`. With the class means \eqn{\mu_{cj}}{mu_cj},
#' \deqn{p_{ij} = \frac{(x_{ij} - \mu_{y_i j})^2}{\sum_c (x_{ij} - \mu_{cj})^2}, \qquad
#'   \max_{\pi_j} \; \sum_t N_{tj} \log(\pi_j a_t + (1 - \pi_j) b_t),}{
#'   p_ij = (x_ij - mu_{y_i, j})^2 / sum_c (x_ij - mu_cj)^2,
#'   max over pi_j of sum_t N_tj log(pi_j a_t + (1 - pi_j) b_t),}
#' where \eqn{N_{tj}}{N_tj} (`counts`) counts the p of a feature on `tokens` equally spaced edges,
#' \eqn{a_t} falls linearly from 5000 to 1 before it is divided by its sum and \eqn{b_t} is its
#' reverse. Scores are the \eqn{\pi_j}{pi_j} after 15 steps of EM from the share of the first
#' tokens. The paths of all lengths that the method then adds up are proportional to them, as its
#' matrix has rank one. Features are scored one by one and by counts: ties are frequent. Control:
#' `maxit` 15, `tol` 0. Public versions differ in substance: others start from the last tokens, or
#' change the distributions by a step after which the likelihood falls.
#'
#' Roffo, Melzi, Castellani and Vinciarelli (2017) Infinite latent feature selection. ICCV,
#' 1398-1406. \doi{10.1109/ICCV.2017.156}
#'
#' @section S2DFS, discriminant analysis on k features:
#' `k, m = NULL, ridge = 1e-3, start = NULL, scale = TRUE`.
#' \deqn{\max_{W'W = I_m} \; \frac{\mathrm{tr}(W'S_b W)}{\mathrm{tr}(W'(S_w + \delta I) W)}, \quad
#'   k \mbox{ nonzero rows},}{
#'   max over W'W = I_m of tr(W'S_b W) / tr(W'(S_w + delta I) W), k nonzero rows,}
#' with the scatter between and within C classes; `m` is by default C - 1, or k if that is smaller,
#' `ridge` is delta over the mean sum of squares. With `m = k` it is the trace-ratio criterion,
#' solved by sorting, and the solution is global. Dinkelbach's iteration otherwise: the trace of
#' \eqn{W'(S_b - \lambda S_w)W}{W'(Sb - lambda Sw)W} is raised on k features by the updates of
#' [fspca()], from three sets, and then by exchanges with up to a thousand features outside
#' (`candidates` of the last round) until none raises the ratio. `start`: a fit or k features.
#' `objective` is minus the `ratio`. Control: `tol` 1e-8, `maxit` 100. The authors' code starts at
#' random, misses the optimum even for m = k, and has no delta: the ratio is infinite for k > n - C.
#'
#' Wang, Nie, Tian, Wang and Li (2020) Discriminative feature selection via a structured sparse
#' subspace learning module. IJCAI, 3009-3015. \doi{10.24963/ijcai.2020/416} Nie, Xiang, Jia, Zhang
#' and Yan (2008) Trace ratio criterion for feature selection. AAAI 23, 671-676.
#'
#' @section SLAP, neighbours of the same class:
#' `m = NULL, gamma = NULL, neighbours = 5, scale = TRUE`, and `groups`. The problem of SOGFS
#' ([baselines_graph]) restricted to pairs of the same class,
#' \deqn{\min \; \mathrm{tr}(W'X_c'LX_cW) + \frac{\alpha}{2} \sum_{i,l} a_{il}^2 +
#'   \gamma \sum_j \|w_j\|, \quad W'W = I_m,}{
#'   min tr(W'Xc'L Xc W) + alpha/2 sum_il a_il^2 + gamma sum_j ||w_j||, W'W = I_m,}
#' over W and A, whose rows are nonnegative, sum to 1 and have at most `neighbours` positive
#' entries, all for samples of the same class. A step in A takes those nearest along W, the best
#' under this limit; over all samples of a class the graph terms would be lower. Its steps are those
#' of SOGFS; the objective with smoothed norms never rises. `m` is by default the number of classes.
#' A sample alone in its class has no neighbour. Control: `tol` 1e-6, `maxit` 200, `inner_tol` 1e-5,
#' `inner_maxit` 100. Also in the fit: `graph`, `restricted`. The formulas of the paper were not
#' available: this is its idea, and results need not agree.
#'
#' Chen, Yuan, Wang, Nie, Chang and Huang (2018) Local adaptive projection framework for feature
#' selection of labeled and unlabeled data. IEEE TNNLS 29, 6362-6373.
#'
#' @return A fit, see [rowsparse_fit], with the elements named above; of RPFS and IPFS those of
#'   [cdlsr()].
#' @name baselines_labels
#' @aliases crfs rpfs ipfs ilfs s2dfs slap trace_ratio
#' @concept trace ratio
#' @examples
#' fit <- rowsparse(iris[, 1:4], iris$Species, k = 2, method = "crfs")
#' range(fit$sample_weights)
#' # the trace-ratio criterion
#' rowsparse(iris[, 1:4], iris$Species, k = 2, method = "s2dfs", m = 2)$ratio
NULL

descriptor_crfs <- function() {
  baseline("crfs",
    alist(x = , y = , lambda = NULL, sigma = NULL, sigma_steps = 20, start = NULL, scale = TRUE),
    rules = list(
      lambda = optional(positive), sigma = optional(positive), sigma_steps = whole(0L, 1000L)
    ),
    control = list(tol = 1e-6, maxit = 500L), solve = solve_crfs, build = new_regression,
    bytes = function(s) 8 * s$n * (or_default(s$sigma_steps, 20) + 4) + ridge_bytes(s, s$classes),
    family = "regression", sees = "labels",
    title = "Regression by correntropy with an l2,1 penalty",
    cost = "O(n d min(n, d)) per iteration",
    reference = "He, Tan, Wang and Zheng (2012), CVPR, 2504-2511",
    penalty = "lambda", path_tol = 1e-4,
    largest_penalty = function(data, given, y) {
      crfs_lambda_max(problem_in_units(data, NULL, y), given[["sigma"]])
    }
  )
}

solve_crfs <- function(problem, args, control) {
  response <- problem$response
  sigma <- args[["sigma"]]
  unit <- list(x = problem$data$unit, y = response$unit)
  lambda_max <- crfs_lambda_max(problem, sigma)
  lambda <- or_default(args$lambda, 0.1 * lambda_max)
  steps <- if (is.null(sigma)) args$sigma_steps else 0L
  out <- .Call(C_crfs, unclass(problem$data), unname(response$Y), c(control, list(
    lambda = in_range(lambda, 1 / unlist(unit), "`lambda`"),
    u = crfs_start(args[["start"]], problem), eps = -1,
    width = if (is.null(sigma)) 0 else crfs_width(sigma, response),
    least = 4e-6 * response$total / problem$data$n, width_steps = steps
  )))
  c(regression_in_units(out$W, problem), list(
    run = out, objective = squares_in_units(out$objective, unit$y),
    parameters = list(
      lambda = lambda, lambda_max = lambda_max, sigma = sqrt(out$width / 2) * unit$y,
      sigma_steps = steps
    ),
    sample_weights = out$sample
  ))
}

# a fit whose loadings are its regression
new_regression <- function(name, problem, ...) {
  fit <- new_fit(name, problem$given, ..., response = kept_response(problem$response))
  with_fitted(fit, problem$given)
}

# 2 sigma^2 in units of the response
crfs_width <- function(sigma, response) in_range(2, rep(sigma / response$unit, 2), "`sigma`")

# 1 / weights of the rows in the first regression: twice the norms of a given W, which
# leave none at zero, or of the best regression on one feature
crfs_start <- function(start, problem) {
  W <- start_in_units(start, problem, "crfs")
  square <- if (is.null(W)) 0 else rowSums(W^2)
  if (any(square > 0)) {
    return(2 * sqrt(square + 0.01 * mean(square)))
  }
  pull <- largest_pull(problem$data, unname(problem$response$Y))
  rep(2 * pull / max(problem$data$square), problem$data$d)
}

# the smallest penalty for which W = 0 is stationary
crfs_lambda_max <- function(problem, sigma) {
  response <- problem$response
  square <- rowSums(response$Y^2)
  width <- if (is.null(sigma)) 4 * mean(square) else crfs_width(sigma, response)
  weighted <- unname(response$Y) * exp(-square / width)
  2 * largest_pull(problem$data, weighted) * problem$data$unit * response$unit
}

descriptor_rpfs <- function() {
  baseline("rpfs",
    alist(x = , y = , k = , mu = 0.01, rho = 1.05, start = "random", scale = TRUE, seed = NULL),
    rules = list(mu = positive, rho = number(1)),
    control = list(tol = 1e-4, maxit = 2000L), check = check_l20, solve = solve_rpfs,
    build = new_l20, bytes = function(s) ridge_bytes(s, s$classes),
    family = "regression", sees = "labels", title = "Robust regression on k features",
    cost = "O(n d min(n, d)), then O(n d c) per iteration",
    reference = "Cai, Nie and Huang (2013), IJCAI, 1240-1246", largest = largest_rank, draws = TRUE
  )
}

solve_rpfs <- function(problem, args, control) {
  Y <- problem$response$Y
  drawn <- with_seed(args$seed, list(
    start = l20_start(args[["start"]], problem, args$k, "random"),
    residual = matrix(stats::runif(length(Y)), problem$data$n)
  ))
  start <- drawn$start
  out <- .Call(C_rpfs, unclass(problem$data), Y, start$W, drawn$residual,
    c(control, args[c("k", "mu", "rho")])
  )
  at_start <- Y - data_times(problem$data, start$W)
  out$objective <- c(sum(row_norms(at_start)), out$objective)
  list(out = out, score = row_norms(out$end), power = 1, parameters = list(start = start$name))
}

descriptor_ipfs <- function() {
  baseline("ipfs", alist(x = , y = , k = , ridge = 0.1, rho = 1.05),
    rules = list(ridge = positive, rho = number(1)), control = list(tol = 1e-3, maxit = 300L),
    check = check_l20, solve = solve_ipfs, build = new_l20, bytes = function(s) 16 * s$d^2,
    family = "regression", sees = "labels",
    title = "Regression on k features by relaxed integer programming",
    cost = "O(d^3) per iteration", reference = "doi:10.1109/TNNLS.2020.3009209",
    largest = largest_rank
  )
}

solve_ipfs <- function(problem, args, control) {
  unit <- problem$data
  unit$weight <- unit$weight / sqrt(degrees_of_freedom(unit))
  out <- .Call(C_ipfs, unclass(unit), problem$response$Y, c(control, args[c("k", "ridge", "rho")]))
  out$objective <- c(problem$response$total, out$objective) # B = 0 at the start
  v <- drop(out$end)
  list(out = out, score = v, weights = per_feature(v, problem$data))
}

descriptor_ilfs <- function() {
  baseline("ilfs", alist(x = , y = , tokens = 4, scale = TRUE),
    rules = list(tokens = whole(2L, 1000L)), control = list(tol = 0, maxit = 15L),
    solve = solve_ilfs, bytes = function(s) 8 * s$d * (20 + s$classes), passes = 8,
    family = "score", sees = "labels", responses = "class",
    title = "Infinite latent feature selection", cost = "O(n d c)",
    reference = "Roffo, Melzi, Castellani and Vinciarelli (2017), ICCV, 1398-1406"
  )
}

solve_ilfs <- function(problem, args, control) {
  out <- .Call(C_ilfs, unclass(problem$data), class_numbers(problem), c(control, args["tokens"],
    list(classes = length(problem$response$levels))
  ))
  list(scores = out$pi, run = out, counts = t(per_feature(t(out$counts), problem$data)))
}

# the number of each sample's class; numeric responses have none
class_numbers <- function(problem) {
  response <- problem$response
  refuse_if(response$type != "class",
    "type", "y", "must hold class labels", response$text, "factor() makes classes of numbers")
  response$class
}

descriptor_s2dfs <- function() {
  baseline("s2dfs",
    alist(x = , y = , k = , m = NULL, ridge = 1e-3, start = NULL, scale = TRUE),
    rules = list(ridge = number(0)),
    control = list(tol = 1e-8, maxit = 100L), solve = solve_s2dfs,
    bytes = function(s) {
      if (!"m" %in% s$given) s$m <- max(1, s$classes - 1)
      # candidates of exchanges, up to a thousand
      candidates <- if (s$m < s$k) min(4e7, (s$n + 2 * s$k) * (s$k + 1000)) else 0
      leading_bytes(s, s$m) + exchange_bytes(s) + form_bytes(s, s$m) + 8 * candidates
    },
    include = "given", family = "discriminant", sees = "labels", responses = "class",
    title = "Discriminant analysis on k features",
    reference = "Wang, Nie, Tian, Wang and Li (2020), IJCAI, 3009-3015",
    cost = "O(n d m + n k^2 + k^3) per iteration"
  )
}

solve_s2dfs <- function(problem, args, control) {
  data <- problem$data
  k <- args$k
  m <- as.integer(or_default(args$m, min(k, length(problem$response$levels) - 1L)))
  basis <- unname(whiten_response(problem$response, data$n))
  delta <- args$ridge * mean(data$square)
  starts <- s2dfs_starts(args[["start"]], data, basis, delta, k, m)
  out <- .Call(C_s2dfs, unclass(data), basis, starts, c(control, list(
    m = m, delta = delta, ties = data$deviation, constant = data$constant
  )))
  # a ratio of sums, whose maximum is the start
  proved <- m == k && out$converged
  subset_parts(out, data, scores = out$scores - min(0, out$scores),
    bound = if (proved) utils::tail(out$objective, 1) else NA_real_, parameters = list(m = m),
    ratio = out$ratio, candidates = if (m == k) data$d - k else out$candidates
  )
}

# columns of starting sets
s2dfs_starts <- function(start, data, basis, delta, k, m) {
  total <- data$square
  between <- pmin(total, .Call(C_product_squares, unclass(data), basis))
  single <- between / (total - between + max(delta, 1e-12 * max(total)))
  given <- if (!is.null(start)) starting_set(start, data, k)
  first <- or_default(given, largest_scores(single, k, data))
  solved <- trace_ratio_set(between, total - between + delta, first, data)
  if (m == k) {
    return(matrix(solved))
  }
  starts <- cbind(solved, first, if (k < data$d) largest_trace_set(data, k, m), deparse.level = 0)
  if (is.null(given)) starts else matrix(given)
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
  refuse_if(length(set) != k, "length", "start", sprintf("must hold %d features", k), length(set))
  set
}

# the k features with the largest sum of `above` over that of `below`, from a first set
trace_ratio_set <- function(above, below, set, data) {
  for (round in seq_len(100L)) {
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

descriptor_slap <- function() {
  baseline("slap",
    alist(x = , y = , m = NULL, gamma = NULL, neighbours = 5, scale = TRUE, groups = NULL),
    rules = list(gamma = check_penalty),
    control = list(tol = 1e-6, maxit = 200L, inner_tol = 1e-5, inner_maxit = 100L),
    spare = 1L, solve = solve_slap, bytes = function(s) neighbour_bytes(s) + minor_bytes(s),
    most_samples = 1e5, family = "discriminant", sees = c("neighbours", "labels"),
    title = "Directions along which neighbours of the same class are near",
    reference = "Chen, Yuan, Wang, Nie, Chang and Huang (2018), IEEE TNNLS 29, 6362-6373",
    cost = "O(n^2 d) for the neighbours; O(min(n, d)^2 d) per step of W", responses = "class"
  )
}

solve_slap <- function(problem, args, control) {
  label <- class_numbers(problem)
  data <- problem$given
  args$m <- as.integer(or_default(args$m, min(max(label), largest_dimension(data))))
  out <- .Call(C_sogfs, unclass(in_unit_columns(data)), label,
    direction_settings(args, control, data, clusters = 0L, p = 1, rounds = 0L)
  )
  direction_parts(out, data, args, list(alpha = out$alpha), graph = learned_graph(out))
}
