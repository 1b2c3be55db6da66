# A numeric response, made from the data: three columns are taken out and predicted
# from the columns selected among the others, each alone and all three together.

number_sets <- c(
  "SRBCT", "su", "GLIOMA", "christensen", "nakayama", "mECS", "zheng500", "panc8_small",
  "Isolet", "COIL20", "UMIST", "USPS_1000", "pie", "warpPIE10P"
)
number_sizes <- c(20, 10, 50)
response_count <- 3

# the responses are drawn from the tenth of the columns with the largest variance
number_task <- function(name, split) {
  task <- usefulness_data(name)
  n <- nrow(task$x)
  variance <- Matrix::colSums(task$x^2) / n - Matrix::colMeans(task$x)^2
  fixed_seed(4)
  upper <- order(-variance)[seq_len(ncol(task$x) %/% 10)]
  taken <- sample(upper, response_count)
  task$response <- dense_part(task$x, taken)
  task$x <- task$x[, -taken]
  fixed_seed(200 + split)
  task$folds <- rep_len(seq_len(fold_count), n)[sample.int(n)]
  task$split <- split
  task
}

# squared error of the test samples relative to that of the training mean, ridge and
# least squares (NA where it has no residual degree of freedom), mean over the
# responses
prediction_error <- function(task, columns_by_fold, response) {
  y <- task$response[, response, drop = FALSE]
  sums <- lapply(seq_len(fold_count), function(fold) {
    held <- task$folds == fold
    columns <- columns_by_fold[[fold]]
    scaled <- standardise(dense_part(task$x[!held, , drop = FALSE], columns),
      dense_part(task$x[held, , drop = FALSE], columns)
    )
    centre <- colMeans(y[!held, , drop = FALSE])
    train <- y[!held, , drop = FALSE] - rep(centre, each = sum(!held))
    test <- y[held, , drop = FALSE] - rep(centre, each = sum(held))
    fitted <- shrunken_fits(scaled$train, train, scaled$test)
    rbind(
      ridge = colSums((test - fitted$ridge)^2),
      ols = if (is.null(fitted$ols)) NA else colSums((test - fitted$ols)^2), null = colSums(test^2)
    )
  })
  sums <- Reduce(`+`, sums)
  c(ridge = mean(sums["ridge", ] / sums["null", ]), ols = mean(sums["ols", ] / sums["null", ]))
}

# predictions of ridge regression, its penalty chosen by generalised cross-validation
# for each response, and of least squares
shrunken_fits <- function(train, y, test) {
  parts <- svd(train)
  keep <- parts$d > 1e-10 * max(parts$d, 1e-300)
  u <- parts$u[, keep, drop = FALSE]
  d <- parts$d[keep]
  projected <- crossprod(u, y)
  scores <- test %*% parts$v[, keep, drop = FALSE]
  n <- nrow(train)
  penalties <- n * 10^seq(-5, 3, 0.25)
  gcv <- vapply(penalties, function(penalty) {
    share <- d^2 / (d^2 + penalty)
    left <- 1 - (1 + sum(share)) / n
    if (left < 0.1) return(rep(Inf, ncol(y))) # nearly interpolated: 0 / 0
    residual <- colSums(y^2) - colSums((1 - (1 - share)^2) * projected^2)
    residual / left^2
  }, numeric(ncol(y)))
  best <- penalties[apply(matrix(gcv, ncol(y)), 1, which.min)]
  ridge <- vapply(seq_len(ncol(y)), function(j) {
    drop(scores %*% (d / (d^2 + best[j]) * projected[, j]))
  }, numeric(nrow(test)))
  ols <- if (ncol(train) < n - 1) scores %*% (projected / d)
  list(ridge = matrix(ridge, nrow(test)), ols = ols)
}

number_file <- function(task, label, k) {
  store_file("numbers", task$name, label, sprintf("k%d", k), sprintf("split%d", task$split))
}

# each response alone, then all together
response_sets <- c(as.list(seq_len(response_count)), list(seq_len(response_count)))

# errors: one row per element of response_sets, columns ridge and ols
number_errors <- function(task, label, call, k, again) {
  file <- number_file(task, label, k)
  old <- kept_or_null(file)
  if (!is.null(old) && !again) {
    return(old)
  }
  fits <- lapply(response_sets, function(response) {
    lapply(seq_len(fold_count), function(fold) {
      held <- task$folds == fold
      y <- task$response[!held, response]
      select_for_numbers(call, task$x[!held, , drop = FALSE], y, k)
    })
  })
  errors <- t(mapply(function(response, by_fold) {
    columns <- lapply(by_fold, `[[`, "selected")
    if (any(lengths(columns) == 0)) return(c(ridge = NA, ols = NA))
    prediction_error(task, columns, response)
  }, response_sets, fits))
  result <- list(errors = errors, fits = fits,
    version = format(utils::packageVersion("rowsparse"))
  )
  keep(result, file)
  result
}

select_for_numbers <- function(call, x, y, k) {
  if (method_of(call) != "correlation") {
    return(limited_fit(call, x, y, k))
  }
  time <- system.time(score <- squared_correlation(x, as.matrix(y)))
  list(selected = order(-score)[seq_len(k)], cpu = sum(time[1:2]), elapsed = time[[3]], note = "")
}

# of every column with the responses, summed over these
squared_correlation <- function(x, y) {
  y <- scale(y)
  centre <- Matrix::colMeans(x)
  total <- Matrix::colSums(x^2) - nrow(x) * centre^2
  varies <- total > 1e-12 * (total + nrow(x) * centre^2)
  score <- rowSums(as.matrix(Matrix::crossprod(x, y))^2) # y is centred
  ifelse(varies, score / ifelse(varies, total, 1), 0)
}

random_number_errors <- function(task, k) {
  kept(number_file(task, "random", k), {
    sets <- random_selections(task, k, random_label_count)
    errors <- lapply(seq_len(nrow(sets)), function(i) {
      columns <- rep(list(sets[i, ]), fold_count)
      t(vapply(response_sets, function(response) prediction_error(task, columns, response),
        numeric(2)
      ))
    })
    Reduce(`+`, errors) / length(errors)
  })
}

numeric_methods <- function() {
  intersect(c("alignment", "cdlsr", "rfs", "correlation"),
    c(rowsparse_methods()$method, "correlation")
  )
}

run_numbers <- function(names, methods, sizes, splits, again) {
  for (split in splits) {
    for (k in intersect(number_sizes, sizes)) {
      for (name in intersect(number_sets, names)) {
        task <- number_task(name, split)
        for (label in names(methods)) {
          progress(name, k, label, number_errors(task, label, methods[[label]], k, again))
        }
        progress(name, k, "random", random_number_errors(task, k))
      }
    }
  }
}
