# The course that all methods take: read the arguments, check them, read the data, refuse what is
# too large, solve, build the fit. What is a method's own stands in its descriptor:
#   rules     by argument, function(value, argument): the checked value, or an error. Rules see no
#             data. Choices, flags and seeds have theirs by their defaults, see usual_rules()
#   control   its defaults of tol, maxit, inner_tol and inner_maxit, or function(args) of these
#   check     function(args, data): the arguments, those whose range depends on the data checked
#   solve     function(data, args, control) of methods without a response, function(problem,
#             args, control) of others, see problem_in_units(): arguments of `build`
#   class     of its fits, if it is not the name of the method
#   build     what makes the fit of it: new_fit(), or new_filter() with a response, unless stated

# Run the method whose function calls this, with that function's arguments
run_method <- function(name) {
  started <- proc.time()[["elapsed"]]
  caller <- sys.parent()
  frame <- parent.frame()
  call <- match.call(sys.function(caller), sys.call(caller), envir = parent.frame(2L))
  entry <- method_table()[[name]]
  args <- obey_rules(given_arguments(entry, frame), entry)
  control <- method_control(entry, args)
  input <- method_input(entry, args)
  if (identical(entry$responses, "class")) class_numbers(input)
  data <- if (needs_response(entry)) input$data else input
  if (!is.null(entry$check)) args <- entry$check(args, data)
  asked <- args[intersect(names(args), c(numeric_sizes, "solver", "loss", "psd"))]
  asked <- Filter(function(value) is_number(value) || is_text(value) || is.logical(value), asked)
  if (needs_response(entry)) asked$classes <- ncol(input$response$Y)
  do.call(check_fit_size, c(list(name, data), asked, list(control = control)))
  if (identical(entry$dimension, "clusters") && is.null(args[["clusters"]])) {
    args$clusters <- as.integer(entry$choose_dimension(with_spectrum(input)))
  }
  if (identical(entry$dimension, "m")) {
    input <- with_spectrum(input, args[["m"]])
    args$m <- resolve_dimension(args[["m"]], input, most = or_default(args[["k"]], Inf))
  }
  parts <- entry$solve(input, args, control)
  stated <- args[setdiff(entry$stated, names(parts$parameters))]
  parts$parameters <- c(stated, parts$parameters, control)
  build <- or_default(entry$build, if (needs_response(entry)) new_filter else new_fit)
  do.call(build, c(list(or_default(entry$class, name), input), parts, list(
    call = call, started = started, verbose = control$verbose
  )), quote = TRUE)
}

# the user's settings of the iterations with the method's defaults filled in
method_control <- function(entry, args) {
  defaults <- if (is.function(entry$control)) entry$control(args) else entry$control
  do.call(resolve_control, c(list(args[["control"]]), defaults), quote = TRUE)
}

# of the method's function; a response that moments hold may be missing
given_arguments <- function(entry, frame) {
  names <- names(formals(entry$fit))
  x <- frame$x # for check_given()
  for (argument in intersect(c("y", "k"), names)) {
    if (eval(call("missing", as.name(argument)), frame)) {
      check_given(TRUE, argument, argument == "y" && inherits(x, "rowsparse_moments"))
      names <- setdiff(names, argument)
    }
  }
  mget(names, frame)
}

obey_rules <- function(args, entry) {
  for (argument in names(entry$rules)) {
    value <- entry$rules[[argument]](args[[argument]], argument)
    args[argument] <- list(value)
  }
  args
}

# Arguments given for the fits of a path, with the method's defaults for others, checked
complete_arguments <- function(name, args) {
  entry <- method_table()[[name]]
  defaults <- as.list(formals(entry$fit))
  defaults <- lapply(defaults[setdiff(names(defaults), c("x", "y", "k"))], eval)
  defaults[names(args)] <- args
  obey_rules(defaults, entry)
}

# the data as the method sees them, or with a response list(data, given, response)
method_input <- function(entry, args) {
  x <- args[["x"]]
  scale <- if (takes(entry, "scale")) args[["scale"]] else entry$scaled
  if (!"moments" %in% entry$input) check_holds_samples(x)
  hold <- if (entry$holds(args)) hold_blocks else resolve_blocks
  data <- hold(as_data(x, scale, args[["assay"]], args[["block"]], args[["include"]],
    args[["exclude"]], weights = if (entry$weighted) args[["weights"]], groups = args[["groups"]]
  ), entry$name)
  if (needs_response(entry)) problem_in_units(data, x, args[["y"]]) else data
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
