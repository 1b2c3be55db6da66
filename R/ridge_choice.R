# The ridge of cdlsr(ridge = "cv"): the one of a few whose fits to the other folds predict the
# samples of each fold best. Folds are dealt out in the order of the response, and nothing is drawn.

# Ridges as multiples of the number of samples: features of standard deviation 1 have a squared
# norm of that size; the folds, and how many perturbations of the sets follow the exchanges in
# them (features that explain nothing alone are found by these only; more than one find no more of
# them). Fewer of all where a single fit takes long, so that the choice costs a few of them.
ridge_grid <- function(n, d) {
  size <- as.double(n) * d
  if (size > 1e6) {
    return(list(share = c(0.003, 0.03, 0.3), folds = 3L, perturb = 0L))
  }
  list(share = c(3e-4, 0.003, 0.03, 0.3), folds = 5L, perturb = if (size > 2e5) 0L else 12L)
}

# is a penalty asked for, so that there may be more features than samples?
has_ridge <- function(ridge) is.character(ridge) || (is_number(ridge) && ridge > 0)

check_ridge <- function(ridge, argument = "ridge") {
  if (is.character(ridge)) {
    return(check_choice(ridge, argument, c("cv", "pillai")))
  }
  check_number(ridge, argument, 0)
}

# list(ridge, share, errors, folds): errors, a data frame of `share`, `ridge` and the squared error
# on the samples left out as a share of that of the mean
choose_ridge <- function(problem, y, k, control) {
  data <- problem$data
  task <- ridge_task(problem$given, y)
  n <- nrow(task$x)
  response <- as_response(task$y, n, told = TRUE)
  grid <- ridge_grid(n, ncol(task$x))
  count <- min(grid$folds, n)
  if (response$type == "class") count <- min(count, max(2, tabulate(response$class)))
  if (response$type != "class") {
    response$Y <- without_level_means(response$Y, as_block(task$block, n))
  }
  scaled <- isTRUE(data$scaled)
  settings <- list(
    k = min(k, varying_units(data)), maxit = control$maxit, tol = control$tol, ridge = 0,
    perturb = grid$perturb, folds = count, fold = ordered_folds(count, response, task$x),
    share = if (scaled) grid$share else grid$share / data$unit / data$unit, scaled = scaled
  )
  groups <- if (is_grouped(data)) inner_groups(data)
  if (!is.null(groups)) groups$price <- price_of_columns(data, groups, 0)
  squares <- .Call(C_fold_errors, unclass(data), core_response(problem$response), groups, settings)
  ridge_of_least(rowSums(squares$errors), grid$share, or_default(data$observed$total, n), count)
}

# `loss` without features, and with the ridge of each `share` of the `total`
ridge_of_least <- function(loss, share, total, folds) {
  errors <- data.frame(share = share, ridge = share * total, error = loss[-1] / loss[1])
  at <- first_largest(-errors$error)
  if (is.na(at)) at <- nrow(errors)
  list(share = errors$share[at], ridge = errors$ridge[at], errors = errors, folds = folds)
}

# what choose_ridge() divides, of prepared data: x, y and block of samples
ridge_task <- function(data, y) {
  refuse_if(!data$kind %in% c("dense", "sparse"), "type", "x",
    "must hold the samples themselves, in memory, for ridge = \"cv\": some have to be left out",
    data$kind
  )
  data["names"] <- list(NULL)
  x <- if (data$kind == "sparse") sparse_samples(data) else or_default(data$given, data$x)
  y <- observed_response(y, data)
  if (!is.null(data$design)) y <- without_design(as_response(y, data$n, told = TRUE)$Y, data$design)
  list(
    x = if (is.matrix(x)) unname(x) else x, y = y,
    block = if (!is.null(data$block)) factor(data$block$levels[data$block$code])
  )
}

# "ridge 0.03 n by 5 folds: error on the samples left out 0.31 of the variance (0.34 at 0.0003 n)"
ridge_line <- function(fit) {
  choice <- fit$ridge_choice
  at <- match(choice$share, choice$errors$share)
  others <- choice$errors[-at, ]
  strwrap(sprintf(
    "explained %s of the response; ridge %s n by %d folds: %s on samples left out %s (%s)",
    format(fit$explained, digits = 2), format(choice$share), choice$folds, error_noun(fit),
    format(choice$errors$error[at], digits = 2),
    paste(sprintf("%s n: %s", format_each(others$share, 3), format_each(others$error, 2)),
      collapse = ", "
    )
  ), max(getOption("width"), 60), exdent = 2)
}
