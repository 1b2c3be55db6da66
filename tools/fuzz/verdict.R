# Runs one generated call and judges what comes back.

# ---- conditions --------------------------------------------------------------

# R's own words for a call that does not fit the function's arguments
usage_errors <- c(
  "^unused arguments? \\(", "^argument \"[^\"]+\" is missing, with no default$",
  "^no applicable method for '[^']+' applied to an object of class",
  "^formal argument \"[^\"]+\" matched by multiple actual arguments$",
  "^argument [0-9]+ matches multiple formal arguments$",
  # a name in the call, or in the call that update() repeats, that stands for nothing here
  "^object '(x|y|data)' not found$", "^could not find function \"fun\"$"
)

# R's words for a further argument of a plot that is no graphical parameter, and those of a
# source that warns, see sources.R, whenever it is read
usage_warnings <- "^\"[^\"]+\" is not a graphical parameter$|^the disk is slow$"

is_usage_error <- function(condition) {
  any(vapply(usage_errors, grepl, NA, x = conditionMessage(condition)))
}

# names of the package's functions among the running calls, outermost first
package_frames <- function() {
  inside <- vapply(seq_len(sys.nframe()), function(i) {
    environmentName(topenv(environment(sys.function(i)))) == "rowsparse"
  }, NA)
  vapply(which(inside), function(i) {
    head <- sys.call(i)[[1]]
    if (is.name(head)) as.character(head) else "function"
  }, "")
}

# whether one of these functions, which the call passed to the package, is at
# work, and nothing of the package's within it
fails_in <- function(functions) {
  frames <- lapply(seq_len(sys.nframe()), sys.function)
  mine <- vapply(frames, function(f) any(vapply(functions, identical, NA, f)), NA)
  inside <- vapply(frames, function(f) environmentName(topenv(environment(f))) == "rowsparse", NA)
  any(mine) && max(which(mine)) > max(which(inside), 0)
}

# What happened: list(value, error, where, warnings). Output goes nowhere, and
# neither devices, options nor the sink of the call survive it.
run_call <- function(call, world) {
  given <- list(world$x, world$newdata, world$result)
  blocks <- Filter(function(x) inherits(x, "rowsparse_blocks") && is.list(x), given)
  theirs <- c(if (is.list(world$methods)) unclass(world$methods), world$read, world$fit,
    world$predict,
    lapply(blocks, function(x) unclass(x)$read)
  )
  theirs <- Filter(is.function, as.list(theirs))
  seen <- list(warnings = list(), where = character())
  saved <- options()
  sinks <- sink.number()
  null <- file(nullfile(), "w")
  sink(null)
  grDevices::pdf(NULL)
  on.exit({
    while (sink.number() > sinks) sink()
    close(null)
    grDevices::graphics.off()
    options(saved)
  })
  seen$value <- tryCatch(
    withCallingHandlers(eval(call, world),
      error = function(e) if (!fails_in(theirs)) seen$where <<- package_frames(),
      warning = function(w) {
        if (length(package_frames()) > 0 && !fails_in(theirs)) {
          seen$warnings <<- c(seen$warnings, list(w))
        }
        invokeRestart("muffleWarning")
      },
      message = function(m) invokeRestart("muffleMessage")
    ),
    error = function(e) {
      seen$error <<- e
      NULL
    }
  )
  seen
}

# ---- values ------------------------------------------------------------------

# collects the rules that a value breaks
rules <- function() {
  broken <- character()
  list(
    need = function(holds, rule) if (!isTRUE(holds)) broken <<- c(broken, rule),
    broken = function() broken
  )
}

is_permutation <- function(ranking, d) {
  is.integer(ranking) && length(ranking) == d && identical(sort(ranking), seq_len(d))
}

all_finite <- function(x) is.numeric(x) && all(is.finite(x))

is_missing_number <- function(x) is.null(x) || (length(x) == 1 && is.na(x) && !is.nan(x))

# `range`: whether a warning said that objectives are Inf or 0
fit_rules <- function(fit, world, target, range = FALSE) {
  r <- rules()
  d <- fit$d
  r$need(is_permutation(fit$ranking, d), "ranking is no permutation")
  r$need(length(fit$scores) == d && all_finite(fit$scores), "scores are not finite")
  r$need(all(diff(fit$scores[fit$ranking]) <= 0), "scores increase along the ranking")
  r$need(identical(names(fit$scores), fit$feature_names), "scores lost the names")
  objective <- if (range) fit$objective[!fit$objective %in% Inf] else fit$objective
  r$need(length(fit$objective) > 0 && all_finite(objective), "objective is not finite")
  r$need(is.null(fit$loadings) || all_finite(as.numeric(fit$loadings)), "loadings are not finite")
  r$need(is.null(fit$loadings) || identical(rownames(fit$loadings), fit$feature_names),
    "loadings lost the names"
  )
  r$need(is_missing_number(fit$kkt) || (all_finite(fit$kkt) && all(fit$kkt >= 0)), "kkt is wrong")
  r$need(is.logical(fit$converged) && length(fit$converged) == 1 && !is.na(fit$converged),
    "converged is neither TRUE nor FALSE"
  )
  r$need(is.character(fit$status) && length(fit$status) == 1, "status is no text")
  for (value in list(fit$explained, fit$response$explained)) {
    r$need(is.null(value) || anyNA(value) || all(value >= -1e-8 & value <= 1 + 1e-8),
      "explained is no share"
    )
    r$need(!any(is.nan(value)), "explained is NaN")
  }
  r$need(length(fit$objective) == fit$iterations + 1, "objective and iterations disagree")
  given <- if (is.matrix(world$x)) colnames(world$x)
  if (!is.null(given) && !anyNA(given) && length(given) == d) {
    r$need(identical(fit$feature_names, given), "the features have other names")
  }
  c(r$broken(), bound_rules(fit), selection_rules(fit, world, target),
    if (inherits(fit, "alignment")) alignment_rules(fit)
  )
}

alignment_rules <- function(fit) {
  r <- rules()
  r$need(all_finite(fit$target) && all_finite(fit$gains), "target or gains are not finite")
  r$need(all(fit$objective >= -1e-8 & fit$objective <= 1 + 1e-8), "alignment outside of 0 and 1")
  # fewer than selected where the front door added features
  r$need(length(fit$near_copies) <= length(fit$selected) && all(fit$near_copies >= 0),
    "near_copies are no counts"
  )
  r$need(all_finite(fit$embedding),
    "embeddings are not finite"
  )
  r$broken()
}

# all methods with a bound minimise
bound_rules <- function(fit) {
  r <- rules()
  end <- utils::tail(fit$objective, 1)
  r$need(is_missing_number(fit$gap) || (length(fit$gap) == 1 && isTRUE(fit$gap >= 0)),
    "gap is negative or NaN"
  )
  r$need(is_missing_number(fit$bound) || isTRUE(fit$bound <= end + 1e-11 * abs(end)),
    "bound above the objective"
  )
  r$broken()
}

selection_rules <- function(fit, world, target) {
  r <- rules()
  # with groups, or factors, k counts these
  k <- if (is.numeric(world$k) && length(world$k) == 1 && is.null(fit$groups)) world$k
  selects <- identical(target, "rowsparse") ||
    (target %in% method_names() &&
       "k" %in% names(formals(rowsparse:::method_table()[[target]]$fit)))
  if (selects) {
    r$need(is.null(k) || length(fit$selected) == k, "not exactly k features are selected")
    r$need(!is.null(fit$selected), "nothing is selected")
  }
  if (!is.null(fit$selected)) {
    r$need(!anyDuplicated(fit$selected), "a feature is selected twice")
    r$need(identical(fit$selected, fit$ranking[seq_along(fit$selected)]),
      "the selected features are not the first of the ranking"
    )
  }
  r$broken()
}

moments_rules <- function(value, ...) {
  r <- rules()
  products <- if (is.null(value$S)) value$factor else value$S
  r$need(all_finite(products) && all_finite(value$mean), "moments are not finite")
  r$need(is.null(value$S) || isSymmetric(unname(value$S)), "S is not symmetric")
  r$need(is.null(value$S) || all(diag(value$S) >= 0), "negative variances")
  r$need(is.null(value$Sxy) || (all_finite(value$Sxy) && all_finite(value$Syy)),
    "moments of the response are not finite"
  )
  r$broken()
}

path_rules <- function(path, world, target, range = FALSE) {
  r <- rules()
  points <- length(path$grid)
  r$need(all_finite(path$grid) && points > 0, "grid is not finite")
  r$need(all_finite(path$scores@x), "scores are not finite")
  r$need(length(path$selected) == points, "a point has no selection")
  r$need(all_finite(path$explained) && all(path$explained >= -1e-8 & path$explained <= 1 + 1e-8),
    "explained is no share"
  )
  objective <- if (range) path$objective[!path$objective %in% Inf] else path$objective
  r$need(all_finite(objective), "objective is not finite")
  r$broken()
}

cv_rules <- function(cv, world, ...) {
  r <- rules()
  r$need(all_finite(cv$k) && length(cv$k) == 1, "no k was chosen")
  r$need(all_finite(cv$fold_loss) && all(cv$fold_loss >= 0), "losses are not finite")
  c(if (inherits(cv$fit, "rowsparse")) fit_rules(cv$fit, list(), "none"), r$broken())
}

selected_rules <- function(value, world, ...) {
  r <- rules()
  r$need(is.character(value) || is.numeric(value), "neither names nor indices")
  r$need(!anyNA(value) && !anyDuplicated(value), "features are missing or repeated")
  if (is.null(world$at) && is.numeric(world$k) && length(world$k) == 1) {
    r$need(length(value) == world$k, "not exactly k features")
  }
  r$broken()
}

frame_rules <- function(value, world, ...) {
  r <- rules()
  r$need(is.data.frame(value), "no data frame")
  r$broken()
}

shapes_rules <- function(value, ...) {
  r <- rules()
  r$need(all_finite(value$x) && nrow(value$x) == length(value$y), "data are not finite")
  r$broken()
}

predict_rules <- function(value, world, ...) {
  r <- rules()
  # what is elsewhere is not in the world
  read <- !is.null(world$newdata) && !inherits(world$newdata, "Matrix")
  finite <- read && all(is.finite(unlist(world$newdata)))
  if (identical(world$type, "components") || identical(world$type, "response")) {
    r$need(!finite || all_finite(as.matrix(value)), "not finite")
  } else if (identical(world$type, "class")) {
    r$need(!finite || !anyNA(value), "a sample has no class")
  }
  r$broken()
}

by_function <- list(
  predict = predict_rules,
  selected = selected_rules, as.data.frame = frame_rules, simulate_shapes = shapes_rules
)

# roles, prices and sets that go together
alternatives_verdict <- function(value, world, ...) {
  r <- rules()
  table <- value$features
  r$need(nrow(table) == value$d && setequal(table$index, seq_len(value$d)), "features are missing")
  r$need(sum(table$selected) == value$k && sum(table$best) == value$k, "not k features")
  known <- !is.na(table$price_most) & !is.na(table$price_least)
  r$need(all(table$price_least[known] >= 0), "a price is negative")
  r$need(all(table$price_least[known] <= table$price_most[known]), "an interval is empty")
  r$need(value$kind == "proved" || !any(table$proved), "proved without a bound")
  if (!is.na(value$bound)) {
    r$need(value$bound >= value$value * (1 - 1e-9), "bound below the best set")
  }
  if (!is.na(value$share)) r$need(value$share <= 1 + 1e-9, "the set given is above the best one")
  r$broken()
}

by_class <- list(
  feature_alternatives = alternatives_verdict,
  rowsparse_moments = moments_rules, rowsparse_path = path_rules, cv_rowsparse = cv_rules
)

# the rules that the value of a call breaks; "" for none
judge_value <- function(value, world, target, range = FALSE) {
  fun <- sub("^.*::", "", target)
  for (name in names(by_function)) {
    if (fun == name || startsWith(fun, paste0(name, "."))) {
      return(by_function[[name]](value, world, target))
    }
  }
  for (name in names(by_class)) {
    if (inherits(value, name)) {
      return(by_class[[name]](value, world, target, range))
    }
  }
  if (inherits(value, "rowsparse")) fit_rules(value, world, target, range) else character()
}

# ---- verdict -----------------------------------------------------------------

# list(verdict, class, message). Verdicts: "ok" (a valid result), "refused" (one
# of the package's errors), "usage", "setup" (the arguments could not be made),
# and the offences "error", "warning", "invalid", "changed"; a suffix "-broken"
# marks those of objects that were edited by hand.
judge <- function(generated, seed, index, world) {
  set.seed(call_seed(seed, index))
  made <- make_arguments(generated$setup, world)
  if (!is.null(made)) {
    return(made)
  }
  before <- unserialize(serialize(values_of(world, generated), NULL))
  state <- globalenv()$.Random.seed
  seen <- run_call(generated$call, world)
  found <- judge_conditions(seen)
  if (found$verdict == "ok" && !generated$broken) {
    arguments <- values_of(world, generated)
    range <- any(vapply(seen$warnings, inherits, NA, "rowsparse_warning_range"))
    broken <- tryCatch(judge_value(seen$value, arguments, generated$target, range),
      error = function(e) paste("cannot be judged:", conditionMessage(e))
    )
    if (length(broken) > 0) {
      found <- list(verdict = "invalid", class = class(seen$value)[1],
        message = paste(broken, collapse = "; ")
      )
    }
  }
  moved <- !identical(state, globalenv()$.Random.seed)
  if (found$verdict == "ok" && moved && !draws(generated)) {
    found <- list(verdict = "changed", class = "", message = "the random number generator moved")
  }
  if (found$verdict == "ok" && !unchanged(before, values_of(world, generated))) {
    found <- list(verdict = "changed", class = "", message = "an argument was changed in place")
  }
  if (found$verdict == "ok") found <- judge_use(seen$value, found)
  if (generated$broken && found$verdict %in% c("error", "warning")) {
    found$verdict <- "edited"
  }
  found
}

# what may draw random numbers
draws <- function(generated) {
  random <- c("simulate_shapes", "compare_panels", "cv_rowsparse", "kmeans_ufs", "rowsparse",
    "rowsparse_path", "step_select_rowsparse",
    names(Filter(function(method) isTRUE(method$draws), rowsparse:::method_table()))
  )
  generated$target %in% random || any(c("start", "starts") %in% names(generated$setup))
}

# the helpers that make arguments, whose errors are their own
makers <- function() {
  mget(c("dense", "with_cells", "named", "stored", "sparse", "experiment", "cells", "hdf5",
    "files_of", "table_of", "table_as", "damaged", "edited"
  ), globalenv())
}

# NULL, or why the arguments cannot be made: the package's own errors are offences here, too,
# where they have no class
make_arguments <- function(setup, world) {
  where <- character()
  made <- tryCatch(suppressMessages(suppressWarnings(withCallingHandlers({
    for (name in names(setup)) {
      world[[name]] <- eval(setup[[name]], world)
      if (is.null(world[[name]])) assign(name, NULL, world)
    }
    NULL
  }, error = function(e) if (!fails_in(makers())) where <<- package_frames()))), error = identity)
  if (is.null(made)) {
    return(NULL)
  }
  mine <- inherits(made, "rowsparse_error") || is_usage_error(made) || length(where) == 0
  list(
    verdict = if (mine) "setup" else "error", class = class(made)[1],
    message = paste0(utils::tail(where, 1), ": ", conditionMessage(made))
  )
}

values_of <- function(world, generated) {
  values <- mget(as.character(names(generated$setup)), world)
  fixed <- function(v) !is.environment(v) && !is.language(v) && !is_elsewhere(v)
  values[vapply(values, fixed, NA)]
}

# what refers to something outside of R: copies of it are not identical
is_elsewhere <- function(value) {
  inherits(value, c("DelayedArray", "rowsparse_blocks", "SummarizedExperiment",
    "data.table"
  ))
}

unchanged <- function(before, after) {
  identical(without_environments(before), without_environments(after),
    ignore.bytecode = TRUE, ignore.environment = TRUE, ignore.srcref = TRUE
  )
}

# a source of row blocks learns from reading, in an environment of its own
without_environments <- function(value) {
  if (is.environment(value)) {
    return(NULL)
  }
  if (is.list(value)) {
    kept <- attributes(value)
    value <- lapply(unclass(value), without_environments)
    attributes(value) <- kept
  }
  # formulas, and what recipes keep of their selectors
  if (is.language(value) && !is.null(attr(value, ".Environment"))) {
    attr(value, ".Environment") <- NULL
  }
  # a symbol as ..2 is another one after it was written and read
  if (is.call(value) && is.null(attributes(value))) deparse(value) else value
}

judge_conditions <- function(seen) {
  foreign <- Filter(function(w) {
    !inherits(w, "rowsparse_warning") && !grepl(usage_warnings, conditionMessage(w))
  }, seen$warnings)
  error <- seen$error
  where <- if (length(seen$where) > 0) utils::tail(seen$where, 1) else ""
  if (!is.null(error) && !inherits(error, "rowsparse_error") && !is_usage_error(error) &&
    length(seen$where) > 0) {
    list(verdict = "error", class = class(error)[1],
      message = paste0(where, ": ", conditionMessage(error))
    )
  } else if (length(foreign) > 0) {
    list(verdict = "warning", class = class(foreign[[1]])[1],
      message = paste0(deparse(conditionCall(foreign[[1]]))[1], ": ",
        conditionMessage(foreign[[1]]))
    )
  } else if (!is.null(error)) {
    kind <- if (inherits(error, "rowsparse_error")) "refused" else "usage"
    list(verdict = kind, class = class(error)[1], message = conditionMessage(error))
  } else {
    list(verdict = "ok", class = class(seen$value)[1], message = "")
  }
}

# what a result is for: printing, summing up, drawing
judge_use <- function(value, found) {
  if (!is.list(value) || !inherits(value, known$methods[, 2])) {
    return(found)
  }
  world <- list2env(list(result = value), parent = globalenv())
  uses <- c(
    list(quote(print(result)), quote(print(summary(result))), quote(plot(result)),
      quote(as.data.frame(result))
    )
  )
  for (use in uses) {
    head <- all.names(use)[1 + (length(all.names(use)) > 2)]
    if (!any(paste(head, class(value)) %in% paste(known$methods[, 1], known$methods[, 2]))) next
    used <- judge_conditions(run_call(use, world))
    if (!used$verdict %in% c("ok", "refused", "usage")) {
      used$message <- paste0(deparse(use), " after it: ", used$message)
      return(used)
    }
  }
  found
}
