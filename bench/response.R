# How well a response is served: the default for numbers beside other methods, on regressions with
# real data and on simulated ones with known features; the classifier beside least squares on
# indicators; and the default for classes beside other methods.
#   OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/response.R [PART ...]
# with the parts real, small, simulated, rules, price, limits, classes, choice (all by default);
# DRAWS=10 of each simulated regime.
# Writes bench/results/response.md from what build/response holds; sections of which it holds
# nothing stay as they are there. 10 minutes of one core.
source(file.path("bench", "common.R"))

settings <- list(DRAWS = 10)
arguments <- commandArgs(TRUE)
for (argument in grep("=", arguments, value = TRUE)) {
  settings[[sub("=.*", "", argument)]] <- as.numeric(sub("^[^=]*=", "", argument))
}
parts <- grep("=", arguments, value = TRUE, invert = TRUE)
if (length(parts) == 0) {
  parts <- c("real", "small", "simulated", "rules", "price", "limits", "classes", "choice")
}
store <- file.path("build", "response")
dir.create(store, recursive = TRUE, showWarnings = FALSE)

# ---- methods: columns of the sizes asked for ---------------------------------------

quiet <- function(code) suppressWarnings(suppressMessages(code))

by_fit <- function(method, ...) {
  given <- list(...)
  function(x, y, sizes) {
    fit <- quiet(do.call(rowsparse, c(list(x = x, y = y, k = max(sizes), method = method), given)))
    lapply(sizes, function(k) {
      if (inherits(fit, "cdlsr")) fit$path$features[[k]] else fit$ranking[seq_len(k)]
    })
  }
}

one_by_one <- function(method, ...) {
  given <- list(...)
  function(x, y, sizes) {
    lapply(sizes, function(k) {
      quiet(do.call(rowsparse, c(list(x = x, y = y, k = k, method = method), given)))$selected
    })
  }
}

by_glmnet <- function(x, y, sizes) {
  path <- glmnet::glmnet(x, y, nlambda = 400, lambda.min.ratio = 1e-4)
  count <- path$df
  lapply(sizes, function(k) {
    at <- which(count >= k)[1]
    if (is.na(at)) at <- length(count)
    beta <- abs(as.vector(path$beta[, at])) * apply(x, 2, stats::sd)
    order(-beta)[seq_len(k)]
  })
}

by_abess <- function(x, y, sizes) {
  fit <- abess::abess(x, y, support.size = sizes)
  lapply(sizes, function(k) which(as.vector(stats::coef(fit, support.size = k))[-1] != 0))
}

number_methods <- c(
  list(
    `default` = one_by_one(NULL), `cdlsr, no ridge` = by_fit("cdlsr"),
    alignment = by_fit("alignment"), ftest = by_fit("ftest"), rfs = by_fit("rfs")
  ),
  if (requireNamespace("glmnet", quietly = TRUE)) list(glmnet = by_glmnet),
  if (requireNamespace("abess", quietly = TRUE)) list(abess = by_abess)
)

# ---- errors of two regressions on the selected features ------------------------------

least_squares_error <- function(train, y, test, truth) {
  fit <- stats::lm.fit(cbind(1, train), y)
  b <- fit$coefficients
  b[is.na(b)] <- 0
  sum((truth - cbind(1, test) %*% b)^2) / sum((truth - mean(y))^2)
}

# the penalty by generalised cross-validation
ridge_error <- function(train, y, test, truth) {
  center <- colMeans(train)
  scale <- pmax(apply(train, 2, stats::sd), 1e-12)
  z <- svd(sweep(sweep(train, 2, center), 2, scale, "/"))
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
  guess <- mean(y) + sweep(sweep(test, 2, center), 2, scale, "/") %*% b
  sum((truth - guess)^2) / sum((truth - mean(y))^2)
}

snake_folds <- function(y, count) {
  folds <- integer(length(y))
  folds[order(y)] <- rep_len(c(seq_len(count), rev(seq_len(count))), length(y))
  folds
}

# ---- real regressions ------------------------------------------------------------------

real_sets <- c("bbb", "boston_squares", "cox2", "diabetes64", "gasoline", "pac", "tecator")

read_real <- function(name) {
  set <- bench_data(file.path("regression", name))
  list(name = name, x = unname(as.matrix(set$x)) + 0, y = as.numeric(set$y))
}

# one row per fold, method and size
cross_validated_rows <- function(set, count, sizes) {
  foldid <- snake_folds(set$y, count)
  do.call(rbind, lapply(seq_len(count), function(fold) {
    train <- foldid != fold
    varied <- which(apply(set$x[train, ], 2, stats::sd) > 0)
    do.call(rbind, lapply(names(number_methods), function(method) {
      seconds <- system.time(
        found <- number_methods[[method]](set$x[train, varied], set$y[train], sizes)
      )[["user.self"]]
      do.call(rbind, Map(function(columns, k) {
        x <- set$x[, varied[columns], drop = FALSE]
        parts <- list(x[train, , drop = FALSE], set$y[train], x[!train, , drop = FALSE],
          set$y[!train]
        )
        data.frame(set = set$name, fold = fold, method = method, k = k,
          ols = do.call(least_squares_error, parts), ridge = do.call(ridge_error, parts),
          seconds = seconds / length(sizes)
        )
      }, found, sizes))
    }))
  }))
}

run_real <- function() {
  rows <- lapply(real_sets, function(name) {
    message(name)
    cross_validated_rows(read_real(name), 5, c(3, 5, 10, 20))
  })
  saveRDS(do.call(rbind, rows), file.path(store, "real.rds"))
}

# what is left of them with 60 samples
run_small <- function() {
  rows <- lapply(real_sets, function(name) {
    set <- read_real(name)
    message(name)
    do.call(rbind, lapply(1:3, function(seed) {
      set.seed(seed)
      kept <- sample(length(set$y), 60)
      cross_validated_rows(list(name = name, x = set$x[kept, ], y = set$y[kept]), 4, c(4, 9, 20))
    }))
  })
  saveRDS(do.call(rbind, rows), file.path(store, "small.rds"))
}

# ---- simulated ones ----------------------------------------------------------------------

autoregressive <- function(n, d, rho) {
  x <- matrix(stats::rnorm(n * d), n)
  for (j in 2:d) x[, j] <- rho * x[, j - 1] + sqrt(1 - rho^2) * x[, j]
  x
}

independent <- function(n, d) matrix(stats::rnorm(n * d), n)

regimes <- list(
  independent = function(n) list(x = independent(n, 500), at = sample(500, 10), b = 1, n = 200),
  ar.7 = function(n) list(x = autoregressive(n, 500, 0.7), at = sample(500, 10), b = 1, n = 200),
  ar.9_adjacent = function(n) {
    list(x = autoregressive(n, 500, 0.9), at = sample(490, 1) + 0:4, b = 1, n = 200)
  },
  blocks = function(n) {
    x <- sqrt(0.2) * independent(n, 500) + sqrt(0.8) * independent(n, 50)[, rep(1:50, each = 10)]
    list(x = x, at = 10 * sample(0:49, 10) + sample(10, 10, TRUE), b = 1, n = 200)
  },
  equi.5_mixed = function(n) {
    list(x = sqrt(0.5) * (independent(n, 500) + stats::rnorm(n)), at = sample(500, 10), b = 1,
      n = 200
    )
  },
  equi.5_pos = function(n) {
    list(x = sqrt(0.5) * (independent(n, 500) + stats::rnorm(n)), at = sample(500, 10), b = 1,
      n = 200, positive = TRUE
    )
  },
  suppressor = function(n) {
    x <- independent(n, 500)
    first <- sample(250, 5)
    x[, first + 250] <- 0.9 * x[, first] + sqrt(0.19) * x[, first + 250]
    list(x = x, at = c(first, first + 250), b = rep(c(1, -1), each = 5), n = 200, positive = TRUE)
  },
  decay = function(n) {
    list(x = independent(n, 500), at = sample(500, 10), b = 0.75^(0:9), n = 200)
  },
  n300_d50 = function(n) list(x = autoregressive(n, 50, 0.5), at = sample(50, 10), b = 1, n = 300),
  n60_d2000 = function(n) list(x = independent(n, 2000), at = sample(2000, 5), b = 1, n = 60),
  three_factors = function(n) {
    x <- independent(n, 3) %*% independent(3, 500) + independent(n, 500)
    list(x = x, at = sample(500, 10), b = 1, n = 200)
  }
)

# samples to learn from and 1000 to be judged by; signal to noise 3
draw_regime <- function(name, seed) {
  set.seed(seed)
  drawn <- regimes[[name]](1300)
  d <- ncol(drawn$x)
  b <- rep_len(drawn$b, length(drawn$at))
  if (!isTRUE(drawn$positive)) b <- b * sample(c(-1, 1), length(b), TRUE)
  signal <- drop(drawn$x[, drawn$at] %*% b)
  y <- signal + stats::rnorm(1300, sd = stats::sd(signal) / sqrt(3))
  rows <- seq_len(drawn$n)
  list(x = drawn$x[rows, ], y = y[rows], test = drawn$x[301:1300, ], truth = y[301:1300],
    at = drawn$at, d = d
  )
}

run_simulated <- function() {
  rows <- lapply(names(regimes), function(name) {
    out <- do.call(rbind, lapply(seq_len(settings$DRAWS), function(seed) {
      set <- draw_regime(name, seed)
      k <- length(set$at)
      do.call(rbind, lapply(names(number_methods), function(method) {
        seconds <- system.time(
          columns <- number_methods[[method]](set$x, set$y, k)[[1]]
        )[["user.self"]]
        parts <- list(set$x[, columns, drop = FALSE], set$y, set$test[, columns, drop = FALSE],
          set$truth
        )
        data.frame(set = name, draw = seed, method = method, k = k,
          found = mean(set$at %in% columns), ols = do.call(least_squares_error, parts),
          ridge = do.call(ridge_error, parts), seconds = seconds
        )
      }))
    }))
    message(name)
    out
  })
  saveRDS(do.call(rbind, rows), file.path(store, "simulated.rds"))
}

# ---- the rules of cv_rowsparse(), and what the choice of the ridge takes ------------------

# cdlsr() without a ridge, sizes 1 to 30, ten folds
run_rules <- function() {
  rows <- lapply(names(regimes), function(name) {
    out <- do.call(rbind, lapply(seq_len(min(settings$DRAWS, 5)), function(seed) {
      set <- draw_regime(name, seed)
      cv <- quiet(cv_rowsparse(set$x, set$y, k = 1:30, method = "cdlsr"))
      do.call(rbind, lapply(c("1se", "min"), function(rule) {
        k <- if (rule == "1se") cv$k_1se else cv$k_min
        columns <- cv$fit$path$features[[k]]
        if (length(columns) == 0L) columns <- quiet(cdlsr(set$x, set$y, k))$selected
        data.frame(set = name, rule = rule, k = k, false = mean(!columns %in% set$at),
          found = mean(set$at %in% columns), ols = least_squares_error(
            set$x[, columns, drop = FALSE], set$y, set$test[, columns, drop = FALSE], set$truth
          )
        )
      }))
    }))
    message(name)
    out
  })
  saveRDS(do.call(rbind, rows), file.path(store, "rules.rds"))
}

# processor seconds of cdlsr(ridge = "cv") and of the fit with the ridge that it chose
run_price <- function() {
  quiet(cdlsr(independent(60, 20), stats::rnorm(60), 2, ridge = "cv"))
  sizes <- list(c(100, 200), c(200, 500), c(400, 1000), c(1000, 1000), c(100, 10000))
  rows <- lapply(sizes, function(size) {
    set.seed(1)
    x <- independent(size[1], size[2])
    y <- drop(x[, 1:5] %*% c(1, -1, 1, 1, -1)) + stats::rnorm(size[1])
    do.call(rbind, lapply(c(5, 20), function(k) {
      chosen <- timed(quiet(cdlsr(x, y, k, ridge = "cv")), 7)
      single <- timed(quiet(cdlsr(x, y, k, ridge = chosen$value$ridge_choice$ridge)), 7)
      data.frame(size = paste(size, collapse = " x "), k = k, cv = chosen$cpu, single = single$cpu)
    }))
  })
  saveRDS(do.call(rbind, rows), file.path(store, "price.rds"))
}

# ---- the limit of predictions ------------------------------------------------------------

limited_methods <- list(
  `cdlsr, no ridge` = function(x, y, k) cdlsr(x, y, k),
  `cdlsr, ridge 0.02 n` = function(x, y, k) cdlsr(x, y, k, ridge = 0.02 * nrow(x)),
  alignment = function(x, y, k) rowsparse(x, y, k, "alignment"),
  rfs = function(x, y, k) rowsparse(x, y, k, "rfs")
)

# errors with and without the limit, and the share of the samples that it holds back
limit_row <- function(set, method, k, x, y, test, truth) {
  fit <- quiet(limited_methods[[method]](x, y, k))
  free <- cbind(1, test) %*% unclass(stats::coef(fit, k = k))
  held <- quiet(stats::predict(fit, test, k = k, type = "response"))
  total <- sum((truth - rep(colMeans(y), each = nrow(truth)))^2)
  data.frame(set = set, method = method, k = k, free = sum((truth - free)^2) / total,
    limited = sum((truth - held)^2) / total,
    moved = mean(rowSums(abs(held - free) > 1e-6 * diff(range(y))) > 0)
  )
}

# three pixels of digits from the others, whose edges are nearly constant
digit_rows <- function(n, draw) {
  x <- unname(as.matrix(bench_data("USPS")$x)) + 0
  set.seed(draw)
  pixels <- sample(ncol(x), 3)
  rows <- sample(nrow(x), n + 1000)
  y <- x[rows, pixels]
  near <- suppressWarnings(stats::cor(x, x[, pixels]))
  kept <- setdiff(which(rowSums(abs(near) > 0.9, na.rm = TRUE) == 0), pixels)
  train <- seq_len(n)
  if (any(apply(y[train, ], 2, stats::sd) == 0)) {
    return(NULL)
  }
  z <- x[rows, kept]
  do.call(rbind, lapply(c(20, 50), function(k) {
    do.call(rbind, lapply(names(limited_methods), limit_row,
      set = sprintf("digits, n = %d", n), k = k, x = z[train, ], y = y[train, ],
      test = z[-train, ], truth = y[-train, ]
    ))
  }))
}

run_limits <- function() {
  digits <- lapply(c(100, 400), function(n) do.call(rbind, lapply(1:12, digit_rows, n = n)))
  real <- lapply(real_sets, function(name) {
    set <- read_real(name)
    foldid <- snake_folds(set$y, 5)
    do.call(rbind, lapply(1:5, function(fold) {
      train <- foldid != fold
      varied <- apply(set$x[train, ], 2, stats::sd) > 0
      do.call(rbind, lapply(c(5, 20), function(k) {
        do.call(rbind, lapply(names(limited_methods), limit_row,
          set = name, k = k, x = set$x[train, varied], y = cbind(set$y[train]),
          test = set$x[!train, varied], truth = cbind(set$y[!train])
        ))
      }))
    }))
  })
  saveRDS(do.call(rbind, c(digits, real)), file.path(store, "limits.rds"))
}

# ---- classes ---------------------------------------------------------------------------

class_sets <- c(
  "ALLAML", "borovecki", "christensen", "COIL20", "GLIOMA", "Goolam", "Isolet", "lung_discrete",
  "mECS", "mix_3cl_2batch", "mix_rnamix_celseq2", "nakayama", "orlraws10P", "panc8_small", "pie",
  "pomeroy", "SRBCT", "su", "subramanian", "UMIST", "USPS_1000", "warpPIE10P", "west", "yan124",
  "zheng500"
)

class_row <- function(name, k, model, p, truth, foldid) {
  own <- p[cbind(seq_along(truth), as.integer(truth))]
  wrong <- levels(truth)[max.col(p, "first")] != truth
  data.frame(set = name, k = k, model = model, error = mean(wrong),
    balanced = mean(tapply(wrong, truth, mean)), log_loss = mean(-log(pmax(own, 1e-6)))
  )
}

# indicators as probabilities: cut to 0.001 and more, divided by their sum
clipped <- function(fitted) {
  p <- pmax(fitted, 0.001)
  p / rowSums(p)
}

# the rule that fits of moments have, from sums over the samples
by_sums <- function(x, y, new) {
  center <- colMeans(x)
  x <- sweep(x, 2, center)
  rule <- rowsparse:::discriminant_of_sums(crossprod(x), t(rowsum(x, as.integer(y))), tabulate(y))
  scores <- rowsparse:::discriminant_scores(rule, sweep(new, 2, center))
  rowsparse:::softmax(rule$temperature * scores)
}

run_classes <- function() {
  rows <- lapply(class_sets, function(name) {
    set <- bench_data(name)
    x <- unname(as.matrix(set$x)) + 0
    kept <- set$y %in% names(which(table(set$y) >= 5))
    x <- x[kept, ]
    y <- factor(set$y[kept])
    foldid <- integer(length(y))
    foldid[order(y)] <- rep_len(1:5, length(y))
    sizes <- c(5, 20, 50)
    p <- lapply(stats::setNames(nm = c("discriminants", "sums", "indicators")), function(model) {
      lapply(sizes, function(k) matrix(0, length(y), nlevels(y)))
    })
    for (fold in 1:5) {
      out <- which(foldid == fold)
      fit <- quiet(alignment(x[-out, ], y[-out], k = max(sizes)))
      for (at in seq_along(sizes)) {
        predicted <- function(type) stats::predict(fit, x[out, ], k = sizes[at], type = type)
        p$discriminants[[at]][out, ] <- predicted("prob")
        p$indicators[[at]][out, ] <- clipped(predicted("response"))
        columns <- fit$ranking[seq_len(sizes[at])]
        p$sums[[at]][out, ] <- by_sums(x[-out, columns], y[-out], x[out, columns])
      }
    }
    message(name)
    do.call(rbind, lapply(names(p), function(model) {
      do.call(rbind, Map(class_row, name, sizes, model, p[[model]], list(y), list(foldid)))
    }))
  })
  saveRDS(do.call(rbind, rows), file.path(store, "classes.rds"))
}

# ---- the default for classes -------------------------------------------------------------

# sets of at most 1600 samples and 4000 features; thirds of the responses of the regressions, as
# few sets with classes have fewer features than samples
choice_sets <- function() {
  labelled <- lapply(c(
    "christensen", "COIL20", "Isolet", "lung_discrete", "panc8_small", "pie", "SRBCT", "UMIST",
    "USPS_1000", "warpPIE10P"
  ), function(name) {
    set <- bench_data(name)
    list(name = name, x = unname(as.matrix(set$x)) + 0, y = factor(set$y))
  })
  cut <- lapply(real_sets, function(name) {
    set <- read_real(name)
    set$y <- cut(rank(set$y, ties.method = "first"), 3, labels = FALSE)
    list(name = paste(name, "in thirds"), x = set$x, y = factor(set$y))
  })
  c(labelled, cut)
}

choice_methods <- list(
  `the default` = function(x, y, k) rowsparse(x, y, k),
  alignment = function(x, y, k) rowsparse(x, y, k, "alignment"),
  `Pillai's trace` = function(x, y, k) cdlsr(x, y, k, ridge = "pillai", search = "fast"),
  `cdlsr, ridge by folds` = function(x, y, k) cdlsr(x, y, k, ridge = "cv"),
  ftest = function(x, y, k) rowsparse(x, y, k, "ftest")
)

# wrong shares of two judges: the classifier of predict(), and five neighbours
choice_row <- function(set, method, k, train) {
  varied <- which(apply(set$x[train, ], 2, stats::sd) > 0)
  x <- set$x[, varied]
  seconds <- system.time(
    fit <- quiet(choice_methods[[method]](x[train, ], set$y[train], k))
  )[["user.self"]]
  chosen <- scale(x[train, fit$selected])
  new <- scale(x[-train, fit$selected], attr(chosen, "scaled:center"),
    attr(chosen, "scaled:scale")
  )
  truth <- set$y[-train]
  near <- class::knn(chosen, new, set$y[train], 5)
  data.frame(set = set$name, shape = ncol(set$x) / length(train), method = method, k = k,
    classifier = mean(quiet(stats::predict(fit, x[-train, ])) != truth),
    neighbours = mean(near != truth), seconds = seconds
  )
}

# two splits, 70 of 100 of each class
run_choice <- function() {
  rows <- lapply(choice_sets(), function(set) {
    message(set$name)
    out <- lapply(1:2, function(seed) {
      set.seed(seed)
      train <- sort(unlist(lapply(split(seq_along(set$y), set$y), function(own) {
        own[sample.int(length(own), ceiling(0.7 * length(own)))]
      })))
      sizes <- Filter(function(k) k < min(ncol(set$x), length(train) / 2), c(3, 5, 10, 20))
      do.call(rbind, lapply(sizes, function(k) {
        do.call(rbind, lapply(names(choice_methods), function(method) {
          choice_row(set, method, k, train)
        }))
      }))
    })
    do.call(rbind, out)
  })
  saveRDS(do.call(rbind, rows), file.path(store, "choice.rds"))
}

choice_lines <- function(choice) {
  choice$error <- (choice$classifier + choice$neighbours) / 2
  choice$shape <- cut(choice$shape, c(0, 0.2, 5, Inf),
    c("tall: n > 5 d", "middle", "wide: d > 5 n")
  )
  count <- length(unique(choice$set))
  c(
    sprintf("## The default for classes: %d sets, two splits, k = 3, 5, 10, 20", count), "",
    "Mean wrong share of two judges on the 30 of 100 samples left out: the classifier of",
    "`predict()` and five nearest neighbours on the selected features. Means are over the sets.",
    "The sets with labels also served to choose the default, the regressions in thirds did not.",
    "", overall(choice, c("classifier", "neighbours", "error", "seconds"), "method"), "",
    "By shape:", "", means_table(choice, "error", c("shape", "method")), "", "By size:", "",
    means_table(choice, "error", c("k", "method")), "", "By set:", "",
    means_table(choice, "error", c("set", "method")), ""
  )
}

# ---- tables --------------------------------------------------------------------------

# a table of means, rows by columns
means_table <- function(rows, value, by, digits = 3) {
  means <- tapply(rows[[value]], rows[by], mean)
  methods <- unique(rows[[by[2]]])
  means <- means[unique(as.character(rows[[by[1]]])), methods, drop = FALSE]
  c(
    sprintf("| %s |", paste(c(by[1], methods), collapse = " | ")),
    sprintf("|---|%s", strrep("---:|", length(methods))),
    sprintf("| %s | %s |", rownames(means), apply(means, 1, function(row) {
      paste(format_fixed(row, digits), collapse = " | ")
    }))
  )
}

format_fixed <- function(value, digits) formatC(value, format = "f", digits = digits)

overall <- function(rows, values, by) {
  means <- sapply(values, function(value) tapply(rows[[value]], rows[[by]], mean))
  means <- means[unique(rows[[by]]), , drop = FALSE]
  c(
    sprintf("| %s | %s |", by, paste(values, collapse = " | ")),
    sprintf("|---|%s", strrep("---:|", length(values))),
    sprintf("| %s | %s |", rownames(means), apply(means, 1, function(row) {
      paste(format_fixed(row, 3), collapse = " | ")
    }))
  )
}

stored <- function(part) {
  file <- file.path(store, paste0(part, ".rds"))
  if (file.exists(file)) readRDS(file)
}

write_results <- function() {
  real <- stored("real")
  small <- stored("small")
  simulated <- stored("simulated")
  rules <- stored("rules")
  price <- stored("price")
  limits <- stored("limits")
  classes <- stored("classes")
  choice <- stored("choice")
  lines <- c(
    "# How well a response is served", "",
    "    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/response.R", "",
    "Errors of numbers are squared errors as shares of that of the mean; `seconds` are processor",
    "seconds of a fit. `default` is `rowsparse(x, y, k)`: `cdlsr(ridge = \"cv\")`.", ""
  )
  if (!is.null(real)) {
    lines <- c(lines, "## Seven regressions, five folds, k = 3, 5, 10, 20", "",
      overall(real, c("ridge", "ols", "seconds"), "method"), "",
      "Ridge regression on the selected features, by size:", "",
      means_table(real, "ridge", c("k", "method")), "", "and by set:", "",
      means_table(real, "ridge", c("set", "method")), ""
    )
  }
  if (!is.null(small)) {
    lines <- c(lines, "## The same with 60 samples, three draws, four folds", "",
      "Ridge regression on the selected features, by size:", "",
      means_table(small, "ridge", c("k", "method")), ""
    )
  }
  if (!is.null(simulated)) {
    lines <- c(lines, sprintf("## Eleven simulated regimes, %d draws, k = the true size",
      max(simulated$draw)
    ), "", overall(simulated, c("found", "ols", "ridge", "seconds"), "method"), "",
    "Share of the true features found:", "", means_table(simulated, "found", c("set", "method")),
    "", "Error of least squares on 1000 new samples:", "",
    means_table(simulated, "ols", c("set", "method")), ""
    )
  }
  if (!is.null(rules)) {
    lines <- c(lines, "## The size by the two rules of cv_rowsparse(), the same regimes", "",
      "`false`: share of the chosen features that are none of the true ones.", "",
      overall(rules, c("k", "false", "found", "ols"), "rule"), ""
    )
  }
  if (!is.null(price)) {
    lines <- c(lines, "## What the choice of the ridge takes, processor seconds", "",
      "| n x d | k | `ridge = \"cv\"` | one fit | ratio |", "|---|---:|---:|---:|---:|",
      sprintf("| %s | %d | %.3f | %.3f | %.1f |", price$size, price$k, price$cv, price$single,
        price$cv / price$single
      ), ""
    )
  }
  if (!is.null(limits)) {
    limits$set[!startsWith(limits$set, "digits")] <- "seven regressions"
    table <- stats::aggregate(cbind(free, limited, moved) ~ method + k + set, limits, mean)
    lines <- c(lines, "## Predictions held to half the range of the response beyond it", "",
      "Three pixels of digits from the others that do not correlate with them by more than 0.9,",
      "1000 other digits, twelve draws; and the seven regressions, five folds. `moved`: the share",
      "of the new samples that the limit holds back.", "",
      "| set | k | method | error without | error with it | moved |",
      "|---|---:|---|---:|---:|---:|",
      sprintf("| %s | %d | %s | %s | %s | %s |", table$set, table$k, table$method,
        format_fixed(table$free, 3), format_fixed(table$limited, 3), format_fixed(table$moved, 4)
      ), ""
    )
  }
  if (!is.null(classes)) {
    lines <- c(lines,
      sprintf("## Classes: %d sets, features by alignment in five folds, k = 5, 20, 50",
        length(unique(classes$set))
      ), "",
      "`discriminants`: what `predict()` gives; `sums`: the same for fits of moments.",
      "`indicators`: least squares on the indicators,",
      "whose fitted values, cut to 0.001 and more, are divided by their sum. Probabilities below",
      "1e-6 count as that.", "",
      overall(classes, c("error", "balanced", "log_loss"), "model"), "",
      "Error by size:", "", means_table(classes, "error", c("k", "model")), "",
      "Logarithmic loss by size:", "", means_table(classes, "log_loss", c("k", "model")), "",
      "Error by set:", "", means_table(classes, "error", c("set", "model")), ""
    )
  }
  if (!is.null(choice)) lines <- c(lines, choice_lines(choice))
  file <- file.path("bench", "results", "response.md")
  writeLines(unlist(unname(with_earlier(sections(lines), file))), file)
}

# lines by their headings, the first of which is that of the page
sections <- function(lines) {
  at <- cumsum(startsWith(lines, "## ")) + 1L
  parts <- unname(split(lines, at))
  stats::setNames(parts, vapply(parts, function(part) sub(", [0-9]+ draws.*", "", part[1]), ""))
}

with_earlier <- function(new, file) {
  known <- if (file.exists(file)) sections(readLines(file))
  known[names(new)] <- new
  known
}

if ("real" %in% parts) run_real()
if ("small" %in% parts) run_small()
if ("simulated" %in% parts) run_simulated()
if ("rules" %in% parts) run_rules()
if ("price" %in% parts) run_price()
if ("limits" %in% parts) run_limits()
if ("classes" %in% parts) run_classes()
if ("choice" %in% parts) run_choice()
write_results()
