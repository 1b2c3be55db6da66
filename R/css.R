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
#' fixed sequence, exchanges follow, and the best set is kept.
#'
#' `"exact"` proves by branch and bound that no other set of k features reproduces more. The
#' variance reproduced by sets with some given features is bounded by the share of these features
#' and the largest eigenvalues of the residual. A proof can be expected for k = 1 to 3 up to some
#' thousand features, for k = 4 up to about 1000 and for k = 5 up to about 300, and for fewer where
#' features are less alike than pixels or neighbouring genes (`Rscript bench/checked.R proofs`). On
#' larger problems the search stops at `time_limit` with a bound that is far from the optimum and
#' says little about the quality of the set.
#'
#' Features that tie (gains within 1e-10 of the largest) are ordered by their variance before
#' scaling. A feature counts as dependent on others when its residual has less than 3e-5 of its
#' norm, or 1e-4 where cross-products are used (d <= n, and moments). Claims of `"exact"` cover
#' sets of independent features in this sense, and hold to within `tol` of the total; where
#' cross-products alone do not distinguish some sets from the best one, the status is "not proved".
#'
#' @inheritParams bsufs
#' @inheritParams cdlsr
#' @param x Data, see [rowsparse_data].
#' @param k Number of features, at most min(n - 1, features that vary).
#' @param m Number of leading components to reproduce; `Inf` reproduces the data themselves. `NULL`:
#'   as many as carry 90% of the variance, at most 50.
#' @param solver `"exchange"`, the default; `"forward"`, which is faster, and whose smaller sets are
#'   the beginnings of the larger ones; or `"exact"`, with a proof where time allows. See Solvers.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-9 (the least gain that
#'   counts, relative to the total), `maxit` 100 sweeps.
#' @param time_limit Seconds of elapsed time, from the call on, after which `"exact"` stops and
#'   reports the gap. Single exchanges, and the work for a first bound, are not cut short.
#'
#' @return A list of class `c("css", "rowsparse")` with the elements of [rowsparse_fit], where
#'   \item{selected, scores, gains}{as in [cdlsr()], in shares of the response}
#'   \item{loadings}{W (d x m), which maps the selected features to the component scores; `NULL` for
#'     `m = Inf`}
#'   \item{objective}{squared norm of the residual, at the start of the descent and after each
#'     sweep}
#'   \item{explained}{share of the centred sum of squares of x that the set reproduces; with
#'     finite m `NA` for many features of large data, see [rowsparse()]}
#'   \item{proof}{for `"exact"`: as in [cdlsr()], without `dropped` and `joined`; `trace` is of the
#'     sum of squares of the response}
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
  run_method("css")
}

solve_css <- function(data, args, control) {
  m <- args$m
  inside <- sketch_rows_data(in_binary_units(data))
  response <- component_response(inside, m)
  # groups reproduce all components in the place of the data themselves
  aim <- response
  if (is.null(response) && searches_groups(inside)) {
    aim <- component_response(inside, largest_dimension(inside))
  }
  perturb <- if (searches_groups(inside)) group_perturbations(inside) else css_effort$perturb
  found <- find_sets(inside, aim, args, control, perturb, work = css_effort$work, of_css = TRUE)
  total <- or_default(aim$total, data_trace(inside))
  out <- complete_set(found, args$k, inside, total)
  response <- or_default(response, list(total = total, squares = numeric()))
  response$unit <- inside$unit
  told <- told_of_set("css", data, inside, response, out, args$k, 0, found$proof,
    squares_in_units(out$objective, inside$unit)
  )
  told$path[c("ic", "coefficients")] <- told$k_ic <- NULL
  chosen <- out$subset$selected
  left <- utils::tail(out$objective, 1) / total
  c(told, list(
    loadings = if (!is_unlimited(m)) expand_rows(out$subset$coefficients, chosen, data),
    explained = if (is_unlimited(m)) max(0, 1 - left) else shares_explained(list(chosen), data),
    parameters = list(k = args$k, m = m, solver = args$solver)
  ))
}

# How much is done for a good set, whatever the clock says: perturbed sets in a row that lead to no
# better one, and multiplications for them
css_effort <- list(perturb = 200L, work = 4e9)

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
  list(B = B, total = sum(squares), squares = squares, YtY = crossprod(leading$vectors, B))
}

# forward selection alone: its course is that of all sizes
forward_css <- function(data, settings) {
  out <- search_sets(data, NULL, settings)
  total <- data_trace(data)
  out$objective <- c(total, pmax(total - out$subset$explained, 0))
  out$iterations <- length(out$subset$explained)
  out
}

# products of selected columns with all, and what exchanges keep; in proofs those of all features
css_bytes <- function(s) {
  pairs <- if (s$solver == "exact") 5 * s$d^2 + 8 * s$d * (s$k + 60) + 3 * s$side^2 else 0
  spectrum_bytes(s) + 8 * (s$side^2 + s$d * (3 * s$k + 40) + pairs)
}

descriptor_css <- function() {
  descriptor(css, rules = list(time_limit = number(0)), control = list(tol = 1e-9, maxit = 100L),
    check = check_l20, solve = solve_css, bytes = css_bytes, include = "given", family = "subset",
    sees = "second moments", title = "Column subset selection", cost = "O(n d k + n d min(n, d))",
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
