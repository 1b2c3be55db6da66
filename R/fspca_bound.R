# How good a panel of k features is for principal components: an upper bound of what any
# panel of that size carries.

#' Upper bound of the variance that any k features carry
#'
#' Certifies a set of features, chosen by any method. It gives an upper bound of the variance that
#' any k features carry in m principal components, that is of
#' \deqn{\max_{W'W = I_m} \; \mathrm{tr}(W'SW) \quad \mbox{subject to at most }
#' k \mbox{ nonzero rows},}{
#' max over W'W = I_m of tr(W'SW) subject to at most k nonzero rows,}
#' with \eqn{S = X_c'X_c}{S = Xc'Xc}, and the variance that the given set carries.
#' `fspca(certify = TRUE)` does the same for the set of [fspca()].
#'
#' @section The bound:
#' Let \eqn{P = WW'}{P = WW'} and let z mark the k rows. Then P lies between 0 and Diag(z) and its
#' trace is m. The squares of row i sum to \eqn{P_{ii}}{P_ii}, and at most k of them are nonzero.
#' For every matrix U with rows \eqn{u_i}{u_i}, every positive semidefinite M and every positive
#' \eqn{\alpha}{alpha} it follows that
#' \deqn{\mathrm{tr}(SP) \le F(U, M, \alpha) = \sum_{c \le m} \lambda_c\left(S - M -
#' \frac{U + U'}{2} + \mathrm{Diag}(\alpha)\right) + \mbox{the } k \mbox{ largest } h_i,
#' \quad h_i = M_{ii} + \frac{s_i}{4 \alpha_i},}{
#' tr(SP) <= F(U, M, alpha) = the m largest eigenvalues of S - M - (U + U')/2 + Diag(alpha)
#' + the k largest h_i, h_i = M_ii + s_i / (4 alpha_i),}
#' where \eqn{s_i}{s_i} is the sum of \eqn{u_{ii}^2}{u_ii^2} and the k - 1 largest other
#' \eqn{u_{ij}^2}{u_ij^2}. F is convex; every choice of its variables gives a bound. U = M = 0 gives
#' the sum of the m largest eigenvalues of S, and M = S that of the k largest variances: these are
#' the two free bounds. F is smoothed and minimised by L-BFGS, with M = LL'. With many features the
#' variables are found on a core, at first 60 features, and extended to the others without a change
#' of the eigenvalues, or with a small one if it pays. Features whose value h in the extension
#' exceeds those of the core join it. No d x d matrix is formed where d is large.
#'
#' A feature outside the k largest h is in no better set if F, with its h in place of the smallest
#' of the k, is at most the best known value. A feature inside is in every better set if F without
#' it is at most this value. Rounding of the solution and exchanges look for better sets. Where few
#' features remain, branch and bound on the same relaxation may prove the best set optimal.
#'
#' @section What is certified:
#' Rounding errors of F only raise the bound: eigenvalues come from a method that finds all of them
#' and are raised by their error bound, and so are the terms of the rows. Sets that are better by at
#' most 1e-9 of the value are not searched, and the bound includes the skipped sets. "Optimal" thus
#' means: no set of k features carries more than 2e-9 more. The bound by the eigenvalues of S uses
#' iterated eigenvalues (residuals of 1e-10), raised by 1e-8. The bound applies to the given S:
#' where [moments()] hold a sketch, to the sketch.
#'
#' @section Cost:
#' About 1500 eigenvalue problems of the order of the core, at most 700. Where the gap is large
#' (many components, k near the rank) more time helps little: the relaxation itself is not tight
#' there. With features in `include`, only sets with these features are considered.
#'
#' @inheritParams fspca
#' @param selected The set to certify: names, columns, or a fit of any method, with at least m and
#'   at most k features. `NULL`: the best set found.
#' @param seconds Time limit in elapsed seconds from the call on. At most half of it goes into the
#'   search for a good set, the rest into the bound. Reading the data and the leading eigenvectors
#'   of S count and are not cut short. 0 gives the two free bounds and the set from the
#'   eigenvectors.
#' @param control Settings from [rowsparse_control()]; `verbose` shows the progress.
#'
#' @return A list of class `fspca_bound`:
#'   \item{k, m, d}{the sizes}
#'   \item{value}{variance that the selected set carries: the sum of its m leading eigenvalues}
#'   \item{bound}{no set of k features carries more}
#'   \item{share}{value over bound: the set carries at least this share of the maximum}
#'   \item{gap}{bound over value, less 1}
#'   \item{status}{`"optimal"`, `"within 2.1% of the optimum"`, `"not certified"` where only the
#'     free bounds were requested, or "nothing carried, where another panel carries something"}
#'   \item{best, best_value, best_gap}{the best set found, the variance it carries, and its gap to
#'     the bound}
#'   \item{free}{the two free bounds: `eigenvalues`, `variances`}
#'   \item{essential, excluded}{features that are in every set better than the best one, and in
#'     none: their roles at a tolerance of 0, see [alternatives()]}
#'   \item{nodes, evaluations, seconds}{of the search: nodes of branch and bound that were bounded,
#'     evaluations of the relaxation, elapsed time}
#'   \item{trace}{a list of the best known value (`value`) and the bound (`bound`) over time
#'     (`seconds`)}
#'   \item{feature_names, total}{names; tr(S)}
#' @section Errors:
#' Of class `rowsparse_error`: unusable data, `m` above min(n - 1, d), `k` below m or above d,
#' a set of another size, a negative time.
#' @references
#' Dey, Molinaro and Wang (2022) Solving sparse principal component analysis with global
#' support. Mathematical Programming. \doi{10.1007/s10107-022-01857-w}
#'
#' Cory-Wright and Pauphilet (2022) Sparse PCA with multiple components.
#' \doi{10.48550/arXiv.2209.14790}
#'
#' Berk and Bertsimas (2019) Certifiably optimal sparse principal component analysis.
#' Mathematical Programming Computation 11, 381-420. \doi{10.1007/s12532-018-0153-6}
#' @seealso [fspca()]; [alternatives()] for sets that are nearly as good
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 12), 40) %*% diag(runif(12, 0.3, 1.5))
#' fspca_bound(x, k = 5, m = 2, selected = variance(x))
#' @export
fspca_bound <- function(x, k, m = NULL, selected = NULL, seconds = 60, scale = FALSE,
                        control = rowsparse_control(), include = NULL, exclude = NULL,
                        block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  check_given(missing(k), "k")
  seconds <- check_number(seconds, "seconds", 0)
  control <- resolve_control(control, tol = 0, maxit = 100L)
  block <- block_beside(block, selected, x)
  data <- as_data(x, scale, assay, block, include, exclude)
  k <- check_basis_size(k, m, data)
  data <- with_spectrum(data, m)
  m <- resolve_dimension(m, data, most = k)
  set <- set_to_certify(selected, k, m, data)
  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  # half of the time at most for a good set, the rest for the bound
  fit <- run_fspca(operator, leading, k, "exchange", control,
    seconds = time_left(started, seconds) / 2
  )
  proof <- certify_set(operator, leading, fit, time_left(started, seconds), control$verbose)
  value <- if (is.null(set)) proof$value else sum(polished_basis(operator, data, set, m)$values)
  new_fspca_bound(data, k, m, set, value, proof)
}

new_fspca_bound <- function(data, k, m, set, value, proof) {
  bound <- bound_above(proof$bound, value)
  gap <- bound / value - 1
  structure(
    list(
      k = k, m = m, d = view_of(data)$d, selected = outer_index(or_default(set, proof$set), data),
      value = value, bound = bound, share = value / bound, gap = gap,
      status = certificate_words(gap, proof$is_certified),
      best = outer_index(proof$set, data), best_value = proof$value,
      best_gap = bound / proof$value - 1, free = proof$free,
      essential = outer_index(proof$essential, data),
      excluded = outer_index(proof$excluded, data),
      nodes = proof$nodes, evaluations = proof$evaluations, seconds = proof$seconds,
      trace = proof$trace,
      feature_names = view_of(data)$names, total = data_trace(data)
    ),
    class = "fspca_bound"
  )
}

# columns of a set that is given, or NULL
set_to_certify <- function(selected, k, m, data) {
  if (is.null(selected)) {
    return(NULL)
  }
  whole <- view_of(data)
  index <- if (inherits(selected, "rowsparse")) {
    selected_index(selected, if (is.null(selected$selected)) k)
  }
  set <- feature_columns(selected, "selected", whole$d, whole$names, index)
  set <- inner_index(unique(as.integer(set)), data)
  if (anyNA(set)) {
    stop_rowsparse("names", "selected", "must not hold features that are in `exclude`")
  }
  if (length(set) < m || length(set) > k) {
    stop_rowsparse("length", "selected",
      sprintf("must hold at least m = %d and at most k = %d features", m, k), length(set)
    )
  }
  set
}

# ---- the certificate ---------------------------------------------------------

# seconds that `certify = TRUE` means
certify_seconds <- 60

# FALSE, TRUE or seconds, as seconds
check_certify <- function(certify) {
  if (is.logical(certify)) {
    return(if (check_flag(certify, "certify")) certify_seconds else 0)
  }
  check_number(certify, "certify", 0)
}

# the two bounds that cost nothing
free_bounds <- function(operator, leading, k) {
  square <- operator$square
  locked <- operator$locked
  others <- setdiff(seq_along(square), locked)
  first <- sort(square[others], decreasing = TRUE)[seq_len(k - length(locked))]
  c(
    eigenvalues = sum(leading$values) * (1 + 1e-8),
    variances = (sum(square[locked]) + sum(first)) * (1 + 1e-11)
  )
}

# differences of values that do not count, as shares: of a certificate, and of a proof
certify_tie <- 1e-9
exact_tie <- 1e-12

# rows of the first core and of the largest one, rows at which branching begins, nodes
certify_sizes <- list(core = 60L, most = 700L, few = 200L, nodes = 1e6)

# the same, as far as there is memory
certificate_sizes <- function(operator, k) {
  room <- memory_bytes() / 8 / 4 / operator$d
  most <- max(k + 1, min(certify_sizes$most, room))
  utils::modifyList(certify_sizes, list(most = as.integer(max(most, 1.5 * k))))
}

# `fit`: as run_fspca() gives it, with its set, its value and whether that is optimal
certify_set <- function(operator, leading, fit, seconds, verbose = FALSE, tie = certify_tie) {
  k <- length(fit$subset)
  free <- free_bounds(operator, leading, k)
  value <- sum(fit$values)
  proof <- list(
    set = fit$subset, value = value, bound = bound_above(min(free), value), free = free,
    is_certified = fit$is_global, complete = FALSE, essential = integer(),
    excluded = integer(), nodes = 0, evaluations = 0, seconds = 0, trace = NULL
  )
  if (fit$is_global) proof$bound <- value
  if (fit$is_global || seconds == 0 || value <= 0) {
    return(proof)
  }
  check_certifiable(operator)
  settings <- c(
    list(
      m = length(fit$values), value = value, bound = proof$bound, time_limit = seconds,
      verbose = verbose, tie = tie, form = operator$kind == "blocks"
    ),
    certificate_sizes(operator, k)
  )
  found <- .Call(C_fspca_bound, unclass(operator), fit$subset, settings)
  proof[names(found)] <- found
  proof$bound <- bound_above(proof$bound, proof$value)
  proof$is_certified <- TRUE
  proof
}

# features of data in blocks whose S is formed
formed_features <- 3000L

check_certifiable <- function(operator) {
  if (operator$kind == "blocks" && operator$d > formed_features) {
    stop_rowsparse("size", "x",
      sprintf("must have at most %d features for a certificate of data in blocks, which needs S",
        formed_features
      ),
      operator$d, "Certify from the moments of the most variable features"
    )
  }
}

# A bound may be below what a set carries by rounding, and is then what the set carries; by
# more than that it is wrong, and so is everything that would be said with it
bound_above <- function(bound, value) {
  if (!isTRUE(bound >= value * (1 - optimal_gap))) {
    stop_core("internal", "the bound of a set",
      sprintf("a set carries %.17g, above the bound %.17g", value, bound)
    )
  }
  max(bound, value)
}

# gaps that are rounding, and the ties that may be left out
optimal_gap <- 2e-9

certificate_words <- function(gap, is_certified = TRUE) {
  if (!is_certified) {
    return("not certified")
  }
  if (!is.finite(gap)) {
    return("nothing carried, where another panel carries something")
  }
  if (gap <= optimal_gap) {
    return("optimal")
  }
  # rounded up: the words must hold
  percent <- 100 * gap
  digits <- max(0, 1 - floor(log10(percent)))
  sprintf("within %s%% of the optimum", format(ceiling(percent * 10^digits) / 10^digits))
}

#' @rdname fspca_bound
#' @param x,... For `print()`: the certificate; unused.
#' @export
print.fspca_bound <- function(x, ...) {
  number <- one_number
  share <- rule("a number or Inf", function(v, x) is.numeric(v) && length(v) == 1L && !is.na(v))
  columns <- rule("columns", function(v, x) is.numeric(v) || length(v) == 0L)
  check_elements(x, "x", "a bound", list(
    d = number, k = number, m = number, value = number, best_value = number, bound = number,
    total = number, share = share, selected = columns, essential = columns, excluded = columns,
    status = one_string,
    free = rule("two numbers", function(v, x) {
      is.numeric(v) && all(c("eigenvalues", "variances") %in% names(v))
    })
  ), c("d", "k", "m", "value", "best_value", "bound", "total", "share", "status", "free"))
  cat(sprintf("This panel of %s of %.0f carries at least %s of what any panel of %.0f could\n",
    count_of(length(x$selected), "feature"), x$d, floor_percent(x$share), x$k
  ))
  cat(sprintf("(in %s: %s of the variance, %s at most; %s).\n", count_of(x$m, "component"),
    percent_of(x$value, x$total), percent_of(x$bound, x$total), x$status
  ))
  cat(sprintf("Free bounds: eigenvalues %s, largest variances %s.\n",
    percent_of(x$free[["eigenvalues"]], x$total), percent_of(x$free[["variances"]], x$total)
  ))
  if (x$best_value > x$value * (1 + 1e-9)) {
    cat(sprintf("Another panel carries %s: see $best.\n", percent_of(x$best_value, x$total)))
  }
  if (length(x$essential) + length(x$excluded) > 0) {
    cat(sprintf("In every better panel: %.0f features; in none: %.0f; left to decide: %.0f.\n",
      length(x$essential), length(x$excluded),
      x$d - length(x$essential) - length(x$excluded)
    ))
  }
  invisible(x)
}

# rounded down: the words must hold
floor_percent <- function(share) {
  if (share >= 1 - optimal_gap) "100%" else sprintf("%.1f%%", floor(1000 * share) / 10)
}

percent_of <- function(value, total) {
  sprintf("%.1f%%", 100 * value / total)
}
