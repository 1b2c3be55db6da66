#' FSPCA: PCA on exactly k features
#'
#' Selects exactly k features on which m principal components carry as much variance as possible,
#' without labels. It is fast and takes every kind of data. `solver = "go"` is the default of
#' [rowsparse()] for expression objects, `solver = "exact"` proves the best set, and
#' `certify = TRUE` bounds the distance of any result from the best possible set.
#'
#' @section The problem:
#' \deqn{\max_{W'W = I_m} \; \mathrm{tr}(W'SW) \quad \mbox{subject to at most }
#' k \mbox{ nonzero rows},}{
#' max over W'W = I_m of tr(W'SW) subject to at most k nonzero rows,}
#' where \eqn{S = X_c'X_c}{S = Xc'Xc} is the scatter matrix of the centred
#' data. For a set \eqn{I} of k features the best W holds the m leading
#' eigenvectors of \eqn{S_{II}}{S[I, I]}, so the problem is to find the set.
#'
#' @section Solvers:
#' \describe{
#'   \item{`"exchange"`}{projection updates (`"ipu"`) from several sets: the set of `"go"`, the
#'     largest rows of the leading eigenvectors, the largest variances, and `starts` random sets.
#'     From the three best results single features are exchanged as long as an exchange improves the
#'     objective, and again after some features were replaced. Never worse than `"go"` and
#'     `"ipu"`, deterministic without `starts`, and limited to about 3e9 multiplications.}
#'   \item{`"go"`}{the k largest diagonal entries of the best rank-m approximation of S, in closed
#'     form. The global solution if the rank of S is at most m.}
#'   \item{`"ipu"`}{iterative projection updates, from the set of `"go"`: with the current W the
#'     surrogate \eqn{P = SW(W'SW)^+W'S}{P = S W (W'SW)^+ W'S} lies below S, and the next set has
#'     the k largest diagonal entries of P, until the set no longer changes: a local solution. The
#'     authors add 0.1 to the diagonal of S in place of the pseudo-inverse.}
#'   \item{`"exact"`}{the set of `"exchange"`, then the search of the certificate (see
#'     [alternatives()]) until a set is proved best or `time_limit` is over: a convex bound, which
#'     eliminates or fixes features, then branch and bound on up to some 700 features that it leaves
#'     open. How large a problem may be depends on how many sets come near the best one.}
#' }
#' If m = k every solver takes the k largest variances, which is optimal. Where the set is known to
#' be optimal, `gap` is 0: no set, of those that hold the features in `include`, has an objective
#' that is better by more than rounding (2e-12 of it). Scores that differ by rounding (1e-11 of the
#' largest) tie; ties go to the feature of larger variance.
#'
#' @section Certificate:
#' No set of k features has an objective below `bound`. Without `certify`, `bound` is the better of
#' two free bounds, the sums of the m largest eigenvalues of S and of its k largest diagonal
#' entries, mostly far from tight. `certify` asks for the search of `"exact"` after that of another
#' solver; a better set that it meets is taken. See [alternatives()] for the mathematics and the
#' exact claims. With `rules` the bound is for all sets of k features, also those that violate the
#' rules: `gap` includes the cost of the rules, and `essential` and `excluded` are empty.
#' @inheritParams dscofs
#' @inheritParams cdlsr
#' @param solver How the set is found, by default by `"exchange"`; `"exact"` proves it. See Solvers.
#' @param starts Number of further random sets that `"exchange"` starts from; `NULL`: none.
#' @param certify `FALSE` for the free bounds, `TRUE` for a certificate within a minute, or a number
#'   of elapsed seconds for it, counted from the end of the search for the set. `"exact"` uses
#'   `time_limit` instead.
#' @param groups One label for each column of x, or a list of columns by name or number: [groups],
#'   of which `k` then counts.
#' @param time_limit Seconds of elapsed time, from the call on, after which `"exact"` stops and
#'   reports the gap; `Inf` for a search to the end. At most half of it goes into a good set.
#' @param control Settings from [rowsparse_control()]; only `maxit` (default 100), `verbose` count.
#'
#' @return A list of class `c("fspca", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{the diagonal entries from which the set was chosen: of P for `"ipu"`,
#'     `"exchange"` and `"exact"`, of the rank-m approximation of S for `"go"` (and of S where m =
#'     k)}
#'   \item{loadings}{W, d x m, orthonormal, zero outside the selected rows}
#'   \item{objective}{-tr(W'SW) at the start and after each iteration, in the units of the data}
#'   \item{values}{the m leading eigenvalues of \eqn{S_{II}}{S[I, I]}}
#'   \item{captured}{sum of `values` over tr(S)}
#'   \item{certificate}{a list: `status` (`"optimal"`, `"within 2.1% of the optimum"`,
#'     `"not certified"`), also the `status` of a certified fit; `bound`, an upper bound of the
#'     variance that any set carries; `free`, the two free bounds; `essential` and `excluded`, the
#'     features that are in every set better than the best known one, and in none; `nodes`,
#'     `evaluations`, `seconds`; `trace`, a list of the best known value (`value`) and the bound
#'     (`bound`) over time (`seconds`)}
#'
#' @references
#' Nie, Tian, Wang and Li (2023) Learning feature-sparse principal subspace. IEEE Transactions on
#' Pattern Analysis and Machine Intelligence 45, 4858-4869.
#'
#' Tian, Nie, Wang and Li (2020) Learning feature sparse principal subspace.
#' Advances in Neural Information Processing Systems 33.
#' @seealso [alternatives()], [dscofs()], [spcafs()]
#' @examples
#' set.seed(1)
#' x <- matrix(rnorm(40 * 12), 40) %*% diag(runif(12, 0.3, 1.5))
#' for (solver in c("exchange", "go", "ipu", "exact")) {
#'   fit <- fspca(x, k = 5, m = 2, solver = solver)
#'   cat(solver, selected(fit), format(fit$captured, digits = 4), "\n")
#' }
#' @export
fspca <- function(x, k, m = NULL, solver = c("exchange", "go", "ipu", "exact"), starts = NULL,
                  certify = FALSE, scale = FALSE, control = rowsparse_control(), include = NULL,
                  exclude = NULL, time_limit = 60, block = NULL, assay = NULL, groups = NULL,
                  rules = NULL) {
  run_method("fspca")
}

solve_fspca <- function(data, args, control) {
  grouped <- searches_groups(data)
  if (grouped) data <- hold_blocks(data, "fspca")
  k <- args$k
  m <- args$m
  drawn <- fspca_starts(args$starts, k, data)
  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  exact <- args$solver == "exact"
  seconds <- if (args$certify > 0) args$certify
  if (exact) seconds <- time_left(args$started, args$time_limit)
  found <- if (grouped) {
    find_fspca_groups(data, operator, leading, k, m, control, seconds)
  } else if (exact) {
    prove_set(operator, leading, k, control, drawn, args$started, args$time_limit)
  } else {
    fit <- run_fspca(operator, leading, k, args$solver, control, drawn)
    list(fit = fit, proof = certify_set(operator, leading, fit, args$certify, control$verbose))
  }
  fit <- found$fit
  if (!grouped) fit <- with_better_set(fit, found$proof, operator, leading, control)
  parameters <- args[c("m", "k", "solver", "starts", "certify", "time_limit")]
  c(list(parameters = parameters), told_of_fspca(data, fit, found$proof))
}

# the raw result; `starts`: columns of further sets; `seconds` that the search may take
run_fspca <- function(operator, leading, k, solver, control, starts = NULL,
                      work = exchange_work, perturbations = exchange_perturbations, seconds = Inf) {
  started <- proc.time()[["elapsed"]]
  m <- length(leading$values)
  square <- operator$square
  exchanges <- solver == "exchange"
  # the diagonal of the best approximation of rank m, and where Go's set by it is the best one
  own <- if (m == k) square else as.vector(leading$vectors^2 %*% leading$values)
  rest <- sum(square) - sum(leading$values)
  global <- solver != "given" &&
    (m == k || rest <= 4 * .Machine$double.eps * operator$d * sum(square))
  largest <- function(scores, ...) largest_set(scores, operator, k, ...)
  if (solver != "given") {
    starts <- if (global) {
      # the k features of the closed form may lose the rounding of the objective by ties
      cbind(largest(own, exact_tie / k))
    } else if (!exchanges) {
      cbind(largest(own))
    } else {
      cbind(largest(own), largest(rowSums(leading$vectors^2)), largest(leading$vectors[, 1]^2),
        largest(square), starts
      )
    }
  }
  climbs <- solver %in% c("exchange", "ipu") && !global
  fit <- .Call(C_fspca, unclass(operator), starts, list(
    m = m, maxit = if (climbs) control$maxit else 0L, seconds = seconds
  ))
  if (solver == "go" || global) fit$scores <- own
  fit$is_global <- global || (exchanges && k == operator$d)
  if (!exchanges || fit$is_global || work == 0 || !reads_columns(operator, k)) {
    return(fit)
  }
  ends <- fit$ends[, seq_len(fit$end_count), drop = FALSE]
  set <- exchanged_set(operator, ends, k, m, work / 4,
    perturb = perturbations, perturb_work = work, seconds = time_left(started, seconds)
  )$set
  with_better_set(fit, list(set = set), operator, leading, control)
}

# the best set of k features that exchanges make of the starts, which may have other sizes
exchanged_set <- function(operator, starts, k, m, work, ...) {
  find_units(operator, NULL, NULL, find_settings("trace", k,
    m = m, starts = starts, forward = FALSE, tol = 1e-12, maxit = 1000L, work = work, ...
  ))
}

# `solver = "exact"`: half of the time at most for a good set, the rest for the proof
prove_set <- function(operator, leading, k, control, starts, started, time_limit) {
  fit <- run_fspca(operator, leading, k, "exchange", control, starts,
    seconds = time_left(started, time_limit) / 2
  )
  proof <- certify_set(operator, leading, fit, time_left(started, time_limit), control$verbose,
    tie = exact_tie
  )
  # where even the free bound is what the set carries, nothing is left to prove
  fit$is_global <- fit$is_global || proof$complete || proof$bound <= proof$value
  fit$converged <- fit$converged && fit$is_global
  proof$is_certified <- TRUE
  list(fit = fit, proof = proof)
}

# the k features of the largest scores, and of the largest variances among those that tie
largest_set <- function(scores, operator, k, ...) {
  sort(include_first(order_features(scores, operator$square, ...), operator)[seq_len(k)])
}

# the search for the certificate may have met a better set. Features that vary take the place of
# constant ones of it: the set then carries no less.
with_better_set <- function(fit, proof, operator, leading, control) {
  k <- length(fit$subset)
  set <- largest_set(as.double(seq_len(operator$d) %in% proof$set), operator, k)
  if (setequal(set, fit$subset)) {
    return(fit)
  }
  better <- run_fspca(operator, leading, k, "given", control, matrix(set, k))
  if (sum(better$values) <= sum(fit$values)) {
    return(fit)
  }
  better$objective <- c(fit$objective, utils::tail(better$objective, 1))
  better[c("is_global", "converged")] <- fit[c("is_global", "converged")]
  better
}

# what a fit tells of a set and its proof: arguments of new_fit()
told_of_fspca <- function(data, fit, proof) {
  chosen <- order_features(fit$scores[fit$subset], raw_square(data)[fit$subset])
  if (is_grouped(data)) chosen <- order(-fit$scores[fit$subset], inner_of(data)[fit$subset])
  objective <- utils::tail(fit$objective, 1)
  bound <- if (fit$is_global) objective else -bound_above(proof$bound, -objective)
  gap <- relative_gap(objective, bound)
  certificate <- list(
    status = certificate_words(gap, proof$is_certified),
    bound = bound_above(proof$bound, sum(fit$values)), free = proof$free,
    essential = outer_index(proof$essential, data), excluded = outer_index(proof$excluded, data),
    nodes = proof$nodes, evaluations = proof$evaluations, seconds = proof$seconds,
    trace = proof$trace
  )
  list(
    scores = fit$scores, selected = fit$subset[chosen],
    loadings = expand_rows(fit$V, fit$subset, data), objective = fit$objective,
    iterations = length(fit$objective) - 1L, converged = fit$converged,
    status = if (proof$is_certified) certificate$status else fit$status, bound = bound, gap = gap,
    values = fit$values, captured = sum(fit$values) / data_trace(data), nodes = proof$nodes,
    certificate = certificate,
    undecided = if (isTRUE(proof$tied)) "another set has the same objective"
  )
}

# multiplications that exchanges may take, and perturbations in a row that lead to nothing
exchange_work <- 3e9
exchange_perturbations <- 60L

# random sets, one per column
fspca_starts <- function(starts, k, data) if (!is.null(starts)) t(random_sets(starts, k, data))

# updates of the set, on k x k matrices, and exchanges, which keep columns of S
exchange_bytes <- function(s) {
  kept <- pmin(s$d, 2 * s$k + 64)
  8 * ((13 * s$m + s$k + kept) * s$d + 5 * s$k^2 + s$n * s$k)
}

asks_certificate <- function(certify) !is.null(certify) && check_certify(certify) > 0

# rows of S, the relaxation of the largest core, and the open nodes of branch and bound
certify_bytes <- function(s) {
  most <- min(s$d, max(certify_sizes$most, 1.5 * s$k))
  8 * (s$d * (most + 150) + 28 * most^2 + 2.5e7)
}

descriptor_fspca <- function() {
  descriptor(fspca,
    rules = list(
      starts = optional(whole(0L, 1e6)), certify = check_certify,
      time_limit = function(value, argument) {
        if (is_unlimited(value)) Inf else check_number(value, argument, 0)
      }
    ),
    control = list(tol = 0, maxit = 100L), solve = solve_fspca, check = function(args, data) {
      replace(args, "k", check_basis_size(args$k, args[["m"]], data))
    },
    bytes = function(s) {
      certified <- identical(s$solver, "exact") || asks_certificate(s$certify)
      spectrum_bytes(s) + exchange_bytes(s) + if (certified) certify_bytes(s) else 0
    },
    include = "given", family = "sparse PCA", sees = "second moments",
    title = "Feature-sparse principal component analysis", cost = "O(n d m + k^3) per iteration",
    reference = "Nie, Tian, Wang and Li (2023), IEEE TPAMI 45, 4858-4869", dimension = "m",
    basis = TRUE, points = fspca_points, moments = TRUE,
    only_leading = function(given) { # the closed form alone
      identical(given[["solver"]], "go") && !asks_certificate(given[["certify"]])
    }
  )
}
