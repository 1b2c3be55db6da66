#' Baselines on clusters of the samples: NDFS, RUFS, EUFS, SPDFS
#'
#' Methods without labels that learn clusters of the samples together with a regression on few
#' features, called by name: `rowsparse(x, k = 10, method = "ndfs", clusters = 3)`. Their own
#' arguments stand below with their defaults, shared ones in [rowsparse_data] (but no [moments()]).
#' \eqn{X_c}{Xc} is the centred data, \eqn{w_j} row j of W, L the symmetric normalised Laplacian of
#' the graph of [lapscore()].
#'
#' @section What they share:
#' `clusters = NULL`: the elbow of the leading eigenvalues of the scatter matrix, at least 2.
#' `neighbours = 5, weights = "heat", t = NULL, mutual = FALSE, metric = "euclidean"`: the graph, as
#' in [lapscore()]. `start = NULL`: k-means on the leading components from samples that lie far
#' apart, the same in every call; else a label for each sample, or an n x clusters matrix of
#' nonnegative numbers. `scale = FALSE`. The fits hold `assignment` (n x clusters), `cluster`, the
#' column of its largest entry, `isolated`, the number of samples without an edge, and `terms` of
#' the objective at the end. Rows of W below 1e-8 of the largest are 0; zeros are ordered by the
#' penalty at which they would enter. If all are zero a warning of class `rowsparse_warning_zero`
#' says so.
#'
#' @section NDFS, a regression on nonnegative indicators:
#' `alpha = 1, beta = NULL, gamma = 1e8, solver = c("monotone", "paper")`.
#' \deqn{\min_{F \ge 0, W} \; \mathrm{tr}(F'LF) + \alpha \Big(\|X_c W - F\|_F^2 +
#'   \beta \sum_j \|w_j\|\Big) + \frac{\gamma}{2} \|F'F - I\|_F^2.}{
#'   min over F >= 0, W of tr(F'LF) + alpha (||Xc W - F||_F^2 + beta sum_j ||w_j||)
#'   + (gamma / 2) ||F'F - I||_F^2.}
#' W by reweighting, F by multiplicative steps; the objective never rises. **With the paper's
#' `gamma` = 1e8 F hardly moves**: it is a regression on the clusters of the start; 1 to 1000 let
#' graph and features change them. `beta` is by default a tenth of `parameters$beta_max =` \eqn{2
#' \max_j \|x_j'F\|}{2 max_j ||xj'F||} at the start, from which W = 0; papers search `alpha` and
#' `beta` from 1e-6 to 1e6, and some write `beta` for \eqn{\alpha\beta}{alpha beta}. The start is
#' raised by 0.2, as in the paper. `solver = "paper"` takes the published step of F, which divides
#' by a sum that may be negative, and may raise the objective. Control: `tol` 1e-5, `maxit` 500.
#' Public versions start from random numbers, or from indicators whose zeros cannot change.
#'
#' Li, Yang, Liu, Zhou and Lu (2012) Unsupervised feature selection using nonnegative spectral
#' analysis. AAAI 26, 1026-1032. \doi{10.1609/aaai.v26i1.8289}
#'
#' @section RUFS, a robust factorisation and regression:
#' `alpha = NULL, beta = NULL, nu = NULL, zeta = NULL, neighbours = 5, t = NULL`.
#' \deqn{\min_{G, F \ge 0, W} \; \|X_+ - G F\|_{2,1} + \nu \, \mathrm{tr}(G'LG) +
#'   \alpha \|X_c W - G\|_{2,1} + \beta \sum_j \|w_j\| + \frac{\zeta}{4} \|G'G - I\|_F^2,}{
#'   min over G, F >= 0, W of ||X+ - G F||_2,1 + nu tr(G'LG) + alpha ||Xc W - G||_2,1
#'   + beta sum_j ||w_j|| + (zeta / 4) ||G'G - I||_F^2,}
#' where \eqn{X_+}{X+} is x less the minimum of each column and \eqn{\|\cdot\|_{2,1}}{||.||_2,1}
#' sums the norms of the samples. \eqn{L = (I - A)'(I - A)}, row i of A predicting sample i from its
#' neighbours by kernel ridge regression (heat kernel, ridge 0.1). Norms are smoothed and bounded by
#' weighted squares: no iteration raises the objective. With E = n times the root mean
#' square norm of the samples and c clusters the defaults are \eqn{\alpha = E / \sqrt{nc}}{alpha =
#' E / sqrt(n c)}, \eqn{\nu = E / c}{nu = E / c}, \eqn{\zeta = 10^4 E}{zeta = 1e4 E}, which keeps G
#' near the start, and for `beta` a tenth of `parameters$beta_max`. Control: `tol` 1e-4, `maxit`
#' 200; multiplicative steps converge very slowly. Also in the fit: `basis`, the transpose of F.
#' Public code has zeros on the diagonal of the kernel, which makes its equations indefinite.
#'
#' Qian and Zhai (2013) Robust unsupervised feature selection. IJCAI 23, 1621-1627.
#'
#' @section EUFS, a robust clustering on few features:
#' `alpha = NULL, beta = NULL, mu = 1, rho = 1.02`; `start` a label for each sample.
#' \deqn{\min_{U, V} \; \|X_c - U V'\|_{2,1} + \alpha \sum_j \|v_j\| + \beta \,
#'   \mathrm{tr}(U'LU), \quad U'U = I, \; U \ge 0.}{
#'   min over U, V of ||Xc - U V'||_2,1 + alpha sum_j ||v_j|| + beta tr(U'LU), U'U = I, U >= 0.}
#' By the alternating direction method of multipliers on E = Xc - UV', J = V, Z = U, with a penalty
#' that starts at `mu` and grows by `rho`: no descent method. Each iterate is made feasible, and the
#' best is returned (`best`, its number; `residuals` of the three equations). `alpha` is by default
#' 0.3 of `parameters$alpha_max`, from which V = 0 at the start; `beta` 0.1 E / c, see RUFS. Four
#' dense matrices of the size of x are held. Control: `tol` 1e-3, `maxit` 1000. The updates are
#' derived from the objective and the splitting that the paper describes.
#'
#' Wang, Tang and Liu (2015) Embedded unsupervised feature selection. AAAI 29, 470-476.
#'
#' @section SPDFS, a fuzzy partition on k features:
#' `k, clusters = NULL, m = NULL, r = 1.2`; no graph.
#' \deqn{\min \; \frac{\sum_{ij} y_{ij}^r \|W'x_i - \mu_j\|^2}{\mathrm{tr}(W'S_t W)},
#'   \quad W'W = I_m, \; k \mbox{ nonzero rows},}{
#'   min sum_ij y_ij^r ||W'x_i - mu_j||^2 / tr(W'S_t W), W'W = I_m, k nonzero rows,}
#' over centres and memberships \eqn{y_{ij} \ge 0}{y_ij >= 0} that sum to 1 for each sample. Fuzzy
#' c-means on the projected samples alternates with W, which is raised on k features by the updates
#' of [fspca()] and then solved exactly; the ratio never rises. `m` is by default a third of k, `r`
#' the fuzziness, from 1 to 10. Scores are the diagonal of \eqn{AW(W'AW)^+W'A}{A W (W'AW)^+ W'A}, A
#' the last matrix. With k of at least n - clusters + m every set reaches a ratio of zero: the first
#' set is kept, with a warning. Control: `tol` 1e-6, `maxit` 100. Also in the fit: `membership`. The
#' public code divides samples by their norms in place of centring them, and starts W at random.
#'
#' Dong, Nie, Tian, Wang and Li (2025) IEEE TPAMI. \doi{10.1109/TPAMI.2025.3580669}
#'
#' @return A fit, see [rowsparse_fit], with the elements named above.
#' @name baselines_clusters
#' @aliases ndfs rufs eufs spdfs
#' @examples
#' fit <- rowsparse(iris[, 1:4], k = 2, method = "ndfs", clusters = 3)
#' table(fit$cluster, iris$Species)
#' rowsparse(iris[, 1:4], k = 2, method = "spdfs", clusters = 3)
NULL

# two systems of equations, blocks of n and of d numbers; labels that start from the graph
label_bytes <- function(s) {
  spectrum_bytes(s) + neighbour_bytes(s) + embedding_bytes(s, s$clusters) +
    64 * s$n * s$clusters + ridge_bytes(s, s$clusters)
}

label_parts <- function(out, inside, ...) {
  warn_isolated(out$isolated, inside$n)
  regression_parts(out, inside, ..., assignment = out$F, cluster = max.col(out$F, "first"),
    isolated = out$isolated
  )
}

# the largest norm of a row of X'Y, X in the units of the solver
largest_pull <- function(inside, Y) sqrt(max(.Call(C_product_squares, unclass(inside), Y)))

descriptor_ndfs <- function() {
  baseline("ndfs",
    c(
      alist(x = , clusters = NULL, alpha = 1, beta = NULL, gamma = 1e8), graph_arguments,
      alist(start = NULL, solver = c("monotone", "paper"), scale = FALSE)
    ),
    rules = list(alpha = positive, beta = optional(positive), gamma = positive),
    control = list(tol = 1e-5, maxit = 500L), solve = solve_ndfs,
    bytes = label_bytes, dimension = "clusters",
    family = "pseudo-labels", sees = "clusters",
    title = "Row-sparse regression on nonnegative clusters",
    reference = "doi:10.1609/aaai.v26i1.8289",
    cost = "O(n^2 d) for the neighbours, O(n d min(n, d)) per iteration"
  )
}

solve_ndfs <- function(data, args, control) {
  inside <- in_binary_units(data)
  first <- offset_labels(args[["start"]], inside, args$clusters)
  graph <- sample_graph(data, args)
  beta_max <- 2 * largest_pull(inside, unit_columns(first))
  beta <- if (is.null(args$beta)) 0.1 * beta_max else args$beta / inside$unit
  out <- .Call(C_labels, unclass(inside), first, graph$rows, c(control, args[c("alpha", "solver")],
    list(beta = args$alpha * beta, nu = 1, zeta = 2 * args$gamma, eps = 0, u = 0,
      laplacian = "symmetric"
    )
  ))
  label_parts(out, inside,
    parameters = c(
      list(beta = beta * inside$unit, beta_max = beta_max * inside$unit), graph$settings
    ),
    terms = stats::setNames(out$terms[-1] / c(1, 1, inside$unit, 1),
      c("laplacian", "regression", "rows", "orthogonality")
    )
  )
}

descriptor_rufs <- function() {
  baseline("rufs",
    alist(
      x = , clusters = NULL, alpha = NULL, beta = NULL, nu = NULL, zeta = NULL, neighbours = 5,
      t = NULL, start = NULL, scale = FALSE
    ),
    rules = list(
      alpha = optional(positive), beta = optional(positive), nu = check_penalty,
      zeta = check_penalty, t = optional(positive)
    ),
    control = list(tol = 1e-4, maxit = 200L), solve = solve_rufs,
    bytes = label_bytes, dimension = "clusters",
    family = "pseudo-labels", sees = c("neighbours", "clusters"),
    title = "Robust row-sparse regression on nonnegative factors",
    reference = "Qian and Zhai (2013), IJCAI 23, 1621-1627",
    cost = "O(n^2 d) for the neighbours, O(n d min(n, d)) per iteration"
  )
}

solve_rufs <- function(data, args, control) {
  start <- args[["start"]]
  inside <- in_binary_units(data)
  unit <- inside$unit
  local <- local_learning(data, inside, args)
  first <- offset_labels(start, inside, args$clusters)
  if (!is.matrix(start)) first <- unit_columns(first)
  used <- rufs_penalties(args, inside, first)
  out <- .Call(C_labels, unclass(inside), first, local$rows,
    c(control, used, u = 0, laplacian = "local", solver = "robust")
  )
  out$objective <- out$objective * unit
  units <- c(alpha = 1, beta = 2, beta_max = 2, nu = 1, zeta = 1, eps = 1)
  label_parts(out, inside,
    parameters = c(Map(function(value, power) value * unit^power, used, units), local["t"]),
    basis = per_feature(out$basis * unit, data),
    terms = stats::setNames(out$terms * unit^c(1, 0, 0, -1, 0),
      c("factors", "laplacian", "regression", "rows", "orthogonality")
    )
  )
}

# Penalties in the units of the solver: the objective over the unit of the data, W times it
rufs_penalties <- function(given, inside, first) {
  unit <- inside$unit
  size <- sqrt(inside$n * data_trace(inside))
  own <- function(name, default) if (is.null(given[[name]])) default else given[[name]] / unit
  alpha <- own("alpha", size / sqrt(inside$n * ncol(first)))
  beta_max <- alpha * largest_pull(inside, first / pmax(row_norms(first), 1e-300))
  list(
    alpha = alpha, beta = own("beta", 0.1 * beta_max * unit) / unit, beta_max = beta_max,
    nu = own("nu", size / ncol(first)), zeta = own("zeta", 1e4 * size), eps = 1e-6 * size / inside$n
  )
}

# (I - A)'(I - A) by rows, A predicting each sample from its neighbours, and the t that is used
local_learning <- function(data, inside, args) {
  near <- find_neighbours(data, args$neighbours, "euclidean", ties = FALSE)
  t <- or_default(args[["t"]], near$mean)
  A <- .Call(C_local_weights, unclass(inside), near,
    list(neighbours = args$neighbours, t = t / inside$unit, ridge = 0.1)
  )
  L <- methods::as(methods::as(squared_rest(A), "generalMatrix"), "CsparseMatrix")
  list(rows = list(n = nrow(L), start = as.double(L@p), index = L@i + 1L, weight = L@x), t = t)
}

descriptor_eufs <- function() {
  baseline("eufs",
    c(
      alist(x = , clusters = NULL, alpha = NULL, beta = NULL), graph_arguments,
      alist(start = NULL, mu = 1, rho = 1.02, scale = FALSE)
    ),
    rules = list(
      alpha = check_penalty, beta = check_penalty, mu = positive_to(1e10), rho = number(1)
    ),
    control = list(tol = 1e-3, maxit = 1000L), solve = solve_eufs,
    bytes = function(s) spectrum_bytes(s) + neighbour_bytes(s) + 32 * s$n * s$d,
    dimension = "clusters",
    family = "pseudo-labels", sees = c("neighbours", "clusters"),
    title = "Robust nonnegative clustering with few features",
    reference = "Wang, Tang and Liu (2015), AAAI 29, 470-476",
    cost = "O(n^2 d) for the neighbours, O(n d clusters) per iteration"
  )
}

solve_eufs <- function(data, args, control) {
  clusters <- args$clusters
  # rounding can decide where this iteration goes: features in an order of their own
  place <- order(data$square)
  inner <- keep_features(in_binary_units(data), place)
  labels <- max.col(given_labels(args[["start"]], inner, clusters), "first")
  first <- unit_columns(label_matrix(fill_clusters(labels, clusters), clusters))
  graph <- sample_graph(keep_features(data, place), args)
  # for data divided by the root mean square norm of the samples
  size <- sqrt(data_trace(inner) / inner$n)
  unit <- size * inner$unit
  norms <- sqrt(.Call(C_row_squares, unclass(inner)))
  alpha_max <- largest_pull(inner, first / pmax(norms, 1e-12 * size))
  used <- list(
    alpha = or_default(args[["alpha"]], 0.3 * alpha_max),
    beta = if (is.null(args[["beta"]])) 0.1 * data$n / clusters else args[["beta"]] / unit
  )
  out <- .Call(C_eufs, unclass(inner), first, graph$rows,
    c(control, used, args[c("mu", "rho")], list(size = size, largest_mu = 1e10))
  )
  out$W[place, ] <- out$W
  out$pull[place] <- out$pull
  out$objective <- out$objective * unit
  used$beta <- used$beta * unit
  label_parts(out, in_binary_units(data), unit = unit,
    parameters = c(used, list(alpha_max = alpha_max), graph$settings),
    residuals = stats::setNames(out$residuals, c("Z", "J", "E")), best = out$best
  )
}

# samples of the largest clusters for those that have none
fill_clusters <- function(labels, clusters) {
  for (empty in setdiff(seq_len(clusters), labels)) {
    labels[which(labels == which.max(tabulate(labels, clusters)))[1]] <- empty
  }
  labels
}

descriptor_spdfs <- function() {
  baseline("spdfs",
    alist(x = , k = , clusters = NULL, m = NULL, r = 1.2, start = NULL, scale = FALSE),
    rules = list(r = number(1, 10)),
    control = list(tol = 1e-6, maxit = 100L), solve = solve_spdfs,
    check = function(args, data) {
      args$m <- or_default(args$m, as.integer(min(ceiling(args$k / 3), largest_dimension(data))))
      args
    },
    bytes = function(s) spectrum_bytes(s) + 32 * s$n * s$clusters + form_bytes(s, s$m),
    include = "given", dimension = "clusters",
    family = "subset", sees = "clusters", title = "A fuzzy partition on k features",
    reference = "Dong, Nie, Tian, Wang and Li (2025), IEEE TPAMI",
    cost = "O(n d m + n k^2 + k^3) per iteration"
  )
}

solve_spdfs <- function(data, args, control) {
  inside <- in_binary_units(data)
  # rows that sum to 1, equal shares where there are none
  first <- given_labels(args[["start"]], inside, args$clusters)
  first[rowSums(first) == 0, ] <- 1
  first <- first / rowSums(first)
  # the scatter of every feature between the clusters, and within, a little more
  basis <- sweep(first, 2, sqrt(pmax(colSums(first), 1e-300)), "/")
  between <- pmin(inside$square, .Call(C_product_squares, unclass(inside), basis))
  within <- inside$square - between + 1e-3 * mean(inside$square)
  single <- largest_scores(between / within, args$k, inside)
  set <- trace_ratio_set(between, within, single, inside)
  out <- .Call(C_spdfs, unclass(inside), first, set, c(control, args[c("m", "r")],
    list(ties = data$deviation, constant = data$constant)
  ))
  if (out$is_zero) out$scores <- between / within
  subset_parts(out, data, membership = out$Y, cluster = max.col(out$Y, ties.method = "first"),
    undecided = if (out$is_zero) paste(
      "the ratio is zero, as it is on other sets of so many features; features are ordered by",
      "their own ratios for the first partition, and a smaller `k` would leave something to",
      "choose by"
    )
  )
}
