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
choose_ridge <- function(data, y, k, control) {
  task <- ridge_task(data, y)
  n <- nrow(task$x)
  response <- as_response(task$y, n, told = TRUE)
  grid <- ridge_grid(n, ncol(task$x))
  count <- min(grid$folds, n)
  if (response$type == "class") count <- min(count, max(2, tabulate(response$class)))
  task$Y <- response$Y / unit_above(max(abs(response$Y)))
  if (response$type != "class") {
    response$Y <- without_level_means(response$Y, as_block(task$block, n))
  }
  foldid <- ordered_folds(count, response, task$x)
  squares <- vapply(seq_len(count), function(fold) {
    ridge_squares(which(foldid == fold), task, k, grid, control)
  }, numeric(length(grid$share) + 1L))
  total <- rowSums(squares)
  errors <- data.frame(
    share = grid$share, ridge = grid$share * sample_mass(n, task$weights),
    error = total[-1] / total[1]
  )
  at <- first_largest(-errors$error)
  if (is.na(at)) at <- length(grid$share)
  list(share = grid$share[at], ridge = errors$ridge[at], errors = errors, folds = count)
}

# the sum of the weights, n without
sample_mass <- function(n, weights) if (is.null(weights)) n else sum(weights)

# Sums of squared errors on the samples `out`: of the mean of the others, and of the fits with each
# ridge. Zeros if the response of the others does not vary, or there is one of them only.
ridge_squares <- function(out, task, k, grid, control) {
  rows <- rows_in_company(seq_len(nrow(task$x))[-out], task$block)
  response <- tryCatch({
    data <- quietly(as_data(task$x[rows, , drop = FALSE], task$scale, NULL,
      block_of_rows(task$block, rows), task$include, weights = task$weights[rows], select = FALSE,
      groups = task$groups
    ))
    own <- as_response(task$Y[rows, , drop = FALSE], length(rows), told = TRUE)
    centre_response(own, data$block, data$observed)
  }, rowsparse_error_constant = function(e) NULL, rowsparse_error_size = function(e) NULL)
  if (is.null(response)) {
    return(numeric(length(grid$share) + 1L))
  }
  inside <- in_binary_units(data)
  args <- list(k = min(k, varying_units(inside)), solver = "exchange", path = FALSE)
  weight <- if (is.null(task$weights)) 1 else task$weights[out]
  level <- match(as.character(task$block)[out], data$block$levels)
  rest <- task$Y[out, , drop = FALSE] -
    means_of_levels(response$mean, response$level_mean, level, length(out))
  errors <- vapply(grid$share * sample_mass(length(rows), task$weights[rows]), function(ridge) {
    # included features may leave no room for others that vary in these samples
    found <- tryCatch(
      find_sets(inside, response, args, control, grid$perturb, ridge_in_units(ridge, inside)),
      rowsparse_error_range = function(e) NULL
    )$out$subset
    columns <- found$selected
    if (length(columns) == 0L) {
      return(sum(weight * rest^2))
    }
    slope <- found$coefficients * response$unit * or_default(inside$weight[columns], 1)
    values <- as.matrix(task$x[out, outer_index(columns, data), drop = FALSE])
    means <- means_of_levels(data$mean[columns], data$block$mean[, columns, drop = FALSE], level,
      length(out)
    )
    sum(weight * (rest - (values - means) %*% slope)^2)
  }, 0)
  c(sum(weight * rest^2), errors)
}

# what choose_ridge() divides, of prepared data: x, y, weights and block of samples that can be
# subset by row, and scale, include, groups, in the order that the features have there
ridge_task <- function(data, y) {
  refuse_if(!data$kind %in% c("dense", "sparse"), "type", "x",
    "must hold the samples themselves, in memory, for ridge = \"cv\": some have to be left out",
    data$kind
  )
  x <- or_default(data$given, data$x)
  if (data$kind == "sparse") {
    x <- Matrix::sparseMatrix(i = data[["i"]], p = data$p, x = data$x, dims = c(data$n, data$d),
      index1 = FALSE
    )
  }
  y <- observed_response(y, data)
  if (!is.null(data$design)) y <- without_design(as_response(y, data$n, told = TRUE)$Y, data$design)
  groups <- if (is_grouped(data)) inner_of(data)
  list(
    x = if (is.matrix(x)) unname(x) else x, y = y, scale = isTRUE(data$scaled),
    block = if (!is.null(data$block)) factor(data$block$levels[data$block$code]),
    include = if (is.null(groups)) data$locked else unique(groups[data$locked]),
    groups = groups, weights = data$observed$weight
  )
}

# "ridge 0.03 n by 5 folds: error on the samples left out 0.31 of the variance (0.34 at 0.0003 n)"
ridge_line <- function(fit) {
  choice <- fit$ridge_choice
  at <- match(choice$share, choice$errors$share)
  others <- choice$errors[-at, ]
  strwrap(sprintf(
    "explained %s of the response; ridge %s n by %d folds: error on samples left out %s (%s)",
    format(fit$explained, digits = 2), format(choice$share), choice$folds,
    format(choice$errors$error[at], digits = 2),
    paste(sprintf("%s n: %s", format_each(others$share, 3), format_each(others$error, 2)),
      collapse = ", "
    )
  ), max(getOption("width"), 60), exdent = 2)
}
