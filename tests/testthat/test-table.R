# what tables become, and new rows by what was made of the first ones

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

quiet_table <- function(...) suppressMessages(code_table(...))

core_ends_here()

test_that("numbers stay, and factors become indicators of all of their levels", {
  x <- cars()
  read <- quiet_table(x)
  expect_identical(colnames(read$x), c(
    "mpg", "wt", "hp", "qsec", "cyl4", "cyl6", "cyl8", "shiftmanual", "vs", "gear", "day", "time",
    "wait"
  ))
  expect_identical(rownames(read$x), rownames(mtcars))
  expect_identical(unname(read$x[, "hp"]), x$hp)
  expect_equal(unname(read$x[, c("cyl4", "cyl6", "cyl8")]),
    unname(model.matrix(~ cyl - 1, x)), ignore_attr = TRUE
  )
  expect_identical(unname(read$x[, "shiftmanual"]), mtcars$am)
  expect_identical(unname(read$x[, "vs"]), mtcars$vs)
  expect_identical(unname(read$x[, "gear"]), mtcars$gear - 2)
  expect_identical(unname(read$x[, "day"]), as.numeric(x$day))
  expect_identical(unname(read$x[, "time"]), as.numeric(x$time))
  expect_identical(unname(read$x[, "wait"]), as.numeric(x$wait))
  expect_identical(read$blueprint$labels[read$blueprint$source],
    c("mpg", "wt", "hp", "qsec", "cyl", "cyl", "cyl", "shift", "vs", "gear", "day", "time", "wait")
  )
})

test_that("a table of numbers goes the way of matrices", {
  expect_identical(code_table(mtcars), list(x = mtcars))
  x <- cbind(mtcars, flag = mtcars$am == 1)
  expect_identical(code_table(x), list(x = x))
  by_table <- rowsparse(mtcars[-1], mtcars$mpg, k = 3)
  by_matrix <- rowsparse(as.matrix(mtcars[-1]), mtcars$mpg, k = 3)
  expect_identical(by_table[c("selected", "scores", "objective")],
    by_matrix[c("selected", "scores", "objective")]
  )
  expect_null(by_table$blueprint)
})

test_that("what is taken for numbers is said once", {
  said <- character()
  withCallingHandlers(read <- code_table(cars()), rowsparse_message_table = function(m) {
    said <<- c(said, conditionMessage(m))
    invokeRestart("muffleMessage")
  })
  expect_length(said, 1)
  expect_match(said, "`day` as days since 1970-01-01", fixed = TRUE)
  expect_match(said, "`time` as seconds", fixed = TRUE)
  expect_match(said, "`wait` as a number of mins", fixed = TRUE)
  expect_match(said, "`gear` as ranks", fixed = TRUE)
  expect_no_message(code_table(cars()[c("mpg", "cyl", "shift", "vs")]))
})

test_that("an option makes groups of ordered factors", {
  old <- options(rowsparse.ordered = "group")
  on.exit(options(old))
  expect_no_message(read <- code_table(cars()["gear"]))
  expect_identical(colnames(read$x), c("gearfew", "gearsome", "gearmany"))
  options(rowsparse.ordered = "nothing")
  expect_refused(code_table(cars()["gear"]), "choice", "must be one of")
})

test_that("new rows are coded by the levels, units and columns of the first ones", {
  x <- cars()
  read <- quiet_table(x)
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

test_that("the order of rows, columns and levels does not matter", {
  x <- cars()
  read <- quiet_table(x)
  rows <- rev(seq_len(32))
  again <- quiet_table(x[rows, rev(names(x))])
  expect_identical(again$x[, colnames(read$x)], read$x[rows, ])
  x$cyl <- factor(x$cyl, levels = c("8", "4", "6", "unused"))
  again <- quiet_table(x)
  expect_setequal(colnames(again$x), colnames(read$x))
  expect_identical(again$x[, colnames(read$x)], read$x)
})

test_that("names stay apart", {
  x <- data.frame(a = c("b", "c", "d", "b"), ab = 1:4)
  expect_identical(colnames(code_table(x)$x), c("ab", "ac", "ad", "ab.1"))
})

test_that("formulas make what model.matrix() makes, with all levels", {
  x <- cars()
  read_terms <- function(formula, data = x) {
    suppressMessages(read_table(formula, NULL, data, na.fail))
  }
  read <- read_terms(~ poly(wt, 2) + log(hp) + I(qsec^2) + wt:hp)
  expected <- model.matrix(~ poly(wt, 2) + log(hp) + I(qsec^2) + wt:hp, x)[, -1]
  expect_equal(read$x, expected, ignore_attr = "assign", tolerance = 1e-14)
  expect_identical(read$blueprint$labels[read$blueprint$source],
    c("poly(wt, 2)", "poly(wt, 2)", "log(hp)", "I(qsec^2)", "wt:hp")
  )
  # an interaction spans the same whichever other terms there are
  alone <- read_terms(~ cyl:hp)$x
  beside <- read_terms(~ cyl * hp)
  expect_identical(alone, beside$x[, colnames(alone)])
  expect_identical(colnames(alone), c("cyl4:hp", "cyl6:hp", "cyl8:hp"))
  span <- function(x) qr(cbind(1, x))$rank
  full <- model.matrix(~ cyl * hp + shift * vs, x)
  read <- read_terms(~ cyl * hp + shift * vs)$x
  expect_identical(span(read), qr(full)$rank)
  expect_identical(span(cbind(full, read)), qr(full)$rank)
  # combinations that there are none of have no column
  expect_identical(ncol(read_terms(~ cyl:gear:vs + cyl)$x), 3L + 5L)
})

test_that("two levels are one column, and the caller's contrasts stay", {
  x <- cars()
  read <- read_table(~ shift + vs + log(hp) + shift:vs, NULL, x, na.fail)
  expect_identical(colnames(read$x)[1:3], c("shiftmanual", "vs", "log(hp)"))
  expect_identical(unname(read$x[, "vs"]), mtcars$vs)
  expect_length(grep(":", colnames(read$x)), 4)
  contrasts(x$cyl) <- contr.sum(3)
  read <- read_table(~ cyl + log(hp), NULL, x, na.fail)
  expect_equal(read$x, model.matrix(~ cyl + log(hp), x)[, -1], ignore_attr = "assign")
})

test_that("new rows of a formula are those of model.matrix(), also a part of the terms", {
  x <- cars()
  formula <- ~ poly(wt, 2) + cyl * hp + scale(qsec) + shift:vs + gear + day + splines::ns(hp, 3)
  read <- suppressMessages(read_table(formula, NULL, x, na.fail))
  rows <- c(2, 31, 17, 18)
  expect_equal(code_rows(read$blueprint, x[rows, ]), read$x[rows, ], tolerance = 1e-12)
  expect_equal(code_rows(read$blueprint, x[17, ]), read$x[17, , drop = FALSE], tolerance = 1e-12)
  some <- c(7, 1, 5)
  names <- all.vars(attr(terms(formula), "variables"))
  expect_equal(code_rows(read$blueprint, x[rows, c("wt", "cyl", "hp", "qsec")], some),
    read$x[rows, some], tolerance = 1e-12
  )
  x$cyl[2] <- NA
  expect_identical(rowSums(is.na(code_rows(read$blueprint, x[1:3, ])[, 3:5])) > 0,
    stats::setNames(c(FALSE, TRUE, FALSE), rownames(x)[1:3])
  )
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
  expect_no_message(read <- omit_rows(x, y, na.pass))
  expect_identical(read, list(x = x, y = y))
  expect_refused(omit_rows(x, y, na.fail), "nonfinite", "4 of 32 rows")
  expect_no_message(omit_rows(x[-c(3, 9, 20), ], NULL, na.omit))
  filled <- function(frame) {
    frame$hp[is.na(frame$hp)] <- 0
    na.omit(frame)
  }
  read <- suppressMessages(omit_rows(x[1:5, ], NULL, filled))
  expect_identical(read$x$hp[3], mtcars$hp[4])
})

test_that("formulas leave out rows with missing values as lm() does", {
  x <- cars()[c("mpg", "hp", "wt", "qsec", "shift")]
  x$hp[c(4, 11)] <- NA
  x$shift[7] <- NA
  x$mpg[32] <- NA
  expect_message(fit <- rowsparse(mpg ~ ., data = x, k = 4, method = "cdlsr"),
    class = "rowsparse_message_rows"
  )
  model <- lm(mpg ~ ., data = x)
  expect_equal(drop(fitted(fit)), fitted(model), tolerance = 1e-10)
  expect_equal(drop(predict(fit, x[5:12, ])), predict(model, x[5:12, ]), tolerance = 1e-10)
  expect_equal(deviance(fit), deviance(model), tolerance = 1e-10)
  expect_equal(sort(drop(as.matrix(coef(fit)))), sort(coef(model)), tolerance = 1e-10)
  padded <- suppressMessages(
    rowsparse(mpg ~ ., data = x, k = 4, method = "cdlsr", na.action = na.exclude)
  )
  model <- lm(mpg ~ ., data = x, na.action = na.exclude)
  expect_equal(drop(fitted(padded)), fitted(model), tolerance = 1e-10)
  expect_equal(drop(predict(padded)), predict(model), tolerance = 1e-10)
  expect_equal(drop(residuals(padded)), residuals(model), tolerance = 1e-10)
  expect_equal(deviance(padded), deviance(fit))
  old <- options(na.action = "na.fail")
  on.exit(options(old))
  expect_refused(rowsparse(mpg ~ ., data = x, k = 2), "nonfinite", "4 of 32 rows")
})

test_that("data frames are asked to have no missing values, or what to do with them", {
  x <- cars()[c("hp", "wt", "shift")]
  x$hp[4] <- NA
  expect_refused(rowsparse(x, mtcars$mpg, k = 2), "nonfinite", "na.action = na.omit")
  said <- expect_message(
    fit <- rowsparse(x, mtcars$mpg, k = 2, method = "cdlsr", na.action = na.omit),
    class = "rowsparse_message_rows"
  )
  same <- rowsparse(x[-4, ], mtcars$mpg[-4], k = 2, method = "cdlsr")
  expect_identical(fit[c("selected", "objective")], same[c("selected", "objective")])
  numbers <- mtcars[-1]
  numbers[3, 2] <- NA
  expect_error(rowsparse(numbers, mtcars$mpg, k = 2), class = "rowsparse_error_nonfinite")
  fit <- suppressMessages(rowsparse(numbers, mtcars$mpg, k = 2, na.action = "na.omit"))
  expect_identical(fit$n, 31L)
})

test_that("arguments by sample follow the rows that are left", {
  x <- cars()[c("mpg", "hp", "wt", "qsec", "shift")]
  x$hp[c(4, 11)] <- NA
  left <- -c(4, 11)
  weights <- seq_len(32)
  fit <- suppressMessages(
    rowsparse(mpg ~ ., data = x, k = 2, method = "cdlsr", weights = weights)
  )
  same <- rowsparse(mpg ~ ., data = x[left, ], k = 2, method = "cdlsr", weights = weights[left])
  expect_equal(coef(fit), coef(same))
  block <- factor(rep(1:4, 8))
  fit <- suppressMessages(rowsparse(mpg ~ ., data = x, k = 2, method = "cdlsr", block = block))
  same <- rowsparse(mpg ~ ., data = x[left, ], k = 2, method = "cdlsr", block = block[left])
  expect_equal(coef(fit), coef(same))
})

test_that("paths, cross-validation, tuning and honest errors read the same tables", {
  x <- cars()[c("mpg", "hp", "wt", "qsec", "shift", "vs")]
  x$hp[4] <- NA
  whole <- x[-4, ]
  numbers <- code_table(whole[-1])$x
  y <- whole$mpg
  foldid <- rep(1:4, 8)
  quietly_said <- function(expr) suppressMessages(expr, classes = "rowsparse_message_rows")

  path <- quietly_said(rowsparse_path(mpg ~ ., data = x, k = 1:3, method = "cdlsr"))
  same <- rowsparse_path(numbers, y, k = 1:3, method = "cdlsr")
  expect_identical(path$selected, same$selected)
  expect_equal(predict(path, x[1:3, ]), predict(same, numbers[1:3, ]))

  cv <- quietly_said(cv_rowsparse(mpg ~ ., data = x, k = 1:3, method = "cdlsr", foldid = foldid))
  same <- cv_rowsparse(numbers, y, k = 1:3, method = "cdlsr", foldid = foldid[-4])
  expect_equal(cv$table, same$table)
  expect_equal(predict(cv, whole), predict(same, numbers))
  expect_equal(predict(cv, whole, s = "min"), predict(same, numbers, s = "min"))

  error <- quietly_said(
    selection_error(mpg ~ ., data = x, k = 2, method = "cdlsr", foldid = foldid)
  )
  same <- selection_error(numbers, y, k = 2, method = "cdlsr", foldid = foldid[-4])
  expect_equal(error$table, same$table)

  tuning <- quietly_said(tune_rowsparse(mpg ~ ., data = x, k = 1:3, method = "cdlsr",
    criterion = "error", foldid = foldid, subsamples = 2
  ))
  expect_equal(dim(predict(tuning, x[1:5, ])), c(5L, 1L))
})

test_that("selected columns of a table are those that it has", {
  x <- cars()[c("hp", "wt", "qsec", "shift", "vs")]
  fit <- rowsparse(x, mtcars$mpg, k = 3, method = "cdlsr", include = "shiftmanual")
  shown <- predict(fit, x, type = "features")
  expect_true("shift" %in% names(shown))
  expect_identical(shown, x[names(shown)])
  expect_identical(dim(predict(fit, x[1:2, ])), c(2L, 1L))
  expect_equal(predict(fit, x[1:2, names(shown)]), predict(fit, x[1:2, ]))
  # a matrix with the names of the fit serves as well
  expect_equal(predict(fit, code_table(x)$x), predict(fit, x))
})

test_that("tibbles and their like are tables", {
  skip_if_not_installed("tibble")
  x <- cars()[c("hp", "wt", "qsec", "shift", "vs")]
  fit <- rowsparse(x, mtcars$mpg, k = 3, method = "cdlsr")
  modern <- tibble::as_tibble(x)
  again <- rowsparse(modern, mtcars$mpg, k = 3, method = "cdlsr")
  expect_identical(again$selected, fit$selected)
  expect_equal(unname(predict(again, modern)), unname(predict(fit, x)))
  expect_s3_class(predict(again, modern, type = "features"), "tbl_df")
})

test_that("what goes with a fit takes its table", {
  x <- cars()[c("hp", "wt", "qsec", "shift", "vs")]
  fit <- rowsparse(x, mtcars$mpg, k = 3, method = "cdlsr")
  numbers <- code_table(x)$x
  expect_identical(model.matrix(fit, x), numbers)
  expect_equal(compare_panels(fit, x)$explained[1], variance_explained(numbers, fit))
  expect_silent(plot(fit, "correlation", data = x))
  plain <- rowsparse(mtcars[-1], mtcars$mpg, k = 3)
  expect_identical(model.matrix(plain, mtcars[1:3, ]), as.matrix(mtcars[1:3, -1]))
  gaps <- x
  gaps$hp[3] <- NA
  complete <- suppressMessages(rowsparse(gaps, mtcars$mpg, k = 2, na.action = na.omit))
  expect_output(print(complete), "31 samples (1 more left out)", fixed = TRUE)
  skip_if_not_installed("generics")
  table <- getExportedValue("generics", "augment")(fit, x)
  expect_true(all(names(predict(fit, x, type = "features")) %in% names(table)))
})

# the same with a factor of several levels, which is one of the k
grouped_cars <- function() cars()[c("hp", "wt", "qsec", "cyl", "shift", "vs")]

test_that("a factor is one of the k, with the columns of model.matrix()", {
  x <- grouped_cars()
  fit <- rowsparse(x, mtcars$mpg, k = 2, method = "cdlsr")
  read <- code_table(x)
  label <- read$blueprint$labels[read$blueprint$source]
  same <- rowsparse(read$x, mtcars$mpg, k = 2, method = "cdlsr", groups = label)
  expect_identical(fit[c("selected", "objective", "groups")],
    same[c("selected", "objective", "groups")]
  )
  expect_length(selected(fit, groups = TRUE), 2)
  forced <- rowsparse(x, mtcars$mpg, k = 2, method = "cdlsr", include = "cyl", ridge = 0)
  expect_true(all(c("cyl4", "cyl6", "cyl8") %in% rownames(coef(forced))))
  kept <- selected(forced, groups = TRUE)
  model <- lm(reformulate(kept, "mpg"), cbind(x, mpg = mtcars$mpg))
  expect_equal(drop(fitted(forced)), fitted(model), tolerance = 1e-10)
  expect_equal(deviance(forced), deviance(model), tolerance = 1e-10)
  expect_identical(names(predict(forced, x, type = "features")), kept)
  expect_output(print(forced), "2 of 6 groups selected")
})

test_that("all terms without a ridge are those of lm()", {
  x <- cbind(mpg = mtcars$mpg, grouped_cars())
  x$cyl[3] <- NA
  formulas <- list(mpg ~ ., log(mpg) ~ poly(wt, 2) + cyl * hp + shift, mpg ~ cyl:wt + qsec)
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

test_that("the order of levels, rows and columns changes no selection", {
  x <- grouped_cars()
  y <- mtcars$mpg
  turned <- x[rev(seq_len(32)), rev(names(x))]
  turned$cyl <- factor(turned$cyl, levels = c("8", "4", "6"))
  turned$shift <- factor(turned$shift, levels = c("manual", "auto"))
  for (method in c("cdlsr", "css", "alignment", "fspca", "variance")) {
    fit <- rowsparse(x, y, k = 3, method = method, scale = if (method != "variance") TRUE)
    again <- rowsparse(turned, rev(y), k = 3, method = method,
      scale = if (method != "variance") TRUE
    )
    expect_identical(selected(again, groups = TRUE), selected(fit, groups = TRUE))
    expect_equal(again$objective[1], fit$objective[1], tolerance = 1e-8)
  }
  fit <- rowsparse(x, y, k = 3)
  again <- rowsparse(turned, rev(y), k = 3)
  expect_equal(predict(again, x), predict(fit, x), tolerance = 1e-8)
})

test_that("columns of the table are locked by name, number or TRUE, and joined by groups", {
  x <- grouped_cars()
  y <- mtcars$mpg
  by_name <- rowsparse(x, y, k = 3, method = "cdlsr", include = "cyl", exclude = c("wt", "vs"))
  expect_true("cyl" %in% selected(by_name, groups = TRUE))
  expect_false(any(c("wt", "vs") %in% selected(by_name, groups = TRUE)))
  by_number <- rowsparse(x, y, k = 3, method = "cdlsr", include = 4, exclude = c(2, 6))
  expect_identical(by_number$selected, by_name$selected)
  flags <- names(x) %in% c("wt", "vs")
  by_flag <- rowsparse(x, y, k = 3, method = "cdlsr", include = "cyl", exclude = flags)
  expect_identical(by_flag$selected, by_name$selected)
  joined <- rowsparse(x, y, k = 1, method = "cdlsr",
    groups = list(engine = c("hp", "cyl", "vs"), rest = c("wt", "qsec", "shift"))
  )
  expect_length(joined$selected, if (selected(joined, groups = TRUE) == "engine") 5 else 3)
  # without a group of several columns these names serve as well
  single <- rowsparse(x[names(x) != "cyl"], y, k = 2, method = "cdlsr", include = "shift")
  expect_true("shiftmanual" %in% selected(single))
})

test_that("paths, cross-validation, tuning and honest errors take factors", {
  x <- cbind(mpg = mtcars$mpg, grouped_cars())
  foldid <- rep(1:4, 8)
  path <- rowsparse_path(mpg ~ ., data = x, k = 1:3, method = "cdlsr")
  expect_length(selected(path, at = 2, groups = TRUE), 2)
  expect_identical(dim(predict(path, x)), c(32L, 3L))
  cv <- cv_rowsparse(mpg ~ ., data = x, k = 1:3, method = "cdlsr", foldid = foldid)
  fit <- rowsparse(mpg ~ ., data = x, k = cv$k, method = "cdlsr")
  expect_equal(predict(cv, x), predict(fit, x), tolerance = 1e-8)
  # the error by hand: selection and fit within each training set, all levels known
  by_hand <- vapply(1:4, function(fold) {
    own <- rowsparse(mpg ~ ., data = x[foldid != fold, ], k = 1, method = "cdlsr")
    mean((predict(own, x[foldid == fold, ]) - x$mpg[foldid == fold])^2)
  }, 0)
  expect_equal(cv$fold_error[, 1], by_hand, tolerance = 1e-8)
  error <- selection_error(mpg ~ ., data = x, k = 1:2, method = "cdlsr", foldid = foldid)
  expect_equal(error$table$inside, cv$table$error[1:2], tolerance = 1e-8)
  tuning <- tune_rowsparse(mpg ~ ., data = x, k = 1:3, method = "cdlsr", criterion = "error",
    foldid = foldid, subsamples = 2
  )
  expect_identical(dim(predict(tuning, x[1:5, ])), c(5L, 1L))
  tuning <- tune_rowsparse(x[-1], k = 1:3, method = "css", subsamples = 2, exclude = "vs")
  expect_false("vs" %in% selected(tuning$fit, groups = TRUE))
})

test_that("a level that a training set lacks is no error there", {
  x <- cbind(mpg = mtcars$mpg, grouped_cars())
  x$cyl <- factor(ifelse(seq_len(32) <= 3, "rare", as.character(x$cyl)))
  foldid <- c(1, 1, 1, rep(1:4, length.out = 29))
  cv <- cv_rowsparse(mpg ~ ., data = x, k = 1:4, method = "cdlsr", foldid = foldid)
  expect_true(all(is.finite(cv$table$error)))
})

test_that("classes are predicted from factors", {
  x <- grouped_cars()
  fit <- rowsparse(x[-4], factor(mtcars$cyl), k = 3, method = "alignment")
  expect_equal(rowSums(predict(fit, x, type = "prob")), rep(1, 32), ignore_attr = TRUE)
  x$gear <- factor(mtcars$gear)
  fit <- rowsparse(x[-4], factor(mtcars$cyl), k = 3, method = "alignment", include = "gear")
  new <- x[1:4, ]
  new$gear[2] <- NA
  class <- predict(fit, new)
  expect_identical(is.na(class), c(FALSE, TRUE, FALSE, FALSE))
})
