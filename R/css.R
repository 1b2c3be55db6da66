#' Column subset selection: the features that best reproduce all others
#'
#' Selects k features from which all others can be reconstructed best by linear regression, without
#' labels. Use it to replace a table by few of its own columns: near-copies are never selected
#' together. `fit$explained` is the share of the variance that the k features keep.
#'
#' @section The problem:
#' The problem of [cdlsr()] with the data themselves as the response,
#' \deqn{\min_J \; \|X_c - P_J X_c\|^2, \qquad |J| = k,}{
#' min over J, |J| = k, of ||Xc - P_J Xc||^2,}
#' where \eqn{P_J} projects on the span of the selected columns of the centred data \eqn{X_c}{Xc};
#' or, unless `m = Inf`, with the m leading component scores \eqn{X_c V_m}{Xc Vm} as the response.
#' With [groups] J holds the columns of k groups.
#'
#' @section Solvers:
#' `"forward"` adds, one at a time, the feature that raises the reproduced variance most.
#' `"exchange"` then exchanges single features, scored by their exact effect with the other k - 1
#' projected out, until no exchange of one feature improves the set. Unless `path = FALSE`, it does
#' this for every size 1, ..., k, each from the previous size and its best addition. For the set of
#' size k the search continues: a quarter of its features are repeatedly replaced by others, from a
#' fixed sequence, exchanges follow, and the best set is kept. The amount of work does not depend on
#' a clock.
#'
#' `"exact"` proves by branch and bound that no other set of k features reproduces more. The
#' variance reproduced by sets with some given features is bounded by the share of these features
#' and the largest eigenvalues of the residual. A proof can be expected for k = 1 to 3 up to some
#' thousand features, for k = 4 up to about 1000 and for k = 5 up to about 300, and for fewer where
#' features are less alike than pixels or neighbouring genes (`Rscript bench/checked.R proofs`). On
#' larger problems the search stops at `time_limit` with a bound that is far from the optimum and
#' says little about the quality of the set. `status` says so where the search did not improve the
#' bound.
#'
#' For n < d the work is on the n x n matrix \eqn{X_c X_c'}{Xc Xc'} and
#' O(d) further numbers, for d <= n on the d x d matrix \eqn{X_c'X_c}{Xc'Xc}. Features that tie
#' (gains within 1e-10 of the largest) are ordered by their variance before scaling. A feature
#' counts as dependent on others when its residual, given the others, has less than 3e-5 of its
#' norm, or less than 1e-4 where cross-products are used (d <= n, and moments). Claims of `"exact"`
#' cover sets of independent features in this sense, and hold to within `tol` of the total; where
#' cross-products alone do not distinguish some sets from the best one, the status is "not proved".
#'
#' @inheritParams cdlsr
#' @param x Data, see [rowsparse_data].
#' @param k Number of features, at most min(n - 1, features that vary).
#' @param m Number of leading components to reproduce; `Inf` reproduces the data themselves. `NULL`:
#'   as many as carry 90% of the variance, at most 50.
#' @param solver How the set is found: `"exchange"`, the default, improves the set of `"forward"`
#'   selection; `"forward"` alone is faster, and its smaller sets are the beginnings of the larger
#'   ones; `"exact"` also proves that no set is better, where time allows. See Solvers.
#' @param scale Divide features by their standard deviation? By default not: features of large
#'   variance count more. Use `TRUE` where features differ in units.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-9 (the least gain that
#'   counts, relative to the total), `maxit` 100 sweeps.
#' @param path Keep the sets of every size up to k? `FALSE` saves time.
#' @param time_limit Seconds of elapsed time, from the call on, after which `"exact"` stops and
#'   reports the gap. Single exchanges, and the work for a first bound (the products of all
#'   features, and eigenvectors), are not cut short.
#'
#' @return A list of class `c("css", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{selected, scores, gains}{as in [cdlsr()], in shares of the response}
#'   \item{loadings}{W (d x m), which maps the selected features to the component scores; `NULL` for
#'     `m = Inf`}
#'   \item{objective}{squared norm of the residual, at the start of the descent and after each
#'     sweep}
#'   \item{explained}{share of the centred sum of squares of x that the set reproduces; with
#'     finite m `NA` for many features of large data, see [rowsparse()]}
#'   \item{bound, gap}{of `"exact"`; else `NA`}
#'   \item{proof}{for `"exact"`: list of `complete` (proved), `resolved` (`FALSE` when rounding
#'     prevents a proof), `nodes` (sets of features whose completions were searched or bounded),
#'     `seconds`, and `trace`: over `seconds`, how much of the response the best set reproduced
#'     (`value`) and any set could (`bound`)}
#'   \item{path}{list of `k`, `objective`, `forward` (the objective of forward selection alone),
#'     `explained` (the share of the response, which with finite m is the component scores) and
#'     `features` by size}
#'
#' @references
#' Farahat, Ghodsi and Kamel (2013) Efficient greedy feature selection for unsupervised learning.
#' Knowledge and Information Systems 35, 285-310. \doi{10.1007/s10115-012-0538-1}
#'
#' Arai, Maung and Schweitzer (2015) Optimal column subset selection by A-star search.
#' Proceedings of the AAAI Conference on Artificial Intelligence 29, 1079-1085.
#'
#' Xu, Wang, Nie and Li (2023) Efficient top-k feature selection using
#' coordinate descent method. Proceedings of the AAAI Conference on Artificial
#' Intelligence 37, 10594-10601. \doi{10.1609/aaai.v37i9.26258}
#' @seealso [cdlsr()]
#' @examples
#' fit <- css(iris[, 1:4], k = 2)
#' selected(fit, 2)
#' fit$explained
#' @export
css <- function(x, k, m = NULL, solver = c("exchange", "forward", "exact"), scale = FALSE,
                control = rowsparse_control(), path = TRUE, include = NULL, exclude = NULL,
                time_limit = 60, block = NULL, assay = NULL, groups = NULL, rules = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(k), "k")
  solver <- check_choice(solver, "solver", c("exchange", "forward", "exact"))
  path <- check_flag(path, "path")
  time_limit <- check_number(time_limit, "time_limit", 0)
  control <- resolve_control(control, tol = 1e-9, maxit = 100L)
  data <- resolve_blocks(as_data(x, scale, assay, block, include, exclude, groups = groups), "css")
  k <- check_dimension(k, data, "k")
  data <- add_rules(data, rules, k)
  check_searched(data, solver, c("exchange", "forward"))
  path <- path && !is_ruled(data)
  if (!is.null(m) && !is_unlimited(m)) m <- check_dimension(m, data)
  known <- if (!is_unlimited(m)) m
  check_fit_size("css", data,
    k = needed_columns(k, data), m = known, solver = solver, control = control
  )
  if (is.null(m)) {
    data <- with_eigenvectors(data)
    m <- main_components(data)
  }

  inside <- sketch_rows_data(in_binary_units(data))
  response <- component_response(inside, m)
  find <- if (searches_groups(data)) find_css_groups else find_css
  found <- find(inside, response, k, solver, path, control, started, time_limit)
  new_css(data, inside, found$response, found$out, k, m, solver, control, call, started,
    found$proof
  )
}

# list(out, proof, response): the raw result, the proof of `solver = "exact"`, and the response,
# which for all of the data is their sum of squares alone
find_css <- function(inside, response, k, solver, path, control, started, time_limit) {
  locked <- resolve_locked(inside, response, k)
  data <- locked$data
  settings <- css_settings(k - length(locked$lost), solver, path, control)
  total <- or_default(response$total, data_trace(inside))
  if (solver == "forward" && is.null(response)) {
    out <- css_forward(data, settings$k, settings)
  } else {
    if (solver == "exact") settings$search_limit <- time_left(started, time_limit) / 2
    out <- .Call(C_cdlsr, unclass(data), response[c("B", "total")], matrix(0L, 0, settings$k),
      settings
    )
  }
  found <- switch(solver,
    forward = list(out = out),
    exchange = list(out = restart_css(data, response, out, settings)),
    exact = prove_css(data, response, out, settings, total, time_left(started, time_limit))
  )
  found$out <- fill_rank(insert_lost(found$out, locked, total), k, inside)
  found$response <- or_default(response, list(total = total, squares = numeric()))
  found
}

# How much is done for a good set, whatever the clock says: multiplications of the restarts,
# and rounds without a better set
css_effort <- list(restarts = 4e9, quiet = 100L)

# the fit's raw result, its set improved by restarts from perturbed sets
restart_css <- function(data, response, out, settings) {
  k <- settings$k
  if (length(out$subset$selected) < k || k < 2) {
    return(out)
  }
  wanted <- c(settings[c("k", "tol", "ridge", "maxit")], search_parts(css_effort))
  set <- .Call(C_css_restart, unclass(data), response[c("B", "total")], out$subset$selected,
    wanted
  )$set
  if (setequal(set, out$subset$selected)) out else with_set(data, response, out, settings, set)
}

# the fit's raw result with the best set in it, and the proof
prove_css <- function(data, response, out, settings, total, time_limit) {
  wanted <- c(settings[c("k", "tol", "ridge", "maxit")], search_parts(css_effort), list(
    time_limit = time_limit, explained = total - out$subset$objective, YtY = response$YtY
  ))
  found <- .Call(C_css_exact, unclass(data), response[c("B", "total")], out$subset$selected, wanted)
  if (!setequal(found$set, out$subset$selected)) {
    out <- with_set(data, response, out, settings, found$set)
  }
  objective <- max(out$subset$objective, 0)
  bound <- if (found$complete) {
    objective
  } else {
    # cross-products of features that just count as independent resolve 1e-6 of the total
    lower_bound(found, total, objective, max(settings$tol, 1e-6))
  }
  list(out = out, proof = c(
    list(bound = bound, gap = if (objective > 0) (objective - bound) / objective else 0,
      is_far = !found$complete && found$bound >= found$first_bound
    ),
    found[c("complete", "resolved", "nodes", "seconds", "trace")]
  ))
}

# The m leading component scores Xc V as a response. Xc'(Xc V) is V diag(values),
# but that has the rounding of the largest feature in every row.
component_response <- function(data, m) {
  if (is_unlimited(m)) {
    return(NULL)
  }
  operator <- as_operator(data, m)
  leading <- leading_eigenvectors(operator, m)
  squares <- pmax(leading$values, 0)
  B <- .Call(C_covop, unclass(operator), leading$vectors)$product
  list(
    B = B, total = sum(squares), squares = squares, YtY = crossprod(leading$vectors, B)
  )
}

css_settings <- function(k, solver, path, control) {
  list(
    solver = if (solver == "exact") "exchange" else solver, k = k, path = path, forward = TRUE,
    tol = control$tol, cd_tol = 1e-4, maxit = control$maxit, threads = 1L, ridge = 0,
    perturb = 0L, tabu = 0L, firsts = 0L, sweeps = 0L
  )
}

# forward selection with O(d) numbers beside the data; its prefixes are its path
css_forward <- function(data, k, settings) {
  out <- .Call(C_css_forward, unclass(data), settings)
  explained <- out$subset$explained
  objective <- pmax(out$total - explained, 0)
  sizes <- seq_along(explained)
  list(
    subset = out$subset, objective = c(out$total, objective),
    iterations = length(explained), converged = TRUE, status = "converged",
    path = if (settings$path) {
      list(
        features = lapply(sizes, function(k) out$subset$selected[seq_len(k)]),
        coefficients = lapply(sizes, function(k) matrix(0, k, 0)), explained = explained,
        objective = objective, forward = objective
      )
    }
  )
}

new_css <- function(data, inside, response, out, k, m, solver, control, call, started,
                    proof = NULL) {
  subset <- out$subset
  loadings <- if (!is_unlimited(m)) {
    loadings <- matrix(0, data$d, m)
    loadings[subset$selected, ] <- subset$coefficients
    loadings
  }
  sizes <- as_path(out, k, response, inside, 0)
  for (name in c("objective", "forward")) {
    sizes[[name]] <- squares_in_units(sizes[[name]], inside$unit)
  }
  sizes$features <- lapply(sizes$features, outer_index, data)
  new_fit("css", data,
    scores = subset_scores(subset, response$total), ties = tidy_ties(subset$alone),
    selected = subset$selected, loadings = loadings,
    objective = squares_in_units(out$objective, inside$unit), iterations = out$iterations,
    converged = out$converged && !identical(proof$complete, FALSE),
    status = paste0(subset_status(out$status, proof),
      if (isTRUE(proof$is_far)) ": bounds of so many features are far"
    ),
    # the two were computed apart, with rounding errors of the order of the response's squares
    bound = honest_bound(
      if (is.null(proof)) NA_real_ else squares_in_units(proof$bound, inside$unit),
      squares_in_units(c(response$total, out$objective), inside$unit), "css"
    ),
    gap = or_default(proof$gap, NA_real_),
    proof = proof[c("complete", "resolved", "nodes", "seconds", "trace")],
    parameters = c(list(k = k, m = m, solver = solver), control),
    explained = if (is_unlimited(m)) {
      max(0, 1 - utils::tail(out$objective, 1) / response$total)
    } else {
      shares_explained(list(subset$selected), data)
    },
    gains = subset_gains(subset, response$total, data),
    path = sizes[c("k", "objective", "forward", "explained", "features")],
    call = call, started = started, verbose = control$verbose
  )
}

# ---- descriptor -------------------------------------------------------------

# products of the columns selected with all others, and what exchanges keep of them; proofs
# keep products of all features
css_bytes <- function(s) {
  wide <- if (s$solver != "forward") 2 * s$k + 40 else if (s$d <= s$n) s$k + 8 else 8
  pairs <- if (s$solver == "exact") 5 * s$d^2 + 8 * s$d * (s$k + 60) + 3 * s$side^2 else 0
  spectrum_bytes(s) + 8 * (s$side^2 + s$d * wide + pairs)
}

descriptor_css <- function() {
  descriptor(css,
    bytes = css_bytes, include = "given", family = "subset", sees = "second moments",
    title = "Column subset selection", cost = "O(n d k + n d min(n, d))",
    reference = "doi:10.1007/s10115-012-0538-1", dimension = "m",
    choose_dimension = main_components, unlimited = TRUE, defaults = list(solver = "forward"),
    largest = largest_rank, sizes = css_sizes, moments = TRUE
  )
}

# a proof is one of the last size
css_sizes <- function(given) {
  alone <- isFALSE(given[["path"]]) || !is.null(given[["rules"]])
  if (alone || identical(given[["solver"]], "exact")) "refit" else "path"
}
