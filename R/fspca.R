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
#'     objective, and again after two or three features were replaced. The gain of an added feature
#'     is bounded from the eigenpairs of the set without the replaced feature, and the most
#'     promising candidates are evaluated exactly. Never worse than `"go"` and `"ipu"`,
#'     deterministic without `starts`, and limited to about 3e9 multiplications.}
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
#' be optimal, `gap` is 0: no set has an objective that is better by more than rounding (2e-12 of
#' the objective). Every set holds the features in `include`, and `"exact"` and `bound` refer to the
#' sets that hold them. Scores that differ by rounding (1e-11 of the largest) tie; ties go to the
#' feature of larger variance.
#'
#' @section Certificate:
#' No set of k features has an objective below `bound`. Without `certify`, `bound` is the better of
#' two free bounds, the sums of the m largest eigenvalues of S and of its k largest diagonal
#' entries, mostly far from tight. With `certify` a convex bound is minimised and features are
#' eliminated; where few features remain, branch and bound may prove the set optimal; a better set
#' that the search meets is taken. See [alternatives()] for the mathematics and the exact claims.
#' With `rules` the bound is for all sets of k features, also those that violate the rules: `gap`
#' includes the cost of the rules, and `essential` and `excluded` are empty.
#' @inheritParams dscofs
#' @param solver How the set is found: `"exchange"`, the default, by exchanges of features from
#'   several starts; `"go"` in closed form; `"ipu"` by projection updates from the set of `"go"`;
#'   `"exact"` with a proof that no set is better. See Solvers.
#' @param starts Number of further random sets that `"exchange"` starts from; `NULL`: none.
#' @param certify `FALSE` for the free bounds, `TRUE` for a certificate within a minute, or a number
#'   of elapsed seconds for it (0 as `FALSE`). The time counts from the end of the search for the
#'   set, which takes as long as without a certificate; in [rowsparse_path()] it applies to every
#'   size. `"exact"` uses `time_limit` instead.
#' @param groups One label for each column of x, or a list of columns by name or number: [groups],
#'   of which `k` then counts.
#' @param rules Rules that the panel must obey beside its size, from [panel_rules()].
#' @param time_limit Seconds of elapsed time, from the call on, after which `"exact"` stops and
#'   reports the gap; `Inf` for a search to the end. At most half of the time goes into the search
#'   for a good set, the rest into the proof.
#' @param control Settings from [rowsparse_control()]; only `maxit` (projection
#'   updates, default 100) and `verbose` have a meaning here.
#'
#' @return A list of class `c("fspca", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{scores}{the diagonal entries from which the set was chosen: of P for `"ipu"`,
#'     `"exchange"` and `"exact"`, of the rank-m approximation of S for `"go"` (and of S where m =
#'     k)}
#'   \item{selected}{the k selected columns in rank order}
#'   \item{loadings}{W, d x m, orthonormal, zero outside the selected rows}
#'   \item{objective}{-tr(W'SW) at the start and after each iteration, in the units of the data}
#'   \item{values}{the m leading eigenvalues of \eqn{S_{II}}{S[I, I]}}
#'   \item{captured}{sum of `values` over tr(S)}
#'   \item{bound, gap}{no set has an objective below `bound`; `gap` is 0 or rounding where the set
#'   is known to be optimal}
#'   \item{certificate}{a list: `status` (`"optimal"`, `"within 2.1% of the optimum"`,
#'     `"not certified"`), also the `status` of a certified fit; `bound`, an upper bound of the
#'     variance that any set carries; `free`, the two free bounds; `essential` and `excluded`, the
#'     features that are in every set better than the best known one, and in none; `nodes`,
#'     `evaluations`, `seconds`; `trace`, a list of the best known value (`value`) and the bound
#'     (`bound`) over time (`seconds`)}
#'   \item{converged}{`FALSE` where `"exact"` ran out of time}
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
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(k), "k")
  solver <- check_choice(solver, "solver", c("exchange", "go", "ipu", "exact"))
  seconds <- check_certify(certify)
  time_limit <- if (identical(time_limit, Inf)) Inf else check_number(time_limit, "time_limit", 0)
  control <- resolve_control(control, tol = 0, maxit = 100L)
  data <- as_data(x, scale, assay, block, include, exclude, groups = groups)
  k <- check_basis_size(k, m, data)
  data <- add_rules(data, rules, k)
  check_searched(data, solver, starts = starts)
  if (searches_groups(data)) data <- hold_blocks(data, "fspca")
  check_fit_size("fspca", data,
    k = needed_columns(k, data), m = m, solver = solver, certify = seconds,
    time_limit = time_limit, control = control
  )
  data$only_leading <- is_go_alone(list(solver = solver, certify = certify))
  data <- with_spectrum(data, m)
  m <- resolve_dimension(m, data, most = needed_columns(k, data, largest = FALSE))

  drawn <- fspca_starts(starts, k, data)
  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  found <- if (searches_groups(data)) {
    find_fspca_groups(data, operator, leading, k, m, control, if (solver == "exact") {
      time_left(started, time_limit)
    } else if (seconds > 0) {
      seconds
    })
  } else if (solver == "exact") {
    prove_set(operator, leading, k, control, drawn, started, time_limit)
  } else {
    fit <- run_fspca(operator, leading, k, solver, control, drawn)
    list(fit = fit, proof = certify_set(operator, leading, fit, seconds, control$verbose))
  }
  proof <- found$proof
  fit <- found$fit
  if (!searches_groups(data)) fit <- with_better_set(fit, proof, operator, leading, control)
  parameters <- list(
    m = m, k = k, solver = solver, starts = starts, certify = seconds, time_limit = time_limit
  )
  new_fspca(data, operator, fit, proof, c(parameters, control), call, started)
}

# the raw result; `starts`: columns of further sets; `seconds` that exchanges may take
run_fspca <- function(operator, leading, k, solver, control, starts = NULL,
                      work = exchange_work, perturbations = exchange_perturbations, seconds = Inf) {
  # columns of S are passes over blocks
  if (operator$kind == "blocks") work <- 0
  .Call(C_fspca, unclass(operator), leading, list(
    k = k, solver = solver, maxit = control$maxit, starts = starts, work = work,
    perturbations = perturbations, seconds = seconds
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

# the search for the certificate may have met a better set
with_better_set <- function(fit, proof, operator, leading, control) {
  if (setequal(proof$set, fit$subset)) {
    return(fit)
  }
  k <- length(fit$subset)
  better <- run_fspca(operator, leading, k, "given", control, matrix(proof$set, k))
  if (sum(better$values) <= sum(fit$values)) {
    return(fit)
  }
  better$objective <- c(fit$objective, utils::tail(better$objective, 1))
  better[c("is_global", "converged")] <- fit[c("is_global", "converged")]
  better
}

new_fspca <- function(data, operator, fit, proof, parameters, call, started) {
  chosen <- order_features(fit$scores[fit$subset], raw_square(data)[fit$subset])
  if (is_grouped(data)) chosen <- order(-fit$scores[fit$subset], inner_of(data)[fit$subset])
  selected <- fit$subset[chosen]
  objective <- utils::tail(fit$objective, 1)
  bound <- if (fit$is_global) objective else -bound_above(proof$bound, -objective)
  gap <- relative_gap(objective, bound)
  status <- certificate_words(gap, proof$is_certified)
  new_fit("fspca", data,
    scores = fit$scores, selected = selected, loadings = expand_rows(fit$V, fit$subset, data),
    objective = fit$objective, iterations = length(fit$objective) - 1L,
    converged = fit$converged, status = if (proof$is_certified) status else fit$status,
    bound = bound, gap = gap,
    parameters = parameters, call = call, started = started, verbose = parameters$verbose,
    values = fit$values, captured = sum(fit$values) / data_trace(data), nodes = proof$nodes,
    certificate = list(
      status = status, bound = bound_above(proof$bound, sum(fit$values)), free = proof$free,
      essential = outer_index(proof$essential, data),
      excluded = outer_index(proof$excluded, data),
      nodes = proof$nodes, evaluations = proof$evaluations, seconds = proof$seconds,
      trace = proof$trace
    )
  )
}

# multiplications that exchanges may take, and perturbations
exchange_work <- 3e9
exchange_perturbations <- 300L

# random sets, one per column, with the features that are locked in
fspca_starts <- function(starts, k, data) {
  if (is.null(starts)) {
    return(NULL)
  }
  starts <- check_count(starts, "starts", 0L, 1e6)
  eligible <- setdiff(given_order(data), c(which(data$constant), data$locked))
  others <- setdiff(which(data$constant), data$locked)
  free <- k - length(data$locked)
  few <- max(0L, free - length(eligible))
  sets <- vapply(seq_len(starts), function(i) {
    drawn <- eligible[sample.int(length(eligible), free - few)]
    as.integer(c(data$locked, drawn, others[seq_len(few)]))
  }, integer(k))
  matrix(sets, k, starts)
}

# ---- descriptor -------------------------------------------------------------

# updates of the set, on k x k matrices, and exchanges
exchange_bytes <- function(s) 8 * ((13 * s$m + s$k) * s$d + 5 * s$k^2 + s$n * s$k)

asks_certificate <- function(certify) !is.null(certify) && check_certify(certify) > 0

# rows of S, the relaxation of the largest core, and the open nodes of branch and bound
certify_bytes <- function(s) {
  most <- min(s$d, max(certify_sizes$most, 1.5 * s$k))
  8 * (s$d * (most + 150) + 28 * most^2 + 2.5e7)
}

descriptor_fspca <- function() {
  descriptor(fspca,
    bytes = function(s) {
      certified <- identical(s$solver, "exact") || asks_certificate(s$certify)
      spectrum_bytes(s) + exchange_bytes(s) + if (certified) certify_bytes(s) else 0
    },
    include = "given", family = "sparse PCA", sees = "second moments",
    title = "Feature-sparse principal component analysis", cost = "O(n d m + k^3) per iteration",
    reference = "Nie, Tian, Wang and Li (2023), IEEE TPAMI 45, 4858-4869", dimension = "m",
    basis = TRUE, points = fspca_points, only_leading = is_go_alone, moments = TRUE
  )
}

# in closed form, and without a certificate
is_go_alone <- function(given) {
  identical(given[["solver"]], "go") && !asks_certificate(given[["certify"]])
}
