all_methods <- function() tested_methods()

# a small labelled table that every method can fit
labelled_data <- function(n = 40, d = 20) {
  set.seed(71)
  x <- sample_matrix(n, d)
  list(x = x, y = factor(x[, 1] + x[, 3] > 0))
}

core_ends_here()

test_that("the table of methods is complete and true", {
  methods <- rowsparse_methods()
  expect_named(methods, c(
    "method", "title", "family", "sees", "supervised", "response", "exact_k", "also", "input",
    "include", "groups", "cost", "reference"
  ))
  expect_identical(anyDuplicated(methods$method), 0L)
  expect_setequal(intersect(methods$method, getNamespaceExports("rowsparse")), c(
    "alignment", "bsufs", "cdlsr", "css", "dscofs", "fspca", "kmeans_ufs", "spca_psd", "spcafs",
    "rfs", "pgd", "lapscore", "mcfs", "ftest", "variance"
  ))
  expect_type(methods$supervised, "logical")
  expect_true(all(nzchar(as.matrix(methods[c("title", "input", "include", "cost", "reference")]))))
})

test_that("every method gives exactly k features through the front door", {
  data <- labelled_data()
  for (method in all_methods()) {
    for (k in c(1, 20)) {
      set.seed(5)
      fit <- suppressWarnings(rowsparse(data$x, data$y, k, method))
      expect_s3_class(fit, c(method, "rowsparse"))
      expect_length(fit$selected, k)
      expect_identical(fit$selected, fit$ranking[seq_len(k)])
      expect_setequal(fit$ranking, 1:20)
      expect_true(all(is.finite(fit$scores)))
      expect_identical(selected(fit), colnames(data$x)[fit$selected])
      expect_identical(as.character(fit$call[[1]]), "rowsparse")
    }
  }
})

test_that("the front door gives what the method itself gives", {
  x <- labelled_data()$x
  expect_identical(rowsparse(x, k = 5, method = "css", m = 4)$selected,
                   css(x, 5, 4, solver = "forward")$selected)
  fit <- rowsparse(x, k = 5, method = "bsufs", m = 3, scale = TRUE)
  direct <- bsufs(x, 3, scale = TRUE)
  expect_identical(fit$ranking, direct$ranking)
  expect_identical(fit$parameters$m, 3L)
  expect_equal(fit$scale, direct$scale)
  fit <- rowsparse(x, k = 5, method = "dscofs", m = 2, alpha = 0.4)
  expect_identical(fit$selected, dscofs(x, 5, 2, alpha = 0.4)$selected)
})

test_that("the front door passes the solver on", {
  data <- labelled_data()
  proved <- rowsparse(data$x, data$y, 2, method = "cdlsr", solver = "exact")
  expect_identical(proved$selected, cdlsr(data$x, data$y, 2, solver = "exact")$selected)
  expect_identical(proved$status, "proved optimal")
  exchanged <- rowsparse(data$x, k = 4, method = "css", m = 3, solver = "exchange")
  expect_identical(exchanged$parameters$solver, "exchange")
  expect_identical(exchanged$selected, css(data$x, 4, 3)$selected)
  exact <- rowsparse(data$x, k = 3, method = "css", m = 3, solver = "exact")
  expect_identical(exact$status, "proved optimal")
  expect_refused(rowsparse(data$x, k = 4, method = "css", solver = "cd"), "choice", "`solver`")
})

test_that("kind of input does not matter", {
  data <- labelled_data()
  sparse <- methods::as(data$x, "CsparseMatrix")
  for (method in c("css", "bsufs", "dscofs", "kmeans_ufs", "fspca", "spcafs")) {
    dense <- rowsparse(data$x, k = 4, method = method, diverse = TRUE)
    expect_setequal(rowsparse(sparse, k = 4, method = method, diverse = TRUE)$selected,
                    dense$selected)
    from_moments <- rowsparse(moments(data$x), k = 4, method = method, diverse = TRUE)
    expect_setequal(from_moments$selected, dense$selected)
  }
  expect_setequal(rowsparse(moments(data$x, data$y), k = 4, method = "cdlsr")$selected,
                  rowsparse(data$x, data$y, k = 4, method = "cdlsr")$selected)
})

test_that("the default penalty is lowered until k features have a score", {
  set.seed(72)
  x <- sample_matrix(60, 40, rank = 3, noise = 0.05)
  few <- sum(bsufs(x, 3)$scores > 0)
  expect_lt(few, 40)
  fit <- rowsparse(x, k = 40, method = "bsufs", m = 3)
  expect_true(all(fit$scores > 0))
  expect_lt(fit$parameters$lambda1, bsufs(x, 3)$parameters$lambda1)
  # but not when it was given
  largest <- fit$parameters$lambda1_max
  expect_warning(
    fit <- rowsparse(x, k = 40, method = "bsufs", m = 3, lambda1 = largest),
    class = "rowsparse_warning_fill"
  )
  expect_identical(fit$parameters$lambda1, largest)
  expect_length(fit$selected, 40)
})

test_that("the default of k gives way and a request does not", {
  x <- as.matrix(iris[, 1:4])
  expect_length(rowsparse(x)$selected, 4)
  expect_error(rowsparse(x, k = 5), class = "rowsparse_error_range")
})

test_that("more features than least squares can tell apart are filled up", {
  set.seed(73)
  x <- sample_matrix(8, 30)
  expect_warning(fit <- rowsparse(x, k = 12, method = "css"), class = "rowsparse_warning_fill")
  expect_length(unique(fit$selected), 12)
})

test_that("the default dimension is the corner of the spectrum", {
  set.seed(74)
  x <- sample_matrix(200, 40, rank = 4, noise = 0.05)
  fit <- rowsparse(x, k = 5, method = "bsufs")
  values <- log(sort(eigen(scatter(x))$values, decreasing = TRUE)[1:30])
  chord <- values[1] + (values[30] - values[1]) * (0:29) / 29
  expect_identical(fit$parameters$m, which.max(chord - values))
  expect_identical(fit$parameters$m, 5L)
  # the components that carry 90% of the variance
  share <- cumsum(sort(eigen(scatter(x))$values, decreasing = TRUE)) / sum(centred(x)^2)
  expect_identical(rowsparse(x, k = 5, method = "css")$parameters$m, which(share >= 0.9)[1])
  # no corner: the eigenvalues above the mean, at most 10
  flat <- rowsparse:::prepare_data(diag(seq(6, 1, length.out = 12)), m = 11)
  large <- sum(flat$operator$leading$values > sum(flat$square) / 12)
  expect_identical(rowsparse:::corner_dimension(flat), min(10L, large))
})

test_that("spectra that are equal, straight or concave give a dimension free of rounding", {
  set.seed(711)
  dimension <- function(values) {
    n <- 60
    Q <- qr.Q(qr(cbind(1, matrix(stats::rnorm(n * length(values)), n))))[, -1]
    V <- orthonormal(length(values), length(values))
    data <- rowsparse:::as_data(Q %*% (sqrt(values) * t(V)))
    data <- rowsparse:::with_eigenvectors(data)
    c(rowsparse:::corner_dimension(data), rowsparse:::main_components(data))
  }
  for (i in 1:40) {
    # no corner: as many as exceed the mean
    expect_identical(dimension(rep(3, 10)), c(1L, 9L))
    line <- 0.7^(1:12)
    expect_identical(dimension(line)[1], sum(line > mean(line)))
    concave <- seq(6, 1, length.out = 12)^2
    expect_identical(dimension(concave)[1], sum(concave > mean(concave)))
  }
})

test_that("labels steer supervised methods only", {
  data <- labelled_data()
  expect_s3_class(rowsparse(data$x, k = 3), rowsparse:::usual_method(data$x, NULL)$method)
  expect_s3_class(rowsparse(data$x, data$y, 3), rowsparse:::usual_method(data$x, data$y)$method)
  expect_identical(rowsparse(data$x, data$y, 3, "cdlsr")$selected,
    cdlsr(data$x, data$y, 3)$selected
  )
  expect_silent(rowsparse(data$x, data$y, k = 3, method = "css"))
  fit <- rowsparse(data$x, data$y, k = 3, method = "cdlsr")
  expect_identical(levels(predict(fit, data$x, type = "class")), levels(data$y))
})

test_that("every setting of a method reaches it through the front door", {
  data <- labelled_data()
  expect_equal(
    rowsparse(data$x, k = 3, method = "lapscore", weights = "binary")$scores,
    lapscore(data$x, weights = "binary")$scores
  )
  weights <- seq_len(nrow(data$x))
  expect_equal(
    rowsparse(data$x, data$y, 3, "cdlsr", weights = weights)$objective,
    cdlsr(data$x, data$y, 3, weights = weights)$objective
  )
})

test_that("paths and tunings take the default of the front door", {
  data <- labelled_data()
  for (y in list(NULL, data$y)) {
    default <- rowsparse:::usual_method(data$x, y)$method
    expect_identical(class(suppressWarnings(rowsparse(data$x, y, 2)))[1], default)
    expect_identical(suppressWarnings(rowsparse_path(data$x, y))$method, default)
    tuned <- suppressWarnings(tune_rowsparse(data$x, y, k = 1:2, subsamples = 2))
    expect_identical(tuned$method, default)
  }
})

test_that("the default is one for labels, numbers, none, and moments", {
  data <- labelled_data()
  default <- function(...) class(rowsparse(..., k = 3))[1:2]
  expect_identical(default(data$x), c("alignment", "rowsparse"))
  expect_identical(default(data$x, data$y), c("cdlsr", "rowsparse"))
  expect_identical(default(data$x, as.integer(data$y)), c("cdlsr", "rowsparse"))
  expect_identical(default(data$x, data$x[, 1]^2), c("cdlsr", "rowsparse"))
  expect_identical(default(data$x, data$x[, 1:2]^2), c("alignment", "rowsparse"))
  expect_identical(default(data$x[1:5, ], data$x[1:5, 1]^2), c("alignment", "rowsparse"))
  expect_identical(default(moments(data$x)), c("css", "rowsparse"))
  set.seed(1)
  before <- .Random.seed
  rowsparse(data$x, k = 3)
  expect_identical(.Random.seed, before)
})

test_that("expression objects have a default of their own, and print() says so", {
  skip_if_not_installed("SummarizedExperiment")
  data <- labelled_data()
  x <- t(data$x)
  dimnames(x) <- list(paste0("gene", seq_len(nrow(x))), paste0("cell", seq_len(ncol(x))))
  object <- SummarizedExperiment::SummarizedExperiment(list(logcounts = x))
  fit <- rowsparse(object, k = 3)
  expect_identical(class(fit), c("fspca", "rowsparse"))
  expect_identical(selected(fit), selected(fspca(t(x), k = 3)))
  expect_output(print(fit), "fspca is the default for expression objects without a response")
  by_labels <- rowsparse(object, data$y, k = 3)
  expect_identical(class(by_labels)[1], "cdlsr")
  expect_output(print(by_labels), "cdlsr is the default for classes")
  expect_null(rowsparse(object, k = 3, method = "css")$default)
  expect_identical(rowsparse_path(object, k = 2:3)$method, "fspca")
  tuned <- function(...) {
    tune_rowsparse(object, data$y, k = 2:3, subsamples = 2, ...)$method
  }
  expect_identical(tuned(), "cdlsr")
  if (requireNamespace("clue", quietly = TRUE)) {
    expect_identical(tuned(criterion = "accuracy"), "fspca")
  }
  skip_if_not_installed("SingleCellExperiment")
  object <- SingleCellExperiment::SingleCellExperiment(list(logcounts = x))
  expect_identical(selected(rowsparse(object, k = 3)), selected(fit))
})

test_that("print() names the default for plain data and moments", {
  x <- labelled_data()$x
  expect_output(print(rowsparse(x, k = 3)), "alignment is the default for data without")
  expect_output(print(rowsparse(moments(x), k = 3)), "css is the default for moments")
})

test_that("labels that judge a tuning do not select", {
  data <- labelled_data()
  tune <- function(criterion) {
    tune_rowsparse(data$x, data$y, method = "alignment", k = 2:3, criterion = criterion,
      subsamples = 2)$fit
  }
  without <- alignment(data$x, k = 3)
  by <- alignment(data$x, data$y, k = 3)
  expect_false(identical(by$target, without$target))
  expect_identical(tune("reconstruction")$target, by$target)
  expect_identical(tune("error")$target, by$target)
  skip_if_not_installed("clue")
  expect_identical(tune("accuracy")$target, without$target)
  expect_identical(tune(c("error", "accuracy"))$target, by$target)
})

test_that("a fit survives being saved", {
  fit <- rowsparse(labelled_data()$x, k = 3, diverse = TRUE)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(fit, file)
  expect_identical(readRDS(file), fit)
})

# ---- the redundancy guard ------------------------------------------------------

# one feature after the other, by lm.fit
plain_diverse <- function(x, ranking, k, threshold) {
  taken <- integer()
  x <- centred(x)
  n <- nrow(x)
  for (j in ranking) {
    if (length(taken) == k) break
    t <- length(taken)
    share <- if (t == 0) {
      0
    } else if (t >= n - 1) {
      -Inf
    } else {
      rss <- sum(stats::lm.fit(x[, taken, drop = FALSE], x[, j])$residuals^2)
      1 - (rss / (n - 1 - t)) / (sum(x[, j]^2) / (n - 1))
    }
    if (share < threshold) taken <- c(taken, j)
  }
  taken
}

test_that("the guard agrees with one regression after the other", {
  set.seed(75)
  x <- sample_matrix(50, 150, rank = 12, noise = 0.4)
  x[, 4] <- x[, 3]
  ranking <- sample.int(150)
  data <- rowsparse:::as_data(x)
  sparse <- rowsparse:::as_data(methods::as(x, "CsparseMatrix"))
  from_moments <- rowsparse:::as_data(moments(x))
  for (threshold in c(0.5, 0.8, 0.95)) {
    expected <- plain_diverse(x, ranking, 30, threshold)
    for (kind in list(data, sparse, from_moments)) {
      found <- rowsparse:::diverse_features(kind, ranking, 30, threshold)
      expect_identical(found$selected[seq_along(expected)], expected)
      expect_length(found$selected, 30)
      expect_identical(found$filled, 30L - length(expected))
      expect_length(intersect(found$skipped, found$selected), 0)
    }
  }
})

test_that("with as many features as samples nothing can be skipped", {
  set.seed(76)
  x <- matrix(stats::rnorm(8 * 20), 8)
  found <- rowsparse:::diverse_features(rowsparse:::as_data(x), 1:20, 20, 0.9)
  expect_setequal(found$selected, 1:20)
  expect_identical(found$selected[1:7], plain_diverse(x, 1:20, 7, 0.9))
})

descriptors_of <- function(method) rowsparse:::method_table()[[method]]

test_that("twins are passed over, for every method", {
  set.seed(77)
  base <- sample_matrix(60, 8, rank = 6)
  x <- cbind(base, base + 1e-3 * stats::rnorm(480))
  colnames(x) <- paste0(rep(c("a", "b"), each = 8), 1:8)
  y <- base[, 1] - base[, 4] + 0.1 * stats::rnorm(60)
  for (method in all_methods()) {
    response <- if ("numeric" %in% descriptors_of(method)$responses) y else cut(y, 3)
    fit <- suppressWarnings(rowsparse(x, response, 4, method, diverse = 0.99))
    expect_identical(anyDuplicated((fit$selected - 1) %% 8), 0L)
    expect_identical(fit$diverse$threshold, 0.99)
    expect_identical(fit$ranking[1:4], fit$selected)
    expect_setequal(fit$ranking, 1:16)
  }
  rivals <- rowsparse(x, k = 4, method = "bsufs", m = 2)
  expect_gt(anyDuplicated((rivals$selected - 1) %% 8), 0)
})

test_that("a guard that runs out of features says so", {
  set.seed(78)
  x <- matrix(stats::rnorm(40), 40) %*% t(1:6) + 1e-3 * stats::rnorm(240)
  expect_warning(fit <- rowsparse(x, k = 3, method = "bsufs", m = 1, diverse = TRUE),
                 class = "rowsparse_warning_fill")
  expect_length(fit$selected, 3)
  expect_identical(fit$diverse$filled, 2L)
})

# ---- fragility ------------------------------------------------------------------

test_that("the margin is that of the scores around rank k", {
  fit <- fake_fit(c(3, 1, 4, 2, 5))
  fragile <- summary(fit, k = 2)$fragility
  expect_identical(fragile$margin, fit$scores[1] - fit$scores[4])
  expect_identical(fragile$relative, fragile$margin / fit$scores[1])
  expect_length(fragile$tied, 0)
})

test_that("features that tie are named, and only these can flip", {
  fit <- fake_fit(c(3, 1, 4, 2, 5, 6), feature_names = letters[1:6])
  fit$scores[c(1, 4)] <- 4 + c(0, 1e-12)
  fit$scores[c(5, 6)] <- 1
  expect_identical(summary(fit, k = 2)$fragility$tied, c("a", "d"))
  expect_identical(summary(fit, k = 3)$fragility$tied, c("a", "d"))
  expect_length(summary(fit, k = 1)$fragility$tied, 0)
  expect_setequal(summary(fit, k = 5)$fragility$tied, c("a", "d", "e", "f"))
})

test_that("what a feature adds takes the place of the score in subset selection", {
  set.seed(80)
  x <- sample_matrix(50, 12)
  fit <- css(x, 5, m = Inf, solver = "forward")
  share <- c(variance_explained(x, fit$selected, 1:5),
             max(vapply(setdiff(1:12, fit$selected), function(j) {
               variance_explained(x, c(fit$selected, j))
             }, 0)))
  fragile <- summary(fit, k = 5)$fragility
  expect_equal(fragile$margin, (share[5] - share[4]) - (share[6] - share[5]))
  expect_equal(summary(fit, k = 2)$fragility$margin,
               (share[2] - share[1]) - (share[3] - share[2]))
  supervised <- rowsparse(x, x[, 1] + x[, 4], 4, "cdlsr", diverse = TRUE)
  expect_output(print(summary(supervised)), "margin at rank 4")
})

test_that("a change of the order of rounding flips twins at most", {
  set.seed(79)
  x <- sample_matrix(50, 10)
  x <- cbind(x, x[, 2], x[, 5])
  colnames(x) <- paste0("g", 1:12)
  fit <- rowsparse(x, k = 6, method = "bsufs", m = 2)
  tied <- match(summary(fit)$fragility$tied, colnames(x))
  expect_true(all(tied %in% c(2, 5, 11, 12)))
  expect_gt(length(tied), 0)
  shaken <- x * (1 + 4 * .Machine$double.eps * sample(c(-1, 0, 1), length(x), TRUE))
  again <- rowsparse(shaken, k = 6, method = "bsufs", m = 2)
  moved <- fit$ranking[1:6][fit$ranking[1:6] != again$ranking[1:6]]
  expect_true(all(moved %in% tied))
})

test_that("the summary prints margin and tied features", {
  x <- cbind(as.matrix(iris[, 1:4]), Twin = iris[, 3])
  expect_warning(fit <- rowsparse(x, k = 3, method = "kmeans_ufs"),
    class = "rowsparse_warning_not_unique"
  )
  expect_output(print(summary(fit)), "Score margin at rank 3")
  expect_output(print(summary(fit)), "Petal.Length, Twin")
})

# ---- no answer by column order ---------------------------------------------------

hostile_table <- function(family, n = 30, d = 40, features = 25:34) {
  groups <- rep(1:3, length.out = n)
  raised <- matrix(0, n, d)
  raised[, features] <- matrix(stats::rnorm(3 * length(features)), 3)[groups, ]
  noise <- matrix(stats::rnorm(n * d), n)
  x <- switch(family,
    wide = noise + 1.5 * raised,
    counts = matrix(stats::rpois(n * d, exp(raised)), n) + 0,
    binary = matrix(stats::rbinom(n * d, 1, stats::plogis(2 * raised)), n) + 0,
    small = 1e-150 * (noise + 1.5 * raised),
    large = 1e150 * (noise + 1.5 * raised),
    three = (noise + 1.5 * raised)[1:3, ],
    rank_one = stats::rnorm(n) %o% stats::rnorm(d),
    twins = (noise + 1.5 * raised)[, rep(seq_len(d / 2), 2)]
  )
  list(x = x, y = if (nrow(x) == 3) c(1.5, 2.7, -3) else factor(groups))
}

expect_no_column_order <- function(family, method, d = 40) {
  set.seed(131)
  table <- hostile_table(family, d = d)
  if (is.numeric(table$y) && !"numeric" %in% descriptors_of(method)$responses) {
    return(invisible())
  }
  k <- 8L
  order <- sample(d)
  supervised <- method %in% rowsparse_methods()$method[rowsparse_methods()$supervised]
  run <- function(x) {
    set.seed(132) # a random start is another one after the permutation
    suppressWarnings(rowsparse(x, if (supervised) table$y, k = k, method = method))
  }
  label <- paste(method, family)
  fit <- run(table$x)
  moved <- order[run(table$x[, order])$selected]
  expect_false(identical(fit$selected, seq_len(k)), label = label)
  expect_false(identical(match(moved, order), seq_len(k)), label = label)
  # the same features, or others that score the same; where least squares cannot
  # tell features apart and where the features start at random nothing is asked
  unasked <- method %in% c("rpfs", "rne") || (family == "rank_one" && method == "css") ||
    (family %in% c("three", "rank_one") && supervised)
  if (!unasked) {
    twin <- if (family == "twins") d / 2 else d
    others <- setdiff(moved %% twin, fit$selected %% twin)
    scores <- tapply(fit$scores, seq_len(d) %% twin, max)
    worst <- min(fit$scores[fit$selected])
    expect_true(all(scores[as.character(others)] >= worst - 1e-6 * max(scores)), label = label)
  }
}

test_that("no method's answer is the order of the columns", {
  families <- c("wide", "large", "three", "rank_one", "twins")
  for (family in c(families, if (is_slow()) c("counts", "binary", "small"))) {
    for (method in all_methods()) expect_no_column_order(family, method)
  }
})

test_that("no method's answer is the order of the columns on wide tables", {
  skip_slow()
  # these take d^2 numbers, or hundreds of products with a d x k matrix
  slow <- c("ipfs", "rne", "slap", "spcafs")
  for (method in setdiff(all_methods(), slow)) expect_no_column_order("wide", method, 8000)
})

test_that("defaults of every unsupervised method find raised features among noise", {
  set.seed(133)
  raised <- 101:130
  table <- hostile_table("wide", n = 60, d = 500, features = raised)
  for (method in c("bsufs", "dscofs", "spca_psd", "kmeans_ufs", "fspca")) {
    fit <- rowsparse(scale(table$x), k = 20, method = method)
    expect_gte(sum(fit$selected %in% raised), 10, label = method)
    expect_gte(sum(fit$scores > 0), 20, label = method)
  }
})

test_that("a penalty that empties the solution is lowered, and one warning tells the rest", {
  set.seed(134)
  x <- matrix(stats::rnorm(30 * 200), 30)
  # lambda is given and far too large: eta alone cannot help
  warnings <- capture_warnings(fit <- rowsparse(x, k = 5, method = "spca_psd", lambda = 1e9))
  expect_length(warnings, 1)
  expect_match(warnings, "0 of the 5 features")
  expect_identical(fit$selected, order(-apply(x, 2, stats::var))[1:5])
  expect_identical(fit$parameters$lambda, 1e9)
  # eta is given and too large for any lambda
  trace <- sum(scale(x, scale = FALSE)^2)
  expect_warning(fit <- rowsparse(x, k = 5, method = "spca_psd", eta = trace),
    class = "rowsparse_warning_fill"
  )
  expect_identical(fit$parameters$eta, trace)
  # neither is given
  expect_silent(fit <- rowsparse(x, k = 200, method = "spca_psd"))
  expect_gt(min(fit$scores), 0)
})

test_that("exact ties follow the second criterion, then the variance, then the columns", {
  rank_features <- rowsparse:::rank_features
  scores <- c(1, 0, 0, 2, 0, 0)
  variance <- c(1, 5, 3, 1, 3, 9)
  constant <- c(FALSE, FALSE, FALSE, FALSE, FALSE, TRUE)
  expect_identical(rank_features(scores, NULL, constant, NULL, variance), c(4L, 1L, 2L, 3L, 5L, 6L))
  second <- c(0, 0, 0, 0, 1, 0)
  expect_identical(rank_features(scores, second, constant, NULL, variance),
    c(4L, 1L, 5L, 2L, 3L, 6L)
  )
  expect_identical(rank_features(scores, NULL, constant, 3L, variance), c(3L, 4L, 1L, 2L, 5L, 6L))
})
