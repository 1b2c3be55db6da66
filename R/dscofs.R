#' DSCOFS: PCA under double sparsity constraints
#'
#' Selects exactly k features, without labels, by principal components with nonzero loadings on
#' these features only, and few of them. Use it in place of [fspca()] where single loadings should
#' be sparse, too.
#'
#' @section The problem:
#' \deqn{\max_{W'W = I_m} \; \mathrm{tr}(W'SW) \quad \mbox{subject to at most }
#' k \mbox{ nonzero rows and at most } s \mbox{ nonzero entries},}{
#' max over W'W = I_m of tr(W'SW) subject to at most k nonzero rows and at most
#' s nonzero entries,}
#' where \eqn{S = X_c'X_c}{S = Xc'Xc} is the scatter matrix of the centred data and \eqn{W} is d x
#' m. The first constraint removes features, the second single loadings.
#'
#' @section Algorithm:
#' With copies \eqn{Y} (at most s nonzero entries) and \eqn{Z} (at most k
#' nonzero rows) of \eqn{W} the method minimises
#' \deqn{f(W, Y, Z) = -\mathrm{tr}(W'SW) + \mu_1 \|W - Y\|^2 + \mu_2 \|W - Z\|^2}{
#' f(W, Y, Z) = -tr(W'SW) + mu1 ||W - Y||^2 + mu2 ||W - Z||^2}
#' by proximal alternating minimisation, in the order W, Y, Z. Y keeps the s entries of largest
#' modulus and Z the k rows of largest norm; ties go to the feature of larger variance.
#' `alpha = 1` switches Y off and `k = d` switches Z off.
#'
#' The step in W is that of [bsufs()]. With `solver = "mm"` f falls at any \eqn{\mu}{mu}, and the
#' whole sequence converges to a stationary point. A step of
#' `"pencf"` that ends above its start is replaced by one of `"mm"`, counted in `rejected_steps` and
#' reported in a warning. The iteration ends as that of [bsufs()].
#'
#' @section Starting point:
#' The coupling reinforces the rows that Z holds, so the start influences the selected set, and f
#' has many local minima. By default the method runs from the basis of the set of [fspca()], from
#' the leading eigenvectors, and from `starts` random matrices (each the best of ten draws, as the
#' authors do), and returns the result with the lowest f, which is not always the best selection: f
#' counts the variance that W carries beside its distance from the copies. With
#' `start = "fspca"` the selected features mostly carry more variance in their m components
#' (`polished$captured`), and are mostly those of the start; from the leading eigenvectors the
#' selection is (nearly) the k rows of largest norm of the PCA loadings, for any \eqn{\mu}{mu}. The
#' entry constraint seldom changes which features are selected: compare with `alpha = 1`.
#'
#' @section Scale of the parameters:
#' `normalize` is that of [bsufs()]. The defaults of `mu1` and `mu2` are the mean of the m leading
#' eigenvalues of S. Far smaller values end at the principal components, far larger ones at the
#' start. The paper chooses them and \eqn{\alpha}{alpha} with the labels, out of 441 settings.
#'
#' @inheritParams bsufs
#' @inheritParams cdlsr
#' @param k Number of features to select, from m to d.
#' @param m Dimension of the subspace, as in [bsufs()]; the paper takes the number of groups. The
#'   default is at most k.
#' @param alpha Element sparsity: the share in (0, 1\] of the d m entries that may be nonzero, or
#'   their number, a whole number above 1. It must allow at least m entries. 1 switches the
#'   constraint off.
#' @param mu1,mu2 Coupling of W with Y (elements) and with Z (rows); `NULL` for the default.
#' @param start `"fspca"` for the basis of the set that [fspca()] finds, `"leading"` for the m
#'   leading eigenvectors of S, `"random"` for random orthonormal matrices, a fit to start from, or
#'   a d x m matrix (made orthonormal when it is not). `NULL` runs the three named starts and keeps
#'   the result with the lowest f.
#' @param starts Number of random starts, 0 for none.
#'
#' @return A list of class `c("dscofs", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{row norms of Z for the selected features, of W for the
#'     others (at most the smallest selected score)}
#'   \item{selected}{the k selected columns in rank order. Where Z has fewer
#'     than k nonzero rows, features follow by their variance.}
#'   \item{loadings}{d x m, within both constraints: Z with its s largest entries, where each row
#'     first keeps its own largest one. The columns are orthonormal only as far as W and Z agree.}
#'   \item{polished}{the best orthonormal basis on the selected features: `loadings` (d x m),
#'     `values` (the m leading eigenvalues of \eqn{S_{II}}{S[I, I]}, in the units of the data) and
#'     `captured` (their sum over tr(S))}
#'   \item{W, Y, Z}{the orthonormal factor, the element-sparse and the row-sparse copy}
#'   \item{ends}{final f of each start; the fit is the first with the lowest f}
#'   \item{kkt}{the largest of the Riemannian gradient norm of f in W relative to the Euclidean one
#'     and of the distances of W and its copies where these are not zero, divided by sqrt(m)}
#'   \item{inner_iterations, rejected_steps}{steps of the inner solver; steps that ended above their
#'     start and were replaced}
#'   \item{parameters}{`s` is the number of entries, `start` the name of the start that was taken}
#'
#' @references
#' Xiu, Yang, Huang, Li and Liu (2025) Enhancing unsupervised feature selection via double sparsity
#' constrained optimization. \doi{10.48550/arXiv.2501.00726}
#' @seealso [fspca()] for the row constraint alone, [bsufs()], [selected()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(60 * 40), 60) %*% diag(seq(2, 0.5, length.out = 40))
#' fit <- dscofs(x, k = 8, m = 3, alpha = 0.1)
#' fit
#' fit$ends
#' @export
dscofs <- function(x, k, m = NULL, alpha = 0.5, mu1 = NULL, mu2 = NULL, normalize = TRUE,
                   solver = c("mm", "pencf", "rtr"), start = NULL, scale = FALSE,
                   control = rowsparse_control(), include = NULL, exclude = NULL, starts = 1,
                   seed = 1, block = NULL, assay = NULL) {
  run_method("dscofs")
}

# the arguments whose range depends on the data
check_dscofs <- function(args, data) {
  args <- check_components(args, data)
  args$k <- check_basis_size(args$k, args[["m"]], data)
  args$start <- named_start(args[["start"]], args$starts)
  # the default is one entry at least
  if (identical(args$alpha, formals(dscofs)$alpha)) args$alpha <- max(args$alpha, 1 / data$d)
  args
}

solve_dscofs <- function(data, args, control) {
  m <- args$m
  check_entries(args$alpha, m, data)
  operator <- as_operator(data, m)
  leading <- within_rank(leading_eigenvectors(operator, m), data$d, args$start)
  m <- length(leading$values)
  # the rank of the data may have lowered m
  total <- as.double(data$d) * m
  s <- if (args$alpha <= 1) floor(args$alpha * total) else min(args$alpha, total)
  problem <- list(data = data, operator = operator, leading = leading, k = args$k, m = m)
  parameters <- c(args[c("k", "alpha")], s = s, dscofs_parameters(args, data, leading))
  settings <- c(parameters, q_settings(args$solver, control))
  found <- lowest_end(dscofs_begins(args, problem), operator, settings)
  fit <- found$fit
  if (fit[["rejected"]] > 0) warn_rowsparse("descent", sprintf(
    "%d steps of solver \"pencf\" ended above their start and were replaced by steps of \"mm\".",
    fit[["rejected"]]
  ))
  # k rows by norm in Z, of which fewer may be nonzero, then in W, then by variance
  levels <- lapply(list(row_norms(fit$Z), row_norms(fit$W), data$square), tie_level)
  best <- order(-levels[[1]], -levels[[2]], -levels[[3]], method = "radix")
  selected <- include_first(best, data)[seq_len(args$k)]
  polished <- .Call(C_subpca, unclass(operator), selected, m)
  scores <- replace(row_norms(fit$W), selected, row_norms(fit$Z[selected, , drop = FALSE]))
  list(
    scores = scores, selected = selected, loadings = fit$loadings, run = fit, kkt = fit$kkt,
    parameters = c(
      list(m = m), parameters, list(solver = args$solver, start = found$start),
      args[c("starts", "seed")]
    ),
    undecided = if (m == args$k) words_of_sums(selected, data),
    polished = list(
      loadings = per_feature(expand_rows(polished$vectors, selected, data), data),
      values = polished$values, captured = sum(polished$values) / data_trace(data)
    ),
    W = per_feature(fit$W, data), Y = per_feature(fit$Y, data), Z = per_feature(fit$Z, data),
    ends = found$ends,
    inner_iterations = fit[["inner"]], rejected_steps = fit[["rejected"]], products = fit$products
  )
}

# list(fit, start, ends) of the first run whose f is, up to rounding, the lowest at the end
lowest_end <- function(begins, operator, settings) {
  best <- NULL
  ends <- stats::setNames(numeric(length(begins)), names(begins))
  for (name in names(begins)) {
    fit <- .Call(C_dscofs, unclass(operator), begins[[name]], settings)
    ends[name] <- utils::tail(fit$objective, 1)
    if (is.null(best) || ends[name] < ends[best$start] - 1e-10 * abs(ends[best$start])) {
      best <- list(fit = fit, start = name)
    }
  }
  c(best, list(ends = ends))
}

# k features carry m components, where the caller says how many these are
check_basis_size <- function(k, m, data) {
  if (is_grouped(data)) {
    return(check_group_basis(k, m, data))
  }
  check_locked_size(k, data)
  check_count(k, "k", if (is.null(m)) 1L else check_dimension(m, data), data$d)
}

# a share of the entries, or their number
check_entries <- function(alpha, m, data) {
  total <- as.double(data$d) * m
  entries <- if (!is_number(alpha)) 0 else if (alpha <= 1) floor(alpha * total) else alpha
  refuse_if(entries < m || entries > total || entries != round(entries), "range", "alpha",
    sprintf(
      "must be a share from %.3g to 1 or a whole number of entries from %d to %.0f (m to d m)",
      1 / data$d, max(2L, m), total
    ), describe(alpha)
  )
}

dscofs_parameters <- function(args, data, leading) {
  level <- component_level(data, leading, args$normalize)
  list(
    mu1 = or_default(args[["mu1"]], level), mu2 = or_default(args[["mu2"]], level),
    tau1 = proximal_share * level, tau2 = 1e-3, normalize = args$normalize
  )
}

# names of starts, the default ones where none is given, or what the caller gave
named_start <- function(start, starts = 1L) {
  choices <- c("fspca", "leading", "random")
  if (is.null(start)) {
    return(choices[c(TRUE, TRUE, starts > 0L)])
  }
  if (is.character(start)) start <- check_choice(start, "start", choices)
  refuse_if(identical(start, "random") && starts < 1L,
    "range", "starts", "must be 1 at least with `start = \"random\"`", describe(0))
  start
}

# d x m matrices, named by what they are
dscofs_begins <- function(args, problem) {
  start <- args$start
  if (!is.character(start)) {
    return(list(given = as_start(start, problem$data, problem$m, problem$leading$vectors)))
  }
  # with all features, these are one start
  if (problem$k == problem$data$d) start <- unique(sub("fspca", "leading", start))
  begins <- lapply(stats::setNames(nm = setdiff(start, "random")), function(name) {
    switch(name, fspca = fspca_start(problem), leading = problem$leading$vectors)
  })
  if ("random" %in% start) {
    numbers <- seq_len(args$starts)
    drawn <- with_seed(args[["seed"]], lapply(numbers, function(i) best_random_start(problem)))
    names(drawn) <- paste0("random", if (args$starts > 1L) paste0(" ", numbers))
    begins <- c(begins, drawn)
  }
  begins
}

# the leading eigenvectors on the set of fspca(), or on one that is known
fspca_start <- function(problem) {
  set <- problem$data$known_set
  found <- if (is.null(set)) {
    run_fspca(problem$operator, problem$leading, problem$k, "exchange", list(maxit = 100L))
  } else {
    list(V = .Call(C_subpca, unclass(problem$operator), set, problem$m)$vectors, subset = set)
  }
  expand_rows(found$V, found$subset, problem$data)
}

# The one of ten random orthonormal matrices that captures most. Their rows are dealt out by the
# norms of the rows of the leading eigenvectors, so that the order of the columns does not count.
best_random_start <- function(problem, tries = 10L) {
  data <- problem$data
  order <- order_features(row_norms(problem$leading$vectors), data$square)
  best <- NULL
  for (i in seq_len(tries)) {
    drawn <- matrix(stats::rnorm(as.double(data$d) * problem$m), data$d)
    Q <- expand_rows(qr.Q(qr(drawn)), order, data)
    captured <- sum(Q * .Call(C_covop, unclass(problem$operator), Q)$product)
    if (is.null(best) || captured > best$captured) best <- list(Q = Q, captured = captured)
  }
  best$Q
}

# d x m from the rows of the features `index`
expand_rows <- function(rows, index, data) {
  loadings <- matrix(0, data$d, ncol(rows))
  loadings[index, ] <- rows
  loadings
}

descriptor_dscofs <- function() {
  descriptor(dscofs, bytes = function(s) principal_bytes(s) + 64 * s$d * s$m + exchange_bytes(s),
    rules = list(mu1 = optional(number(0)), mu2 = optional(number(0)), starts = whole(0L, 1e6)),
    control = q_defaults, check = check_dscofs, solve = solve_dscofs, include = "given",
    family = "sparse PCA", sees = "second moments",
    title = "Principal component analysis under double sparsity constraints",
    cost = "O(n d m) per iteration", reference = "doi:10.48550/arXiv.2501.00726", moments = TRUE,
    dimension = "m", basis = TRUE, points = dscofs_points
  )
}

# Points of a path over k: their fits start from sets that are found together. NULL where fits
# start from something else, and where columns of S are passes over blocks.
dscofs_points <- function(data, sizes, given, ...) {
  start <- named_start(given[["start"]], or_default(given[["starts"]], 1L))
  if (!is.character(start) || !"fspca" %in% start || length(sizes) < 3L) {
    return(NULL)
  }
  check_fit_size("dscofs", data, k = max(sizes), m = given[["m"]])
  data <- with_spectrum(data, given[["m"]])
  m <- pmin(resolve_dimension(given[["m"]], data, most = max(sizes)), sizes)
  data <- with_leading(data, max(m))
  operator <- data$operator
  if (!reads_columns(operator, sizes) ||
      leading_rank(operator$leading$values, data$d) < max(m)) {
    return(NULL)
  }
  sets <- chained_sets(operator, sizes, m)
  given <- given[setdiff(names(given), c(data_arguments, "m"))]
  fit <- NULL
  points <- lapply(seq_along(sizes), function(at) {
    # a set in the place of that of fspca()
    if (sizes[at] < data$d) data$known_set <- sets[[at]]
    fit <<- quietly(do.call(dscofs, c(list(data, sizes[at], m = m[at]), given), quote = TRUE))
    path_point(fit, fit$selected)
  })
  list(points = points, parameters = fit$parameters)
}
