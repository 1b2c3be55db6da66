# What the package knows of a method: its descriptor, which stands beside its function and is found
# by its name. The front door, paths, cross-validation, tables and the contract tests go by it.
#   fit, title, cost, reference   the function, and what rowsparse_methods() shows
#   family      what kind of problem it solves, one of method_families
#   sees        what it can tell features apart by, out of method_views
#   moments     does it take second moments? All take matrices, sparse ones and row blocks
#   response    "needed", "none", or "optional"; responses: "class", "numeric" or both; "family"
#               where `respond`, function(y, n, arguments given), reads it instead of as_response()
#   weighted, draws   does it take observation weights; may it draw at random?
#   scaled      does a method without the argument `scale` scale the features?
#   stated      arguments that fits state among their parameters unless the solver does
#   defaults    arguments that are set here unlike in the function itself
#   include     what becomes of features that are locked in: "given" (the others are chosen
#               given these) or "first" (these lead, the others follow as they would without)
# The dimension of a subspace, or the number of clusters
#   dimension   the argument that gets a data-driven default; unlimited: may it be Inf?
#   choose_dimension   that default, function(data with leading eigenvalues)
#   basis       must k be at least that dimension?
# Paths over k
#   largest     largest k that the method serves, function(data, given)
#   sizes       "nested" (the first k of one ranking), "path" (the sets in the element `path` of
#               one fit) or "refit" (one fit per k); or a function of the arguments given
#   points      makes the points of a path together, function(data, sizes, given, x, y), or NULL
#               from it if they are made one by one
# Paths over a penalty, of methods that have one
#   penalty     the argument whose growth empties the loadings
#   largest_penalty   where the path begins, function(data, given, y)
#   penalty_points    as `points`, function(data, grid, given, y)
#   lowered     the penalties that are lowered until enough features are found; NULL: `penalty`
#   upwards     are fits made from the smallest penalty on, as a row of zeros cannot come back?
#   path_tol    relative change of the objective at which a point stops, unless `control` says
# Row blocks and memory
#   passes      how often row blocks are read if d x d numbers fit into a quarter of the memory;
#               Inf: all of them are needed at once. See passes.R
#   only_leading, holds   functions of the arguments: are the leading eigenvectors all that it
#               takes of second moments; must row blocks be held in memory (NA: its search decides)?
#   samples     does it read the samples of blocks again when their second moments are known?
#   bytes       memory of a fit beyond the data, function(sizes), see memory.R
#   most_samples   more are refused: methods whose work grows with their square or cube
# rules, control, check, problem, solve, build, class: what run_method() goes by, see there
descriptor <- function(fit, title, reference, cost, family, sees, moments = FALSE,
                       input = c("dense", "sparse", if (moments) "moments", "blocks"),
                       sizes = if ("k" %in% names(formals(fit))) "refit" else "nested",
                       dimension = NULL, choose_dimension = corner_of(dimension), basis = FALSE,
                       unlimited = FALSE, defaults = list(), points = NULL,
                       largest = function(data, given) unit_count(data), penalty = NULL,
                       largest_penalty = NULL, penalty_points = NULL,
                       lowered = NULL, upwards = FALSE, path_tol = NULL, draws = FALSE,
                       scaled = TRUE, responses = c("class", "numeric"), include = "first",
                       bytes = function(s) 0, weighted = FALSE, passes = if (moments) 2 else Inf,
                       most_samples = if ("neighbours" %in% names(formals(fit))) 2e5 else Inf,
                       only_leading = function(args) FALSE, holds = function(args) FALSE,
                       samples = FALSE, rules = list(), control = list(tol = 0, maxit = 1L),
                       check = NULL, solve = NULL, build = NULL, class = NULL, stated = character(),
                       respond = NULL,
                       problem = function(data, args) problem_in_units(data, args$x, args[["y"]]),
                       response = if ("y" %in% names(formals(fit))) "needed" else "none") {
  rules <- c(rules, usual_rules(fit, c("x", "y", "k", "start", names(rules))))
  as.list(environment())
}

# Rules of arguments that have none of their own, by their defaults: of several words it is one, and
# a flag is a flag
usual_rules <- function(fit, own) {
  values <- formals(fit)
  Filter(Negate(is.null), sapply(setdiff(names(values), own), simplify = FALSE, function(name) {
    default <- values[[name]]
    if (name == "seed") {
      function(value, argument) check_seed(value)
    } else if (is.logical(default)) {
      check_flag
    } else if (is.call(default) && length(default) > 2L && is.character(default[[2]])) {
      function(value, argument) check_choice(value, argument, eval(default))
    }
  }))
}

method_families <- c(
  "score", "sparse PCA", "subset", "graph", "pseudo-labels", "self-representation", "regression",
  "discriminant"
)

method_views <- c("variances", "second moments", "neighbours", "clusters", "labels")

# All descriptors, by the names of their methods: those without labels first. Made at the first
# call, as evaluating them takes longer than a small fit.
method_table <- local({
  table <- NULL
  function() {
    if (is.null(table)) table <<- described_methods()
    table
  }
})

described_methods <- function() {
  here <- environment(described_methods)
  names <- sub("^descriptor_", "", ls(here, pattern = "^descriptor_"))
  table <- sapply(names, simplify = FALSE, function(name) {
    c(list(name = name), here[[paste0("descriptor_", name)]]())
  })
  table[order(vapply(table, needs_response, NA))]
}

# largest k of methods: of the features that vary, or as many as the rank may be
varying_features <- function(data, given) varying_units(data)

largest_rank <- function(data, given) {
  if (is_grouped(data)) varying_units(data) else largest_dimension(data)
}

# a ridge tells more features apart than the rank
largest_with_ridge <- function(data, given) {
  if (has_ridge(given[["ridge"]])) varying_units(data) else largest_rank(data)
}

sizes_of <- function(entry, given) if (is.function(entry$sizes)) entry$sizes(given) else entry$sizes

# the caller's choice among those of an argument, or the first
chosen <- function(given, argument, fit) {
  choices <- eval(formals(fit)[[argument]])
  check_choice(or_default(given[[argument]], choices), argument, choices)
}

# The name of a method, of which "default" is another name for none
check_method <- function(method) {
  check_choice(or_default(method, "default"), "method", c("default", names(method_table())))
}

# The method that the caller names, or else the default: the same wherever a method may be left out
# or called "default"; `usual` then says what it is, see usual_method(). One that can do with and
# without a response has its `response` determined here: "needed" where it is to select by y. `x` is
# the object as the caller gave it: what is read from an experiment is an ordinary matrix.
asked_entry <- function(method, x, y, by_response = !is.null(y), k = NULL, given = list()) {
  method <- check_method(method)
  usual <- if (method == "default") {
    searched <- any(lengths(given[c("rules", "groups")]) > 0L)
    usual_method(x, if (by_response) usable_response(y), k, searched, given[["family"]])
  }
  entry <- method_table()[[or_default(usual$method, method)]]
  entry$usual <- usual
  if (entry$response == "optional") entry$response <- if (by_response) "needed" else "none"
  entry
}

needs_response <- function(entry) entry$response == "needed"

takes <- function(entry, argument) argument %in% names(formals(entry$fit))

#' The methods of the package
#'
#' One row per method of [rowsparse()].
#'
#' `print()` shows four of the columns within the width of the console; some of the columns, and
#' `as.data.frame(rowsparse_methods())`, are shown as any data frame.
#'
#' @return A data frame:
#'   \item{method}{name of the method and of its function}
#'   \item{title}{what it is}
#'   \item{supervised}{does it need a response?}
#'   \item{response}{`"needed"`, `"optional"` (used if given), or `"none"`}
#'   \item{family}{what kind of problem it solves}
#'   \item{sees}{the information by which it distinguishes features: their variances, second
#'     moments (including correlations), neighbours of the samples, their clusters, or labels}
#'   \item{exact_k}{does it choose exactly k features by itself, or rank them all?}
#'   \item{input}{what `x` may be}
#'   \item{include}{treatment of features that are locked in, `"given"` or `"first"`, see
#'     [rowsparse_data]}
#'   \item{groups}{does it select whole [groups] of features?}
#'   \item{cost}{arithmetic for n samples, d features, m components, k selected, c responses}
#'   \item{reference}{where it was proposed}
#' @seealso [rowsparse()]
#' @examples
#' rowsparse_methods()
#' rowsparse_methods()[1:3, c("method", "sees", "cost")]
#' @export
rowsparse_methods <- function() {
  table <- method_table()
  text <- function(field) vapply(table, function(entry) toString(entry[[field]]), "")
  has <- function(argument) vapply(table, takes, NA, argument = argument)
  out <- data.frame(
    method = names(table), title = text("title"), family = text("family"), sees = text("sees"),
    supervised = vapply(table, needs_response, NA), response = text("response"),
    exact_k = has("k"), input = text("input"), include = text("include"), groups = has("groups"),
    cost = text("cost"), reference = text("reference"), row.names = NULL
  )
  structure(out, class = c("rowsparse_methods", class(out)))
}

#' @export
print.rowsparse_methods <- function(x, ...) {
  columns <- names(rowsparse_methods())
  if (!identical(names(x), columns)) {
    return(NextMethod())
  }
  shown <- as.data.frame(x)[c("method", "title", "response", "exact_k")]
  # the last two columns, gaps and dots take 23 characters
  room <- max(10L, getOption("width") - max(nchar(shown$method)) - 23L)
  shown$title <- vapply(shown$title, shorten, "", width = room)
  print(shown, right = FALSE, row.names = FALSE)
  cat(strwrap(sprintf(paste(
    "response: does it go by y? exact_k: does it choose k features by itself, or rank all?",
    "More columns, see ?rowsparse_methods: %s."
  ), toString(setdiff(columns, names(shown))))), sep = "\n")
  invisible(x)
}

# ---- arguments ---------------------------------------------------------------

# Names by which other packages know an argument, and what to do here instead
foreign_arguments <- c(
  nfolds = "The number of folds is `folds`, of cv_rowsparse()", nfold = "See `folds`",
  family = "rowsparse_glm() takes it; elsewhere a factor as `y` is classes, numbers are numbers",
  offset = "rowsparse_glm() takes it; of a numeric response take it off: y - offset",
  nlambda = "rowsparse_path() takes it; cv_rowsparse() takes the penalties, as `lambda`",
  alpha = "There is no mixture of penalties here: `ridge` is the quadratic one",
  type.measure = "What is measured is `measure`", keep = "Leave it out",
  standardize = "Features are scaled by `scale`", nvmax = "The number of features is `k`",
  support.size = "The number of features is `k`", nfeatures = "The number of features is `k`",
  exprs_values = "The assay is `assay`", assay.type = "The assay is `assay`",
  use_altexp = "Pass the alternative experiment, altExp(x, \"name\"), as `x`",
  altexp = "Pass the alternative experiment, altExp(x, \"name\"), as `x`",
  newx = "New samples are `newdata`", s = "The size is `k`, the point of a path `at`"
)

# Names by which other packages know a value, and the one here
foreign_values <- list(raw = "class", posterior = "prob", probability = "prob", link = "response")

# what an error says of an argument that is not known: the one that may have been meant
foreign_way_out <- function(name, known = character()) {
  told <- foreign_arguments[name]
  if (is.na(told)) did_you_mean(name, known) else unname(told)
}

# The caller's arguments, all of them known to the method; NULL is not given. `verb`: names of
# arguments of the function that was called, which may have been meant.
check_arguments <- function(entry, given, reserved = character(), verb = character()) {
  given <- given[!vapply(given, is.null, NA)]
  check_takes_groups(entry, given[["groups"]])
  known <- setdiff(names(formals(entry$fit)), c("x", "y", "k", reserved))
  unknown <- setdiff(names(given), known)
  refuse_if(!all(nzchar(names_of(given))), "argument", "...",
    sprintf("must hold named arguments of %s() only", entry$name)
  )
  refuse_if(length(unknown) > 0, "argument", unknown[1],
    sprintf("is not an argument of %s() that can be set here; these are %s", entry$name,
      paste(known, collapse = ", ")
    ), way_out = if (unknown[1] %in% verb) {
      others <- names(Filter(function(other) takes(other, unknown[1]), method_table()))
      if (length(others) > 0) paste("Methods that take it:", toString(others))
    } else {
      foreign_way_out(unknown[1], c(known, setdiff(verb, "...")))
    }
  )
  settings <- entry$usual$settings
  c(given, settings[setdiff(names(settings), c(names(given), reserved))])
}

# the method's own default of `scale`, which may depend on y, unless the caller set it
scale_of <- function(entry, given) {
  default <- if (takes(entry, "scale")) {
    eval(formals(entry$fit)$scale, list(y = if (needs_response(entry)) 0))
  } else {
    entry$scaled
  }
  check_flag(or_default(given[["scale"]], default), "scale")
}

# what says how data are read, and is done with in prepared data
data_arguments <- c("scale", "include", "exclude", "block", "assay", "groups")

# Data arguments of a method: observation weights as well, if it takes them (`weights` of a graph
# are a setting of its own)
read_arguments <- function(entry) c(data_arguments, if (entry$weighted) "weights")

# read, checked and scaled as the method will see them
method_data <- function(entry, x, given) {
  if (!"blocks" %in% entry$input) check_holds_samples(x, FALSE)
  read <- given[intersect(setdiff(read_arguments(entry), "scale"), names(given))]
  data <- do.call(as_data, c(list(x, scale_of(entry, given), select = TRUE), read), quote = TRUE)
  data$only_leading <- entry$only_leading(given)
  # the cross-products of blocks with a response are made with those of the features
  if ((needs_response(entry) && is.finite(entry$passes)) || takes_wide_products(data)) {
    return(data)
  }
  resolve_blocks(data, entry$name, with_cross_products) # fits to come share what was read
}

# Arguments of one fit to prepared data; moments may hold their response, and are small
method_call <- function(entry, x, y, data, k, given) {
  if (needs_response(entry) && inherits(x, "rowsparse_moments")) {
    arguments <- c(list(x = x), given)
  } else {
    arguments <- c(list(x = data), given[setdiff(names(given), read_arguments(entry))])
  }
  if (needs_response(entry) && !is.null(y)) arguments$y <- y
  arguments <- c(arguments, entry$defaults[setdiff(names(entry$defaults), names(given))])
  if (takes(entry, "k")) arguments$k <- k
  arguments
}

# whoever prepared the data has warned about constant features, and told of the response
fit_method <- function(entry, x, y, data, k, given) {
  call <- method_call(entry, x, y, data, k, given)
  # what has been said of the response before
  withCallingHandlers(without_constant_warning(do.call(entry$fit, call, quote = TRUE)),
    rowsparse_message_response = function(m) tryInvokeRestart("muffleMessage")
  )
}
