# Calls of everything that NAMESPACE exports or registers, each generated from a
# seed and an index alone. A call is a list: `target` (what it covers), `setup`
# (named expressions, evaluated in order), `call`, and `broken`, whether an
# object in it was edited by hand.

# ---- what there is to call ---------------------------------------------------

targets <- function(namespace = asNamespace("rowsparse")) {
  methods <- parseNamespaceFile("rowsparse", dirname(getNamespaceInfo(namespace, "path")))$S3methods
  # those of generics of other packages are registered when these are loaded
  from <- methods[, 4]
  methods[!is.na(from), 1] <- paste0(from, "::", methods[, 1])[!is.na(from)]
  functions <- Filter(function(name) is.function(namespace[[name]]), getNamespaceExports(namespace))
  list(functions = sort(functions), methods = methods[, 1:2, drop = FALSE])
}

# the generic may be another package's, as "generics::tidy"
generic_of <- function(name) {
  parts <- strsplit(name, "::", fixed = TRUE)[[1]]
  name <- parts[length(parts)]
  from <- if (length(parts) == 2) parts[1] else "rowsparse"
  if (requireNamespace(from, quietly = TRUE)) get0(name, envir = asNamespace(from))
}

method_formals <- function(generic, class, namespace = asNamespace("rowsparse")) {
  name <- paste0(sub(".*::", "", generic), ".", class)
  formals_of(get(name, envir = namespace))
}

# the defaults of a function, `required` where there is none
formals_of <- function(fun) {
  out <- as.list(formals(args(fun)))
  missing <- vapply(out, function(default) identical(as.character(default), ""), NA)
  out[missing] <- list(quote(required))
  out
}

# ---- arguments ---------------------------------------------------------------

is_required <- function(default) identical(default, quote(required))

# amounts of work: 3e9 must be refused, but a million is a long wait
work <- c("repeats", "starts", "random", "nlambda", "folds", "maxit", "inner_maxit")

# An argument of this name with this default; wild ones are wrong more often than
# not. `here`: names of the arguments set up so far; `like`: the object that the
# call is about, if any.
argument <- function(name, default, wild, here, like = NULL) {
  if (wild && chance(0.2)) {
    return(anything())
  }
  switch(name,
    x = data_expression(),
    newdata = if (wild || is.null(like)) data_expression() else newdata_for(like),
    data = if (is.call(default)) "set" else newdata_for(like),
    y = if ("x" %in% here) response_expression(wild) else pick(alist(1:10, factor(rep(1:2, 5)))),
    control = control_expression(wild),
    A = matrix_expression(wild),
    e1 = moments_expression(wild),
    e2 = moments_expression(wild),
    moments = moments_expression(wild),
    method = method_argument(wild),
    start = start_argument(default, wild, "x" %in% here),
    if (wild) wild_argument(name) else plain_argument(name, default)
  )
}

wild_argument <- function(name) {
  values <- argument_values[[name]]$wild
  if (is.null(values)) odd_number() else pick(values)
}

plain_argument <- function(name, default) {
  values <- argument_values[[name]]$plain
  if (!is.null(values)) pick(values) else by_default(name, default)
}

by_default <- function(name, default) {
  if (is_required(default)) {
    return(pick(alist(1, 2, 3, 4)))
  }
  value <- tryCatch(eval(default, asNamespace("rowsparse")), error = function(e) NULL)
  if (is.character(value) && length(value) > 1) {
    pick(value)
  } else if (is.logical(value) && length(value) == 1) {
    chance(0.5)
  } else if (is.numeric(value) && length(value) == 1) {
    if (name %in% work) sample(2:3, 1) else value * pick(c(0.5, 1, 1, 2))
  } else if (is.null(value)) {
    pick(alist(NULL, 1, 2, 0.1, 0.01, 10))
  } else {
    default
  }
}

method_names <- function() rowsparse_methods()$method

exported_methods <- function() intersect(method_names(), getNamespaceExports("rowsparse"))

method_argument <- function(wild) {
  if (wild) {
    pick(alist("bad", "c", NA, 2, c("css", "bsufs"), list("css"), css))
  } else {
    pick(method_names())
  }
}

start_argument <- function(default, wild, has_samples = FALSE) {
  named <- is.character(default) || is.call(default)
  kind <- if (wild) "wild" else "plain"
  values <- c(starts[[kind]], if (has_samples) first_labels[[kind]])
  if (wild || !named) pick(values) else by_default("start", default)
}

# values that stay harmless when they are taken seriously
tame <- function(name, value) {
  if (name %in% work && is.numeric(value) && length(value) == 1 && isTRUE(value > 50) &&
    isTRUE(value < 2147483647)) {
    return(3e9)
  }
  value
}

moments_expression <- function(wild) {
  x <- if (wild) matrix_expression() else pick(alist(dense(20, 10), dense(5, 10)))
  e <- if (chance(0.3)) {
    call("moments", call("with_cells", x, NA, pick(c(1, 7))), missing = "em")
  } else {
    call("moments", x)
  }
  if (wild && chance(0.5)) edited_expression(e, moments_parts) else e
}

newdata_for <- function(object) {
  d <- if (is.list(object) && is.numeric(object$d)) object$d else 10
  names <- if (is.list(object)) object$feature_names
  e <- call("dense", 8, as.numeric(d)[1])
  if (is.null(names)) e else as.call(list(quote(named), e, names))
}

# ---- calls -------------------------------------------------------------------

# arguments for these formals: required ones nearly always, others now and then
arguments_for <- function(formals, known = list(), object = NULL) {
  wild <- sample(c(0, 1, 2, 9), 1, prob = c(40, 40, 16, 4))
  names <- setdiff(names(formals), c("...", names(known)))
  required <- vapply(formals[names], is_required, NA)
  usual <- required | names %in% c("y", "k", "m")[chance(0.7)]
  names <- names[stats::runif(length(names)) < ifelse(usual, 0.97, 0.2)]
  optional <- setdiff(names, c("x", "y"))
  strange <- sample(optional, min(wild, length(optional)))
  out <- known
  for (name in names) {
    value <- argument(name, formals[[name]], name %in% strange || (name == "y" && chance(0.4)),
      names(out), object
    )
    out[name] <- list(tame(name, value))
  }
  if (chance(0.01)) out$unknown <- 1
  out
}

# further arguments of the method that a function passes its dots to
dots_for <- function(formals, arguments) {
  method <- arguments$method
  if (!"..." %in% names(formals) || !is.character(method) || !isTRUE(method %in% method_names())) {
    return(list())
  }
  theirs <- formals_of(rowsparse:::method_table()[[method]]$fit)
  theirs <- theirs[setdiff(names(theirs), c(names(formals), "x", "y", "k"))]
  chosen <- theirs[stats::runif(length(theirs)) < 0.15]
  arguments_for(chosen)
}

new_call <- function(target, fun, arguments, object = NULL, positional = character()) {
  setup <- arguments
  names <- names(setup)
  labels <- ifelse(names %in% positional, "", names)
  list(
    target = target, setup = setup,
    call = as.call(c(list(fun), stats::setNames(lapply(names, as.name), labels)))
  )
}

# arguments that most calls do without, and are refused with
seldom_given <- list(alternatives = c("k", "method", "return"))

function_call <- function(name) {
  formals <- formals_of(getExportedValue("rowsparse", name))
  if (chance(0.9)) formals <- formals[setdiff(names(formals), seldom_given[[name]])]
  arguments <- arguments_for(formals)
  arguments <- c(arguments, dots_for(formals, arguments))
  arguments <- arguments[!duplicated(names(arguments))]
  new_call(name, as.name(name), arguments)
}

method_call <- function(generic, class, objects) {
  formals <- method_formals(generic, class)
  suitable <- names(objects)[vapply(objects, inherits, NA, class)]
  if (length(suitable) == 0) {
    return(NULL)
  }
  name <- pick(suitable)
  e <- call("object", name)
  parts <- names(unclass(objects[[name]]))
  if (chance(0.35) && length(parts) > 0) e <- edited_expression(e, parts)
  first <- names(formals)[1]
  known <- stats::setNames(list(e), first)
  if (first == "e1") known$e2 <- if (chance(0.5)) e else moments_expression(TRUE)
  arguments <- arguments_for(formals, known, objects[[name]])
  fun <- if (grepl("::", generic)) str2lang(generic) else as.name(generic)
  new_call(paste0(generic, ".", class), fun, arguments,
    positional = if (first == "e1") c("e1", "e2") else character()
  )
}

# a call from the help pages with an argument or two replaced, removed or bent
example_call <- function(templates) {
  at <- sample.int(length(templates), 1)
  template <- templates[[at]]
  names <- names(template$arguments)
  setup <- lapply(names, function(name) call("example_argument", at, name))
  names(setup) <- names
  formals <- template$formals
  # what a generic of another package does with other objects is not ours
  ours <- template$name %in% getNamespaceExports("rowsparse")
  if (!ours) setup[1] <- list(bend_expression(setup[[1]], template$arguments[[1]]))
  free <- if (ours) names else names[-1]
  for (i in seq_len(min(sample(1:2, 1), length(free)))) {
    name <- pick(free)
    setup[name] <- list(switch(pick(c("replace", "remove", "bend"), c(3, 0.3, 2)),
      replace = {
        default <- if (name %in% names(formals)) formals[[name]] else NULL
        tame(name, argument(name, default, chance(0.7), names))
      },
      remove = NULL,
      bend = bend_expression(setup[[name]], template$arguments[[name]])
    ))
  }
  others <- setdiff(names(formals), c(names, "..."))
  setup <- c(setup, arguments_for(formals[others[stats::runif(length(others)) < 0.1]]))
  labels <- ifelse(grepl("^[.]arg", names(setup)), "", names(setup))
  list(
    target = template$name, setup = setup,
    call = as.call(c(list(str2lang(template$name)),
      stats::setNames(lapply(names(setup), as.name), labels)
    ))
  )
}

# a value of the right kind, changed a little; one whose slots are broken is left as it is, as
# Matrix itself trusts them
bend_expression <- function(e, value) {
  if ("broken_sparse" %in% all.names(e)) {
    e
  } else if (is.numeric(value) && is.matrix(value)) {
    pick(list(call("with_cells", e, NA, 2), call("with_cells", e, 1e300, 2), call("*", e, 1e160),
      call("*", e, 1e-160), call("[", e, 1:2, TRUE), call("*", e, 0), call("sparse", e),
      call("stored", e, "integer"), call("unname", e), call("with_cells", e, Inf, 1),
      call("round", e)
    ))
  } else if (is.numeric(value)) {
    pick(list(call("*", e, 1e300), call("-", e), call("c", e, NA), call("*", e, 0),
      call("+", e, 0.5), call("rev", e), call("[", e, 0), call("as.character", e),
      call("c", e, e), call("*", e, 1e-300)
    ))
  } else if (is.data.frame(value)) {
    pick(list(call("[", e, 1), call("as.matrix", e), call("[", e, 1:2, TRUE), call("rev", e),
      call("[", e, 0), call("cbind", e, e)
    ))
  } else if (is.character(value)) {
    pick(list(call("rev", e), call("toupper", e), call("c", e, NA), call("[", e, 0)))
  } else if (is.list(value) && length(value) > 0 && !is.null(names(value))) {
    edited_expression(e, names(unclass(value)))
  } else {
    anything()
  }
}

# whether a part of the expressions was edited by hand
is_broken <- function(setup) {
  any(vapply(setup, function(e) {
    any(c("edited", "without", "cut_short", "broken_sparse", "structure") %in% all.names(e))
  }, NA))
}

call_seed <- function(seed, index) {
  as.integer((seed * 1000003 + index * 7919) %% 2147483647)
}

generate_call <- function(seed, index, known) {
  set.seed(call_seed(seed, index))
  weights <- c(`function` = 40, method = 22, example = 18, crossed = 20)
  there <- c(
    length(known$functions), nrow(known$methods), length(known$templates), !known$restricted
  ) > 0
  repeat {
    call <- switch(pick(names(weights)[there], weights[there]),
      crossed = crossed_call(),
      `function` = function_call(pick(known$functions)),
      method = {
        row <- sample.int(nrow(known$methods), 1)
        if (!is.null(generic_of(known$methods[row, 1]))) {
          method_call(known$methods[row, 1], known$methods[row, 2], known$objects)
        }
      },
      example = example_call(known$templates)
    )
    if (!is.null(call)) break
  }
  call$broken <- is_broken(call$setup)
  call
}

# What there is to call by names that match ("plot rowsparse" for a method): functions, methods, and
# examples of them or with an object of such a class
restrict <- function(known, pattern) {
  known$restricted <- nzchar(pattern)
  if (!known$restricted) {
    return(known)
  }
  hits <- function(text) grepl(pattern, text)
  known$functions <- known$functions[hits(known$functions)]
  methods <- known$methods
  known$methods <- methods[hits(paste(methods[, 1], methods[, 2])), , drop = FALSE]
  known$templates <- Filter(function(template) {
    hits(template$name) || any(hits(vapply(template$arguments, function(value) {
      paste(class(value), collapse = " ")
    }, "")))
  }, known$templates)
  known
}

# the lines that repeat a call
as_script <- function(call, seed, index) {
  one_line <- function(e, width = 100L) {
    text <- paste(trimws(deparse(e, width.cutoff = 500L)), collapse = " ")
    if (nchar(text) > 300) paste0(substr(text, 1, 300), "...") else text
  }
  setup <- sprintf("%s <- %s", names(call$setup), vapply(call$setup, one_line, ""))
  c(sprintf("set.seed(%d)", call_seed(seed, index)), setup, one_line(call$call))
}
