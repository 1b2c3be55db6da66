# Likelihoods on exactly k features, held against glm(), coxph() and formulas in plain R.

family_data <- function(n = 120, d = 7, seed = 901) {
  set.seed(seed)
  x <- scale(sample_matrix(n, d)) %*% diag(seq(0.5, 3, length.out = d))
  dimnames(x) <- list(paste0("s", seq_len(n)), letters[seq_len(d)])
  link <- x[, 2] - x[, 5] / 3
  offset <- stats::rnorm(n) / 3
  trials <- stats::rpois(n, 4)
  success <- stats::rbinom(n, trials, stats::plogis(link))
  list(
    x = x, w = rep(c(1, 2, 0, 3), length.out = n), offset = offset,
    yes = stats::rbinom(n, 1, stats::plogis(link)), shares = cbind(success, trials - success),
    count = stats::rpois(n, exp(link / 2 + offset)),
    class = cut(link + stats::rnorm(n), c(-Inf, -0.7, 0.7, Inf), c("lo", "mid", "hi")),
    times = cbind(time = round(stats::rexp(n, exp(link / 2)), 1) + 0.1,
      status = stats::rbinom(n, 1, 0.7)
    )
  )
}

# a fit without a ridge is what `model` makes of the features that it selected, `rows` of the data
expect_same_model <- function(fit, model, intercept = TRUE) {
  set <- selected(fit)
  own <- coef(fit)[c(if (intercept) "(Intercept)", set), 1]
  expect_equal(unname(own), unname(coef(model)), tolerance = 1e-6)
  expect_equal(c(logLik(fit)), c(logLik(model)), tolerance = 1e-9)
  expect_equal(AIC(fit), AIC(model), tolerance = 1e-9)
  expect_equal(fit$path$deviance[length(set)], deviance(fit))
}

test_that("without a ridge coefficients, deviance and likelihood are those of glm()", {
  data <- family_data()
  kept <- data$w > 0
  of <- function(y, family, k = 3, ...) {
    fit <- rowsparse_glm(data$x, y, k, family, ridge = 0, ...)
    model <- stats::glm(y ~ data$x[, selected(fit)], family = family, ...)
    expect_same_model(fit, model)
    expect_equal(deviance(fit), deviance(model), tolerance = 1e-9)
    expect_equal(fit$explained, 1 - deviance(model) / model$null.deviance, tolerance = 1e-9)
    rows <- match(rownames(fitted(fit)), rownames(data$x))
    same <- function(own, of_model) {
      expect_equal(own[, 1], of_model[rows], tolerance = 1e-6, ignore_attr = TRUE)
    }
    same(fitted(fit), stats::fitted(model))
    same(residuals(fit), stats::residuals(model))
    same(residuals(fit, "response"), stats::residuals(model, "response"))
    fit
  }
  of(data$yes, stats::binomial())
  of(data$yes, stats::binomial(), weights = data$w)
  of(data$shares, stats::binomial())
  expect_equal(df.residual(of(data$count, stats::poisson())), 116)
  fit <- of(data$count, stats::poisson(), offset = data$offset, weights = data$w)
  expect_identical(nobs(fit), sum(kept))
  expect_equal(predict(fit, data$x[kept, ], offset = data$offset[kept]), fitted(fit))
})

test_that("censored times are fitted as coxph() does with Breslow's ties", {
  skip_if_not_installed("survival")
  data <- family_data()
  y <- survival::Surv(data$times[, 1], data$times[, 2])
  for (w in list(rep(1, 120), data$w)) {
    fit <- rowsparse_glm(data$x, y, 3, ridge = 0, offset = data$offset, weights = w)
    frame <- data.frame(data$x, data$times, offset = data$offset, w)[w > 0, ]
    right <- c(selected(fit), "offset(offset)")
    model <- survival::coxph(
      stats::reformulate(right, quote(survival::Surv(time, status))), frame, w, ties = "breslow"
    )
    expect_same_model(fit, model, FALSE)
    expect_equal(residuals(fit)[, 1], stats::residuals(model, "martingale"), tolerance = 1e-5,
      ignore_attr = TRUE
    )
    times <- c(0.2, 0.8, 2)
    told <- summary(survival::survfit(model, frame[1:3, ], se.fit = FALSE), times = times)
    own <- predict(fit, data$x[rownames(frame)[1:3], ], type = "survival", times = times,
      offset = frame$offset[1:3]
    )
    expect_equal(own, t(told$surv), tolerance = 1e-6, ignore_attr = TRUE)
  }
  # as a matrix, in a formula, and without a method
  plain <- rowsparse_glm(data$x, data$times, 2, ridge = 1)
  table <- cbind(as.data.frame(data$x), as.data.frame(data$times))
  written <- rowsparse(Surv(time, status) ~ ., data = table, k = 2, ridge = 1)
  expect_s3_class(written, c("rowsparse_glm", "cdlsr", "rowsparse"), exact = TRUE)
  expect_equal(coef(written), coef(plain))
  expect_identical(written$parameters$family, "cox")
  expect_identical(rowsparse(data$x, y, k = 2, ridge = 1)$objective, plain$objective)
  expect_match(capture.output(print(written)), "the default for censored times", all = FALSE)
  expect_identical(predict(plain, data$x), exp(predict(plain, data$x, type = "link")))
  all <- predict(plain, data$x, type = "survival")
  expect_true(all(all > 0 & all <= 1) && all(apply(all, 1, diff) <= 0))
  expect_true(all(predict(plain, type = "survival", times = 0) == 1))
})

# ---- the objective, in plain R ---------------------------------------------------------------

# minus the log likelihood of predictors, n x q
plain_loss <- function(family, y, link) {
  h <- link[, 1]
  switch(family,
    binomial = sum(log(1 + exp(h)) - y * h), poisson = sum(exp(h) - y * h),
    multinomial = sum(log(rowSums(exp(link))) - link[cbind(seq_along(y), as.integer(y))]),
    cox = sum(vapply(which(y[, 2] == 1), function(i) {
      log(sum(exp(h[y[, 1] >= y[i, 1]]))) - h[i]
    }, 0))
  )
}

responses_of <- function(data) {
  list(binomial = data$yes, multinomial = data$class, poisson = data$count, cox = data$times)
}

test_that("sets are the best of all, at the minimum of their objective", {
  data <- family_data(60, 6)
  z <- scale(data$x)
  for (family in names(responses_of(data))) {
    y <- responses_of(data)[[family]]
    fit <- rowsparse_glm(data$x, y, 2, family, ridge = 1.5)
    q <- ncol(coef(fit))
    has <- family != "cox"
    value <- function(b, set) {
      B <- matrix(b, ncol = q)
      link <- if (has) cbind(1, z[, set]) %*% B else z[, set] %*% B
      plain_loss(family, y, link) + 0.75 * sum(B[has + seq_along(set), ]^2)
    }
    best <- apply(utils::combn(6, 2), 2, function(set) {
      stats::optim(numeric((2 + has) * q), value, set = set, method = "BFGS",
        control = list(reltol = 1e-14, maxit = 500)
      )$value
    })
    none <- stats::optim(numeric(q), function(b) {
      plain_loss(family, y, matrix(if (has) b else 0, 60, q, byrow = TRUE))
    }, method = "BFGS", control = list(reltol = 1e-14))$value
    found <- utils::combn(6, 2)[, which.min(best)]
    expect_setequal(fit$selected, found)
    # the objective has the saturated part, which no set changes
    own <- utils::tail(fit$objective, 1)
    B <- rbind(if (has) fit$path$intercept[[2]], fit$path$coefficients[[2]])
    expect_equal(value(B, fit$selected), min(best), tolerance = 1e-7)
    penalty <- 0.75 * sum(fit$path$coefficients[[2]]^2)
    expect_equal(fit$response$null_deviance / 2 - own, none - min(best), tolerance = 1e-6)
    expect_equal(fit$path$deviance[2], 2 * (own - penalty), tolerance = 1e-9)
    losses <- rowsparse:::family_losses(fit$response, fit$response$link)
    expect_equal(2 * sum(losses), deviance(fit), tolerance = 1e-9)
    columns <- if (has) cbind(1, data$x) else scale(data$x, scale = FALSE)
    expect_equal(unname(columns %*% as.matrix(coef(fit))),
      unname(predict(fit, data$x, type = "link")), tolerance = 1e-9
    )
    expect_equal(predict(fit, data$x), predict(fit), ignore_attr = TRUE)
    expect_true(fit$scores[fit$selected[1]] > 1 && all(diff(fit$scores[fit$ranking]) <= 0))
  }
})

core_ends_here()

test_that("weights are repeated samples, zeros are taken sparsely, and names survive", {
  data <- family_data()
  data$x[abs(data$x) < 0.5] <- 0
  rows <- rep(seq_len(120), data$w)
  for (family in names(responses_of(data))) {
    y <- responses_of(data)[[family]]
    fit <- function(x, y, ...) rowsparse_glm(x, y, 3, family, ridge = 2, ...)
    weighed <- fit(data$x, y, weights = data$w)
    repeated <- fit(data$x[rows, ], rows_of(y, rows))
    expect_equal(coef(weighed), coef(repeated), tolerance = 1e-7)
    for (what in list(deviance, logLik, function(fit) fit$path$ic)) {
      expect_equal(c(what(weighed)), c(what(repeated)), tolerance = 1e-8)
    }
    plain <- fit(data$x, y)
    expect_equal(coef(fit(Matrix::Matrix(data$x, sparse = TRUE), y)), coef(plain), tolerance = 1e-7)
    expect_true(all(selected(plain) %in% colnames(data$x)))
    kept <- unserialize(serialize(plain, NULL))
    expect_identical(predict(kept, data$x), predict(plain, data$x))
    free <- rowsparse_glm(data$x, y, 3, family, ridge = 2, scale = FALSE)
    expect_equal(deviance(free), deviance(plain), tolerance = 0.2)
  }
  # successes and failures are as many samples of two classes
  trials <- rep(1:120, rowSums(data$shares))
  each <- unlist(apply(data$shares, 1, function(own) rep(1:0, own)))
  plain <- function(x, y) {
    as.matrix(coef(rowsparse_glm(x, y, 2, "binomial", ridge = 2, scale = FALSE)))
  }
  expect_equal(plain(data$x, data$shares), plain(data$x[trials, ], each), tolerance = 1e-6,
    ignore_attr = TRUE
  )
})

test_that("classes, sizes, paths and tables of a fit go together", {
  data <- family_data()
  fit <- rowsparse(data$x, data$class, k = 3, family = "multinomial", ridge = 1)
  p <- predict(fit, data$x, type = "prob")
  expect_identical(dimnames(p), list(rownames(data$x), levels(data$class)))
  expect_equal(rowSums(p), rep(1, 120), ignore_attr = TRUE)
  expect_identical(as.character(predict(fit, data$x)), colnames(p)[max.col(p)])
  expect_identical(residuals(fit), (outer(data$class, levels(data$class), "==") - fitted(fit)))
  expect_equal(attr(logLik(fit), "df"), 8)
  two <- rowsparse_glm(data$x, data$yes == 1, 2, "binomial", ridge = 1)
  expect_identical(colnames(predict(two, data$x, type = "prob")), c("FALSE", "TRUE"))
  expect_equal(predict(two, data$x, type = "prob")[, 2], fitted(two)[, 1])
  expect_identical(predict(two), predict(two, data$x))
  path <- rowsparse_path(data$x, data$class, k = 1:3, method = "rowsparse_glm",
    family = "multinomial", ridge = 1
  )
  for (k in 1:3) {
    expect_equal(predict(path, data$x, at = k, type = "prob"), predict(fit, data$x, k, "prob"))
    own <- predict(fit, data$x, k, "prob")[cbind(1:120, as.integer(data$class))]
    expect_equal(deviance(fit, k), -2 * sum(log(own)))
  }
  expect_match(capture.output(print(fit)), "Deviance: [0-9.]+ -> [0-9.]+, 0[.][0-9]+ of it",
    all = FALSE
  )
  expect_output(print(summary(fit)), "Sizes 1 to 3")
  one <- rowsparse_glm(data$x, data$class, 3, "multinomial", ridge = 1, path = FALSE)
  expect_equal(residuals(one), residuals(fit))
})

test_that("offsets are remembered, from formulas and arguments, and asked of new samples", {
  data <- family_data()
  table <- data.frame(data$x, count = data$count, exposure = exp(data$offset))
  fit <- rowsparse(count ~ . - exposure + offset(log(exposure)), data = table, k = 2,
    family = poisson, ridge = 1
  )
  plain <- rowsparse_glm(data$x, data$count, 2, "poisson", ridge = 1, offset = data$offset)
  expect_equal(coef(fit), coef(plain), tolerance = 1e-9)
  expect_equal(predict(fit, table[1:5, ]), predict(plain, data$x[1:5, ], offset = data$offset[1:5]),
    ignore_attr = TRUE
  )
  expect_equal(predict(fit, table), fitted(fit), ignore_attr = TRUE)
  some <- rowsparse(count ~ . - exposure + offset(log(exposure)), data = table, k = 2,
    family = "poisson", ridge = 1, subset = 1:100
  )
  expect_equal(predict(some, table[1:100, ]), fitted(some), ignore_attr = TRUE)
  expect_refused(predict(fit, table[names(table) != "exposure"]), "names", "exposure")
  expect_refused(predict(plain, data$x), "missing", "`offset` must be given")
  expect_refused(predict(rowsparse_glm(data$x, data$count, 2, "poisson", ridge = 1), data$x,
    offset = data$offset
  ), "argument", "the fit has none")
})

test_that("signs hold coefficients on their side, and members without one are told", {
  data <- family_data()
  fit <- function(...) rowsparse_glm(data$x, data$count, 3, "poisson", ridge = 1, ...)
  for (sign in c(1, -1)) {
    suppressWarnings(one <- fit(signs = sign))
    expect_true(all(sign * coef(one)[-1, ] >= 0) && any(coef(one)[-1, ] != 0))
  }
  expect_lte(coef(suppressWarnings(fit(signs = c(b = -1))))["b", ], 0)
  expect_identical(fit(signs = c(b = 1, e = -1))$selected, fit()$selected)
  expect_identical(fit(signs = replace(numeric(7), 2, 1), exclude = "a")$selected,
    fit(exclude = "a")$selected
  )
  alone <- function(...) rowsparse_glm(data$x, data$count, 1, "poisson", include = "b", ...)
  expect_gt(coef(alone())["b", ], 0)
  expect_warning(none <- alone(signs = c(b = -1)), class = "rowsparse_warning_rank")
  expect_identical(as.vector(coef(none)["b", ]), 0)
})

test_that("groups, rules, locked and dependent features are served", {
  data <- family_data()
  fit <- function(x = data$x, k = 2, ridge = 1, ...) {
    rowsparse_glm(x, data$count, k, "poisson", ridge = ridge, ...)
  }
  groups <- c(1, 1, 2, 2, 3, 3, 3)
  of_groups <- function(pair) {
    inside <- groups %in% pair
    fit(data$x[, inside], sum(inside))
  }
  pairs <- lapply(list(1:2, c(1, 3), 2:3), of_groups)
  last <- vapply(pairs, function(fit) fit$path$objective[length(fit$selected)], 0)
  grouped <- fit(groups = groups)
  expect_equal(grouped$path$objective[2], min(last), tolerance = 1e-8)
  expect_setequal(selected(grouped), selected(pairs[[which.min(last)]]))
  ruled <- fit(rules = panel_rules(sets = list(p = c("c", "g")), at_least = 2))
  expect_setequal(selected(ruled), c("c", "g"))
  copied <- suppressWarnings(fit(cbind(data$x, copy = data$x[, 2]), 8, 0))
  expect_equal(deviance(copied), deviance(fit(k = 7, ridge = 0)), tolerance = 1e-8)
  constant <- suppressWarnings(fit(cbind(data$x, one = 1), 3, include = "one"))
  expect_equal(deviance(constant), deviance(fit()), tolerance = 1e-9)
  expect_equal(predict(constant, cbind(data$x, one = 1), k = 2), predict(fit(), data$x, k = 1),
    ignore_attr = TRUE
  )
})

test_that("the ridge is the one with the least deviance of samples left out", {
  data <- family_data()
  for (family in names(responses_of(data))) {
    y <- responses_of(data)[[family]]
    fit <- rowsparse_glm(data$x, y, 3, family)
    errors <- fit$ridge_choice$errors
    expect_identical(errors$share, c(0.001, 0.01, 0.1))
    expect_identical(errors$ridge[which.min(errors$error)], fit$parameters$ridge)
    expect_true(all(errors$error > 0 & errors$error < 1.2))
    # features of nearly one variance, in an order that depends on it as two of them tie
    tied <- rowsparse_glm(cbind(scale(data$x), copy = data$x[, 2]), y, 3, family)
    expect_equal(tied$ridge_choice$errors, errors, tolerance = 0.1)
    expect_identical(rowsparse_glm(data$x[120:1, ], rows_of(y, 120:1), 3, family)$selected,
      fit$selected
    )
  }
  # within groups, and with features that are locked in, of other orders and signs
  fit <- function(x, ...) rowsparse_glm(x, data$count, 2, "poisson", ...)$ridge_choice$errors
  signs <- c(b = 1, e = -1, a = -1)
  expect_equal(fit(data$x[, 7:1], include = "c", signs = signs),
    fit(data$x, include = "c", signs = signs), tolerance = 1e-6
  )
  expect_true(all(fit(data$x, groups = c(1, 1, 2, 2, 3, 3, 3), include = 2)$error < 1.1))
  fit <- rowsparse_glm(data$x, y, 3, "cox")
  expect_match(capture.output(print(fit)), "On samples left out: deviance", all = FALSE)
  expect_equal(rowsparse_glm(data$x, y, 3, "cox", weights = rep(2, 120))$parameters$ridge,
    2 * fit$parameters$ridge
  )
})

test_that("proofs and roles of features are what all sets tell", {
  data <- family_data(60, 6)
  sets <- utils::combn(6, 2)
  for (family in names(responses_of(data))) {
    y <- responses_of(data)[[family]]
    of <- function(set, ...) rowsparse_glm(data$x[, set], y, 2, family, ridge = 1.5, ...)
    value <- apply(sets, 2, function(set) utils::tail(of(set)$objective, 1))
    fit <- of(1:6, solver = "exact")
    expect_true(fit$proof$complete && fit$gap == 0)
    expect_equal(fit$bound, min(value), tolerance = 1e-8)
    expect_match(capture.output(print(fit)), "Proved: no other set of 2 features", all = FALSE)
    found <- alternatives(data$x, fit, tolerance = 0.3)
    worth <- fit$response$null_deviance - 2 * value
    expect_equal(found$value, max(worth), tolerance = 1e-8)
    with <- vapply(1:6, function(j) max(worth[colSums(sets == j) > 0]), 0)
    without <- vapply(1:6, function(j) max(worth[colSums(sets == j) == 0]), 0)
    price <- 1 - ifelse(1:6 %in% fit$selected, without, with) / max(worth)
    told <- found$features[order(found$features$index), ]
    expect_true(all(told$price_least <= price + 1e-7 & told$price_most >= price - 1e-7))
    expect_identical(told$role[price > 0.301] == "exchangeable", rep(FALSE, sum(price > 0.301)))
  }
  sizes <- rowsparse_glm(data$x, data$times, 1:3, "cox", solver = "exact", ridge = 1)
  expect_true(all(sizes$path$proved) && all(diff(sizes$path$bound) < 0))
  shares <- rowsparse_glm(data$x, data$shares, 2, "binomial", ridge = 1, weights = data$w + 1)
  expect_equal(alternatives(data$x, shares)$share, 1, tolerance = 1e-9)
  counts <- rowsparse_glm(data$x, data$count, 2, "poisson", ridge = 1, offset = data$offset,
    signs = c(b = 1), exclude = "f"
  )
  expect_equal(alternatives(data$x, counts)$share, 1, tolerance = 1e-9)
})
