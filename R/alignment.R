#' Features aligned with the clusters of the samples, or with classes
#'
#' Selects the k features whose distances between samples show the groups among the samples best:
#' pseudo-clusters without labels, the classes or the response with `y`. It is the default of
#' [rowsparse()] where there is no response, and for wide data with classes. Features enter one at a
#' time, so that smaller selections are the beginnings of larger ones. A feature that repeats
#' selected ones is worth less, but may still be the best of those that are left. The method fails
#' where the largest groups among the samples are not the groups of interest, as often with batches.
#'
#' @section The problem:
#' Selects the k features whose linear kernel \eqn{K_J = X_J X_J'} is most similar to a kernel
#' \eqn{K_Y} that holds the groups of the samples: the pseudo-clusters of spectral embeddings of the
#' samples or, with `y`, the classes or the response. Over \eqn{|J| = k},
#' \deqn{\max_J \; \frac{\langle K_J, K_Y \rangle}{(\|K_J\|_F^2 + \kappa^2)^{1/2}}
#'   = \frac{\sum_{j \in J} t_j}{(\sum_{a, b \in J} (x_a'x_b)^2 + \kappa^2)^{1/2}}}{
#'   max over J of <K_J, K_Y> / sqrt(||K_J||_F^2 + kappa^2)
#'   = sum of t_j over J / sqrt(sum of (x_a'x_b)^2 over a, b in J + kappa^2)}
#' with the target \eqn{t_j = x_j'K_Y x_j}, \eqn{\kappa} the mean of \eqn{\|x_j\|^2}{||x_j||^2}, and
#' \eqn{x_j} the centred columns of `x`. The sum in the denominator grows where features repeat each
#' other, and \eqn{\kappa} keeps nearly constant features from entering first.
#'
#' Features enter one at a time, each time the one that gives the highest value, which need not rise
#' with every feature. With [groups] whole groups enter, and J holds their columns.
#'
#' @section Without labels:
#' \eqn{K_Y} is a mean over graphs and dimensions. Two distances are used: Euclidean, of the samples
#' and of the samples divided by their norms (after centring). For each distance and each q in
#' `neighbours`, samples i and j at distance \eqn{d_{ij}}{d_ij} are joined when one is among the q
#' nearest of the other (ties included), with weight
#' \deqn{w_{ij} = \exp(-d_{ij}^2 / (\sigma_i \sigma_j)),}{
#'       w_ij = exp(-d_ij^2 / (sigma_i sigma_j)),}
#' where \eqn{\sigma_i} is the distance to the q-th neighbour. A tenth of the mean degree over n is
#' added to every weight, which joins small components. With \eqn{Y_m} the first m leading
#' eigenvectors of \eqn{D^{-1}W}{D^-1 W} after the trivial one, centred and of norm 1,
#' \deqn{K_Y = \mathrm{mean} \; Y_m Y_m' / \|Y_m'Y_m\|_F}{
#'       K_Y = mean of Y_m Y_m' / ||Y_m'Y_m||_F}
#' over the graphs and m = 1, 3, 7, 15 and 31 (at most n - 2), or m = `clusters` - 1 where
#' `clusters` is given.
#'
#' @section With labels:
#' Classes in `y`: Y holds the centred indicators of the classes, each divided by the root of the
#' size of its class, so that \eqn{t_j} is proportional to the sum of squares between the classes.
#' One or several numeric responses: Y holds the centred columns, each divided by its norm.
#' \eqn{K_Y = YY' / \|Y'Y\|_F}{K_Y = YY'/||Y'Y||_F}.
#'
#' @section Many samples:
#' The neighbours are exact, at \eqn{O(n^2 d)} operations in the full data; no n x n matrix is kept.
#' Above 3000 samples, or 20 000 where distances are between at most 100 numbers, as those of
#' `components`, the graph joins L = n / 4 landmarks, at least 1000 and at most 5000: evenly spaced
#' rows of `x`, in \eqn{O(n L d)} operations. Any other sample takes the mean of the eigenvectors at
#' its q nearest landmarks, with the weights \eqn{w_{ij}}{w_ij}; centring, target and selection use
#' all samples. Landmarks cost much accuracy only where a group has few of them
#' (`bench/alignment.R`); `landmarks = nrow(x)` joins all samples. With `components`, distances are
#' taken between the scores of that many principal components, which is faster and better for
#' single cells.
#' @inheritParams bsufs
#' @inheritParams cdlsr
#' @param x Data, see [rowsparse_data], but no moments: they do not hold the samples.
#' @param y `NULL`, class labels, or a numeric vector or matrix; see [cdlsr()].
#' @param k Number of features, at most those that vary and those in `include`.
#' @param clusters Number of clusters, if known. `NULL`: the mean over five embedding dimensions.
#' @param components Number of principal components in which the neighbours are found, at least 2,
#'   or `Inf` for the full data. `NULL`: 20 where there are 2000 samples or more and at least half
#'   of the values are 0, as in single cells, otherwise the full data.
#' @param neighbours Numbers of neighbours over which the mean is taken. Use larger numbers (5
#'   to 20) for thousands of samples in few groups.
#' @param scale Divide features by their standard deviation? By default only with `y`.
#' @param control Settings from [rowsparse_control()]. Defaults: `inner_tol` 1e-8 and `inner_maxit`
#'   300, for the eigenvectors; other settings have no effect.
#' @param landmarks Number of evenly spaced samples that the graph joins, at least 10, where `x` has
#'   more samples. `NULL`: see Many samples.
#'
#' @return A list of class `c("alignment", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{the gains. Where a feature gains more than one that entered before it, or lowers
#'     the value, the scores of the selected features instead fall evenly in the order of entry,
#'     from the first gain g to g / k. The other features have their possible gains as scores,
#'     limited to between 0 and the last score of a selected feature}
#'   \item{objective}{the value of 0, 1, ..., k features}
#'   \item{gains}{how much each selected feature changed the value when it entered, and each of the
#'     others would}
#'   \item{margins}{by how much each selected feature was ahead of the next best one when it
#'     entered}
#'   \item{near_copies}{how many other features have a correlation of at least 0.9, of either sign,
#'     with each selected one}
#'   \item{target}{\eqn{t_j}}
#'   \item{explained}{the share of the response that regression on the selected features
#'     reproduces, `NA` without a response}
#'   \item{embedding}{the leading eigenvectors of \eqn{K_Y} (n x r, r at most 10), and
#'     `embedding_values` their eigenvalues}
#'   \item{graphs}{without `y`: a data frame of metric, number of neighbours, samples that the graph
#'     joins, connected components and the largest residual of the eigenvectors}
#'   There are no `loadings`.
#'
#' @references
#' Cristianini, Shawe-Taylor, Elisseeff and Kandola (2001) On kernel-target alignment.
#' Advances in Neural Information Processing Systems 14, 367-373.
#'
#' Song, Smola, Gretton, Bedo and Borgwardt (2012) Feature selection via dependence
#' maximization. Journal of Machine Learning Research 13, 1393-1434.
#'
#' Zelnik-Manor and Perona (2004) Self-tuning spectral clustering. Advances in Neural
#' Information Processing Systems 17, 1601-1608.
#'
#' Amini, Chen, Bickel and Levina (2013) Pseudo-likelihood methods for community detection in large
#' sparse networks. Annals of Statistics 41, 2097-2122. \doi{10.1214/13-AOS1138}
#' @seealso [css()] and [cdlsr()], which select by regression
#' @examples
#' # three groups that differ in ten of forty features
#' set.seed(1)
#' group <- rep(1:3, length.out = 90)
#' x <- matrix(rnorm(90 * 40), 90)
#' x[, 1:10] <- x[, 1:10] + 2 * matrix(rnorm(30), 3)[group, ]
#' fit <- alignment(x, k = 8)
#' fit
#' plot(fit$embedding, col = group)
#'
#' # with the classes
#' selected(alignment(iris[, 1:4], iris$Species, k = 2))
#' @export
alignment <- function(x, y = NULL, k, clusters = NULL, components = NULL, neighbours = c(3, 5, 7),
                      scale = !is.null(y), control = rowsparse_control(), landmarks = NULL,
                      include = NULL, exclude = NULL, block = NULL, assay = NULL, groups = NULL,
                      rules = NULL) {
  run_method("alignment")
}

solve_alignment <- function(input, args, control) {
  by_response <- !is.null(args[["y"]])
  data <- if (by_response) input$given else input
  if (searches_groups(data)) data <- with_cross_products(data)
  inside <- in_binary_units(data)
  kernel <- if (!by_response) cluster_kernel(inside, args, control)
  if (by_response) kernel$root <- response_root(input$response)
  target <- drop(.Call(C_product_squares, unclass(inside), kernel$root))
  k <- args$k
  found <- find_aligned(inside, target, args$usable, k)
  course <- found$objective
  # what each feature, or group, gains, and the value with it
  gains <- ifelse(found$`next` > 0, found$`next` - course[k + 1L], 0)
  gains[found$order] <- diff(course)
  scores <- pmax(gains, 0)
  scores[found$order] <- falling_scores(gains[found$order], max(course, .Machine$double.xmin))
  second <- replace(found$`next`, found$order, found$target[found$order])
  embedding <- kernel_embedding(kernel$root)
  list(
    scores = scores[found$at], ties = second[found$at], selected = found$selected,
    objective = course, iterations = k, converged = !isFALSE(kernel$converged),
    status = or_default(kernel$status, found$status),
    parameters = c(list(k = k), args[c("clusters", "components", "neighbours", "landmarks")], list(
      scale = data$scaled, include = outer_index(as.integer(data$locked), data),
      usable = sum(args$usable)
    )),
    gains = per_feature(gains[found$at], data), margins = found$margin,
    near_copies = found$near_copies,
    target = per_feature(target * inside$unit * inside$unit, data),
    embedding = embedding$vectors, embedding_values = embedding$values, graphs = kernel$graphs,
    undecided = if (k < unit_count(data, which(args$usable)) && !is.null(found$margin) &&
                      found$margin[k] <= score_share * max(abs(course))) {
      "the last feature that entered gains no more than the next one would have"
    }
  )
}

# By feature or group: the order of entry, the values, and those with one more; `target` of each,
# `at` of every feature, and the columns `selected`
find_aligned <- function(data, target, usable, k) {
  products <- if (has_cross_products(data)) data$operator else data
  ridge <- mean(data$square[usable])^2
  groups <- inner_groups(data, usable)
  found <- search_groups(products, groups, "alignment", k,
    target = target, penalty = ridge, exchange = is_ruled(data), perturb = group_perturbations(data)
  )
  set <- found$sets[[k]]
  list(
    order = set, margin = if (!searches_groups(data)) found$margin,
    near_copies = if (!searches_groups(data)) found$near_copies, objective = c(0, found$explained),
    `next` = found$gains + found$explained[k], status = found$status,
    target = by_group(target, groups), at = groups$at, selected = columns_of(set, groups)
  )
}

# neighbours among the samples that the graphs join, and of all the others there; of blocks, S of
# few features, or products with those that promise most
alignment_bytes <- function(s) {
  graphs <- 2 * length(s$neighbours)
  products <- max(min(8 * (s$k + 8) * s$d, 5e7), min(s$d, crossed_at_once)^2)
  8 * (100 * s$d + s$n * (31 * graphs + 600 + s$k) + (s$kind == "blocks") * products) +
    if ("classes" %in% s$given) 0 else cluster_bytes(s)
}

cluster_bytes <- function(s) {
  usual <- takes_components(s$n, s$d) && 2 * s$stored <= s$n * s$d
  m <- if ("components" %in% s$given) s$components else if (usual) usual_components else Inf
  joined <- or_default(resolve_landmarks(s$landmarks, s$n, min(m, s$d)), s$n)
  components <- if (m < s$d) leading_bytes(s, m) + 32 * s$n * m else 0
  if (m < s$d) s$d <- m
  components + neighbour_bytes(s) + embedding_bytes(utils::modifyList(s, list(n = joined)), 31)
}

descriptor_alignment <- function() {
  descriptor(alignment,
    bytes = alignment_bytes, include = "given", family = "graph",
    sees = c("neighbours", "clusters", "labels"),
    title = "Kernel alignment to the clusters of the samples, or to classes",
    reference = paste(
      "kernel-target alignment: Cristianini et al. (2001);",
      "self-tuning graphs: Zelnik-Manor and Perona (2004)"
    ),
    cost = "O(n^2 d) for the neighbours, O(n d) per feature", response = "optional", passes = 10,
    samples = TRUE, most_samples = Inf,
    rules = list(neighbours = check_counts, landmarks = optional(whole(10L))),
    control = list(tol = 0, maxit = 1L, inner_tol = 1e-8, inner_maxit = 300L),
    check = check_alignment, solve = solve_alignment,
    sizes = function(given) if (is.null(given[["rules"]])) "nested" else "refit",
    largest = function(data, given) unit_count(data, which(usable_features(data)))
  )
}

# ---- the request ---------------------------------------------------------------

check_alignment <- function(args, data) {
  args$usable <- usable_features(data)
  check_locked_size(args$k, data)
  args$k <- check_count(args$k, "k", 1L, unit_count(data, which(args$usable)))
  if (!is.null(args[["y"]])) {
    for (argument in c("clusters", "components")) {
      refuse_if(!is.null(args[[argument]]),
        "argument", argument, "is for the selection without labels; leave it out with `y`")
    }
    args[c("neighbours", "landmarks")] <- list(NULL)
    return(args)
  }
  args$components <- resolve_components(args$components, data)
  numbers <- min(args$components, data$d)
  args["landmarks"] <- list(resolve_landmarks(args$landmarks, data$n, numbers))
  joined <- or_default(args$landmarks, data$n)
  if (!is.null(args$clusters)) {
    args$clusters <- check_count(args$clusters, "clusters", 2L, max(2L, joined - 1L))
  }
  args$neighbours <- unique(pmin(args$neighbours, joined - 1L))
  args
}

# Number of components in which neighbours are found; Inf for the data themselves
resolve_components <- function(components, data) {
  most <- largest_dimension(data)
  usual <- is.null(components) && takes_components(data$n, data$d) && share_of_zeros(data) >= 0.5
  components <- or_default(components, if (usual) min(usual_components, most) else Inf)
  if (is_unlimited(components)) Inf else check_count(components, "components", min(2L, most), most)
}

# cells, mostly: thousands of samples, in which most values are 0
takes_components <- function(n, d) n >= 2000 && d > usual_components
usual_components <- 20L

# how many samples the graph joins; NULL where these are all. Distances between that many `numbers`
resolve_landmarks <- function(landmarks, n, numbers) {
  most <- if (numbers > 100) 3000 else 20000
  landmarks <- or_default(landmarks, if (n > most) as.integer(min(5000, max(1000, n %/% 4))) else n)
  if (landmarks < n) landmarks
}

# which features may be taken
usable_features <- function(data) !data$constant | seq_len(data$d) %in% data$locked

# ---- the kernel -----------------------------------------------------------------

# a root Y of K_Y = YY', n x m
response_root <- function(response) {
  size <- if (response$type == "class") tabulate(response$class) else response$squares
  Y <- sweep(response$Y, 2, sqrt(size), "/")
  Y / sqrt(sqrt(sum(crossprod(Y)^2)))
}

# The mean over graphs and m of V_m V_m' / ||V_m'V_m||_F, V_m the first m vectors of the random walk
# on a graph after the trivial one, centred and of norm 1. A graph joins neighbours by one of two
# metrics with self-tuning weights: of all samples, or of landmarks among them.
cluster_kernel <- function(data, graph, control) {
  joined <- or_default(graph$landmarks, data$n)
  dimensions <- if (is.null(graph$clusters)) c(1L, 3L, 7L, 15L, 31L) else graph$clusters - 1L
  dimensions <- unique(pmin(dimensions, max(1L, joined - 2L)))
  # evenly spaced, the first and the last among them
  landmarks <- if (joined < data$n) as.integer(round(seq(1, data$n, length.out = joined)))
  lists <- .Call(C_neighbours, unclass(graph_data(data, graph, control)), list(
    k = max(graph$neighbours), ties = 1L, metric = c("euclidean", "cosine"), landmarks = landmarks
  ))
  parts <- unlist(lapply(lists, function(near) {
    lapply(graph$neighbours, embedded_graph, near, dimensions, landmarks, control)
  }), recursive = FALSE)
  of_all <- function(what, type) unname(vapply(parts, `[[`, type, what))
  ends <- of_all("status", "")
  list(
    root = do.call(cbind, lapply(parts, `[[`, "root")) / sqrt(length(parts)),
    converged = all(of_all("converged", NA)), status = c(ends[ends != ends[1]], ends[1])[1],
    graphs = data.frame(
      metric = rep(c("euclidean", "cosine"), each = length(graph$neighbours)),
      neighbours = rep(graph$neighbours, 2), samples = joined,
      components = of_all("components", 1L), residual = of_all("residual", 0)
    )
  )
}

# One graph's part of the root. sum over m of V_m V_m' / ||V_m'V_m||_F = sum over j of w_j v_j v_j'
embedded_graph <- function(q, near, dimensions, landmarks, control) {
  rows <- .Call(C_graph, near, list(weights = "self_tuning", neighbours = q, mutual = 0L, t = 0))
  m <- max(dimensions)
  found <- symmetric_vectors(rows, m, control, 0.1)
  V <- unit_columns(from_symmetric(found))
  if (!is.null(landmarks)) V <- extended_vectors(V, near, q, landmarks)
  V <- unit_columns(sweep(V, 2, colMeans(V)), 1e-10)
  squares <- crossprod(V)^2
  weight <- numeric(m)
  for (size in dimensions) {
    first <- seq_len(size)
    norm <- sqrt(sum(squares[first, first]))
    if (norm > 0) weight[first] <- weight[first] + 1 / norm / length(dimensions)
  }
  list(
    root = sweep(V, 2, sqrt(weight), "*"), components = found$components,
    residual = max(found$residuals), converged = found$converged, status = found$status
  )
}

# Vectors on landmarks carried to all samples: means over the q nearest landmarks, weighted as edges
# to them would be. Nystrom's extension divides them by the eigenvalue of the walk; a mean stays
# within the values around it. Exponents are taken off the least one, as all weights may be 0.
extended_vectors <- function(V, near, q, landmarks) {
  least <- 1e-6 * near$largest
  scale <- pmax(near$distance[near$start[seq_len(near$n)] + q], least)
  index <- near$nearest[, seq_len(q), drop = FALSE]
  apart <- near$apart[, seq_len(q), drop = FALSE]
  other <- matrix(scale[index], ncol = q)
  e <- ifelse(apart > 0 & other > 0, (apart / pmax(apart[, q], least)) * (apart / other), 0)
  weight <- exp(do.call(pmin, as.data.frame(e)) - e)
  out <- 0
  for (a in seq_len(q)) out <- out + weight[, a] / rowSums(weight) * V[index[, a], , drop = FALSE]
  out[landmarks, ] <- V
  out
}

# what the distances are between: the data, or the scores of leading components
graph_data <- function(data, graph, control) {
  if (is_unlimited(graph$components)) {
    return(data)
  }
  svd <- truncated_svd(data, graph$components, control$inner_tol, control$inner_maxit)
  keep <- seq_len(leading_rank(svd$squares, data$d))
  scores <- sweep(svd$left[, keep, drop = FALSE], 2, sqrt(svd$squares[keep]), "*")
  without_constant_warning(as_data(scores))
}

# The leading eigenvectors of YY', and their eigenvalues
kernel_embedding <- function(root, most = 10L) {
  spectrum <- eigen(crossprod(root), symmetric = TRUE)
  keep <- seq_len(min(most, leading_rank(spectrum$values, ncol(root))))
  values <- spectrum$values[keep]
  vectors <- root %*% sweep(spectrum$vectors[, keep, drop = FALSE], 2, sqrt(values), "/")
  list(values = values, vectors = sweep(vectors, 2, largest_sign(vectors), "*"))
}

# The gains in the order of entry, where none is above the one before it or negative; elsewhere
# values that fall evenly from the first gain. All are positive.
falling_scores <- function(gains, largest) {
  k <- length(gains)
  even <- max(gains[1], 1e-12 * largest) * rev(seq_len(k)) / k
  if (gains[k] > 0 && all(diff(gains) <= 0)) gains else even
}

# 1 or -1: the sign of the entry of largest modulus in every column, of the first of those that tie
largest_sign <- function(vectors) {
  apply(vectors, 2, function(v) if (v[first_largest(abs(v))] < 0) -1 else 1)
}
