#' Baselines on graphs of the samples: SPEC, UDFS, SOGFS, RNE, JELSR, TSFS, SF2SOG
#'
#' Methods without labels that keep what is near near, called by name: `rowsparse(x, k = 10, method
#' = "udfs", gamma = 0.1)`. Their own arguments stand below with their defaults, shared ones in
#' [rowsparse_data] (but no [moments()]). \eqn{X_c}{Xc} is the centred data, \eqn{w_j} row j of W.
#'
#' @section SPEC, scores of single features:
#' `style = c("phi2", "phi1", "phi3"), clusters = NULL, neighbours = 5, weights = "heat", t = NULL,
#' mutual = FALSE, metric = "euclidean", scale = FALSE`. With the weights A of a graph, its degrees
#' \eqn{D}, the eigenpairs \eqn{(\lambda_l, \xi_l)}{(lambda_l, xi_l)} of
#' \eqn{I - D^{-1/2} A D^{-1/2}}, ascending, and \eqn{z_j = D^{1/2} f_j / \|D^{1/2} f_j\|}{
#' z_j = D^(1/2) f_j / ||D^(1/2) f_j||} of the uncentred feature,
#' \deqn{\varphi_1 = \sum_l \lambda_l (z_j'\xi_l)^2, \quad
#'   \varphi_2 = \varphi_1 / \sum_{l \ge 2} (z_j'\xi_l)^2, \quad
#'   \varphi_3 = \sum_{l = 2}^{K} (2 - \lambda_l) (z_j'\xi_l)^2.}{
#'   phi1 = sum_l lambda_l (z_j'xi_l)^2, phi2 = phi1 / sum_{l >= 2} (z_j'xi_l)^2,
#'   phi3 = sum_{l = 2..K} (2 - lambda_l) (z_j'xi_l)^2.}
#' Scores are \eqn{2 - \varphi_1}{2 - phi1}, \eqn{2 - \varphi_2}{2 - phi2}, which is the Laplacian
#' score of [lapscore()] and does not depend on the mean of a feature, or
#' \eqn{\varphi_3}{phi3} with K = `clusters`. The graph is that of [lapscore()]; `neighbours = Inf`
#' joins all pairs as the paper does, in memory. The class of fits is `"spec_fit"`; `eigenvalues`
#' holds those used. scikit-feature orders features from the worst to the best, Auto-UFSTool does so
#' for \eqn{\varphi_3}{phi3}; both drop an arbitrary vector if the graph falls apart.
#'
#' Zhao and Liu (2007) Spectral feature selection for supervised and unsupervised learning. ICML
#' 24, 1151-1157. \doi{10.1145/1273496.1273641}
#'
#' @section UDFS, directions in which neighbourhoods differ:
#' `m = NULL, gamma = NULL, lambda = NULL, neighbours = 5, scale = FALSE`, and `groups`.
#' \deqn{\min_{W'W = I_m} \; \mathrm{tr}(W'MW) + \gamma \sum_j \|w_j\|, \quad
#'   M = X_c' \Big( \sum_i E_i C (Z_i Z_i' + \lambda I)^{-1} C E_i' \Big) X_c,}{
#'   min over W'W = I_m of tr(W'MW) + gamma sum_j ||w_j||,
#'   M = Xc' ( sum_i E_i C (Z_i Z_i' + lambda I)^(-1) C E_i' ) Xc,}
#' where \eqn{Z_i} holds sample i and its neighbours, C centres and \eqn{E_i} puts the result at
#' their places. By reweighting: W holds the smallest eigenvectors of \eqn{M + \gamma\,
#' \mathrm{diag}(q)}{M + gamma diag(q)} with \eqn{q_j = 1 / (2 \|w_j\|)}{q_j = 1 / (2 ||w_j||)},
#' smoothed, from q = 1 on; the objective with smoothed norms never rises. With at least as many
#' features as samples W is sought in the row space of the data (`restricted`): M has a large null
#' space, of which the published algorithm returns an arbitrary part. `lambda` is by default the
#' mean scatter of a neighbourhood over its size, `gamma` such that equal rows would weigh as much
#' as the mean eigenvalue of M; papers search both from 1e-6 to 1e6. Control: `tol` 1e-10, `maxit`
#' 2000. Also in the fit: `penalised`, the objective without smoothing. One public code takes the
#' inverse of lambda, scikit-feature adds every neighbourhood at the places of the first samples.
#'
#' Yang, Shen, Ma, Huang and Zhou (2011) l2,1-norm regularized discriminative feature selection for
#' unsupervised learning. IJCAI, 1589-1594. \doi{10.5591/978-1-57735-516-8/IJCAI11-267}
#'
#' @section SOGFS, a learned graph that falls into clusters:
#' `m = NULL, clusters = NULL, gamma = NULL, p = 1, neighbours = 5, scale = TRUE`, and `groups`.
#' \deqn{\min \; \mathrm{tr}(W'X_c'LX_cW) + \frac{\alpha}{2} \sum_{i,l} a_{il}^2 +
#'   \gamma \sum_j \|w_j\|^p + \lambda \, \mathrm{tr}(F'LF)}{
#'   min tr(W'Xc'L Xc W) + alpha/2 sum_il a_il^2 + gamma sum_j ||w_j||^p + lambda tr(F'LF)}
#' over \eqn{W'W = I}, \eqn{F'F = I} (n x clusters) and A, whose rows are nonnegative and sum to 1;
#' L is the Laplacian of \eqn{(A + A')/2}. A round updates A by projections on the simplex (over
#' the `neighbours` nearest samples in x for five rounds, then along W and F), W by reweighting as
#' in UDFS, and F by eigenvectors. \eqn{\alpha}{alpha} is what gives that many positive weights at
#' the start; lambda is doubled while there are fewer components than `clusters` and halved while
#' there are more, so that `objective` is no measure of progress; `rounds` tells it at one lambda,
#' `before` and `after`. `gamma` is that of the published code (papers: 1e-6 to 1e6). Control:
#' `maxit` 50 (rounds), `inner_tol` 1e-5, `inner_maxit` 100. Also in the fit: `cluster`, `graph`
#' (`index` and `weight`), `restricted`. The public code takes candidates from the distances along W
#' alone, so that a step may raise the objective.
#'
#' Nie, Zhu and Li (2016) Unsupervised feature selection with structured graph optimization. AAAI,
#' 1302-1308. \doi{10.1609/aaai.v30i1.10168}
#'
#' @section RNE, k features that neighbours predict:
#' `k, neighbours = 5, transpose = FALSE, start = NULL, alpha = NULL, scale = FALSE, starts = 1,
#' seed = NULL`.
#' \deqn{\min_{H \ge 0} \; \|BH\|_1 + \frac{\alpha}{4} \|H'H - I\|_F^2, \quad B = (I - R) X,}{
#'   min over H >= 0 (d x k) of ||B H||_1 + alpha/4 ||H'H - I||^2, B = (I - R) X,}
#' where row i of R holds the weights, of sum 1, that best reconstruct sample i from its neighbours.
#' By the method of multipliers on M = BH, H by projected gradients; scores are row norms of the
#' best H. It depends on the random start (`start`: a nonnegative d x k matrix): of several `starts`
#' the best is kept, `overlap` tells how far they agree (`start_objectives`, `start_sets`,
#' `best_start`). `alpha` is by default 1000, or 3 n if that is more, times the root mean square
#' norm of the samples. Control: `tol` 1e-3, `maxit` 100, `inner_tol` 1e-5, `inner_maxit` 100. The
#' public code forms \eqn{(I - R')X}, no residual of a reconstruction: `transpose = TRUE` does so.
#'
#' Liu, Ye, Li, Wang and Gao (2020) Robust neighborhood embedding for unsupervised feature
#' selection. Knowledge-Based Systems 193, 105462. \doi{10.1016/j.knosys.2019.105462}
#'
#' @section JELSR, an embedding and its regression together:
#' `m = NULL, alpha = NULL, beta = 1, neighbours = 5, scale = FALSE`; at most 5000 samples.
#' \deqn{\min_{Y'Y = I, W} \; \mathrm{tr}(Y'LY) + \beta \Big(\|X_c W - Y\|_F^2 +
#'   \alpha \sum_j \|w_j\|\Big), \quad L = (I - R)'(I - R),}{
#'   min over Y'Y = I, W of tr(Y'LY) + beta (||Xc W - Y||_F^2 + alpha sum_j ||w_j||),
#'   L = (I - R)'(I - R),}
#' with R as in RNE. With \eqn{K = X_c U X_c'}{K = Xc U Xc'}, \eqn{u_j = 2 \|w_j\|}{u_j =
#' 2 ||w_j||} of the last W, Y holds the smallest eigenvectors of \eqn{L + \alpha \beta (K + \alpha
#' I)^{-1}}{L + alpha beta (K + alpha I)^(-1)} apart from the constant, and \eqn{W = U X_c'
#' (K + \alpha I)^{-1} Y}{W = U Xc'(K + alpha I)^(-1) Y}; the objective never rises. `alpha` is by
#' default a tenth of `parameters$alpha_max`, at which W = 0 while Y stays. Rows below 1e-8 of the
#' largest are 0, and ordered by their gradient. Control: `tol` 1e-6, `maxit` 1000. Also in the
#' fit: `embedding`, `terms`. Public versions keep the constant vector, or take the leading
#' eigenvectors of another matrix.
#'
#' Hou, Nie, Li, Yi and Wu (2014) Joint embedding learning and sparse regression. IEEE Transactions
#' on Cybernetics 44, 793-804.
#'
#' @section TSFS, a linear student of a teacher:
#' `teacher = NULL, m = NULL, lambda = NULL, neighbours = 5, start = NULL, scale = FALSE`.
#' \deqn{\min_W \; \|T_c - X_c W\|_F^2 + \lambda \sum_j \|w_j\|,}{
#'   min over W of ||Tc - Xc W||_F^2 + lambda sum_j ||w_j||,}
#' with T (n x m) any representation of the samples: components, coordinates of UMAP, class
#' probabilities; without a `teacher` the m smoothest vectors on the graph of [lapscore()]. Convex;
#' by coordinate descent, `bound` from a feasible dual point, `gap` as in [rowsparse_fit]. `lambda`
#' is by default a tenth of \eqn{\lambda_{\max} = 2 \max_j \|x_j'T_c\|}{lambda_max = 2 max_j
#' ||xj'Tc||} (`parameters$lambda_max`). Control: `tol` 1e-4 (relative gap), `maxit` 1000; 1e-10 and
#' 500 for the eigenvectors. Also in the fit: `teacher`, `fidelity`, the share of T reproduced. In
#' the paper the student is a network with a hidden layer; a linear one misses features that matter
#' only nonlinearly or together.
#'
#' Mirzaei, Pourahmadi, Soltani and Sheikhzadeh (2020) Deep feature selection using a
#' teacher-student network. Neurocomputing 383, 396-408. arXiv:1903.07045
#'
#' @section SF2SOG, k features and a graph on which they vary little:
#' `k, m = NULL, lambda = 1, gamma = NULL, neighbours = 5, scale = TRUE`; at most 8000 samples.
#' \deqn{\min \; \mathrm{tr}(F'L_AF) + \lambda \|X_cW - F\|_F^2 + \gamma \|A - A_0\|_F^2, \quad
#'   W'W = I_m, \; k \mbox{ nonzero rows},}{min tr(F'L F) + lambda ||Xc W - F||^2 + gamma
#'   ||A - A0||^2, W'W = I_m, k nonzero rows,}
#' over W, F (n x m) and A, whose rows are nonnegative and sum to 1; \eqn{A_0}{A0} has the weights
#' `"can"` of [lapscore()]. F is eliminated; A is projected on simplices, and W raised on k features
#' by the updates of [fspca()] for \eqn{B = \eta I - X_c'TX_c}{B = eta I - Xc'T Xc},
#' \eqn{T = \lambda L (L + \lambda I)^{-1}}{T = lambda L (L + lambda I)^(-1)}; scores are the
#' diagonal of \eqn{BW(W'BW)^+W'B}{B W (W'BW)^+ W'B}. No step raises the objective; the set is a
#' local solution. `lambda` from 1e-8 to 1e8; `gamma`, in squared units of the data, by default so
#' that the step of A takes off 1 on average. It looks for small variation. Dependent features, as
#' copies or k above n - 1 + m, make the objective zero: a warning of class
#' `rowsparse_warning_rank`. Control: `tol` 1e-6, `maxit` 100. Also in the fit: `graph`. The model
#' is taken from papers that compare with it.
#'
#' Wang, Zhang, Bian, Wang, Nie and Li (2023) Sparse and flexible projections for unsupervised
#' feature selection. IEEE TKDE 35(6), 6362-6375.
#'
#' @return A fit, see [rowsparse_fit], with the elements named above.
#' @name baselines_graph
#' @aliases spec udfs sogfs rne jelsr tsfs sf2sog
#' @examples
#' rowsparse(iris[, 1:4], k = 2, method = "udfs", m = 2)
#' fit <- rowsparse(iris[, 1:4], k = 2, method = "rne", starts = 5, seed = 1)
#' fit$overlap
#' components <- prcomp(iris[, 1:4])$x[, 1:2]
#' rowsparse(iris[, 1:4], k = 2, method = "tsfs", teacher = components)$gap
NULL

descriptor_spec <- function() {
  baseline("spec",
    c(
      alist(x = , style = c("phi2", "phi1", "phi3"), clusters = NULL), graph_arguments,
      alist(scale = FALSE)
    ),
    control = list(tol = 0, maxit = 1L, inner_tol = 1e-10, inner_maxit = 500L),
    solve = solve_spec, class = "spec_fit",
    bytes = function(s) neighbour_bytes(s) + edge_bytes(s), passes = 10,
    family = "graph", sees = "neighbours", cost = "O(n^2 d)",
    title = "Spectral feature selection (by default the Laplacian score)",
    reference = "doi:10.1145/1273496.1273641"
  )
}

solve_spec <- function(data, args, control) {
  graph <- sample_graph(data, args)
  clusters <- embedding <- NULL
  by_vectors <- args$style == "phi3"
  if (by_vectors) {
    clusters <- or_default(args$clusters, corner_clusters(with_spectrum(data)))
    embedding <- symmetric_vectors(graph$rows, max(1L, min(clusters, data$n - 1L) - 1L), control)
  }
  out <- spec_phi(in_binary_units(data), graph$rows, args$style, embedding)
  warn_isolated(out$isolated, data$n)
  phi <- replace(out$phi, data$constant, if (by_vectors) 0 else 2)
  list(
    scores = if (by_vectors) phi else pmax(0, 2 - phi),
    objective = if (by_vectors) -max(phi) else min(phi), iterations = 0L,
    converged = !isFALSE(embedding$converged), status = or_default(embedding$status, "solved"),
    parameters = c(list(clusters = clusters), graph$settings),
    eigenvalues = embedding$values, isolated = out$isolated
  )
}

# z'Lz, the same over 1 - (z'xi_1)^2, or sum_l (2 - value_l) (z'xi_l)^2, for a feature z = D^(1/2) f
# with its mean, of norm 1; the worst where it is zero
spec_phi <- function(data, rows, style, embedding) {
  out <- .Call(C_roughness, unclass(data), rows)
  means <- data$mean * or_default(data$weight, 1)
  square <- out$square + means * (2 * out$sum + means * out$total)
  of_square <- function(x, worst) ifelse(square > 0, pmin(x / square, 2), worst)
  out$phi <- switch(style, phi1 = of_square(out$rough, 2), phi2 = out$relative, {
    agreement <- sqrt(pmax(2 - embedding$values, 0))
    Y <- sweep(sqrt(embedding$degree) * embedding$vectors, 2, agreement, "*")
    of_square(.Call(C_product_squares, unclass(data), Y), 0)
  })
  out
}

descriptor_udfs <- function() {
  baseline("udfs",
    alist(
      x = , m = NULL, gamma = NULL, lambda = NULL, neighbours = 5, scale = FALSE, groups = NULL
    ),
    rules = list(gamma = check_penalty, lambda = optional(positive)),
    control = list(tol = 1e-10, maxit = 2000L), solve = solve_udfs,
    bytes = function(s) spectrum_bytes(s) + neighbour_bytes(s) + minor_bytes(s),
    dimension = "m", family = "graph", sees = "neighbours",
    title = "Minor components of local discriminative matrices",
    reference = "doi:10.5591/978-1-57735-516-8/IJCAI11-267",
    cost = "O(n^2 d) for the neighbours; O(min(n, d)^2 d) per iteration"
  )
}

solve_udfs <- function(data, args, control) {
  inside <- drop_constants(in_binary_units(data))
  near <- find_neighbours(data, args$neighbours, "euclidean", ties = FALSE)
  lambda <- args[["lambda"]]
  out <- .Call(C_udfs, unclass(inside), near, direction_settings(args, control, data,
    lambda = if (is.null(lambda)) 1 else lambda / inside$unit / inside$unit,
    relative_lambda = as.integer(is.null(lambda))
  ))
  direction_parts(out, data, args, list(lambda = out$lambda * inside$unit^2),
    penalised = out$penalised
  )
}

descriptor_sogfs <- function() {
  baseline("sogfs",
    alist(
      x = , m = NULL, clusters = NULL, gamma = NULL, p = 1, neighbours = 5, scale = TRUE,
      groups = NULL
    ),
    rules = list(gamma = check_penalty, p = positive_to(2)),
    control = list(tol = 0, maxit = 50L, inner_tol = 1e-5, inner_maxit = 100L),
    spare = 1L, solve = solve_sogfs,
    bytes = function(s) {
      spectrum_bytes(s) + neighbour_bytes(s) + embedding_bytes(s, s$clusters) + minor_bytes(s)
    },
    most_samples = 1e5, dimension = "m", family = "graph", sees = c("neighbours", "clusters"),
    title = "Directions along which the samples of a learned graph are near",
    reference = "doi:10.1609/aaai.v30i1.10168",
    cost = "O(n^2 d) for the neighbours; O(min(n, d)^2 d) per step of W"
  )
}

solve_sogfs <- function(data, args, control) {
  clusters <- resolve_clusters(args$clusters, data)
  inside <- in_unit_columns(data)
  near <- find_neighbours(inside, min(args$neighbours + 1L, data$n - 1L), "euclidean", ties = FALSE)
  out <- .Call(C_sogfs, unclass(inside), near, direction_settings(args, control, data,
    clusters = clusters, p = args$p, rounds = 5L
  ))
  rownames(out$rounds) <- c("lambda", "before", "after", "lowest", "next_lowest", "steps")
  if (out$alternates) out$status <- "lambda went up and down without end"
  direction_parts(out, data, args, list(clusters = clusters, alpha = out$alpha),
    rounds = as.data.frame(t(out$rounds)), cluster = out$label, graph = learned_graph(out)
  )
}

descriptor_rne <- function() {
  baseline("rne",
    alist(
      x = , k = , neighbours = 5, transpose = FALSE, start = NULL, alpha = NULL, scale = FALSE,
      starts = 1, seed = NULL
    ),
    rules = list(starts = whole(1L, 1e4), alpha = optional(positive)),
    control = list(tol = 1e-3, maxit = 100L, inner_tol = 1e-5, inner_maxit = 100L),
    check = check_rne, solve = solve_rne,
    bytes = function(s) neighbour_bytes(s) + 8 * s$k * (5 * s$d + 6 * s$n),
    largest = varying_features, draws = TRUE,
    family = "graph", sees = "neighbours",
    title = "Robust neighbourhood embedding", reference = "doi:10.1016/j.knosys.2019.105462",
    cost = "O(n^2 d) for the neighbours; O(n d k) per step"
  )
}

check_rne <- function(args, data) {
  refuse_if(args$starts > 1L && !is.null(args$start),
    "range", "starts", "must be 1 where `start` is given", args$starts)
  args$k <- check_group_size(args$k, data)
  if (!is.null(args$start)) args$start <- rne_start(args$start, data, args$k)
  args
}

solve_rne <- function(data, args, control) {
  k <- args$k
  # the centred samples have a mean square norm of 1
  inside <- divided_by_root(data, data$n)
  near <- find_neighbours(data, args$neighbours, "euclidean", ties = FALSE)
  settings <- c(control, args["neighbours"], list(
    alpha = if (is.null(args$alpha)) max(1000, 3 * data$n) else args$alpha / inside$unit,
    penalty = 10, growth = 1.1, unit = inside$unit,
    mean = if (args$transpose) inside$mean * or_default(inside$weight, 1),
    ridge = if (args$neighbours > data$d) 1e-3 else 1e-8
  ))
  ends <- with_seed(args$seed, lapply(seq_len(args$starts), function(i) {
    from <- or_default(args[["start"]], rne_start(NULL, data, k))
    out <- .Call(C_rne, unclass(inside), near, from, settings)
    out$scores <- replace(row_norms(out$H), data$constant, 0)
    best <- order(data$constant, -out$scores, -raw_square(data))
    out$selected <- utils::head(include_first(best, data), k)
    out
  }))
  spread <- spread_of_starts(ends, data)
  out <- ends[[spread$best_start]]
  c(list(
    scores = out$scores, selected = out$selected, loadings = out$H, run = out,
    parameters = c(list(alpha = settings$alpha * inside$unit), given_seed(args$seed)),
    residual = out$residual
  ), spread)
}

# no weight on features that are constant: it would cost nothing
rne_start <- function(start, data, k) {
  start <- inner_rows(start, data)
  if (is.null(start)) {
    start <- drawn_rows(matrix(stats::runif(as.double(data$d) * k), data$d), data)
  } else if (!is.numeric(start) || !identical(dim(start), c(data$d, k)) ||
      !all(is.finite(start)) || any(start < 0)) {
    stop_rowsparse("type", "start",
      sprintf("must be a %d x %d matrix of nonnegative numbers", data$d, k), describe(start))
  }
  start <- unname(start) + 0
  start[data$constant, ] <- 0
  disjoint_columns(start, which(!data$constant))
}

# Every row keeps its largest entry: columns with no feature in common, and each with one
# at least, which it takes from a column that has more.
disjoint_columns <- function(start, varying) {
  owner <- max.col(start, "first")
  size <- tabulate(owner[varying], ncol(start))
  for (column in which(size == 0L)) {
    free <- varying[size[owner[varying]] > 1L]
    taken <- free[which.max(start[free, column])]
    size[c(column, owner[taken])] <- size[c(column, owner[taken])] + c(1L, -1L)
    owner[taken] <- column
  }
  at <- cbind(seq_along(owner), owner)[varying, , drop = FALSE]
  out <- 0 * start
  # an entry of zero stands for a small one, so that no column is empty
  out[at] <- pmax(start[at], 1e-3 * max(start, .Machine$double.xmin))
  out
}

descriptor_jelsr <- function() {
  baseline("jelsr", alist(x = , m = NULL, alpha = NULL, beta = 1, neighbours = 5, scale = FALSE),
    rules = list(alpha = optional(positive), beta = positive),
    control = list(tol = 1e-6, maxit = 1000L), solve = solve_jelsr,
    bytes = function(s) spectrum_bytes(s) + neighbour_bytes(s) + 56 * s$n^2, most_samples = 5000,
    dimension = "m", family = "graph", sees = c("neighbours", "second moments"),
    title = "Row-sparse regression on an embedding that is learned with it",
    reference = "Hou et al. (2014), IEEE Trans. Cybern. 44, 793-804",
    cost = "O(n^2 d + n^3) per iteration"
  )
}

solve_jelsr <- function(data, args, control) {
  inside <- in_binary_units(data)
  unit <- inside$unit
  L <- reconstruction_laplacian(inside, args$neighbours)
  out <- .Call(C_jelsr, unclass(inside), L, c(control, args[c("m", "beta")], list(
    alpha = or_default(args$alpha, 0) / unit, u = 0
  )))
  regression_parts(out, inside,
    parameters = list(alpha = out$alpha * unit, alpha_max = out$alpha_max * unit),
    embedding = out$Y,
    terms = stats::setNames(out$terms / c(1, 1, unit), c("laplacian", "regression", "rows"))
  )
}

descriptor_tsfs <- function() {
  baseline("tsfs",
    alist(
      x = , teacher = NULL, m = NULL, lambda = NULL, neighbours = 5, start = NULL, scale = FALSE
    ),
    rules = list(lambda = optional(positive)),
    control = list(tol = 1e-4, maxit = 1000L, inner_tol = 1e-10, inner_maxit = 500L),
    solve = solve_tsfs,
    bytes = function(s) {
      neighbour_bytes(s) + embedding_bytes(s, s$m) + 512 * s$n + 32 * s$m * (s$d + s$n)
    },
    family = "graph", sees = c("neighbours", "second moments"),
    title = "Row-sparse linear student of an embedding of the samples",
    reference = "Mirzaei et al. (2020), Neurocomputing 383, 396-408",
    cost = "O(n^2 d) for the neighbours, O(n d m) per iteration",
    penalty = "lambda", path_tol = 1e-4,
    largest_penalty = function(data, given, y) {
      given["neighbours"] <- list(or_default(given[["neighbours"]], 5))
      tsfs_problem(data, given, list(inner_tol = 1e-10, inner_maxit = 500L))$lambda_max
    }
  )
}

solve_tsfs <- function(data, args, control) {
  start <- args$start
  if (inherits(start, "tsfs")) {
    args$teacher <- or_default(args$teacher, start$teacher)
    start <- rows_of_features(start, start$loadings, data)
  }
  problem <- tsfs_problem(data, args, control)
  inside <- problem$inside
  target <- problem$Tc / problem$unit
  unit <- inside$unit / problem$unit
  if (!is.null(start)) start <- unit * given_matrix(start, data, ncol(target))
  lambda <- or_default(args$lambda, 0.1 * problem$lambda_max)
  out <- .Call(C_tsfs, unclass(inside), target, start, c(control, list(
    lambda = lambda / inside$unit / problem$unit
  )))
  square <- problem$unit * problem$unit
  rest <- target - data_times(inside, out$W)
  regression_parts(out, inside, 1 / unit,
    objective = out$objective * square, bound = out$bound * square,
    parameters = c(problem$settings, list(lambda = lambda, lambda_max = problem$lambda_max)),
    teacher = problem$Tc, fidelity = 1 - sum(rest^2) / sum(target^2)
  )
}

# data in binary units, the centred teacher and its unit, settings, the smallest penalty with W = 0
tsfs_problem <- function(data, args, control) {
  m <- args[["m"]]
  if (is.null(args[["teacher"]])) {
    asked <- list(neighbours = args[["neighbours"]], weights = "heat", t = NULL, mutual = FALSE)
    m <- resolve_dimension(m, with_spectrum(data, m))
    graph <- sample_graph(data, check_graph(asked, data))
    Tc <- graph_vectors(data, graph$rows, m, control)$vectors
    settings <- c(list(m = m), graph$settings)
  } else {
    Tc <- check_teacher(args[["teacher"]], data$n, m)
    settings <- list(m = ncol(Tc), neighbours = NULL)
  }
  unit <- binary_unit(max(abs(Tc)))
  Tc <- sweep(Tc, 2, colMeans(Tc / unit) * unit)
  refuse_if(max(abs(Tc)) <= 1e-12 * unit, "constant", "teacher", "must vary between samples")
  inside <- in_binary_units(data)
  list(
    inside = inside, Tc = Tc, unit = unit, settings = settings,
    lambda_max = 2 * largest_pull(inside, Tc / unit) * inside$unit * unit
  )
}

check_teacher <- function(teacher, n, m) {
  if (is.data.frame(teacher)) teacher <- as.matrix(teacher)
  if (!is.numeric(teacher) || !is.matrix(teacher) || nrow(teacher) != n ||
      !ncol(teacher) %in% or_default(m, seq_len(ncol(teacher)))) {
    stop_rowsparse("size", "teacher", sprintf("must be a numeric matrix with %d rows%s", n,
      if (is.null(m)) "" else " and `m` columns"
    ), describe(teacher))
  }
  largest <- max(abs(teacher))
  refuse_if(!is.finite(largest) || largest > 1e150 || (largest > 0 && largest < 1e-150), "range",
    "teacher", "must hold finite numbers, the largest from 1e-150 to 1e150", describe(largest)
  )
  unname(teacher) + 0
}

descriptor_sf2sog <- function() {
  baseline("sf2sog",
    alist(x = , k = , m = NULL, lambda = 1, gamma = NULL, neighbours = 5, scale = TRUE),
    rules = list(lambda = number(1e-8, 1e8), gamma = optional(positive)),
    control = list(tol = 1e-6, maxit = 100L), spare = 1L, solve = solve_sf2sog,
    bytes = function(s) spectrum_bytes(s) + neighbour_bytes(s) + form_bytes(s, s$m) + 24 * s$n^2,
    most_samples = 8000, dimension = "m", basis = TRUE, include = "given", family = "subset",
    sees = "neighbours", title = "A projection on k features and a graph on which it varies little",
    reference = "Wang, Zhang, Bian, Wang, Nie and Li (2023), IEEE TKDE 35, 6362-6375",
    cost = "O(n^2 d) for the neighbours; O(n^3 + n^2 k + k^3) per iteration"
  )
}

solve_sf2sog <- function(data, args, control) {
  inside <- in_binary_units(data)
  square <- inside$unit^2
  near <- find_neighbours(data, min(args$neighbours + 1L, data$n - 1L), "euclidean", ties = FALSE)
  near$distance <- near$distance / inside$unit
  # positive and finite in the unit of the solver as well
  gamma <- min(max(args$gamma / square, .Machine$double.xmin), .Machine$double.xmax)
  asked <- args[c("k", "m", "lambda", "neighbours")]
  out <- .Call(C_sf2sog, unclass(inside), near, c(control, asked, list(
    gamma = if (is.null(args$gamma)) 0 else gamma, ties = data$deviation, constant = data$constant
  )))
  # some projection of n - 1 + m centred features on m dimensions is zero; of features that
  # depend on each other, some projection of fewer
  arbitrary <- args$k >= degrees_of_freedom(data) + args$m || out$is_any || out$is_zero
  if (arbitrary) warn_rowsparse("rank", sprintf(paste(
    "a projection of these %d features, as of others, on %d has no variance: the choice is",
    "arbitrary."
  ), args$k, args$m))
  subset_parts(out, data, objective = out$objective * square,
    parameters = list(gamma = out$gamma * square), graph = learned_graph(out)
  )
}
