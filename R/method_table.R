# The methods behind one door: one entry per method.
#   fit         the function
#   title, input, cost, reference   shown by rowsparse_methods()
#   dimension   the argument that gets a data-driven default here; absent where
#               there is none
#   choose_dimension   that default, function(data with leading eigenvalues)
#   basis       must k be at least that dimension?
#   unlimited   may it be Inf, for all of the data?
#   defaults    arguments that are set here unlike in the function itself
#   largest     largest k that the method serves, function(data, given); absent
#               for all features
#   sizes       how a path over k comes about: "nested" (the first k of one
#               ranking), "path" (the sets in the element `path` of one fit) or
#               "refit" (one fit per k); or a function of the arguments given
#   warm        does a fit over k start from the one before?
#   penalty     the argument whose growth empties the loadings: the method has a
#               path over it; absent for methods that take k
#   largest_penalty   where that path begins, function(data, given, y)
#   lowered     the penalties that are lowered until enough features are found;
#               absent: the one in `penalty`
#   upwards     are its fits made from the smallest penalty on? (where a row that
#               is zero cannot come back)
#   path_tol    relative change of the objective at which a point of that path
#               stops, unless the caller's control says otherwise
method_table <- function() {
  matrices <- "dense, sparse"
  all_input <- "dense, sparse, moments"
  list(
    css = list(
      fit = css, title = "Column subset selection",
      input = all_input, cost = "O(n d k + n d min(n, d))",
      reference = "doi:10.1007/s10115-012-0538-1", dimension = "m",
      choose_dimension = main_components, unlimited = TRUE, defaults = list(solver = "forward"),
      largest = largest_rank, sizes = css_sizes
    ),
    bsufs = list(
      fit = bsufs, title = "Bi-sparse principal component analysis",
      input = all_input, cost = "O(n d m) per iteration",
      reference = "doi:10.48550/arXiv.2412.16819", dimension = "m",
      choose_dimension = corner_dimension, sizes = "nested",
      penalty = "lambda1", largest_penalty = largest_bsufs_penalty, path_tol = 5e-5
    ),
    dscofs = list(
      fit = dscofs, title = "Principal component analysis under double sparsity constraints",
      input = all_input, cost = "O(n d m) per iteration",
      reference = "doi:10.48550/arXiv.2501.00726", dimension = "m",
      choose_dimension = corner_dimension, basis = TRUE, sizes = "refit", warm = TRUE
    ),
    spca_psd = list(
      fit = spca_psd, title = "Convex sparse PCA on the positive semidefinite cone",
      input = all_input, cost = "O(n^2 d) or O(d^3) per iteration",
      reference = "doi:10.48550/arXiv.2309.06202", sizes = "nested",
      penalty = "lambda", largest_penalty = largest_spca_penalty, path_tol = 1e-5,
      lowered = c("lambda", "eta")
    ),
    kmeans_ufs = list(
      fit = kmeans_ufs, title = "Selection derived from k-means",
      input = all_input, cost = "O(n d m) with m clusters",
      reference = "doi:10.48550/arXiv.2411.15197", dimension = "clusters",
      choose_dimension = corner_clusters, largest = varying_features, sizes = kmeans_sizes
    ),
    fspca = list(
      fit = fspca, title = "Feature-sparse principal component analysis",
      input = all_input, cost = "O(n d m + k^3) per iteration",
      reference = "Nie, Tian, Wang and Li (2023), IEEE TPAMI 45, 4858-4869",
      dimension = "m", choose_dimension = corner_dimension, basis = TRUE, sizes = "refit"
    ),
    spcafs = list(
      fit = spcafs, title = "Principal component analysis with an l2,p penalty",
      input = all_input, cost = "O(n d m) per inner iteration",
      reference = "doi:10.1109/TPAMI.2021.3121329", dimension = "m",
      choose_dimension = corner_dimension, sizes = "nested",
      penalty = "lambda", largest_penalty = largest_spcafs_penalty, upwards = TRUE,
      path_tol = 1e-5
    ),
    cdlsr = list(
      fit = cdlsr, title = "Least squares on exactly k features",
      input = all_input, cost = "O(d k (k + c) + n d k) per sweep",
      reference = "doi:10.1609/aaai.v37i9.26258", largest = largest_regression, sizes = cdlsr_sizes
    ),
    rfs = list(
      fit = rfs, title = "Regression with an l2,1 loss and penalty",
      input = matrices, cost = "O(n d min(n, d)) per iteration",
      reference = "Nie, Huang, Cai and Ding (2010), NIPS 23, 1813-1821", sizes = "nested",
      penalty = "lambda", largest_penalty = largest_rfs_penalty, path_tol = 1e-3
    ),
    pgd = list(
      fit = pgd, title = "Least squares on k features by projected gradient",
      input = matrices, cost = "O(n d c) per iteration",
      reference = "Pang, Nie, Han and Li (2019), IEEE TKDE 31, 880-893",
      largest = largest_rank, sizes = "refit"
    ),
    rpfs = list(
      fit = rpfs, title = "Robust regression on k features",
      input = matrices, cost = "O(n d min(n, d)), then O(n d c) per iteration",
      reference = "Cai, Nie and Huang (2013), IJCAI, 1240-1246", largest = largest_rank,
      sizes = "refit"
    ),
    ipfs = list(
      fit = ipfs, title = "Regression on k features by relaxed integer programming",
      input = matrices, cost = "O(d^3) per iteration",
      reference = "doi:10.1109/TNNLS.2020.3009209", largest = largest_rank, sizes = "refit"
    )
  )
}

largest_rank <- function(data, given) largest_dimension(data)

varying_features <- function(data, given) sum(!data$constant)

# a ridge lifts the limit that the number of samples sets
largest_regression <- function(data, given) {
  ridge <- is_number(given[["ridge"]]) && given[["ridge"]] > 0
  if (ridge) varying_features(data) else largest_rank(data)
}

largest_size <- function(entry, data, given) {
  largest <- entry[["largest"]]
  if (is.null(largest)) data$d else largest(data, given)
}

sizes_of <- function(entry, given) {
  if (is.function(entry$sizes)) entry$sizes(given) else entry$sizes
}

kmeans_sizes <- function(given) {
  if (chosen(given, "solver", kmeans_ufs) == "exact") "nested" else "refit"
}

css_sizes <- function(given) {
  if (isFALSE(given[["path"]])) "refit" else "path"
}

# only exchanges from a forward start leave the sets of all sizes
cdlsr_sizes <- function(given) {
  exchange <- chosen(given, "solver", cdlsr) == "exchange"
  forward <- is.null(given[["start"]]) || identical(given[["start"]], "forward")
  if (exchange && forward) css_sizes(given) else "refit"
}

# the caller's choice among those of an argument, or the first
chosen <- function(given, argument, fit) {
  choices <- eval(formals(fit)[[argument]])
  check_choice(or_default(given[[argument]], choices), argument, choices)
}

# lambda1_max of a fit with these arguments
largest_bsufs_penalty <- function(data, given, y) {
  given <- utils::modifyList(list(p = formals(bsufs)$p, q = formals(bsufs)$q), given)
  checked <- check_bsufs(NULL, given[["lambda2"]], given[["p"]], given[["q"]],
    given[["beta1"]], given[["beta2"]]
  )
  normalize <- is.null(given[["normalize"]]) || check_flag(given[["normalize"]], "normalize")
  leading <- leading_eigenvectors(as_operator(data, given[["m"]]), given[["m"]])
  bsufs_parameters(checked, data, leading, normalize)$lambda1_max
}

# ten times the default, where about m features are left
largest_spcafs_penalty <- function(data, given, y) {
  p <- check_number(or_default(given[["p"]], formals(spcafs)$p), "p", 0, 1, open_lower = TRUE)
  normalize <- is.null(given[["normalize"]]) || check_flag(given[["normalize"]], "normalize")
  leading <- leading_eigenvectors(as_operator(data, given[["m"]]), given[["m"]])
  10 * spcafs_parameters(NULL, p, data, given[["m"]], leading, normalize)$lambda
}

# twenty times the default, so that lambda = eta: few columns are left
largest_spca_penalty <- function(data, given, y) {
  defaults <- formals(spca_psd)
  model <- check_spca_model(
    or_default(given[["loss"]], eval(defaults$loss)),
    or_default(given[["center"]], eval(defaults$center)), or_default(given[["psd"]], TRUE),
    or_default(given[["solver"]], eval(defaults$solver))
  )
  check_penalties(given[["eta"]], "eta", open = FALSE)
  problem <- spca_problem(data, model)
  20 * spca_grid(NULL, given[["eta"]], problem)$lambda[1] * problem$unit
}

# the smallest with W = 0
largest_rfs_penalty <- function(data, given, y) {
  rfs_lambda_max(list(data = data, response = prepare_response(data, NULL, y)))
}

method_entry <- function(method, argument = "method") {
  table <- method_table()
  method <- check_choice(method, argument, names(table))
  c(list(name = method), table[[method]])
}

takes <- function(entry, argument) {
  argument %in% names(formals(entry$fit))
}

#' The methods of the package
#'
#' One row per method that [rowsparse()] can be asked for.
#'
#' @return A data frame:
#'   \item{method}{name of the method and of its function}
#'   \item{title}{what it is}
#'   \item{supervised}{does it need a response?}
#'   \item{exact_k}{does it choose exactly k features by itself? The others rank
#'     features, and the front door takes the first k.}
#'   \item{input}{what `x` may be}
#'   \item{cost}{arithmetic for n samples, d features, m components, k
#'     selected features, c responses}
#'   \item{reference}{where it was proposed}
#' @seealso [rowsparse()]
#' @examples
#' rowsparse_methods()[, c("method", "title", "supervised", "exact_k")]
#' @export
rowsparse_methods <- function() {
  table <- method_table()
  text <- function(field) vapply(table, `[[`, "", field, USE.NAMES = FALSE)
  has <- function(argument) vapply(table, takes, NA, argument = argument, USE.NAMES = FALSE)
  data.frame(
    method = names(table), title = text("title"), supervised = has("y"), exact_k = has("k"),
    input = text("input"), cost = text("cost"), reference = text("reference")
  )
}

# ---- arguments ---------------------------------------------------------------

# the caller's arguments, all of them known to the method; NULL is not given
check_arguments <- function(entry, given, reserved = character()) {
  given <- given[!vapply(given, is.null, NA)]
  known <- setdiff(names(formals(entry$fit)), c("x", "y", "k", reserved))
  unknown <- setdiff(names(given), known)
  if (length(given) > 0 && (is.null(names(given)) || any(!nzchar(names(given))))) {
    stop_rowsparse("argument", "...", sprintf("must hold named arguments of %s() only", entry$name))
  }
  if (length(unknown) > 0) {
    stop_rowsparse("argument", unknown[1],
      sprintf("is not an argument of %s() that can be set here; these are %s", entry$name,
        paste(known, collapse = ", ")
      )
    )
  }
  given
}

# the method's own default of `scale`, unless the caller set it
scale_of <- function(entry, given) {
  default <- if (takes(entry, "scale")) formals(entry$fit)$scale else TRUE
  check_flag(or_default(given[["scale"]], default), "scale")
}

# read, checked and scaled as the method will see them
method_data <- function(entry, x, given) {
  prepare_data(x, scale_of(entry, given), given[["assay"]])
}

# Arguments of one fit. Unsupervised methods share the prepared data, supervised
# ones read x and y together.
method_call <- function(entry, x, y, data, k, given) {
  if (takes(entry, "y")) {
    arguments <- c(list(x = x), given)
    if (!is.null(y)) arguments$y <- y
  } else {
    arguments <- c(list(x = data), given[setdiff(names(given), c("scale", "assay"))])
  }
  arguments <- c(arguments, entry$defaults[setdiff(names(entry$defaults), names(given))])
  if (takes(entry, "k")) arguments$k <- k
  arguments
}

# whoever prepared the data has warned about constant features
fit_method <- function(entry, x, y, data, k, given) {
  without_constant_warning(do.call(entry$fit, method_call(entry, x, y, data, k, given)))
}
