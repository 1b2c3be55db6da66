# What tables and formulas become, and new rows by what was made of the first ones

cars <- function() {
  x <- mtcars[c("mpg", "wt", "hp", "qsec")]
  x$cyl <- factor(mtcars$cyl)
  x$shift <- ifelse(mtcars$am == 1, "manual", "auto")
  x$vs <- mtcars$vs == 1
  x$gear <- ordered(mtcars$gear, labels = c("few", "some", "many"))
  x$day <- as.Date("2020-02-01") + 7L * seq_len(32)^2
  x$time <- as.POSIXct("2020-02-01", tz = "UTC") + 60 * sqrt(seq_len(32))
  x$wait <- as.difftime(cos(seq_len(32)), units = "mins")
  x
}

grouped_cars <- function() cars()[c("hp", "wt", "qsec", "cyl", "shift", "vs")]

read_terms <- function(formula, data = cars()) {
  suppressMessages(read_door(NULL, NULL, formula, NULL, data, na.action = stats::na.fail))
}

same_fit <- function(a, b) {
  parts <- c("ranking", "scores", "selected", "objective", "feature_names", "explained", "n", "d")
  expect_equal(unclass(a)[parts], unclass(b)[parts], tolerance = 1e-12)
}

core_ends_here()

test_that("numbers stay, and factors become indicators of all of their levels", {
  x <- cars()
  expect_message(read <- code_table(x), "`day` (dates)", fixed = TRUE,
    class = "rowsparse_message_table"
  )
  made <- list(
    mpg = x$mpg, wt = x$wt, hp = x$hp, qsec = x$qsec, cyl4 = x$cyl == 4, cyl6 = x$cyl == 6,
    cyl8 = x$cyl == 8, shiftmanual = mtcars$am, vs = mtcars$vs, gear = mtcars$gear - 2,
    day = as.numeric(x$day), time = as.numeric(x$time), wait = as.numeric(x$wait)
  )
  expect_identical(colnames(read$x), names(made))
  expect_identical(rownames(read$x), rownames(mtcars))
  for (name in names(made)) expect_identical(unname(read$x[, name]), as.double(made[[name]]))
  expect_identical(read$blueprint$labels[read$blueprint$source],
    c("mpg", "wt", "hp", "qsec", "cyl", "cyl", "cyl", "shift", "vs", "gear", "day", "time", "wait")
  )
  expect_no_message(code_table(x[c("mpg", "cyl", "shift", "vs")]))
  both <- data.frame(a = c("b", "c", "d", "b"), ab = 1:4)
  expect_identical(colnames(code_table(both)$x), c("ab", "ac", "ad", "ab.1"))
})

test_that("a table of numbers goes the way of matrices", {
  fit <- rowsparse(mtcars[-1], mtcars$mpg, k = 3)
  same_fit(fit, rowsparse(as.matrix(mtcars[-1]), mtcars$mpg, k = 3))
  expect_null(fit$blueprint)
  expect_identical(model.matrix(fit, mtcars[1:3, ]), as.matrix(mtcars[1:3, -1]))
})

test_that("new rows are coded by the levels, units and columns of the first ones", {
  x <- cars()
  read <- suppressMessages(code_table(x))
  rows <- c(7, 3, 30)
  expect_identical(code_rows(read$blueprint, x[rows, ]), read$x[rows, ])
  turned <- x[rows, rev(names(x))]
  turned$cyl <- as.character(turned$cyl)
  turned$shift <- factor(turned$shift)
  turned$wait <- as.difftime(60 * as.numeric(turned$wait), units = "secs")
  turned$time <- as.POSIXlt(turned$time)
  expect_equal(code_rows(read$blueprint, turned), read$x[rows, ], tolerance = 1e-12)
  turned$cyl <- as.integer(turned$cyl)
  expect_identical(code_rows(read$blueprint, turned, 5:6), read$x[rows, 5:6])
  # only what is asked for must be there
  expect_identical(code_rows(read$blueprint, x[rows, c("hp", "cyl")], c(6, 3)),
    read$x[rows, c(6, 3)]
  )
})

test_that("a single level is a constant, and one that the fit does not know is missing", {
  x <- cbind(cars()[c("wt", "cyl", "shift")], site = "here")
  expect_warning(fit <- rowsparse(x, mtcars$mpg, k = 3, method = "cdlsr"), "(\"site\")",
    fixed = TRUE, class = "rowsparse_warning_constant"
  )
  expect_identical(utils::tail(fit$ranking, 1), 6L)
  new <- transform(x[1:4, ], cyl = c("6", "b", NA, "4"), site = "there")
  expect_warning(predicted <- predict(fit, new), class = "rowsparse_warning_levels",
    "`newdata` has levels in \"cyl\" that the fit does not know: \"b\""
  )
  expect_identical(is.na(unname(predicted[, 1])), c(FALSE, TRUE, TRUE, FALSE))
  by_terms <- rowsparse(mpg ~ wt * shift, data = cars(), k = 2)
  wrong <- transform(x, shift = "manuel")
  expect_length(told <- conditions_heard(predict(by_terms, wrong), "rowsparse_warning_levels"), 1)
  expect_match(conditionMessage(told[[1]]), "Did you mean \"manual\"?", fixed = TRUE)
})

# ---- formulas --------------------------------------------------------------------------

test_that("formulas make what model.matrix() makes, with all levels", {
  x <- cars()
  formula <- ~ poly(wt, 2) + log(hp) + I(qsec^2) + wt:hp
  read <- read_terms(formula)
  expect_equal(read$x, model.matrix(formula, x)[, -1], ignore_attr = "assign", tolerance = 1e-14)
  expect_identical(read$blueprint$labels[read$blueprint$source],
    c("poly(wt, 2)", "poly(wt, 2)", "log(hp)", "I(qsec^2)", "wt:hp")
  )
  # an interaction spans the same whichever other terms there are
  alone <- read_terms(~ cyl:hp)$x
  expect_identical(alone, read_terms(~ cyl * hp)$x[, colnames(alone)])
  expect_identical(colnames(alone), c("cyl4:hp", "cyl6:hp", "cyl8:hp"))
  span <- function(x) qr(cbind(1, x))$rank
  full <- model.matrix(~ cyl * hp + shift * vs, x)
  read <- read_terms(~ cyl * hp + shift * vs)$x
  expect_identical(span(read), qr(full)$rank)
  expect_identical(span(cbind(full, read)), qr(full)$rank)
  # all levels in model.matrix(), in its order
  levels <- list(cyl = contrasts(x$cyl, FALSE), gear = contrasts(x$gear, FALSE))
  x$gear <- factor(x$gear, ordered = FALSE)
  all <- model.matrix(~ cyl:gear, x, contrasts.arg = levels)[, -1]
  read <- read_terms(~ cyl:gear, x)$x
  expect_identical(read[, ], all[, colSums(all) > 0]) # those that there are
})

test_that("two levels are one column, and in products one each", {
  x <- cars()
  read <- read_terms(~ shift + vs + log(hp) + shift:vs)
  expect_identical(colnames(read$x)[1:3], c("shiftmanual", "vs", "log(hp)"))
  expect_identical(unname(read$x[, "vs"]), mtcars$vs)
  expect_identical(grep(":", colnames(read$x), value = TRUE),
    c("shiftauto:vsFALSE", "shiftmanual:vsFALSE", "shiftauto:vsTRUE", "shiftmanual:vsTRUE")
  )
})

test_that("new rows of a formula are those of model.matrix(), also a part of the terms", {
  x <- cars()
  formula <- ~ poly(wt, 2) + cyl * hp + scale(qsec) + shift:vs + gear + day + splines::ns(hp, 3)
  read <- read_terms(formula)
  rows <- c(2, 31, 17, 18)
  expect_equal(code_rows(read$blueprint, x[rows, ]), read$x[rows, ], tolerance = 1e-12)
  expect_equal(code_rows(read$blueprint, x[17, ]), read$x[17, , drop = FALSE], tolerance = 1e-12)
  some <- c(7, 1, 5)
  expect_equal(code_rows(read$blueprint, x[rows, c("wt", "cyl", "hp", "qsec")], some),
    read$x[rows, some], tolerance = 1e-12
  )
  x$cyl[2] <- NA
  expect_identical(rowSums(is.na(code_rows(read$blueprint, x[1:3, ])[, 3:5])) > 0,
    stats::setNames(c(FALSE, TRUE, FALSE), rownames(x)[1:3])
  )
})

test_that("names that are not syntactic serve as others do", {
  set.seed(1)
  odd <- data.frame(`a b` = rnorm(40), c = rnorm(40), `g-1` = rep(c("u", "v"), 20),
    `if` = rnorm(40), check.names = FALSE
  )
  odd$y <- odd$`a b` * odd$c + (odd$`g-1` == "v") + rnorm(40, sd = 0.1)
  plain <- stats::setNames(odd, c("ab", "c", "g1", "d", "y"))
  m <- "cdlsr"
  fit <- rowsparse(y ~ . + `a b`:c + `g-1` * c + poly(`a b`, 2), data = odd, k = 3, method = m)
  same <- rowsparse(y ~ . + ab:c + g1 * c + poly(ab, 2), data = plain, k = 3, method = m)
  expect_identical(fit$selected, same$selected)
  expect_equal(predict(fit, odd[1:9, ]), predict(same, plain[1:9, ]))
  expect_equal(unname(model.matrix(fit, odd)), unname(model.matrix(same, plain)))
  expect_equal(predict(fit, odd, type = "features"), predict(same, plain, type = "features"),
    ignore_attr = "names"
  )
  fit <- rowsparse(`if` ~ `a b` + `g-1`:c + log(abs(c)), data = odd, k = 3, method = "cdlsr")
  expect_identical(fit$feature_names, c("a b", "log(abs(c))", "g-1u:c", "g-1v:c"))
})

test_that("a formula is the call with its columns", {
  same_fit(rowsparse(Species ~ ., data = iris, k = 2), rowsparse(iris[1:4], iris$Species, k = 2))
  same_fit(
    rowsparse(mpg ~ . - gear - (vs + am), data = mtcars, k = 3, method = "cdlsr"),
    rowsparse(mtcars[setdiff(names(mtcars), c("mpg", "gear", "vs", "am"))], mtcars$mpg, 3, "cdlsr")
  )
  # the second argument may be the data, as in lm()
  same_fit(rowsparse(Species ~ ., iris, k = 2), rowsparse(Species ~ ., data = iris, k = 2))
  x <- mtcars[c("wt", "hp", "qsec")]
  same_fit(
    rowsparse(cbind(mpg, disp) ~ wt + hp + qsec, data = mtcars, k = 2, method = "cdlsr"),
    rowsparse(x, cbind(mtcars$mpg, mtcars$disp), 2, "cdlsr")
  )
  fit <- rowsparse(mpg ~ ., data = mtcars, k = 3, method = "cdlsr")
  expect_identical(names(predict(fit, mtcars, type = "features")), selected(fit))
  asked <- function(formula, ...) rowsparse(formula, data = mtcars, k = 1, ...)
  expect_each_refused("names",
    "response among the features; got \"mpg\"" = asked(mpg ~ wt + mpg),
    "response among the features" = asked(log(mpg) ~ wt + poly(hp, 2) + mpg),
    "none for column 2" = rowsparse(`names<-`(iris, c("a", "", "b", "c", "d")), k = 2)
  )
  expect_each_refused("type",
    "no intercept to add or to leave out" = asked(mpg ~ 0 + wt + hp),
    "TRUE or FALSE for each row" = asked(mpg ~ wt + hp, subset = c(-1, 2))
  )
  # what the error advises
  x <- transform(iris, Sepal.Width = replace(Sepal.Width, 4, Inf))
  expect_error(rowsparse(x, k = 2), "`x[is.finite(x[[\"Sepal.Width\"]]), ]`", fixed = TRUE)
  expect_s3_class(rowsparse(x[is.finite(x[["Sepal.Width"]]), ], k = 2), "rowsparse")
})

test_that("sums of thousands of columns are read in their order", {
  wide <- as.data.frame(matrix(sin(seq_len(20 * 6001)), 20))
  fit <- rowsparse(stats::reformulate(names(wide)[6001:2]), data = wide, k = 3, method = "variance")
  expect_identical(fit$feature_names, names(wide)[6001:2])
  wide$f <- gl(2, 10)
  fit <- rowsparse(V1 ~ . - V2, data = wide, k = 3, method = "variance")
  expect_identical(fit$feature_names, c(names(wide)[3:6001], "f2"))
})

test_that("all terms without a ridge are those of lm()", {
  x <- cars()[c("mpg", "hp", "wt", "qsec", "cyl", "shift", "vs")]
  x$cyl[3] <- NA
  formulas <- list(log(mpg) ~ poly(wt, 2) + cyl * hp + shift, mpg ~ cyl:wt + qsec + shift:vs)
  for (formula in formulas) {
    all <- length(attr(terms(formula, data = x), "term.labels"))
    fit <- suppressWarnings(suppressMessages(
      rowsparse(formula, data = x, k = all, method = "cdlsr", ridge = 0)
    ))
    model <- lm(formula, x)
    expect_equal(drop(fitted(fit)), fitted(model), tolerance = 1e-9)
    rows <- c(1:2, 20:30)
    expect_equal(drop(predict(fit, x[rows, ])), suppressWarnings(predict(model, x[rows, ])),
      tolerance = 1e-9
    )
  }
})

# ---- weights, subsets and rows with gaps -------------------------------------------------

test_that("weights and subset are looked up in data, as in lm()", {
  x <- cars()[c("mpg", "hp", "wt", "qsec")]
  x$w <- rep(1:4, 8)
  x$hp[5] <- NA
  twice <- function(w) 2 * w
  given <- alist(all = list(weights = w), some = list(subset = qsec > 17),
    both = list(weights = twice(w), subset = -(1:9))
  )
  for (asked in given) {
    own <- as.list(asked)[-1]
    model <- eval(as.call(c(quote(lm), quote(mpg ~ hp + wt), quote(x), own)))
    fit <- suppressMessages(eval(as.call(c(
      quote(rowsparse), quote(mpg ~ hp + wt), data = quote(x), k = 2, method = "cdlsr", ridge = 0,
      own
    ))))
    expect_equal(drop(fitted(fit)), fitted(model), tolerance = 1e-9)
    expect_equal(sort(drop(as.matrix(coef(fit)))), sort(coef(model)), tolerance = 1e-9)
  }
  cv <- suppressMessages(cv_rowsparse(mpg ~ hp + wt, data = x, k = 1:2, method = "cdlsr",
    foldid = rep(1:4, 8), weights = w
  ))
  plain <- cv_rowsparse(x[-5, c("hp", "wt")], x$mpg[-5], k = 1:2, method = "cdlsr",
    foldid = rep(1:4, 8)[-5], weights = x$w[-5]
  )
  expect_equal(cv$table, plain$table)
  x <- cbind(x, fold = rep(1:4, 8), lot = gl(2, 4, 32))[-5, ]
  by <- cv_rowsparse(mpg ~ hp + wt, x, 1:2, "cdlsr", foldid = fold, weights = "w")
  expect_identical(by$table, cv$table)
  by <- cv_rowsparse(mpg ~ hp + wt, x, 2, "cdlsr", foldid = fold, block = lot, ridge = 0)
  expect_equal(drop(fitted(by$fit)), fitted(lm(mpg ~ hp + wt + lot, x)), tolerance = 1e-9)
})

test_that("rows with missing values go as na.action says, and are told", {
  x <- cars()[c("hp", "cyl", "shift", "day")]
  y <- mtcars$mpg
  x$hp[3] <- NA
  x$cyl[c(3, 9)] <- NA
  x$day[20] <- NA
  y[32] <- NA
  expect_message(read <- omit_rows(x, y, na.omit), class = "rowsparse_message_rows",
    "4 of 32 rows with missing values, 2 in \"cyl\", 1 in \"hp\", 1 in \"day\", 1 in the response"
  )
  left <- setdiff(1:32, c(3, 9, 20, 32))
  expect_identical(read$x, x[left, ])
  expect_identical(read$y, y[left])
  expect_identical(as.integer(read$omitted), c(3L, 9L, 20L, 32L))
  expect_s3_class(suppressMessages(omit_rows(x, y, "na.exclude"))$omitted, "exclude")
  expect_identical(omit_rows(x, y, na.pass), list(x = x, y = y))
  expect_refused(omit_rows(x, y, na.fail), "nonfinite", "4 of 32 rows")
})

test_that("formulas leave out rows with missing values as lm() does", {
  x <- cars()[c("mpg", "hp", "wt", "qsec", "shift")]
  x$hp[c(4, 11)] <- NA
  x$shift[7] <- NA
  x$mpg[32] <- NA
  fit_of <- function(...) {
    suppressMessages(rowsparse(mpg ~ ., data = x, k = 4, method = "cdlsr", ...))
  }
  fit <- fit_of()
  model <- lm(mpg ~ ., data = x)
  expect_equal(drop(predict(fit, x[5:12, ])), predict(model, x[5:12, ]), tolerance = 1e-10)
  expect_equal(deviance(fit), deviance(model), tolerance = 1e-10)
  expect_output(print(fit), "28 samples (4 more left out)", fixed = TRUE)
  padded <- fit_of(na.action = na.exclude)
  model <- lm(mpg ~ ., data = x, na.action = na.exclude)
  for (what in list(fitted, residuals, predict)) {
    expect_equal(drop(what(padded)), what(model), tolerance = 1e-10)
  }
  # arguments by sample follow the rows that are left, and so does a data frame's na.action
  left <- -c(4, 7, 11, 32)
  block <- factor(rep(1:4, 8))
  fit <- fit_of(block = block, na.action = na.omit)
  same <- rowsparse(x[left, -1], x$mpg[left], k = 4, method = "cdlsr", block = block[left])
  expect_equal(coef(fit), coef(same))
  fit <- suppressMessages(rowsparse(x[-1], x$mpg, k = 4, method = "cdlsr", na.action = "na.omit"))
  expect_equal(coef(fit), coef(fit_of(na.action = na.omit)))
})

# ---- columns are groups --------------------------------------------------------------------

test_that("selected columns of a table are those that it has", {
  x <- cars()[c("hp", "wt", "qsec", "shift", "vs")]
  fit <- rowsparse(x, mtcars$mpg, k = 3, method = "cdlsr", include = "shift")
  shown <- predict(fit, x, type = "features")
  expect_true("shift" %in% names(shown))
  expect_identical(shown, x[names(shown)])
  expect_equal(predict(fit, x[1:2, names(shown)]), predict(fit, x[1:2, ]))
  numbers <- code_table(x)$x
  expect_equal(predict(fit, numbers), predict(fit, x)) # a matrix with the names of the fit
  expect_identical(model.matrix(fit, x), numbers)
  expect_equal(compare_panels(fit, x)$explained[1], compare_panels(fit, numbers)$explained[1])
})

test_that("a factor is one of the k, with the columns of model.matrix()", {
  x <- grouped_cars()
  fit <- rowsparse(x, mtcars$mpg, k = 2, method = "cdlsr")
  read <- code_table(x)
  label <- read$blueprint$labels[read$blueprint$source]
  same <- rowsparse(read$x, mtcars$mpg, k = 2, method = "cdlsr", groups = label)
  parts <- c("selected", "objective", "groups")
  expect_identical(fit[parts], same[parts])
  forced <- rowsparse(x, mtcars$mpg, k = 2, method = "cdlsr", include = "cyl", ridge = 0)
  kept <- selected(forced)
  model <- lm(reformulate(kept, "mpg"), cbind(x, mpg = mtcars$mpg))
  expect_equal(drop(fitted(forced)), fitted(model), tolerance = 1e-10)
  expect_identical(names(predict(forced, x, type = "features")), kept)
  expect_output(print(forced), "2 of 6 columns selected")
})

test_that("all answers are in columns of the table, or terms", {
  skip_if_not_installed("generics")
  x <- cbind(mpg = mtcars$mpg, grouped_cars())
  asked <- function(...) rowsparse(..., method = "cdlsr")
  fits <- list(
    factors = asked(mpg ~ ., data = x, k = 3, include = "cyl"),
    flags = asked(x[c("wt", "shift", "vs")], x$mpg, k = 3),
    terms = asked(mpg ~ wt * shift + cyl:hp, data = x, k = 3),
    joined = asked(x[-1], x$mpg, k = 2, groups = list(engine = c("hp", "cyl")), include = "engine")
  )
  for (name in names(fits)) {
    fit <- fits[[name]]
    table <- generics::tidy(fit)
    expect_identical(table$term, selected(fit))
    expect_identical(table$rank, seq_along(selected(fit)))
    expect_identical(generics::tidy(fit, expand = TRUE)$term, selected(fit, expand = TRUE))
    expect_identical(selected(fit, expand = TRUE), fit$feature_names[fit$selected])
    units <- selected(fit, groups = name == "joined")
    expect_identical(subset(as.data.frame(fit), selected)$feature, units)
    expect_match(capture.output(print(fit))[1], toString(units), fixed = TRUE)
  }
  expect_setequal(selected(fits$flags), c("wt", "shift", "vs"))
  expect_true("group" %in% names(table) && "cyl" %in% selected(fits$joined))
  cv <- cv_rowsparse(mpg ~ ., data = x, k = 2:3, method = "cdlsr", include = "cyl", folds = 4)
  path <- rowsparse_path(mpg ~ ., data = x, k = 2:3, method = "cdlsr", include = "cyl")
  for (result in list(cv, path)) {
    expect_identical(selected(result, 3), selected(fits$factors))
    expect_identical(selected(result, 3, expand = TRUE), selected(fits$factors, expand = TRUE))
  }
  expect_match(capture.output(print(path))[1], "3 of 6 columns selected by .* the path: cyl,")
})

test_that("the order of levels, rows and columns changes no selection", {
  x <- grouped_cars()
  turned <- x[rev(seq_len(32)), rev(names(x))]
  turned$cyl <- factor(turned$cyl, levels = c("8", "4", "6"))
  turned$shift <- factor(turned$shift, levels = c("manual", "auto"))
  for (method in c("cdlsr", "css")) {
    fit <- rowsparse(x, mtcars$mpg, k = 3, method = method, scale = TRUE)
    again <- rowsparse(turned, rev(mtcars$mpg), k = 3, method = method, scale = TRUE)
    expect_identical(selected(again), selected(fit))
    expect_equal(again$objective[1], fit$objective[1], tolerance = 1e-8)
  }
})

test_that("columns of the table are locked by name, number or TRUE, and joined by groups", {
  x <- grouped_cars()
  fit_of <- function(..., k = 3) rowsparse(x, mtcars$mpg, k = k, method = "cdlsr", ...)
  by_name <- fit_of(include = "cyl", exclude = c("wt", "vs"))
  expect_true("cyl" %in% selected(by_name))
  expect_false(any(c("wt", "vs") %in% selected(by_name)))
  expect_identical(fit_of(include = 4, exclude = c(2, 6))$selected, by_name$selected)
  flags <- names(x) %in% c("wt", "vs")
  expect_identical(fit_of(include = "cyl", exclude = flags)$selected, by_name$selected)
  joined <- fit_of(k = 1,
    groups = list(engine = c("hp", "cyl", "vs"), rest = c("wt", "qsec", "shift"))
  )
  expect_length(joined$selected, if (selected(joined, groups = TRUE) == "engine") 5 else 3)
  path <- rowsparse_path(x, mtcars$mpg, k = 1:3, method = "cdlsr")
  expect_length(selected(path, at = 2), 2)
})

test_that("cross-validation takes factors, also levels that a training set lacks", {
  x <- cbind(mpg = mtcars$mpg, grouped_cars())
  foldid <- rep(1:4, 8)
  cv <- cv_rowsparse(mpg ~ ., data = x, k = 1:3, method = "cdlsr", foldid = foldid)
  by_hand <- vapply(1:4, function(fold) {
    own <- rowsparse(mpg ~ ., data = x[foldid != fold, ], k = 1, method = "cdlsr")
    mean((predict(own, x[foldid == fold, ]) - x$mpg[foldid == fold])^2)
  }, 0)
  expect_equal(mean(by_hand), cv$table$error[1] * cv$null_error, tolerance = 1e-8)
  x$cyl <- factor(ifelse(seq_len(32) <= 3, "rare", as.character(x$cyl)))
  foldid <- c(1, 1, 1, rep(1:4, length.out = 29))
  cv <- cv_rowsparse(mpg ~ ., data = x, k = 1:4, method = "cdlsr", foldid = foldid)
  expect_true(all(is.finite(cv$table$error)))
  path <- rowsparse_path(mpg ~ ., data = x, k = 1:3, method = "cdlsr")
  same <- rowsparse_path(x[-1], x$mpg, k = 1:3, method = "cdlsr")
  expect_identical(path$selected, same$selected)
  expect_equal(predict(path, x[1:3, ]), predict(same, x[1:3, ]))
})

test_that("no new rows are no rows of what is predicted", {
  x <- cbind(mtcars["mpg"], grouped_cars())
  fit <- rowsparse(mpg ~ ., data = x, k = 3)
  expect_identical(dim(predict(fit, x[0, ])), c(0L, 1L))
  classes <- rowsparse(cyl ~ ., data = x, k = 3, method = "cdlsr")
  expect_identical(predict(classes, x[0, ], type = "class"), x$cyl[0])
  plain <- cdlsr(as.matrix(mtcars[-c(1, 9)]), mtcars$mpg, k = 3, block = mtcars$am)
  none <- mtcars[0, -c(1, 9)]
  expect_identical(dim(predict(plain, none, block = mtcars$am[0])), c(0L, 1L))
})
