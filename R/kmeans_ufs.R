#' K-means UFS: unsupervised feature selection derived from k-means
#'
#' Selects the k features on which the samples fall into `clusters` groups best, in the sense of
#' k-means, without labels. The default solves a relaxed problem exactly and takes seconds.
#' `solver = "alternate"` runs k-means itself; use it where the clusters do not lie in the
#' directions of largest variance.
#'
#' @section The problem:
#' \deqn{\max_{s, G} \; \sum_{i \in s} \|Z_i'G\|^2 \qquad (7)}{
#' max over s and G of sum_{i in s} ||Z_i'G||^2,   (7)}
#' over sets \eqn{s} of k features and clusterings, where \eqn{Z} holds the centred (and, with
#' `scale = TRUE`, standardised) data, \eqn{Z_i} is its column \eqn{i} and \eqn{G} the n x
#' `clusters` indicator matrix of the clustering, its columns divided by the square roots of the
#' cluster sizes: the between-cluster sum of squares of the selected features. Replacing \eqn{G} by
#' the leading left singular vectors of \eqn{Z = U \Sigma P'}{Z = U Sigma P'}, the usual relaxation
#' of k-means, gives
#' \deqn{\max_s \; \sum_{i \in s} A_{ii}, \quad
#' A = P_c \Sigma_c^2 P_c', \qquad (8)}{
#' max over s of sum_{i in s} A_ii,   A = P_c Sigma_c^2 P_c',   (8)}
#' with the first c = `clusters` singular triplets (fewer where Z has lower rank).
#'
#' @section Solvers:
#' * `"exact"` solves (8), and the relaxed problem of the paper, by the k largest values of
#'   \eqn{A_{ii} = \sum_{j \le c} \sigma_j^2 p_{ij}^2}{A_ii = sum_{j <= c} sigma_j^2 p_ij^2}.
#' * `"admm"` is the published algorithm for the relaxed (8), kept for comparison: it ends below the
#'   optimum. It starts from the k leading eigenvectors of A and, beyond its rank, a fixed sequence.
#'   `form = "quadratic"` is the form that the paper warns of: when the norm of V passes 1000 times
#'   \eqn{\sqrt{k}}{sqrt(k)}, the fit says so (`blown_up`) and counts as not converged.
#' * `"alternate"` solves (7) itself to a point that neither of its two steps improves: k-means on
#'   the selected features, then the k features of largest between-cluster sum of squares. As almost
#'   every set of k features is such a point, only the first of the `starts` begins with k features,
#'   the exact solution of (8); the others begin with all features or a random half or more, from
#'   random samples as centres, and reduce their number to k in several steps.
#'
#' (8) depends on the data only through second moments, so on standardised features without
#' correlation only `"alternate"` sees a cluster shape. When all \eqn{A_{ii}}{A_ii} are equal, which
#' is certain when `clusters` reaches the number of features, a warning says that (8) cannot choose.
#' @param x Data, see [rowsparse_data]; [moments()] not for `"alternate"`.
#' @param k Number of features to select, from 1 to the number of features that vary.
#' @param clusters Number of clusters, from 2 to n. `NULL`: the elbow of the leading
#'   eigenvalues (see "The dimension of the subspace" in [rowsparse()]), at least 2.
#' @param solver `"exact"`, the default, `"admm"` or `"alternate"`, see Solvers.
#' @param scale Divide features by their standard deviation? Without it,
#'   features of large variance win in (7) and (8) whatever their shape.
#' @param control Settings from [rowsparse_control()]. `maxit`: iterations of `"admm"` (default
#'   3000), and rounds of `"alternate"` on k features after the first (100). `inner_tol`,
#'   `inner_maxit`: relative residual (1e-8) and steps (300) of an iterative decomposition. `tol` is
#'   not used: the iterations end when the set stays the same.
#' @param form Form of the ADMM: `"bilinear"`, the paper's choice, or `"quadratic"`.
#' @param mu First penalty of the ADMM. `NULL`: 0.1 (bilinear), or 0.1 above the largest eigenvalue
#'   of A (quadratic, which requires more than this eigenvalue); both times the mean variance of the
#'   features where they are not scaled.
#' @param rho Factor by which the penalty grows in each iteration, up to 1e7 (times the mean
#'   variance).
#' @param starts Number of starts of `"alternate"`, which several [workers] can share.
#' @inheritParams dscofs
#' @inheritParams moments
#'
#' @return A list of class `c("kmeans_ufs", "rowsparse")` with the elements of [rowsparse_fit],
#'   where
#'   \item{scores}{`"exact"`: \eqn{A_{ii}}{A_ii}; `"admm"`: row norms of \eqn{V + \Gamma/\mu}{V +
#'     Gamma/mu}; `"alternate"`: between-cluster sums of squares}
#'   \item{loadings}{\eqn{P_c}{P_c}, the right singular vectors}
#'   \item{cluster}{cluster of every sample, from k-means on the selected features: the clustering
#'     found by `"alternate"`, or that of a short run. `NULL` for moments}
#'   \item{objective}{minimised value at the start and after each iteration: minus (8) for `"exact"`
#'     (one value) and `"admm"`, minus (7) for `"alternate"` (once there are k features)}
#'   \item{objectives}{`clustering`: minus (7) with `cluster`; `spectral`: minus
#'     (8) of the selected set; `spectral_optimum`: its minimum}
#'   \item{bound, gap}{for `"exact"` and `"admm"`; `NA` for `"alternate"`}
#'   \item{svd}{`squares` (squared singular values), `route` and `residual` of the decomposition}
#'   \item{v_norm, blown_up, gaps}{`"admm"`: the norm of V in each iteration, whether it left the
#'     scale of the problem, and the final distances of V from its two copies over sqrt(k)}
#'   \item{start_objectives, best_start, start_sets, overlap}{`"alternate"`: minus (7) at the end of
#'     each start, the best start, the features that each selected, in rows, and the mean share of
#'     features that two starts have in common}
#'
#' @references
#' Sun, Z., Ding, C. and Fan, J. (2024) K-means derived unsupervised feature
#' selection using improved ADMM. \doi{10.48550/arXiv.2411.15197}
#'
#' Ding, C. and He, X. (2004) K-means clustering via principal component analysis. Proceedings of
#' the 21st International Conference on Machine Learning. \doi{10.1145/1015330.1015408}
#' @seealso [simulate_shapes()]
#' @examples
#' set.seed(1)
#' shape <- simulate_shapes("diamond9", n = 900)
#' fit <- kmeans_ufs(shape$x, k = 2, clusters = 9, solver = "alternate")
#' selected(fit)
#' table(fit$cluster, shape$y)
#' kmeans_ufs(shape$x, k = 2, clusters = 9)$objectives
#' @export
kmeans_ufs <- function(x, k, clusters = NULL, solver = c("exact", "admm", "alternate"),
                       scale = TRUE, control = rowsparse_control(),
                       form = c("bilinear", "quadratic"), mu = NULL, rho = 1.05, starts = 50,
                       include = NULL, exclude = NULL, seed = NULL, block = NULL, BPPARAM = NULL,
                       assay = NULL) {
  run_method("kmeans_ufs")
}

check_kmeans <- function(args, data) {
  check_workers(args[["BPPARAM"]])
  args <- check_clusters(args, data)
  check_locked_size(args$k, data)
  refuse_if(args$solver == "admm" && length(data$locked) > 0, "argument", "include",
    "is not available for solver = \"admm\"", count_of(length(data$locked), "feature"))
  args$k <- check_count(args$k, "k", 1L, sum(!data$constant))
  refuse_if(args$solver == "alternate" && data$kind == "moments", "type", "x",
    "must hold samples for `solver` \"alternate\"", "moments, which do not tell clusters apart")
  args
}

solve_kmeans <- function(data, args, control) {
  solver <- args$solver
  inside <- in_binary_units(data)
  spectral <- spectral_problem(inside, args$clusters, args$k, control)
  found <- switch(solver, exact = solve_exact(spectral),
    admm = solve_admm(spectral, inside, args, control),
    alternate = solve_alternate(spectral, inside, args, control)
  )
  if (solver != "alternate") found <- add_clustering(found, spectral, inside)
  value <- -sum(spectral$diagonal[found$selected])
  unit <- inside$unit^2
  # minus (8) is not below the optimum, if the singular vectors are known and the only ones
  sure <- solver != "alternate" && spectral$converged && !spectral$is_tied
  c(list(
    scores = if (solver == "admm") found$scores else found$scores * unit,
    ties = spectral$tie, selected = found$selected,
    loadings = spectral$right, objective = found$objective * unit, iterations = found$iterations,
    converged = found$converged, status = found$status,
    bound = if (sure) spectral$optimum * unit else NA_real_,
    parameters = c(args[c("clusters", "k", "solver", "scale")], found$parameters),
    undecided = if (solver != "alternate") words_undecided(spectral),
    cluster = found$cluster,
    objectives = unit * c(
      clustering = found$attained, spectral = value, spectral_optimum = spectral$optimum
    ),
    svd = list(
      squares = spectral$squares * unit, route = spectral$route, residual = spectral$residual
    )
  ), found$extra)
}

# The first and the last penalty of the ADMM, relative to the mean variance of the features, which
# is 1 if they are scaled. That of the quadratic form is above the largest eigenvalue of A.
admm_penalties <- function(args, spectral, data) {
  level <- data_trace(data) / degrees_of_freedom(data) / sum(!data$constant)
  if (isTRUE(data$scaled)) level <- 1
  lower <- if (args$form == "quadratic") spectral$squares[1] else 0
  mu <- if (is.null(args[["mu"]])) {
    lower + 0.1 * level
  } else {
    check_number(args$mu, "mu", lower * data$unit^2, open_lower = TRUE) / data$unit^2
  }
  list(mu = mu, mu_max = 1e7 * level)
}

# A by its eigenvectors, `right`, and eigenvalues, `squares`, and the solution of (8)
spectral_problem <- function(data, clusters, k, control) {
  # one more, to see whether it ties with the last
  svd <- spectral_svd(data, min(clusters + 1L, largest_dimension(data)), control)
  is_tied <- ties_at(svd$squares, clusters, data$d)
  # what lies beyond the rank of the data is rounding
  keep <- seq_len(min(clusters, leading_rank(svd$squares, data$d)))
  svd$squares <- svd$squares[keep]
  svd$right <- svd$right[, keep, drop = FALSE]
  if (!is.null(svd$left)) svd$left <- svd$left[, keep, drop = FALSE]
  diagonal <- replace(drop(svd$right^2 %*% svd$squares), data$constant, 0)
  tie <- spectral_ties(svd, data)
  best <- order(data$constant, -tie_level(diagonal), -tie, method = "radix")
  best <- utils::head(include_first(best, data), k)
  c(svd, list(
    clusters = clusters, k = k, is_tied = is_tied, diagonal = diagonal, tie = tie, best = best,
    optimum = -sum(diagonal[best])
  ))
}

# From the cross-products of blocks, and of sparse data where these are sooner made than
# what iterations need; the scores are one product more.
spectral_svd <- function(data, rank, control) {
  if (data$kind == "sparse") data$operator <- as_operator(data, rank)
  if (data$kind == "dense" || data$kind == "moments" || !has_cross_products(data)) {
    return(truncated_svd(data, rank, control$inner_tol, control$inner_maxit))
  }
  svd <- truncated_svd(data$operator, rank, control$inner_tol, control$inner_maxit)
  length <- sqrt(pmax(svd$squares, max(svd$squares) * rank_share(data$d)))
  svd$left <- sweep(.Call(C_times, unclass(data), svd$right), 2, length, "/")
  svd
}

# The order of features with one and the same A_ii: by the sum of their A_ii over 1, 2, ...
# components, then by their variance before scaling. Whole numbers, larger first.
spectral_ties <- function(svd, data) {
  leading <- drop(svd$right^2 %*% (svd$squares * rev(seq_along(svd$squares))))
  by_components <- tie_level(leading, 1e-9)
  by_variance <- tie_level(raw_square(data))
  by_components * (max(by_variance) + 1) + by_variance
}

# the m leading singular triplets of Z; moments have no left side
truncated_svd <- function(data, m, tol = 1e-8, maxit = 300L) {
  .Call(C_truncated_svd, unclass(data), m, list(tol = tol, maxit = maxit, left = TRUE))
}

solve_exact <- function(spectral) {
  status <- "solved"
  if (spectral$is_tied) status <- "solved for one of several sets of leading components"
  residual <- sprintf("singular vectors known to a residual of %.1e only", spectral$residual)
  if (!spectral$converged) status <- residual
  list(
    selected = spectral$best, scores = spectral$diagonal, objective = spectral$optimum,
    iterations = 0L, converged = spectral$converged, status = status
  )
}

# (8) cannot choose among features with one and the same A_ii, and is not determined where the
# last of the components may be any in a space of more of them
words_undecided <- function(spectral) {
  varying <- spectral$diagonal[spectral$diagonal > 0]
  c(
    if (length(varying) > spectral$k && diff(range(varying)) < 1e-8 * max(varying)) paste(
      "all features have the same score in the spectral problem, as the components used",
      "reproduce the data; fewer `clusters` or `solver = \"alternate\"` would tell them apart"
    ),
    if (spectral$is_tied) words_of_spectrum(length(spectral$squares))
  )
}

solve_admm <- function(spectral, data, args, control) {
  live <- which(!data$constant)
  P <- spectral$right[live, , drop = FALSE]
  penalties <- admm_penalties(args, spectral, data)
  settings <- c(args[c("form", "rho")], penalties, list(
    patience = 30L, maxit = control$maxit, tie = spectral$tie[live]
  ))
  start <- admm_start(P, spectral$k, settings$tie)
  fit <- .Call(C_kmeans_admm, P, spectral$squares, start, settings)
  scores <- replace(numeric(data$d), live, fit$scores)
  status <- fit$status
  blown_up <- max(fit$norms) > 1e3 * sqrt(spectral$k)
  if (blown_up) {
    status <- sprintf("the norm of V grew to %.1e times sqrt(k)", max(fit$norms) / sqrt(spectral$k))
  }
  parameters <- settings[c("form", "mu", "rho", "mu_max", "patience")]
  parameters[names(penalties)] <- lapply(penalties, `*`, data$unit^2)
  list(
    selected = live[fit$selected], scores = scores,
    objective = c(admm_start_value(start, settings$tie, spectral, live), fit$objective),
    iterations = fit$iterations, converged = fit$converged && !blown_up, status = status,
    parameters = parameters,
    extra = list(
      v_norm = fit$norms, blown_up = blown_up, gaps = c(orthonormal = fit$gap_U, sparse = fit$gap_W)
    )
  )
}

# minus (8) of the k features whose rows are largest in the start, made orthonormal
admm_start_value <- function(start, tie, spectral, live) {
  norms <- row_norms(qr.Q(qr(start, LAPACK = TRUE)))
  first <- utils::head(order(-tie_level(norms), -tie, method = "radix"), ncol(start))
  -sum(spectral$diagonal[live[first]])
}

# k columns: P, then as many vectors of a fixed sequence as are missing, whose entries go to the
# features in the order of their row norms in P, so that the order of the columns does not matter
admm_start <- function(P, k, tie = numeric(nrow(P))) {
  given <- min(k, ncol(P))
  drawn <- .Call(C_quasi_random, nrow(P), k - given)
  place <- order(-tie_level(row_norms(P)), -tie, method = "radix")
  drawn[place, ] <- drawn
  cbind(P[, seq_len(given), drop = FALSE], drawn)
}

# most numbers that one start copies for its k-means runs, 200 MB; larger sets
# are clustered through products with the data
kmeans_room <- 2.5e7

solve_alternate <- function(spectral, data, args, control) {
  # the first round makes the first set of k features
  settings <- c(spectral[c("k", "tie")], list(
    maxit = control$maxit + 1L, rounds = 100L, room = kmeans_room
  ))
  drawn <- with_seed(args[["seed"]], draw_starts(spectral, data, args$starts))
  ends <- apply_with_progress(drawn, alternate_from,
    data = unclass(data), settings = settings, BPPARAM = args[["BPPARAM"]]
  )
  spread <- spread_of_starts(ends, data)
  best <- ends[[spread$best_start]]
  set <- best$selected
  set <- include_first(set[order(-best$between[set], -spectral$tie[set])], data)
  spread$start_objectives <- spread$start_objectives * data$unit^2
  list(
    selected = set, scores = best$between, objective = best$objective,
    iterations = length(best$objective) - 1L, converged = best$converged, status = best$status,
    cluster = best$cluster, attained = utils::tail(best$objective, 1),
    parameters = c(args["starts"], given_seed(args[["seed"]])), extra = spread
  )
}

alternate_from <- function(start, data, settings) .Call(C_kmeans_alternate, data, start, settings)

# every random number of every start: first features, and the samples that are the first centres
draw_starts <- function(spectral, data, starts) {
  live <- setdiff(given_order(data), which(data$constant))
  half <- max(spectral$k, ceiling(length(live) / 2))
  draw <- function(number) {
    size <- length(live)
    if (number %% 2 == 1) size <- half + sample.int(size - half + 1L, 1L) - 1L
    list(
      features = union(live[sample.int(length(live), size)], data$locked),
      rows = sample.int(data$n, spectral$clusters)
    )
  }
  first <- list(features = spectral$best, rows = distant_samples(spectral))
  c(list(first), lapply(seq_len(starts - 1L) + 1L, draw))
}

# One k-means run on the selected features, the same at every call. Ten rounds of Lloyd and ten of
# exchanges come close to the end and cost little beside the decomposition.
add_clustering <- function(found, spectral, data) {
  found$attained <- NA_real_
  if (data$kind != "moments") {
    k <- length(found$selected)
    chosen <- if (data$kind == "blocks") {
      list(kind = "dense", n = data$n, d = k, mean = numeric(k),
        x = .Call(C_columns, unclass(data), found$selected)
      )
    } else {
      unclass(keep_features(data, found$selected))
    }
    run <- kmeans_on(chosen, distant_samples(spectral), 10L)
    found$cluster <- run$cluster
    found$attained <- -sum(run$between)
  }
  found
}

# k-means on all features of data, from those samples as centres
kmeans_on <- function(data, rows, rounds) {
  data$locked <- NULL # all features are taken
  settings <- list(k = data$d, maxit = 1L, rounds = rounds, room = 0, tie = numeric(data$d))
  .Call(C_kmeans_alternate, data, list(features = seq_len(data$d), rows = rows), settings)
}

# samples far apart along the leading components: the one farthest from the
# mean, then each time the one farthest from those already taken
distant_samples <- function(spectral) {
  scores <- spectral$left %*% diag(sqrt(spectral$squares), length(spectral$squares))
  taken <- integer(spectral$clusters)
  square <- rowSums(scores^2)
  nearest <- square
  for (i in seq_along(taken)) {
    taken[i] <- which(nearest >= max(nearest) * (1 - 1e-9))[1] # the first of equals
    # ||a - b||^2 = ||a||^2 + ||b||^2 - 2 a'b
    gap <- pmax(square + square[taken[i]] - 2 * drop(scores %*% scores[taken[i], ]), 0)
    nearest <- if (i == 1L) gap else pmin(nearest, gap)
    nearest[taken[seq_len(i)]] <- -Inf
  }
  taken
}

descriptor_kmeans_ufs <- function() {
  descriptor(kmeans_ufs,
    rules = list(rho = number(1), starts = whole(1L, 1e6)), control = function(args) {
      maxit <- switch(args$solver, exact = 1L, admm = 3000L, alternate = 100L)
      list(tol = NULL, maxit = maxit, inner_tol = 1e-8, inner_maxit = 300L)
    },
    check = check_kmeans, solve = solve_kmeans, holds = function(args) args$solver == "alternate",
    bytes = function(s) {
      kept <- if (s$kind == "moments") 0 else s$n * s$k
      spectrum_bytes(s) + 8 * if (s$solver == "admm") 6 * s$d * s$k else kept
    },
    include = "given", family = "pseudo-labels", sees = c("second moments", "clusters"),
    title = "Selection derived from k-means", cost = "O(n d m) with m clusters",
    reference = "doi:10.48550/arXiv.2411.15197", dimension = "clusters", largest = varying_features,
    moments = TRUE, passes = 5, samples = TRUE, draws = TRUE,
    sizes = function(given) {
      if (chosen(given, "solver", kmeans_ufs) == "exact") "nested" else "refit"
    }
  )
}
