#' SF2SOG: exactly k features on a graph that is learned along with them
#'
#' Selects exactly k features along whose projection neighbouring samples are near, and
#' learns the graph of the neighbours together with it. Without labels. It looks for small
#' variation, not for large: features are scaled by default.
#'
#' @section The problem:
#' Selects k features with a projection that varies little between neighbours, and
#' learns the graph of the neighbours with it (Wang, Zhang, Bian, Wang, Nie and Li, 2023):
#' \deqn{\min \; \mathrm{tr}(F'L_AF) + \lambda \|X_cW - F\|_F^2 + \gamma \|A - A_0\|_F^2,
#'   \quad W'W = I_m, \; k \mbox{ nonzero rows},}{
#'   min tr(F'L F) + lambda ||Xc W - F||^2 + gamma ||A - A0||^2, W'W = I_m, k nonzero rows,}
#' over W (d x m), F (n x m), and A, whose rows are nonnegative and sum to 1. \eqn{A_0}{A0} is
#' the graph of the data, and \eqn{L_A}{L} the Laplacian of \eqn{(A + A')/2}.
#'
#' @section Which problem this is:
#' The model is taken from papers that compare with the method; its own paper and code were not
#' available. The steps below were derived from the model, with three choices:
#' \itemize{
#'   \item \eqn{L_A} is `"unnormalized"`, degrees minus weights. One comparing paper states the
#'     normalized Laplacian, for which the step of A would not be exact.
#'   \item \eqn{A_0}{A0} has the weights of `weights = "can"` (see [lapscore()]) on the
#'     `neighbours` nearest samples, and A is learned on these edges.
#'   \item Instead of an offset for F, features are centred.
#' }
#'
#' @section Algorithm:
#' F is eliminated: \eqn{F = \lambda (L_A + \lambda I)^{-1} X_cW}{F = lambda (L + lambda I)^-1
#' Xc W}, and with \eqn{T = \lambda L_A (L_A + \lambda I)^{-1}}{T = lambda L (L + lambda I)^-1}
#' the objective is \eqn{\mathrm{tr}(W'X_c'TX_cW) + \gamma \|A - A_0\|^2}{tr(W'Xc'T Xc W) +
#' gamma ||A - A0||^2}. Two steps alternate: \enumerate{
#'   \item row i of A is the projection of \eqn{a_{0i} - e_i / (4 \gamma)}{a0_i - e_i / (4
#'     gamma)} on the simplex, with \eqn{e_{il} = \|f_i - f_l\|^2}{e_il = ||f_i - f_l||^2};
#'   \item W is raised in \eqn{\mathrm{tr}(W'(\eta I - X_c'TX_c)W)}{tr(W'(eta I - Xc'T Xc)W)}
#'     on k features by the projection updates of [fspca()], from the current set, with
#'     \eqn{\eta}{eta} the largest eigenvalue of \eqn{X_c'TX_c}{Xc'T Xc}; W on the set is exact.
#' }
#' No step raises the objective. The first set is the k features of smallest \eqn{x_j'Tx_j}{x_j'T
#' x_j} on \eqn{A_0}{A0}. The result is a local solution: projection updates with a large
#' \eqn{\eta}{eta} move little, and single exchanges of features may lower the objective further.
#'
#' @section What it selects:
#' Directions of small variation, whatever their variance: features are therefore scaled by
#' default, and among unscaled features those of small variance come first. If the selected
#' features are linearly dependent, as copies are, some W has \eqn{X_cW = 0} and the objective is
#' zero, with a warning; with k of at least n - 1 + m every set is dependent. If the k features of
#' largest variance are also dependent, they are selected, and all scores are equal. Constant
#' features are selected last.
#'
#' @section Scale of the parameters:
#' `lambda` is relative to the eigenvalues of \eqn{L_A}, whose mean is 1, as rows of A sum
#' to 1. Large values give \eqn{F = X_cW}{F = Xc W}; small values give F that does not vary
#' between neighbours. `gamma` is in squared units of the (scaled) data. By default \eqn{\gamma =
#' \sum_{i} \sum_{l} e_{il} / (4n)}{gamma = sum_il e_il / (4 n)}, over the neighbours l of i and
#' at the first F: the step of A then subtracts 1, the sum of a row of \eqn{A_0}{A0}, on average.
#' Larger values keep A at \eqn{A_0}{A0}. Values below 1e-12 or above 1e12 times the mean of
#' \eqn{\|W'(x_i - x_l)\|^2}{||W'(x_i - x_l)||^2} over neighbours and all W are set to these
#' limits; `parameters$gamma` is the value used. Papers search `lambda` and `gamma` among the
#' powers of ten from 1e-6 to 1e6.
#'
#' @section Cost:
#' \eqn{O(n^3 + n^2 k + k^3)} per iteration and three n x n matrices in memory; no d x d
#' matrix where d is large.
#'
#' @inheritParams bsufs
#' @param x Data as for [bsufs()], but no moments.
#' @param k Number of features, at least m.
#' @param m Dimension of the projection; `NULL`: as in [fspca()], at most k.
#' @param lambda How close F is to the projection, from 1e-8 to 1e8; `NULL` for 1.
#' @param gamma How close A is to \eqn{A_0}{A0}, above 0; `NULL` for the data-driven default.
#' @param neighbours Number of neighbours in the graph, at most n - 2. More join larger
#'   groups.
#' @param scale Divide features by their standard deviation? By default yes: of features in
#'   their own units those of small variance would come first.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-6, relative
#'   change of the objective; `maxit` 100.
#' @return A list of class `c("sf2sog", "rowsparse")` with the elements of
#'   [bsufs()], where
#'   \item{selected}{the k features, by score}
#'   \item{scores}{the diagonal entries of \eqn{P = BW(W'BW)^+W'B}{P = B W (W'BW)^+ W'B} for
#'     the last matrix \eqn{B = \eta I - X_c'TX_c}{B = eta I - Xc'T Xc}}
#'   \item{loadings}{W, d x m, orthonormal, zero outside the selected rows}
#'   \item{objective}{at the start, with \eqn{A = A_0}{A = A0}, and after each iteration}
#'   \item{graph}{A: `index` and `weight`, n x neighbours}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     selected features reproduces; `NA` for many features of large data, see [rowsparse()]}
#' @section Errors and warnings:
#' As for [bsufs()]; moments; `k` below m or above d; `lambda`, `gamma` or
#' `neighbours` out of range. A warning of class `rowsparse_warning_rank` where the
#' objective is zero.
#' @references
#' Wang, Zhang, Bian, Wang, Nie and Li (2023) Sparse and flexible projections for
#' unsupervised feature selection. IEEE Transactions on Knowledge and Data Engineering
#' 35(6), 6362-6375.
#' @seealso [sogfs()], [fspca()], [spdfs()]
#' @examples
#' fit <- sf2sog(iris[, 1:4], k = 2, m = 1)
#' fit
#' # weights that the samples give to their nearest neighbour
#' summary(fit$graph$weight[, 1])
#' @export
sf2sog <- function(x, k, m = NULL, lambda = NULL, gamma = NULL, neighbours = 5, scale = TRUE,
                   control = rowsparse_control(), include = NULL, exclude = NULL, block = NULL,
                   assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  check_given(missing(k), "k")
  lambda <- check_number(or_default(lambda, 1), "lambda", 1e-8, 1e8)
  if (!is.null(gamma)) gamma <- check_number(gamma, "gamma", 0, open_lower = TRUE)
  control <- resolve_control(control, tol = 1e-6, maxit = 100L)
  data <- sample_data("sf2sog", x, scale, assay, block, include, exclude)
  k <- check_basis_size(k, m, data)
  neighbours <- few_neighbours(neighbours, data, 1L)
  check_fit_size("sf2sog", data,
    k = k, m = m, neighbours = neighbours, argument = "k", control = control
  )
  data <- with_spectrum(data, m)
  m <- resolve_dimension(m, data, most = k)

  inside <- in_binary_units(data)
  square_unit <- inside$unit^2
  near <- find_neighbours(data, min(neighbours + 1L, data$n - 1L), "euclidean", ties = FALSE)
  near$distance <- near$distance / inside$unit
  out <- .Call(C_sf2sog, unclass(inside), near, list(
    neighbours = neighbours, k = k, m = m, lambda = lambda,
    gamma = if (is.null(gamma)) 0 else gamma_inside(gamma, square_unit),
    ties = data$deviation, constant = data$constant, tol = control$tol, maxit = control$maxit
  ))
  warn_any_set(k, m, data, out)
  parameters <- c(
    list(
      k = k, m = m, lambda = lambda, gamma = out$gamma * square_unit, neighbours = neighbours
    ), control
  )
  out$objective <- out$objective * square_unit
  new_sf2sog(data, out, parameters, call, started)
}

# positive and finite in the unit of the solver as well
gamma_inside <- function(gamma, square_unit) {
  min(max(gamma / square_unit, .Machine$double.xmin), .Machine$double.xmax)
}

# some projection of n - 1 + m centred features on m dimensions is zero; of features that
# depend on each other, some projection of fewer
warn_any_set <- function(k, m, data, out) {
  if (k >= degrees_of_freedom(data) + m) {
    which <- sprintf("any %d features have", k)
  } else if (out$is_any) {
    which <- sprintf("these %d features, as others, have", k)
  } else if (out$is_zero) {
    which <- "features that depend on each other, whatever is selected with them, have"
  } else {
    return(invisible())
  }
  warn_rowsparse("rank", sprintf(
    "%s a projection on %d without variance: the choice is arbitrary.", which, m
  ))
}

new_sf2sog <- function(data, out, parameters, call, started) {
  chosen <- order_features(out$scores[out$subset], data$deviation[out$subset])
  selected <- out$subset[chosen]
  new_fit("sf2sog", data,
    scores = pmax(out$scores, 0), selected = selected,
    loadings = expand_rows(out$V, out$subset, data), run = out,
    explained = explained_by(selected, data),
    parameters = parameters, graph = learned_graph(out), call = call, started = started,
    verbose = parameters$verbose
  )
}

# ---- descriptor -------------------------------------------------------------

descriptor_sf2sog <- function() {
  descriptor(sf2sog,
    bytes = function(s) {
      spectrum_bytes(s) + neighbour_bytes(s) + form_bytes(s, s$m) + 24 * s$n^2
    },
    most_samples = 8000,
    include = "given",
    family = "subset", sees = "neighbours",
    title = "A projection on k features and a graph on which it varies little",
    reference = "Wang, Zhang, Bian, Wang, Nie and Li (2023), IEEE TKDE 35, 6362-6375",
    cost = "O(n^2 d) for the neighbours; O(n^3 + n^2 k + k^3) per iteration",
    input = c("dense", "sparse", "blocks"), dimension = "m", basis = TRUE, sizes = "refit"
  )
}
