# The course that all methods take: read the arguments, check them, read the data, refuse what is
# too large, solve, build the fit. What is a method's own stands in its descriptor:
#   rules     by argument, function(value, argument): the checked value, or an error. Rules see no
#             data. Choices, flags and seeds have theirs by their defaults, see usual_rules()
#   control   its defaults of tol, maxit, inner_tol and inner_maxit, or function(args) of these
#   check     function(args, data): the arguments, those whose range depends on the data checked;
#             `usable`, if only some of the features that vary may be taken
#   problem   with a response, function(data, args): data and response as `solve` takes them, if
#             problem_in_units() does not make them
#   solve     function(data, args, control), or with a response function(problem, args, control),
#             see problem_in_units(): arguments of `build`. args$started is the time of the call
#   class     of its fits, if it is not the name of the method
#   build     what makes the fit of it: new_fit(), or new_filter() with a response, unless stated

# Run the method whose function calls this, with that function's arguments
run_method <- function(name) {
  started <- proc.time()[["elapsed"]]
  caller <- sys.parent()
  frame <- parent.frame()
  call <- match.call(sys.function(caller), sys.call(caller), envir = parent.frame(2L))
  entry <- method_table()[[name]]
  args <- with_names_of_symbols(obey_rules(given_arguments(entry, frame), entry), frame$x)
  control <- method_control(entry, args)
  input <- method_input(entry, args)
  ruled <- takes(entry, "rules")
  if (!ruled) input <- method_blocks(entry, args, input)
  if (!is.null(entry$check)) args <- entry$check(args, input)
  if (ruled) input <- method_rules(entry, args, input)
  by_response <- needs_response(entry) || (entry$response == "optional" && !is.null(args[["y"]]))
  asked <- asked_sizes(args, input)
  if (by_response) {
    input <- entry$problem(input, args)
    if (identical(entry$responses, "class")) class_numbers(input)
    asked$classes <- length(input$response$mean)
  }
  do.call(check_fit_size, c(list(name, if (by_response) input$given else input), asked))
  if (identical(entry$dimension, "clusters") && is.null(args[["clusters"]])) {
    args$clusters <- as.integer(entry$choose_dimension(with_spectrum(input)))
  }
  if (identical(entry$dimension, "m") && !(entry$unlimited && is_unlimited(args[["m"]]))) {
    if (is.null(args[["m"]])) input <- with_values_for(input, entry)
    args$m <- resolve_dimension(args[["m"]], input, entry$choose_dimension,
      if (entry$basis) needed_columns(args$k, input, largest = FALSE) else Inf
    )
  }
  args$started <- started
  parts <- entry$solve(input, args, control)
  stated <- args[setdiff(entry$stated, names(parts$parameters))]
  parts$parameters <- c(stated, parts$parameters, control)
  build <- or_default(entry$build, if (by_response) new_filter else new_fit)
  do.call(build, c(list(or_default(entry$class, name), input), parts, list(
    call = call, started = started, verbose = control$verbose
  )), quote = TRUE)
}

# the data with the rules of panels, which may ask for samples that second moments do not hold
method_rules <- function(entry, args, input) {
  rules <- rules_of_samples(args[["rules"]], args[["x"]])
  input <- add_rules(input, rules, args$k, sample_column(args[["x"]], args[["y"]], "y"))
  check_searched(input, entry, args)
  method_blocks(entry, args, input)
}

# a fit of a path, from what a method tells new_fit()
quiet_fit <- function(name, data, told, ...) {
  quietly(do.call(new_fit, c(list(name, data), told, list(
    ..., call = NULL, started = proc.time()[["elapsed"]]
  )), quote = TRUE))
}

# the user's settings of the iterations with the method's defaults filled in
method_control <- function(entry, args) {
  defaults <- if (is.function(entry$control)) entry$control(args) else entry$control
  do.call(resolve_control, c(list(args[["control"]]), defaults), quote = TRUE)
}

# Arguments of the method's function; a response that moments hold may be missing
given_arguments <- function(entry, frame) {
  names <- names(formals(entry$fit))
  x <- frame$x
  absent <- Filter(function(name) {
    identical(formals(entry$fit)[[name]], formals(function(x) NULL)$x) &&
      eval(call("missing", as.name(name)), frame)
  }, intersect(c("y", "k"), names))
  args <- mget(setdiff(names, absent), frame)
  # alignment(x, 50) means k = 50
  if ("k" %in% absent && !is.null(args[["y"]]) && !is.na(sample_count(x))) {
    check_response_length(args[["y"]], sample_count(x))
  }
  if (length(absent) > 0L) check_no_formula(x)
  if ("y" %in% absent && inherits(x, "rowsparse_moments")) absent <- setdiff(absent, "y")
  refuse_if(length(absent) > 0L, "missing", absent[1], switch(absent[1],
    k = "must be given: the number of features to select",
    y = "must be given: the response, one entry per sample"
  ))
  args
}

# what the memory of a fit depends on
asked_sizes <- function(args, data) {
  names <- c(numeric_sizes, "solver", "loss", "psd", "ridge", "certify")
  asked <- Filter(function(value) {
    is.numeric(value) || is_text(value) || is.logical(value)
  }, args[intersect(names(args), names)])
  if (is_unlimited(asked[["m"]])) asked$m <- NULL
  if (!is.null(asked[["k"]])) asked$k <- needed_columns(asked$k, data)
  asked
}

obey_rules <- function(args, entry) {
  for (argument in names(entry$rules)) {
    args[argument] <- list(entry$rules[[argument]](args[[argument]], argument))
  }
  args
}

# Arguments given for the fits of a path, with the method's defaults for others, checked
complete_arguments <- function(name, args) {
  entry <- method_table()[[name]]
  defaults <- as.list(formals(entry$fit))
  here <- parent.env(environment()) # the package, which need not be attached
  defaults <- lapply(defaults[setdiff(names(defaults), c("x", "y", "k"))], eval, here)
  defaults[names(args)] <- args
  obey_rules(defaults, entry)
}

# the data as the method sees them
method_input <- function(entry, args) {
  x <- args[["x"]]
  if (!"moments" %in% entry$input) check_holds_samples(x, "blocks" %in% entry$input)
  weights <- if (entry$weighted) sample_weights(x, args[["weights"]], args[["y"]])
  data <- as_data(x, if (takes(entry, "scale")) args[["scale"]] else entry$scaled,
    args[["assay"]], args[["block"]], args[["include"]], args[["exclude"]], weights = weights,
    groups = args[["groups"]]
  )
  data$only_leading <- entry$only_leading(args)
  data
}

# row blocks as the method reads them
method_blocks <- function(entry, args, data) {
  held <- entry$holds(args)
  if (is.na(held) || takes_wide_products(data)) {
    data
  } else if (held) {
    hold_blocks(data, entry$name)
  } else {
    resolve_blocks(data, entry$name)
  }
}

# ---- rules ----------------------------------------------------------------------------

number <- function(lower = -Inf, upper = Inf) {
  function(value, argument) check_number(value, argument, lower, upper)
}

# numbers above 0, to an upper limit
positive_to <- function(upper) {
  function(value, argument) check_number(value, argument, 0, upper, open_lower = TRUE)
}

positive <- positive_to(Inf)

whole <- function(lower, upper = largest_count) {
  function(value, argument) check_count(value, argument, lower, upper)
}

# NULL for the method's own
optional <- function(rule) {
  function(value, argument) if (is.null(value)) NULL else rule(value, argument)
}
