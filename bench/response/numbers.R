# Numbers as responses: real regressions, simulated ones, the rules of cv_rowsparse(), the limit of
# predictions.

# ---- methods: columns of the sizes asked for ---------------------------------------

by_fit <- function(method, ...) {
  given <- list(...)
  function(x, y, sizes) {
    fit <- quiet(do.call(rowsparse, c(list(x = x, y = y, k = max(sizes), method = method), given)))
    lapply(sizes, function(k) {
      if (inherits(fit, "cdlsr")) fit$path$features[[k]] else fit$ranking[seq_len(k)]
    })
  }
}

by_glmnet <- function(x, y, sizes) {
  path <- glmnet::glmnet(x, y, nlambda = 400, lambda.min.ratio = 1e-4)
  lapply(sizes, function(k) {
    at <- c(which(path$df >= k), length(path$df))[1]
    order(-abs(as.vector(path$beta[, at])) * apply(x, 2, stats::sd))[seq_len(k)]
  })
}

by_abess <- function(x, y, sizes) {
  fit <- abess::abess(x, y, support.size = sizes)
  lapply(sizes, function(k) which(as.vector(stats::coef(fit, support.size = k))[-1] != 0))
}

number_methods <- c(
  list(
    default = function(x, y, sizes) lapply(sizes, function(k) quiet(rowsparse(x, y, k))$selected),
    `cdlsr, no ridge` = by_fit("cdlsr"), alignment = by_fit("alignment"), ftest = by_fit("ftest"),
    rfs = by_fit("rfs")
  ),
  if (installed("glmnet")) list(glmnet = by_glmnet),
  if (installed("abess")) list(abess = by_abess)
)

# ---- errors of two regressions on the selected features ------------------------------

# ridge regression, the penalty by generalised cross-validation
ridge_error <- function(train, y, test, truth) {
  centre <- colMeans(train)
  spread <- pmax(apply(train, 2, stats::sd), 1e-12)
  z <- svd(scale(train, centre, spread))
  rotated <- crossprod(z$u, y - mean(y))
  n <- length(y)
  judged <- function(lambda) {
    shrink <- z$d^2 / (z$d^2 + lambda)
    rest <- sum((y - mean(y))^2) - sum(rotated^2 * (1 - (1 - shrink)^2))
    rest / (1 - (1 + sum(shrink)) / n)^2
  }
  grid <- n * 10^seq(-6, 2, length.out = 60)
  lambda <- grid[which.min(vapply(grid, judged, 0))]
  b <- z$v %*% (z$d / (z$d^2 + lambda) * rotated)
  sum((truth - mean(y) - scale(test, centre, spread) %*% b)^2) / sum((truth - mean(y))^2)
}

# One row for each method and size. found: the share of the features `true` that are selected
method_rows <- function(x, y, test, truth, sizes, true = NULL) {
  rows_of(names(number_methods), function(method) {
    time <- system.time(found <- number_methods[[method]](x, y, sizes))
    rows_of(seq_along(sizes), function(i) {
      own <- found[[i]]
      given <- list(x[, own, drop = FALSE], y, test[, own, drop = FALSE], truth)
      data.frame(method = method, k = sizes[i], found = mean(true %in% own),
        ols = do.call(least_squares_error, given), ridge = do.call(ridge_error, given),
        seconds = time[["user.self"]] / length(sizes)
      )
    })
  })
}

# ---- real regressions ------------------------------------------------------------------

real_sets <- c("bbb", "boston_squares", "cox2", "diabetes64", "gasoline", "pac", "tecator")

read_real <- function(name) {
  message(name)
  set <- bench_data(file.path("regression", name))
  list(name = name, x = unname(as.matrix(set$x)) + 0, y = as.numeric(set$y))
}

# one result by fold: f(columns that vary in the training samples, training samples)
by_folds <- function(set, count, f) {
  folds <- integer(length(set$y))
  folds[order(set$y)] <- rep_len(c(seq_len(count), rev(seq_len(count))), length(set$y))
  rows_of(seq_len(count), function(fold) {
    train <- folds != fold
    f(set$x[, apply(set$x[train, ], 2, stats::sd) > 0], train)
  })
}

cross_validated_rows <- function(set, count, sizes) {
  by_folds(set, count, function(x, train) {
    cbind(set = set$name, method_rows(x[train, ], set$y[train], x[!train, ], set$y[!train], sizes))
  })
}

run_real <- function() {
  rows_of(asked_sets(real_sets), function(name) {
    cross_validated_rows(read_real(name), 5, c(3, 5, 10, 20))
  })
}

# what is left of them with 60 samples
run_small <- function() {
  rows_of(asked_sets(real_sets), function(name) {
    set <- read_real(name)
    rows_of(1:3, function(seed) {
      set.seed(seed)
      some <- sample(length(set$y), 60)
      cross_validated_rows(list(name = name, x = set$x[some, ], y = set$y[some]), 4, c(4, 9, 20))
    })
  })
}

# ---- simulated ones ----------------------------------------------------------------------

independent <- function(n, d) matrix(stats::rnorm(n * d), n)
equal_correlations <- function(n) sqrt(0.5) * (independent(n, 500) + stats::rnorm(n))

# x, the true features `at`, their coefficients (1), the samples to learn from (200), and whether
# signs are drawn (yes)
regimes <- list(
  independent = function(n) list(x = independent(n, 500), at = sample(500, 10)),
  ar.7 = function(n) list(x = autoregressive(n, 500, 0.7), at = sample(500, 10)),
  ar.9_adjacent = function(n) list(x = autoregressive(n, 500, 0.9), at = sample(490, 1) + 0:4),
  blocks = function(n) {
    x <- sqrt(0.2) * independent(n, 500) + sqrt(0.8) * independent(n, 50)[, rep(1:50, each = 10)]
    list(x = x, at = 10 * sample(0:49, 10) + sample(10, 10, TRUE))
  },
  equi.5_mixed = function(n) list(x = equal_correlations(n), at = sample(500, 10)),
  equi.5_pos = function(n) list(x = equal_correlations(n), at = sample(500, 10), positive = TRUE),
  suppressor = function(n) {
    x <- independent(n, 500)
    first <- sample(250, 5)
    x[, first + 250] <- 0.9 * x[, first] + sqrt(0.19) * x[, first + 250]
    list(x = x, at = c(first, first + 250), b = rep(c(1, -1), each = 5), positive = TRUE)
  },
  decay = function(n) list(x = independent(n, 500), at = sample(500, 10), b = 0.75^(0:9)),
  n300_d50 = function(n) list(x = autoregressive(n, 50, 0.5), at = sample(50, 10), n = 300),
  n60_d2000 = function(n) list(x = independent(n, 2000), at = sample(2000, 5), n = 60),
  three_factors = function(n) {
    x <- independent(n, 3) %*% independent(3, 500) + independent(n, 500)
    list(x = x, at = sample(500, 10))
  }
)

# samples to learn from and 1000 to be judged by; signal to noise 3
draw_regime <- function(name, seed) {
  set.seed(seed)
  drawn <- utils::modifyList(list(b = 1, n = 200, positive = FALSE), regimes[[name]](1300))
  b <- rep_len(drawn$b, length(drawn$at))
  if (!drawn$positive) b <- b * sample(c(-1, 1), length(b), TRUE)
  signal <- drop(drawn$x[, drawn$at] %*% b)
  y <- signal + stats::rnorm(1300, sd = stats::sd(signal) / sqrt(3))
  rows <- seq_len(drawn$n)
  list(x = drawn$x[rows, ], y = y[rows], test = drawn$x[301:1300, ], truth = y[301:1300],
    at = drawn$at
  )
}

by_regimes <- function(draws, f) {
  rows_of(names(regimes), function(name) {
    message(name)
    rows_of(seq_len(draws), function(seed) {
      cbind(set = name, draw = seed, f(draw_regime(name, seed)))
    })
  })
}

run_simulated <- function() {
  by_regimes(draws, function(set) {
    method_rows(set$x, set$y, set$test, set$truth, length(set$at), set$at)
  })
}

# the sizes that cv_rowsparse() chooses: cdlsr() without a ridge, sizes 1 to 30, ten folds
run_rules <- function() {
  by_regimes(min(draws, 5), function(set) {
    cv <- quiet(cv_rowsparse(set$x, set$y, k = 1:30, method = "cdlsr"))
    rows_of(c("1se", "min"), function(rule) {
      k <- cv$table$k[cv$best[[rule]]]
      own <- quiet(cdlsr(set$x, set$y, k))$selected
      data.frame(rule = rule, k = k, false = mean(!own %in% set$at), found = mean(set$at %in% own),
        ols = least_squares_error(set$x[, own, drop = FALSE], set$y, set$test[, own, drop = FALSE],
          set$truth
        )
      )
    })
  })
}

# ---- the error told, and that of new samples ----------------------------------------------

told_designs <- list(
  numbers = list(n = 80, d = 20, b = c(1, -0.8, 0.6, 0.5, -0.4), sd = 1.3),
  `three classes` = list(n = 90, d = 30, shift = 0.7),
  wide = list(n = 90, d = 300, b = 0.85^(0:15), sd = 1.3),
  `wide, five alike` = list(n = 60, d = 300, b = c(1, -1, 1, -1, 1), sd = 1.5),
  `noise, numbers` = list(n = 80, d = 20, b = 0, sd = 1),
  `noise, three classes` = list(n = 90, d = 30, shift = 0)
)

# each class is shifted in two features of its own
draw_told <- function(design, n) {
  x <- independent(n, design$d)
  if (is.null(design$shift)) {
    y <- drop(x[, seq_along(design$b), drop = FALSE] %*% design$b) + stats::rnorm(n, 0, design$sd)
    return(list(x = x, y = y))
  }
  class <- rep_len(1:3, n)
  x[, 1:6] <- x[, 1:6] + design$shift * cbind(diag(3), diag(3))[class, ]
  list(x = x, y = factor(class))
}

told_row <- function(name, seed) {
  design <- told_designs[[name]]
  set.seed(seed)
  old <- draw_told(design, design$n)
  new <- draw_told(design, 3000)
  cv <- quiet(cv_rowsparse(old$x, old$y))
  guess <- stats::predict(cv, new$x)
  true <- if (is.factor(old$y)) {
    mean(guess != new$y)
  } else {
    sum((new$y - guess)^2) / sum((new$y - mean(old$y))^2)
  }
  data.frame(design = name, draw = seed, k = cv$k, uncorrected = cv$table$error[cv$at],
    told = cv$corrected[["error"]], se = cv$corrected[["se"]], true = true
  )
}

run_told <- function() {
  rows_of(1:60, function(seed) rows_of(names(told_designs), told_row, seed = seed))
}

# ---- the limit of predictions ------------------------------------------------------------

limited_methods <- list(
  `cdlsr, no ridge` = function(x, y, k) cdlsr(x, y, k),
  `cdlsr, ridge 0.02 n` = function(x, y, k) cdlsr(x, y, k, ridge = 0.02 * nrow(x)),
  alignment = function(x, y, k) rowsparse(x, y, k, "alignment"),
  rfs = function(x, y, k) rowsparse(x, y, k, "rfs")
)

# errors with and without the limit, and the share of the samples that it holds back
limit_rows <- function(set, sizes, x, y, test, truth) {
  total <- sum((truth - rep(colMeans(y), each = nrow(truth)))^2)
  asked <- expand.grid(method = names(limited_methods), k = sizes, stringsAsFactors = FALSE)
  rows_of(seq_len(nrow(asked)), function(at) {
    k <- asked$k[at]
    fit <- quiet(limited_methods[[asked$method[at]]](x, y, k))
    free <- cbind(1, test) %*% unclass(stats::coef(fit, k = k))
    held <- quiet(stats::predict(fit, test, k = k, type = "response"))
    data.frame(set = set, asked[at, ], free = sum((truth - free)^2) / total,
      limited = sum((truth - held)^2) / total,
      moved = mean(rowSums(abs(held - free) > 1e-6 * diff(range(y))) > 0)
    )
  })
}

# three pixels of digits from the others, whose edges are nearly constant
digit_rows <- function(n, draw) {
  x <- unname(as.matrix(bench_data("USPS")$x)) + 0
  set.seed(draw)
  pixels <- sample(ncol(x), 3)
  rows <- sample(nrow(x), n + 1000)
  y <- x[rows, pixels]
  near <- suppressWarnings(stats::cor(x, x[, pixels]))
  z <- x[rows, setdiff(which(rowSums(abs(near) > 0.9, na.rm = TRUE) == 0), pixels)]
  train <- seq_len(n)
  if (all(apply(y[train, ], 2, stats::sd) > 0)) {
    limit_rows(sprintf("digits, n = %d", n), c(20, 50), z[train, ], y[train, ], z[-train, ],
      y[-train, ]
    )
  }
}

run_limits <- function() {
  digits <- if (is.null(settings$SETS)) {
    rows_of(c(100, 400), function(n) rows_of(1:12, digit_rows, n = n))
  }
  rbind(digits, rows_of(asked_sets(real_sets), function(name) {
    set <- read_real(name)
    by_folds(set, 5, function(x, train) {
      limit_rows("seven regressions", c(5, 20), x[train, ], cbind(set$y[train]), x[!train, ],
        cbind(set$y[!train])
      )
    })
  }))
}
