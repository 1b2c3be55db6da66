#' Features aligned with the clusters of the samples, or with classes
#'
#' Selects the k features whose distances between samples show the groups among the samples best:
#' pseudo-clusters without labels, the classes or the response with `y`. It is the default of
#' [rowsparse()]. Features enter one at a time, so that smaller selections are the beginnings of
#' larger ones; features that repeat each other are not selected together. It fails where the
#' largest groups among the samples are not the groups of interest.
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
#' \eqn{x_j} the centred columns of `x`. Later steps with the selected features, k-means or nearest
#' neighbours, see the samples only through \eqn{K_J}. A method that fits the groups by regression
#' may weight features; this method may not. The sum in the denominator grows where features repeat
#' each other, and \eqn{\kappa} keeps nearly constant features from entering first.
#'
#' Features enter one at a time, each time the one that gives the highest value, so the sets of all
#' sizes are nested. The value need not rise with every feature. With [groups] whole groups enter,
#' and J holds their columns.
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
#' Where the largest groups among the samples are not the groups of interest (often for two kinds of
#' tumour, or with batches), no rule without labels can know. Where many features carry the same
#' signal, other samples give other features: `near_copies` counts them, and [cv_rowsparse()] tells
#' how much the selection varies.
#' @section With labels:
#' Classes in `y`: Y holds the centred indicators of the classes, each divided by the root of the
#' size of its class, so that \eqn{t_j} is proportional to the sum of squares between the classes.
#' One or several numeric responses: Y holds the centred columns, each divided by its norm.
#' \eqn{K_Y = YY' / \|Y'Y\|_F}{K_Y =
#' YY'/||Y'Y||_F}. With `y` features are divided by their standard deviation.
#'
#' @section Many samples:
#' The neighbours are exact. In the full data they take \eqn{O(n^2 d)} operations, or
#' \eqn{O(\sum_j s_j^2)}{O(sum of s_j^2)} where sparse columns hold \eqn{s_j} nonzero values; no n x
#' n matrix is kept. Above 20 000 samples the graph joins 5 000 landmarks, evenly spaced rows of
#' `x`, in \eqn{O(n L d)} operations with L landmarks. Any other sample takes the mean of the
#' eigenvectors at its q nearest landmarks, with the weights \eqn{w_{ij}}{w_ij}; centring, target
#' and selection use all samples. Landmarks cost much accuracy only where a group has few of them
#' (`bench/alignment.R`). With `components`, distances are taken between the scores of that many
#' principal components, at \eqn{O(n^2)} operations for each, which is faster and better for single
#' cells.
#' @inheritParams bsufs
#' @param x Data, see [rowsparse_data], but no moments: they do not hold the samples.
#' @param y `NULL`, class labels, or a numeric vector or matrix; see [cdlsr()].
#' @param k Number of features, up to the number of eligible features: those that vary by at least
#'   1e-5 of the largest standard deviation.
#' @param clusters Number of clusters, if known. `NULL`: the mean over five dimensions of the
#'   embedding.
#' @param components Number of principal components in which the neighbours are found, at least 2,
#'   or `Inf` for the full data. `NULL`: 20 where there are 2000 samples or more and at least half
#'   of the values are 0, as in single cells, otherwise the full data.
#' @param neighbours Numbers of neighbours over which the mean is taken. Use larger numbers (5
#'   to 20) for thousands of samples in few groups.
#' @param scale Divide features by their standard deviation? By default only with `y`.
#' @param control Settings from [rowsparse_control()]. Defaults: `inner_tol` 1e-8 and `inner_maxit`
#'   300, for the eigenvectors; other settings have no effect.
#' @param rules Rules that the panel must obey beside its size, from [panel_rules()].
#' @param landmarks Number of evenly spaced samples that the graph joins, at least 10, where `x` has
#'   more samples. `NULL`: all up to 20 000 samples, 5 000 above.
#'
#' @return A list of class `c("alignment", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{selected}{the k features in the order in which they enter}
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
#'     with each selected one: where there are many, other samples would have given others of them}
#'   \item{target}{\eqn{t_j}}
#'   \item{explained}{the share of the response that regression on the selected features
#'     reproduces, `NA` without a response}
#'   \item{embedding}{the leading eigenvectors of \eqn{K_Y} (n x r, r at most 10), and
#'     `embedding_values` their eigenvalues}
#'   \item{embedding_selected}{the leading components of the selected features, rotated to
#'     `embedding`}
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
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  if (missing(k)) {
    # alignment(x, 50) means k = 50
    n <- sample_count(x)
    if (!is.null(y) && !is.na(n)) check_response_length(y, n)
    check_given(TRUE, "k")
  }
  control <- resolve_control(control, tol = 0, maxit = 1L, inner_tol = 1e-8, inner_maxit = 300L)
  data <- sample_data("alignment", x, scale, assay, block, include, exclude, groups)
  response <- if (!is.null(y)) as_response(sample_column(x, y, "y"), data$n)
  graph <- check_alignment_graph(data, y, clusters, components, neighbours, landmarks)
  pool <- alignment_pool(data)
  check_locked_size(k, data)
  k <- check_count(k, "k", 1L, pool$count)
  data <- add_rules(data, rules, k, pool$usable)
  if (searches_groups(data)) data <- with_cross_products(data)
  check_fit_size("alignment", data,
    k = needed_columns(k, data), classes = if (!is.null(y)) ncol(response$Y),
    neighbours = graph$neighbours, landmarks = graph$landmarks,
    components = or_default(graph$components, Inf), control = control
  )

  inside <- in_binary_units(data)
  kernel <- if (is.null(y)) {
    cluster_kernel(inside, graph, control)
  } else {
    response_kernel(response, adjustment(data))
  }
  target <- .Call(C_product_squares, unclass(inside), kernel$root)
  products <- if (has_cross_products(inside)) inside$operator else inside
  ridge <- mean(inside$square[pool$usable])^2
  out <- if (searches_groups(data)) {
    groups <- inner_groups(inside, pool$usable)
    alignment_group_values(search_groups(products, groups, "alignment", k,
      target = target, penalty = ridge, exchange = is_ruled(data),
      perturb = group_perturbations(inside)
    ), groups, target)
  } else {
    alignment_values(.Call(C_alignment, unclass(products), target, list(
      k = k, include = pool$include, usable = pool$usable, second = raw_square(data),
      ridge = ridge
    )), target)
  }
  new_alignment(data, inside, response, graph, kernel, pool, target, out, control, call, started)
}

# neighbours among the samples that the graphs join, and of all the others there; of blocks, S of
# few features, or products with those that are predicted
alignment_bytes <- function(s) {
  graphs <- 2 * length(s$neighbours)
  panel <- min(s$d, crossed_at_once)
  8 * (100 * s$d + s$n * (31 * graphs + 600 + s$k)) +
    (if ("classes" %in% s$given) 0 else cluster_bytes(s)) +
    if (s$kind == "blocks") 8 * (panel^2 + (panel < s$d) * min(s$k * s$d, 5e7)) else 0
}

cluster_bytes <- function(s) {
  joined <- or_default(s$landmarks, or_default(resolve_landmarks(NULL, s$n), s$n))
  usual <- takes_components(s$n, s$d) && 2 * s$stored <= s$n * s$d
  m <- if ("components" %in% s$given) s$components else if (usual) usual_components else Inf
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
    sizes = function(given) if (is.null(given[["rules"]])) "nested" else "refit",
    largest = function(data, given) alignment_pool(data)$count
  )
}

# ---- the request ---------------------------------------------------------------

check_alignment_graph <- function(data, y, clusters, components, neighbours, landmarks) {
  if (!is.null(y)) {
    for (argument in c("clusters", "components")) {
      if (!is.null(get(argument, inherits = FALSE))) {
        stop_rowsparse("argument", argument,
          "is for the selection without labels; leave it out with `y`"
        )
      }
    }
    return(NULL)
  }
  landmarks <- resolve_landmarks(landmarks, data$n)
  joined <- or_default(landmarks, data$n)
  most <- max(2L, joined - 1L)
  if (!is.null(clusters)) clusters <- check_count(clusters, "clusters", 2L, most)
  components <- resolve_components(components, data)
  neighbours <- check_counts(neighbours, "neighbours", lower = 1L, upper = .Machine$integer.max)
  list(
    clusters = clusters, components = components,
    neighbours = unique(pmin(neighbours, joined - 1L)), landmarks = landmarks
  )
}

# in how many components neighbours are found; NULL for the data themselves
resolve_components <- function(components, data) {
  most <- largest_dimension(data)
  if (is.null(components)) {
    usual <- takes_components(data$n, data$d) && share_of_zeros(data) >= 0.5
    return(if (usual) usual_components)
  }
  if (!identical(as.double(components), Inf)) {
    check_count(components, "components", min(2L, most), most)
  }
}

# cells, mostly: thousands of samples, in which most values are 0
takes_components <- function(n, d) n >= 2000 && d > usual_components
usual_components <- 20L

# how many samples the graph joins; NULL where these are all
resolve_landmarks <- function(landmarks, n, largest_graph = 20000L, usual = 5000L) {
  landmarks <- if (is.null(landmarks)) {
    if (n > largest_graph) usual else n
  } else {
    check_count(landmarks, "landmarks", 10L, .Machine$integer.max)
  }
  if (landmarks < n) landmarks
}

# Which features may be taken, and which are in any case. A deviation below 1e-5
# of the largest is what rounding and the first decimals of a file leave of a constant.
alignment_pool <- function(data) {
  usable <- !data$constant & data$square >= 1e-10 * max(data$square)
  usable[data$locked] <- TRUE
  list(
    usable = usable, include = as.integer(data$locked),
    # how many features, or groups, there are to be taken
    count = if (is_grouped(data)) length(unique(inner_of(data)[usable])) else sum(usable)
  )
}

# ---- the kernel -----------------------------------------------------------------

# A root Y of K_Y = YY', n x m

response_kernel <- function(response, block) {
  Y <- centre_response(response, block)$Y
  square <- if (response$type == "class") colSums(response$Y) else colSums(Y^2)
  Y <- sweep(Y, 2, sqrt(square), "/")
  list(root = Y / sqrt(sqrt(sum(crossprod(Y)^2))))
}

cluster_kernel <- function(data, graph, control) {
  joined <- or_default(graph$landmarks, data$n)
  most <- max(1L, joined - 2L)
  dimensions <- if (is.null(graph$clusters)) c(1L, 3L, 7L, 15L, 31L) else graph$clusters - 1L
  found <- .Call(C_alignment_kernel, unclass(graph_data(data, graph, control)), list(
    neighbours = graph$neighbours, dimensions = unique(pmin(dimensions, most)),
    # evenly spaced, the first and the last among them
    landmarks = if (joined < data$n) as.integer(round(seq(1, data$n, length.out = joined))),
    tol = control$inner_tol, maxit = control$inner_maxit
  ))
  list(
    root = found$root, converged = found$converged, status = found$status,
    graphs = data.frame(
      metric = rep(c("euclidean", "cosine"), each = length(graph$neighbours)),
      neighbours = rep(graph$neighbours, 2), samples = joined,
      components = found$components, residual = found$residual
    )
  )
}

# what the distances are between: the data, or the scores of leading components
graph_data <- function(data, graph, control) {
  if (is.null(graph$components)) {
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

# The leading components of the selected features, each of norm 1, turned so
# that they are next to the embedding
selected_embedding <- function(chosen, embedding) {
  data <- without_constant_warning(as_data(chosen))
  svd <- truncated_svd(data, min(ncol(embedding), largest_dimension(data)))
  left <- svd$left[, seq_len(leading_rank(svd$squares, data$d)), drop = FALSE]
  turn <- svd(crossprod(left, embedding))
  left %*% turn$u %*% t(turn$v)
}

# The gains in the order of entry, where none is above the one before it or negative; elsewhere
# values that fall evenly from the first gain. All are positive.
falling_scores <- function(gains, largest) {
  k <- length(gains)
  if (gains[k] > 0 && all(diff(gains) <= 0)) {
    return(gains)
  }
  max(gains[1], 1e-12 * largest) * rev(seq_len(k)) / k
}

# ---- the result -----------------------------------------------------------------

# the raw result, with what each feature gains and the scores of all
alignment_values <- function(out, target) {
  selected <- out$order
  out$k <- length(selected)
  gains <- ifelse(out$`next` > 0, out$`next` - out$objective[out$k + 1L], 0)
  gains[selected] <- diff(out$objective)
  out$scores <- pmax(gains, 0)
  out$scores[selected] <- falling_scores(
    gains[selected], max(out$objective, .Machine$double.xmin)
  )
  out$second <- out$`next`
  out$second[selected] <- target[selected]
  out$gains <- gains
  out
}

new_alignment <- function(data, inside, response, graph, kernel, pool, target, out, control,
                          call, started) {
  selected <- out$order
  k <- out$k
  chosen <- .Call(C_columns, unclass(inside), selected)
  embedding <- kernel_embedding(kernel$root)
  regression <- if (!is.null(response)) {
    regress_on_first(chosen, inside$unit, outer_index(selected, data),
      centre_response(response, adjustment(data))
    )
  }
  fit <- new_fit("alignment", data,
    scores = out$scores, ties = out$second, selected = selected, objective = out$objective,
    iterations = k, converged = !isFALSE(kernel$converged),
    status = or_default(kernel$status, out$status),
    explained = or_default(regression$explained, NA_real_),
    parameters = c(
      list(k = k), graph,
      list(
        scale = data$scaled, include = outer_index(pool$include, data),
        usable = sum(pool$usable)
      ), control
    ),
    gains = per_feature(out$gains, data),
    margins = out$margin, near_copies = out$near_copies,
    target = per_feature(target * inside$unit * inside$unit, data),
    embedding = embedding$vectors, embedding_values = embedding$values,
    embedding_selected = selected_embedding(chosen, embedding$vectors),
    graphs = kernel$graphs, regression = regression$factors,
    undecided = if (k < pool$count && !is.null(out$margin) &&
                      out$margin[k] <= score_share * max(abs(out$objective))) {
      "the last feature that entered gains no more than the next one would have"
    },
    response = regression$response, call = call, started = started, verbose = control$verbose
  )
  with_fitted(fit, data)
}

# 1 or -1: the sign of the entry of largest modulus in every column; of entries that
# tie the first decides
largest_sign <- function(vectors) {
  apply(vectors, 2, function(v) {
    at <- which(abs(v) >= (1 - 1e-8) * max(abs(v)))[1]
    if (v[at] < 0) -1 else 1
  })
}
