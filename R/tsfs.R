#' TSFS: features by which a linear student reproduces a teacher
#'
#' Ranks features by how much a linear model with few features needs them to reproduce a teacher:
#' any low-dimensional representation of the samples, such as leading components, t-SNE, UMAP or
#' class probabilities. Without a `teacher` the smooth vectors on a graph of the samples are used.
#' Without labels. The problem is convex, and `gap` bounds the distance from the minimum.
#'
#' @section The problem:
#' Ranks features by the row norms of the solution of
#' \deqn{\min_W \; \|T_c - X_c W\|_F^2 + \lambda \sum_j \|w_j\|,}{
#' min over W of ||Tc - Xc W||_F^2 + lambda sum_j ||w_j||,}
#' where the columns of T (n x m), the teacher, are any low-dimensional representation of
#' the samples, and W (d x m) with few nonzero rows is the student, which has to reproduce the
#' teacher from few features. The problem is convex, and the fit has a bound on its distance from
#' the minimum.
#'
#' Without a `teacher` T holds the m smoothest vectors on the graph of [lapscore()]: the
#' regression is then similar to that of [mcfs()], but of all vectors jointly. Any other teacher
#' is passed as a matrix: leading components, coordinates of t-SNE or UMAP, class probabilities of
#' a model.
#'
#' @section Differences from the paper:
#' In Mirzaei et al. (2020) the teacher is an autoencoder or t-SNE, and the student a neural
#' network with a hidden layer, whose first weights have the row-sparse penalty, trained
#' by stochastic gradients. Here the student is linear. Features related to the teacher only
#' nonlinearly, or only together, are therefore missed. In return the minimum does not depend on a
#' start and has a certificate, and zeros are exact.
#'
#' @section Algorithm:
#' Coordinate descent in the rows of W. The best row with the others fixed is
#' \eqn{w_j = (1 - \lambda / (2 \|g\|))_+ \, g / \|x_j\|^2}{w_j = max(0, 1 - lambda / (2
#' ||g||)) g / ||x_j||^2} with \eqn{g = x_j'(T_c - X_c W) + \|x_j\|^2 w_j}{g = xj'(Tc - Xc W) +
#' ||x_j||^2 w_j}; ten sweeps over the rows that are nonzero, or violate the constraint of the
#' dual problem
#' \deqn{\max_\Theta \; \langle \Theta, T_c \rangle - \|\Theta\|_F^2 / 4 \quad \mathrm{s.t.} \quad
#' \|x_j'\Theta\| \le \lambda,}{max over Theta of <Theta, Tc> - ||Theta||_F^2 / 4 s.t.
#' ||xj'Theta|| <= lambda,}
#' are one iteration. Twice the residual, scaled down until it satisfies all constraints, gives a
#' lower bound of the minimum. No iteration raises the objective.
#'
#' W = 0 is the solution for lambda from \eqn{\lambda_{\max} = 2 \max_j \|x_j'T_c\|}{lambda_max =
#' 2 max_j ||xj'Tc||} on.
#'
#' @inheritParams lapscore
#' @param teacher `NULL`, or a numeric matrix with a row per sample. Columns are centred, and
#'   weighted by their norms.
#' @param m Number of vectors without a `teacher`. `NULL`: the elbow of the leading eigenvalues of
#'   the scatter matrix, as in [bsufs()].
#' @param lambda Penalty, above 0, in the units of x times those of the teacher. `NULL` for
#'   a tenth of \eqn{\lambda_{\max}}{lambda_max}, which `parameters$lambda_max` holds. Raise it
#'   for fewer nonzero rows.
#' @param neighbours Number of neighbours in the graph, without a `teacher`.
#' @param start Start of the iteration: a fit of this function to the same features, whose teacher
#'   is used if none is given, or a d x m matrix W. The solution does not depend on it.
#' @param control Settings from [rowsparse_control()]. Defaults: `tol` 1e-4 (relative duality
#'   gap), `maxit` 1000; `inner_tol` 1e-10 and `inner_maxit` 500 for the eigenvectors.
#' @return A list of class `c("tsfs", "rowsparse")` with the elements of [bsufs()], where
#'   \item{scores}{row norms of W; zero rows follow in the order of \eqn{\|x_j'(T_c - X_c
#'     W)\|}{||xj'(Tc - Xc W)||}}
#'   \item{loadings}{W, d x m}
#'   \item{teacher}{T, centred}
#'   \item{fidelity}{share of \eqn{\|T_c\|_F^2}{||Tc||^2} that \eqn{X_c W}{Xc W} reproduces}
#'   \item{bound, gap}{lower bound of the minimum, and (objective - bound) / objective}
#'   \item{explained}{share of the centred sum of squares of x that regression on the
#'     components \eqn{X_c W}{Xc W} reproduces}
#' @section Errors and warnings:
#' As for [lapscore()]; a `teacher` that does not fit or is constant, an `m` that is not
#' its number of columns. A warning of class `rowsparse_warning_zero` when `lambda` leaves no row.
#' @references
#' Mirzaei, Pourahmadi, Soltani and Sheikhzadeh (2020) Deep feature selection using a
#' teacher-student network. Neurocomputing 383, 396-408. arXiv:1903.07045
#' @seealso [mcfs()], [jelsr()], [rfs()] for responses
#' @examples
#' fit <- tsfs(iris[, 1:4])
#' fit
#' # leading components as the teacher
#' components <- prcomp(iris[, 1:4])$x[, 1:2]
#' tsfs(iris[, 1:4], teacher = components)$gap
#' @export
tsfs <- function(x, teacher = NULL, m = NULL, lambda = NULL, neighbours = 5, start = NULL,
                 scale = FALSE, control = rowsparse_control(), include = NULL, exclude = NULL,
                 block = NULL, assay = NULL) {
  started <- proc.time()[["elapsed"]]
  call <- match.call()
  if (!is.null(lambda)) lambda <- check_number(lambda, "lambda", 0, open_lower = TRUE)
  control <- resolve_control(control, tol = 1e-4, maxit = 1000L, inner_tol = 1e-10,
    inner_maxit = 500L
  )
  data <- sample_data("tsfs", x, scale, assay, block, include, exclude)
  if (is.null(teacher) && inherits(start, "tsfs")) teacher <- start$teacher
  problem <- tsfs_problem(data, teacher, m, neighbours, control)
  check_fit_size("tsfs", data, m = ncol(problem$Tc), neighbours = neighbours, control = control)
  start <- tsfs_start(start, problem)

  lambda_max <- tsfs_lambda_max(problem)
  lambda <- or_default(lambda, 0.1 * lambda_max)
  unit <- problem$inside$unit / problem$unit
  if (!is.null(start)) start <- start * unit
  out <- .Call(C_tsfs, unclass(problem$inside), problem$Tc / problem$unit, start, list(
    lambda = lambda / problem$inside$unit / problem$unit, tol = control$tol,
    maxit = control$maxit
  ))
  out$W <- out$W / unit
  parameters <- c(problem$settings, list(lambda = lambda, lambda_max = lambda_max), control)
  new_tsfs(problem, out, parameters, call, started)
}

descriptor_tsfs <- function() {
  descriptor(tsfs,
    bytes = function(s) {
      neighbour_bytes(s) + embedding_bytes(s, s$m) + 512 * s$n + 32 * s$m * (s$d + s$n)
    },
    most_samples = 2e5,
    passes = Inf,
    title = "Row-sparse linear student of an embedding of the samples",
    family = "graph", sees = c("neighbours", "second moments"),
    reference = "Mirzaei et al. (2020), Neurocomputing 383, 396-408",
    cost = "O(n^2 d) for the neighbours, O(n d m) per iteration",
    input = c("dense", "sparse", "blocks"), sizes = "nested", penalty = "lambda",
    largest_penalty = largest_tsfs_penalty, path_tol = 1e-4
  )
}

# the smallest with W = 0
largest_tsfs_penalty <- function(data, given, y) {
  control <- list(inner_tol = 1e-10, inner_maxit = 500L)
  tsfs_lambda_max(tsfs_problem(data, given[["teacher"]], given[["m"]],
    or_default(given[["neighbours"]], 5), control
  ))
}

# ---- the problem ------------------------------------------------------------------

# data, the data in binary units, the centred teacher and its unit, and the settings
tsfs_problem <- function(data, teacher, m, neighbours, control) {
  if (is.null(teacher)) {
    settings <- graph_settings(data, neighbours, "heat", NULL, FALSE, "euclidean")
    m <- resolve_dimension(m, with_spectrum(data, m), corner_dimension)
    graph <- sample_graph(data, settings)
    Tc <- graph_vectors(data, graph$rows, m, control)$vectors
    settings <- c(list(m = m), graph$settings)
  } else {
    Tc <- check_teacher(teacher, data$n)
    if (!is.null(m) && !identical(as.double(m), as.double(ncol(Tc)))) {
      stop_rowsparse("argument", "m", sprintf("must be left out, as the teacher has %d columns",
        ncol(Tc)
      ), describe(m))
    }
    settings <- list(m = ncol(Tc))
  }
  unit <- binary_unit(max(abs(Tc)))
  Tc <- sweep(Tc, 2, colMeans(Tc / unit) * unit)
  if (max(abs(Tc)) <= 1e-12 * unit) {
    stop_rowsparse("constant", "teacher", "must vary between samples")
  }
  list(data = data, inside = in_binary_units(data), Tc = Tc, unit = unit, settings = settings)
}

check_teacher <- function(teacher, n) {
  if (is.data.frame(teacher) && all(vapply(teacher, is.numeric, NA))) {
    teacher <- as.matrix(teacher)
  }
  if (!is.numeric(teacher) || !is.matrix(teacher) || nrow(teacher) != n || ncol(teacher) < 1L) {
    stop_rowsparse("size", "teacher", sprintf("must be a numeric matrix with %d rows", n),
      describe(teacher)
    )
  }
  largest <- max(abs(teacher))
  if (!is.finite(largest) || largest > 1e150 || (largest > 0 && largest < 1e-150)) {
    stop_rowsparse("range", "teacher", "must hold finite numbers, the largest from 1e-150 to 1e150",
      describe(largest)
    )
  }
  storage.mode(teacher) <- "double"
  unname(teacher)
}

tsfs_start <- function(start, problem) {
  if (is.null(start)) {
    return(NULL)
  }
  if (inherits(start, "tsfs")) start <- rows_of_features(start, start$loadings, problem$data)
  start <- inner_rows(start, problem$data)
  size <- c(problem$data$d, ncol(problem$Tc))
  if (!is.numeric(start) || !is.matrix(start) || !all(dim(start) == size) ||
    !all(is.finite(start))) {
    stop_rowsparse("size", "start", sprintf("must be a numeric %d x %d matrix", size[1], size[2]),
      describe(start)
    )
  }
  storage.mode(start) <- "double"
  unname(start)
}

tsfs_lambda_max <- function(problem) {
  squares <- .Call(C_product_squares, unclass(problem$inside), problem$Tc / problem$unit)
  2 * sqrt(max(squares)) * problem$inside$unit * problem$unit
}

new_tsfs <- function(problem, out, parameters, call, started) {
  square <- problem$unit * problem$unit
  objective <- out$objective * square
  rest <- (problem$Tc - data_times(problem$data, out$W)) / problem$unit
  new_fit("tsfs", problem$data,
    scores = row_norms(out$W), ties = out$pull, loadings = out$W, run = out,
    objective = objective,
    explained = explained_by_components(out$W * problem$inside$unit / problem$unit,
      problem$inside
    ),
    bound = out$bound * square, parameters = parameters,
    teacher = problem$Tc, fidelity = 1 - sum(rest^2) / sum((problem$Tc / problem$unit)^2),
    call = call, started = started, verbose = parameters$verbose,
    undecided = if (all(out$W == 0)) words_of_zero(parameters)
  )
}
