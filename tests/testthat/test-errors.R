# What is refused, by class and by what the message names. Each row is a call, under a part of what
# it must say. Arguments of single methods: test-errors_methods.R.

x <- matrix(c(1, 2, 3, 5, 8, 13, 2, 7, 1, 8, 2, 8), 4)
bad <- replace(x, c(7, 12), c(NA, Inf))
d <- data.frame(a = c(1:5, 9), b = rep(c("u", "v"), 3))
with_column <- function(value) {
  d$c <- value
  d
}
with_names <- function(...) structure(x, dimnames = list(NULL, c(...)))
integer64 <- function(x) structure(x, class = "integer64")
# the number of messages on a response
said <- function(code) {
  length(conditions_heard(suppressWarnings(code), paste0("rowsparse_message_", c("response",
    "determined"
  ))))
}

core_ends_here()

test_that("data that are none of the kinds are refused, and gaps, shapes and names located", {
  expect_each_refused("type",
    "got a character matrix of size 3 x 3" = bsufs(matrix("a", 3, 3), 1),
    "`rowsparse(x, method = ...)` takes factors" = css(iris, 2), "NULL" = bsufs(NULL, 1),
    "pass cbind(x)" = bsufs(1:10, 1), "complex matrix of size 4 x 3" = bsufs(x + 0i, 1),
    "a list of size 2 x 2" = bsufs(matrix(list(1), 2, 2), 1), "64-bit" = bsufs(integer64(x), 1),
    "column 3 (\"c\"): an object of class integer64" =
      bsufs(with_column(integer64(1:6 + 0))[c("a", "a", "c")], 1),
    "of size 2 x 3 x 4" = bsufs(array(1:24, 2:4), 1), "a function" = bsufs(mean, 1),
    "The front door takes formulas" = compare_panels(1, Species ~ .),
    "The front door takes formulas" = cdlsr(Species ~ ., iris, k = 2),
    "got a formula" = cdlsr(x, y ~ 1, 2),
    "a numeric matrix" = moments(NULL, weights = 1:3), "`x`" = cv_rowsparse("x", 1:4)
  )
  frame <- as.data.frame(with_names("age", "height", "weight"))
  frame$height[3] <- NA
  expect_each_refused("nonfinite",
    "2 of them, the first at row 3, column 2" = bsufs(bad, 1),
    "they are in 2 of 4 rows (3, 4) and 2 of 3 columns (2, 3)" = bsufs(bad, 1),
    "row 3, column 2" = bsufs(methods::as(bad, "CsparseMatrix"), 1),
    "row 3, column 2 (\"height\"); they are in 1 of 4 rows" = bsufs(frame, 1),
    "column 3" = variance(bad[, c(1, 2, 3)], exclude = 2), "`x`" = moments(bad)
  )
  expect_each_refused("size",
    "at least 2 samples (rows); got 1" = bsufs(x[1, , drop = FALSE], 1),
    "at least one feature" = bsufs(x[, 0], 1), "one row and one column" = moments(x[, 0]),
    "at least 2 samples (rows); got 0" = rowsparse(iris[0, 1:4], iris$Species[0], k = 2),
    "at least 2 samples (rows); got 0" = rowsparse(x[0, ], logical(), k = 2, method = "rfs"),
    "at least 2 samples (rows); got 0" = cv_rowsparse(x[0, ], factor(character()), k = 1),
    "`data` must have at least 2 samples" = rowsparse(Species ~ ., data = iris[0, ], k = 2),
    "2^31" = row_blocks(identity, c(5, 1e300))
  )
  expect_each_refused("names",
    "\"a\"" = bsufs(with_names("a", "b", "a"), 1),
    "NA as the name of column 2" = bsufs(with_names("a", NA, "b"), 1),
    "NA as the name of column 2" = row_blocks(with_names("a", NA, "b"), rows = 2)
  )
  expect_each_refused("constant", "that varies" = bsufs(matrix(2, 5, 3), 1))
  expect_each_refused("orientation",
    "pass t(x)" = rowsparse(x, 1:3, k = 2), "pass t(x)" = rowsparse_path(x, 1:3, k = 2),
    "pass t(x)" = cv_rowsparse(x, 1:3, k = 2)
  )
})

test_that("sparse matrices and moments that were bent by hand are refused before they are read", {
  good <- Matrix::rsparsematrix(12, 5, 0.5)
  fit <- css(good, 2)
  bends <- list(Dimnames = list(), i = 1000000L, p = c(0L, 5L, 2L, 9L), x = "a", Dim = c(NA, 5L))
  for (slot in names(bends)) {
    broken <- good
    attr(broken, slot) <- bends[[slot]]
    expect_each_refused("type",
      "valid sparse matrix" = rowsparse(broken, gl(2, 6), 2, "cdlsr"),
      "valid sparse matrix" = moments(broken), "valid sparse matrix" = predict(fit, broken)
    )
  }
  bent <- moments(as.matrix(good))
  bent$n <- quote(a)
  expect_each_refused("type", "moments" = rowsparse(bent, k = 2, method = "css"))
})

test_that("responses are checked by one rule in every entry", {
  set.seed(323)
  x <- sample_matrix(30, 8)
  entries <- list(
    function(y) rowsparse(x, y, k = 2), function(y) rowsparse(x, y, k = 2, method = "ftest"),
    function(y) rfs(x, y), function(y) alignment(x, y, 2), function(y) cdlsr(moments(x, y), k = 2),
    function(y) cv_rowsparse(x, y, k = 1:2), function(y) rowsparse_path(x, y, k = 1:2)
  )
  times <- cbind(time = 1:30, status = 0:1)
  whole <- 1:30 + 0
  for (entry in entries) {
    expect_each_refused("type",
      "right-censored" = entry(structure(times, class = "Surv")),
      "time and status alone" = entry(cbind(times, z = 1)),
      "bit64" = entry(integer64(whole)),
      "as.numeric(y)" = entry(as.difftime(whole, units = "hours")),
      "as.numeric(y)" = entry(Sys.Date() + 1:30), "numeric vector" = entry(complex(30, 1:30))
    )
    expect_each_refused("constant",
      "must vary" = entry(rep(3, 30)), "column 2" = entry(cbind(whole, 2)),
      "must" = entry(factor(rep("a", 30))), "as many classes as samples" = entry(factor(1:30)),
      "as.numeric()" = entry(as.character(sin(1:30)))
    )
    expect_each_refused("nonfinite",
      "`keep <- !is.na(y)`" = entry(replace(gl(2, 15), 4, NA)),
      "row 4" = entry(replace(whole, 4, NA)),
      "keep <- is.finite(rowSums(as.matrix(y)))" = entry(cbind(replace(whole, 4, Inf), 1:30))
    )
    expect_each_refused("length",
      "one entry per sample (30); got 29" = entry(whole[-1]),
      "got 29" = entry(cbind(whole)[-1, , drop = FALSE])
    )
  }
  expect_each_refused("size",
    "one column" = rowsparse(x, matrix(0, 30, 0), k = 1), "one column" = cdlsr(x, x[, 0], 1)
  )
})

test_that("what a response could be else, lone classes, and features that give it are told once", {
  set.seed(2)
  x <- sample_matrix(60, 5)
  steps <- factor(rep(1:3, 20), ordered = TRUE)
  successes <- cbind(rep(0:5, 10), rep(6:2, 12)) + 0
  for (y in list(steps, successes, rep(0:9, 6), rep(c(0, 1), 30))) {
    expect_identical(said(rowsparse(x, y, k = 2, method = "cdlsr", ridge = "cv")), 1L)
    expect_identical(said(rowsparse_path(x, y, k = 1:2, method = "cdlsr")), 1L)
    expect_identical(said(cv_rowsparse(x, y, k = 1:2, method = "cdlsr", folds = 5)), 1L)
    expect_identical(said(moments(x, y)), 1L)
  }
  for (y in list(x[, 1]^3, gl(3, 20), rep(c(TRUE, FALSE), 30), 1:60)) {
    expect_identical(said(rowsparse(x, y, k = 2, method = "cdlsr")), 0L)
  }
  expect_identical(said(rowsparse(x, steps, k = 2, method = "css")), 0L) # does not use it
  data <- transform(iris, Sepal.Width = replace(Sepal.Width, Species == "setosa", NA))
  expect_message(rowsparse(Species ~ ., data = data, k = 2), "(all of \"setosa\": fill them",
    fixed = TRUE, class = "rowsparse_message_rows"
  )
  y <- factor(rep(c("rare", "b", "c"), c(1, 70, 79)))
  expect_message(suppressWarnings(rowsparse(iris[1:4], y, k = 2)), "one sample of \"rare\"")
  expect_each_refused("class", "join it to another" = cv_rowsparse(iris[1:4], y))
  set.seed(8)
  x <- sample_matrix(30, 6)
  classes <- gl(3, 10, labels = c("u", "v", "w"))
  expect_identical(said(rowsparse(x, 3 * x[, 2] - 7, 2)), 1L)
  expect_identical(said(rowsparse(methods::as(x, "CsparseMatrix"), x[, 2], 2, "cdlsr")), 1L)
  expect_identical(said(rowsparse(data.frame(x, of = classes), classes, 2)), 1L)
  expect_identical(said(rowsparse(cbind(x, c(4, 1, 9)[classes]), classes, 2, "ftest")), 1L)
  expect_identical(said(rowsparse_path(x, x[, 2], method = "cdlsr", k = 1:3)), 1L)
  expect_identical(said(cv_rowsparse(x, x[, 2], k = 1:3, folds = 3)), 1L)
  expect_identical(said(rowsparse(x, x[, 2] + 1e-6 * rnorm(30), 2)), 0L)
  expect_identical(said(rowsparse(x, x[, 2], 2, "css")), 0L) # does not use it
})

test_that("what holds one response is one, such as a data frame of one column", {
  set.seed(7)
  x <- sample_matrix(40, 6)
  x[, 3] <- x[, 3] + 4 * rep(0:1, each = 20)
  for (y in list(x[, 2] - x[, 5] + rnorm(40), rep(c("u", "v"), each = 20))) {
    table <- data.frame(y)
    fit <- rowsparse(x, y, k = 2)
    again <- rowsparse(x, table, k = 2)
    expect_identical(class(again), class(fit))
    expect_identical(again$selected, fit$selected)
    expect_identical(cv_rowsparse(x, table, k = 1:2)$method, cv_rowsparse(x, y, k = 1:2)$method)
    expect_equal(moments(x, table)$Syy, moments(x, y)$Syy, ignore_attr = TRUE)
  }
  x <- as.matrix(iris[, 1:4])
  labels <- as.character(iris$Species)
  expect_identical(rowsparse(x, cbind(labels), k = 2)$scores, rowsparse(x, labels, k = 2)$scores)
  expect_each_refused("type",
    "`y[[1]]` takes the first column" = rowsparse(x, data.frame(labels, labels), k = 2),
    "`y[, 1]` takes the first column" = rowsparse(x, cbind(labels, labels), k = 2)
  )
  by <- function(types) {
    set.seed(1)
    compare_panels(1:2, x, types = types)$same
  }
  expect_identical(by(iris["Species"]), by(iris$Species))
})

test_that("what was probably meant is said", {
  x <- sample_matrix(20, 6)
  table <- data.frame(x, type = gl(2, 10))
  for (data in list(x, Matrix::Matrix(x), as.data.frame(x), moments(x))) {
    expect_each_refused("length", "Did you mean `k = 5`?" = rowsparse(data, 5))
  }
  expect_each_refused("length",
    "Did you mean `k = 5`?" = cdlsr(x, 5, 2), "Did you mean `k = 5`?" = cv_rowsparse(x, 5),
    "got the string \"a\"" = rowsparse(x, "a"),
    "Did you mean `method = \"bsufs\"`?" = rowsparse_path(x, "bsufs"),
    "(24)" = rowsparse(row_blocks(x[c(1:20, 1:4), ], rows = 6), 1:8, k = 2)
  )
  expect_each_refused("type",
    "rowsparse(type ~ ., data = x)" = rowsparse(table, "type"),
    "rowsparse(type ~ g1, data = x)" = rowsparse(table, type ~ g1)
  )
  expect_each_refused("range", "Did you mean `method = \"cdlsr\"`?" = rowsparse(x, x[, 1], "cdlsr"))
  expect_each_refused("choice",
    "Did you mean `k = 3`?" = rowsparse(x, method = 3),
    "one of \"alignment\", " = rowsparse(x, k = 2, method = "alignmnet")
  )
  expect_each_refused("names",
    "Did you mean \"g1\"?" = css(x, 2, include = "gg1"), "a\\xff" = css(x, 2, include = "a\xff"),
    "As a pattern it fits no feature" = css(x, 2, exclude = "^RP[SL]")
  )
  lost <- paste0("u", 1:33)
  for (call in expression(
    css(x, 2, include = lost), css(x, 2, rules = panel_rules(near = lost)), alternatives(x, lost),
    rowsparse(x, k = 2, rules = panel_rules(sets = list(lost), at_least = 1), method = "css"),
    compare_panels(lost, x)
  )) expect_refused(eval(call), "names", "\"u19\", \"u20\", and 13 more (33 of 33 not found)")
  expect_each_refused("argument",
    "The assay is `assay`" = cv_rowsparse(x, assay.type = "logcounts"),
    "The assay is `assay`" = rowsparse(x, exprs_values = 1, method = "css"),
    "altExp(x, \"name\")" = rowsparse(x, k = 2, use_altexp = "ADT"),
    "altExp(x, \"name\")" = rowsparse_path(x, altexp = "ADT"),
    "Did you mean \"solver\"?" = rowsparse(x, k = 2, method = "css", solvr = "forward"),
    "clusters" = rowsparse(x, k = 2, method = "kmeans_ufs", m = 2),
    "named arguments of bsufs" = rowsparse(x, NULL, 2, "bsufs", 2, 0.5),
    "Did you mean \"type\"?" = predict(css(x, 2), x, typ3 = "features")
  )
})

test_that("unknown names are left out where the caller says so, and told", {
  x <- sample_matrix(30, 6)
  fit_with <- function(..., more = NULL) {
    rowsparse(x, k = 2, method = "css", ..., rules = panel_rules(
      sets = list(a = c("g3", more)), at_least = 1, near = c("g1", "g2", more), swaps = 1
    ))
  }
  told <- conditions_heard(class = "rowsparse_message_missing", {
    fit <- fit_with(more = c("u", "v"), include = c("g2", "w"), exclude = "z", missing = "ignore")
  })
  expect_setequal(vapply(told, conditionMessage, ""), sprintf("`%s (%s not found): left out.\n",
    c("include`: \"w\"", "exclude`: \"z\"", "near`: \"u\", \"v\"", "sets`: \"u\", \"v\""),
    c("1 of 2", "1 of 1", "2 of 4", "2 of 3")
  ))
  expect_identical(fit$selected, fit_with(include = "g2")$selected)
  expect_s3_class(alternatives(x, fit, seconds = 1), "feature_alternatives")
  expect_each_refused("names",
    "`panels$panel`" = compare_panels("u", x, missing = "ignore"),
    "no names" = rowsparse(unname(x), k = 2, include = "u", missing = "ignore"),
    "columns from 1 to 6" = rowsparse(x, k = 2, exclude = 7, missing = "ignore")
  )
  expect_message(table <- compare_panels(c("g1", "u", "g2"), x, seed = 1, missing = "ignore"),
    "`panels$panel`: \"u\" (1 of 3", fixed = TRUE, class = "rowsparse_message_missing"
  )
  expect_identical(table, compare_panels(1:2, x, seed = 1))
})

test_that("the front door says what it cannot serve", {
  x <- sample_matrix(20, 6)
  expect_each_refused("range",
    "`k`" = rowsparse(x, k = 7), "got 3 of class factor" = rowsparse(x, k = factor(3)),
    "of class integer64" = rowsparse(x, k = integer64(2)),
    "`diverse`" = rowsparse(x, k = 2, diverse = 0)
  )
  expect_each_refused("type",
    "`diverse`" = rowsparse(x, k = 2, diverse = NA),
    "`y` must be given" = rowsparse(x, k = 2, method = "cdlsr"),
    "SummarizedExperiment" = rowsparse(x, return = "object"),
    "x[subset, ]" = rowsparse(x, subset = 1:5)
  )
  expect_each_refused("argument",
    "`diverse`" = rowsparse(x, k = 2, diverse = TRUE, groups = rep(1:3, 2), method = "css"),
    "argument" = rowsparse(x, k = 2, start = 1, method = "css"),
    "data frames" = rowsparse(x, k = 2, na.action = na.omit),
    "belongs to a formula" = rowsparse(x, data = d)
  )
  genes <- list(sprintf("ENSG%011d", 1:6), c("ACTB", "GAPDH", "TP53", "x", "y", "z"))
  for (names in genes) {
    expect_each_refused("orientation",
      "samples in rows" = rowsparse(`rownames<-`(t(x), names), k = 2)
    )
    expect_length(rowsparse(`colnames<-`(x, names), k = 2)$selected, 2)
  }
  expect_length(rowsparse(`rownames<-`(x, sprintf("GSM%d", 1:20)), k = 2)$selected, 2)
})

test_that("cells in columns are suspected by barcodes, or in a tall sparse matrix", {
  asked <- function(rows, columns, sparse = FALSE) {
    x <- matrix(0, length(rows), length(columns), dimnames = list(rows, columns))
    if (sparse) x <- methods::as(x, "CsparseMatrix")
    said <- conditions_heard(check_orientation(x), "rowsparse_message_orientation")
    vapply(said, conditionMessage, "")
  }
  genes <- paste0("Gm", 1:40, "rik")
  numbered <- paste0("cell", 1:12)
  barcodes <- chartr("0123", "ACGT", sprintf("%08d", c(0:3, 10:13, 20:23) + 3021000))
  for (cells in list(barcodes, paste0(barcodes, "-1"), paste0("s_1_", barcodes, "-1"))) {
    expect_match(asked(genes, cells), "40 rows like \"Gm1rik\" and 12 columns.*pass t\\(x\\)")
    expect_length(c(asked(cells, genes, TRUE), asked(cells, genes[1:3], TRUE)), 0)
  }
  expect_match(asked(genes, numbered, TRUE), "pass Matrix::t(x)", fixed = TRUE)
  for (rows in list(numbered, paste0("P-", 1:12), 1:12)) {
    expect_length(c(asked(rows, genes[1:3], TRUE), asked(rows, letters[1:3], TRUE)), 0)
  }
  expect_length(asked(genes, numbered), 0)
})

test_that("columns of a table that are none are refused by name", {
  no_groups <- names(Filter(function(entry) !takes(entry, "groups"), method_table()))[1]
  expect_each_refused("identifier",
    "as many levels as rows (6) in \"c\"" = rowsparse(with_column(letters[1:6]), k = 1),
    "- c in a formula" = rowsparse(a ~ log(a) + c, data = with_column(letters[1:6]), k = 1)
  )
  expect_each_refused("type",
    "a list of length 6 in \"c\"" = rowsparse(with_column(as.list(1:6)), k = 1),
    "do.call(data.frame, x)" = rowsparse(with_column(matrix(1:12, 6)), k = 1),
    "Make numbers or a factor" = rowsparse(with_column(complex(real = 1:6)), k = 1),
    "bit64" = rowsparse(with_column(integer64(1:6 + 0)), k = 1)
  )
  expect_each_refused("groups",
    "several indicators of \"c\"" =
      rowsparse(with_column(gl(3, 2)), gl(2, 3), k = 2, method = no_groups)
  )
})

test_that("formulas say what they cannot be", {
  outside <- d$a
  twice <- data.frame(a = c(2, 1, 5), a = c(1, 2, 9), b = 3:1, check.names = FALSE)
  expect_each_refused("names",
    "'nothing' not found" = rowsparse(mpg ~ nothing, data = mtcars),
    "functions and interactions" = rowsparse(mpg ~ "wt", data = mtcars),
    "left side" = rowsparse(nothing ~ ., data = mtcars),
    "Did you mean \"gear\"?" = rowsparse(mpg ~ log(gears), data = mtcars),
    "degree" = rowsparse(mpg ~ poly(wt, 100), data = mtcars),
    "poly(x, 3), or splines::ns(x, 4)" = rowsparse(mpg ~ s(wt) + hp, data = mtcars),
    "Did you mean \"b\"?" = rowsparse(a ~ log(a), data = d, block = "bb"),
    "Did you mean \"balanced\"?" = rowsparse(b ~ log(a), data = d, weights = "balancd"),
    "Did you mean \"am\"?" = cv_rowsparse(mpg ~ wt + hp, data = mtcars, foldid = amm),
    "first: \"a\"" = rowsparse(b ~ ., data = twice, k = 1),
    "first: \"a\"" = cv_rowsparse(b ~ ., data = twice, k = 1)
  )
  expect_each_refused("size",
    "must name a feature" = rowsparse(mpg ~ wt - wt, data = mtcars),
    "must name a feature" = rowsparse(mpg ~ -wt, data = mtcars),
    "must name a feature" = rowsparse(mpg ~ 1, data = mtcars)
  )
  expect_each_refused("type",
    "always centred" = rowsparse(mpg ~ . - 1, data = mtcars),
    "always centred" = rowsparse(mpg ~ wt:hp + 0, data = mtcars),
    "strata(am)" = rowsparse(mpg ~ wt + strata(am), data = mtcars),
    "must be a data frame" = rowsparse(mpg ~ wt, data = as.matrix(mtcars)),
    "must be given" = rowsparse(~., data = mtcars, k = 2, method = "cdlsr"),
    "`block = am` takes its means off" = rowsparse(mpg ~ wt + (1 | am), data = mtcars),
    "one TRUE or FALSE for each row" = rowsparse(a ~ b, data = d, subset = TRUE)
  )
  expect_each_refused("missing",
    "`data` must be given" = rowsparse(mpg ~ wt), "without a formula" = cv_rowsparse(mpg ~ .)
  )
  expect_each_refused("argument",
    "must be left out" = rowsparse(mpg ~ wt, 1:32, data = mtcars),
    "y - offset" = rowsparse(mpg ~ wt + offset(log(hp)), data = mtcars)
  )
  expect_each_refused("length", "(6)" = rowsparse(a[1:3] ~ b, data = d, k = 1))
  expect_each_refused("nonfinite",
    "`subset = is.finite(log(a - 1))`" = rowsparse(outside ~ log(a - 1) + b, data = d, k = 1)
  )
})

test_that("new rows that do not go with the fit are refused by name", {
  d <- with_column(as.Date("2020-01-01") + c(1:5, 40))
  fit <- suppressMessages(rowsparse(d, k = 3, method = "variance"))
  blueprint <- fit$blueprint
  code <- function(...) {
    d[names(list(...))] <- list(...)
    code_rows(blueprint, d)
  }
  expect_each_refused("type",
    "must have numbers in \"a\"" = code(a = letters[1:6]),
    "must have dates in \"c\"" = code(c = as.POSIXct(d$c)),
    "must have dates in \"c\"" = code(c = 1:6)
  )
  expect_each_refused("names",
    "1 missing: \"b\"" = code_rows(blueprint, d[c("a", "c")]), "first: \"a\"" =
      code_rows(blueprint, cbind(d, a = 1))
  )
  expect_identical(sum(is.na(code(b = NA))), 6L)
  by_terms <- rowsparse(y ~ log(a) + I(b^2), data = data.frame(a = d$a, b = c(2, 1, 4, 3, 8, 5),
    y = c(1, 3, 2, 5, 4, 9)
  ), k = 2, method = "cdlsr")
  expect_each_refused("names",
    "1 missing: \"a\"" = predict(by_terms, data.frame(b = 1:2)),
    "non-numeric" = predict(by_terms, data.frame(a = letters, b = 1)),
    "first: \"g1\"" = predict(css(sample_matrix(9, 3), 3), cbind(sample_matrix(9, 3), g1 = 1))
  )
  outside <- d$a
  fit <- rowsparse(a ~ sqrt(outside) + log(a^2 + 1), data = d, k = 2, method = "cdlsr")
  expect_each_refused("length", "sqrt(outside)" = predict(fit, d[1:2, ]))
})

test_that("what na.action is, and where it is none of the call's, and the control", {
  gaps <- data.frame(a = c(1:5, NA), b = c(2, 1, NA, 3, 8, 5))
  text <- cbind(gaps, c = letters[c(1, 1, 2, 2, 2, 1)])
  expect_each_refused("type",
    "na.omit" = rowsparse(gaps, k = 1, na.action = "nothing"),
    "na.omit" = rowsparse(gaps, k = 1, na.action = 3),
    "as na.omit() does" = rowsparse(gaps, k = 1, na.action = function(x) x[1:3, ])
  )
  expect_each_refused("nonfinite",
    "2 of 2 rows with missing values" = rowsparse(gaps[c(3, 6), ], k = 1, na.action = na.omit),
    "1 of them in \"a\"" = rowsparse(text, k = 1, na.action = na.pass), "na.action = na.omit" =
      rowsparse(text, k = 1), "na.action = na.omit" = rowsparse(gaps, k = 1)
  )
  by_hand <- function(...) structure(list(...), class = "rowsparse_control")
  expect_each_refused("range",
    "`tol`" = rowsparse_control(tol = -1),
    "`maxit`" = bsufs(x, 1, control = by_hand(maxit = NA)),
    "`maxit`" = bsufs(x, 1, control = list(maxit = quote(stop("evaluated"))))
  )
  expect_each_refused("type",
    "`verbose`" = rowsparse_control(verbose = 1),
    "rowsparse_control()" = bsufs(x, 1, control = 1e-6)
  )
  expect_each_refused("control",
    "Did you mean \"maxit\"?" = rowsparse_control(maxiter = 1),
    "\"speed\"" = bsufs(x, 1, control = by_hand(speed = 1)),
    "once" = bsufs(x, 1, control = list(tol = 1, tol = 2))
  )
  expect_identical(bsufs(x, 1, control = list(maxit = 400))$parameters$maxit, 400L)
})

test_that("what methods of a fit do not take, and what memory does not hold, is refused by name", {
  fit <- bsufs(iris[, 1:4], m = 2)
  numeric <- cdlsr(iris[, 1:3], iris$Petal.Width, k = 2)
  path <- rowsparse_path(iris[, 1:4], method = "bsufs", m = 1, nlambda = 5)
  expect_each_refused("argument",
    "`k` is not an argument of coef()" = coef(fit, k = mean),
    "`what`" = predict(fit, iris, 2, typ = "components", what = 1),
    "New samples are `newdata`" = predict(fit, newx = iris), "`at`" = coef(path, s = 1),
    "takes n, digits" = summary(fit, sizes = 3), "`k`" = as.data.frame(fit, k = 2),
    "takes k" = coef(numeric, 2, 3), "takes at" = coef(path, k = 2)
  )
  classes <- cdlsr(iris[, 1:3], iris$Species, k = 2, block = iris$Petal.Width > 1)
  expect_each_refused("choice",
    "Did you mean \"class\"?" = predict(classes, iris, type = "raw"),
    "Did you mean \"prob\"?" = predict(classes, iris, type = "posterior"),
    "Did you mean \"response\"?" = predict(numeric, iris, type = "link")
  )
  expect_message(predict(classes, iris, block = rep("TRU", 150)), "mean \"TRUE\"?", fixed = TRUE)
  expect_each_refused("range",
    "Did you mean \"setosa\"?" =
      predict(classes, iris, prior = c(setossa = 1, versicolor = 1, virginica = 1)),
    "`k`" = selected(fit, mean), "1 to 2" = coef(numeric, 3), "`at`" = coef(path, mean)
  )
  before <- options(rowsparse.memory = 1000)
  on.exit(options(before))
  wide <- matrix(rnorm(400), 4)
  expect_each_refused("memory",
    "GB" = bsufs(wide, 1), "select features first" = moments(wide), "GB" = lapscore(wide),
    "GB" = rfs(wide, 1:4), "GB" = css(wide, 2)
  )
})

test_that("the way out of gaps serves the data at hand, and the response and the method", {
  set.seed(9)
  full <- sample_matrix(30, 6)
  full[, 1] <- full[, 1] + rep(c(0, 4), each = 15)
  x <- replace(full, c(3, 40, 70), NA)
  responses <- list(NULL, full[, 1]^2, cbind(full[, 1], full[, 2]), gl(2, 15))
  for (y in responses) {
    for (method in c("cdlsr", "css", "lapscore")) {
      if (method == "cdlsr" && is.null(y)) next
      told <- conditionMessage(expect_error(rowsparse(x, y, k = 2, method = method)))
      lines <- regmatches(told, gregexpr("`[^`]*`", told))[[1]]
      lines <- gsub("...", "k = 2, method = method", gsub("`", "", lines), fixed = TRUE)
      expect_identical(any(grepl("moments", lines)), method != "lapscore")
      for (line in lines[lengths(gregexpr("rowsparse(", lines, fixed = TRUE)) > 0]) {
        keep <- stats::complete.cases(x)
        if (startsWith(line, "rowsparse")) {
          expect_s3_class(suppressMessages(eval(str2lang(line))), method)
        }
      }
      expect_true(any(startsWith(lines, "keep <- ")))
    }
  }
  d <- data.frame(a = c(0, 2, 3, 5, 8, 13), b = c(2, 7, 1, 8, 2, 8), c = c(3, 1, 4, 1, 5, 9))
  told <- conditionMessage(expect_error(rowsparse(log(a) ~ b + c, data = d, k = 1)))
  expect_match(told, "`subset = is.finite(log(a))`", fixed = TRUE)
  fit <- suppressWarnings(rowsparse(log(a) ~ b + c, data = d, k = 1, subset = is.finite(log(a))))
  expect_identical(fit$n, 5L)
  skip_if_not_installed("SummarizedExperiment")
  set.seed(9)
  values <- replace(matrix(rnorm(120), 6), c(3, 40), NA)
  x <- SummarizedExperiment::SummarizedExperiment(list(logcounts = values),
    colData = data.frame(t = gl(2, 10), u = replace(1:20 + 0, 2, NA))
  )
  told <- conditionMessage(expect_error(rowsparse(x, "t", k = 2), class = "rowsparse_error"))
  lines <- gsub("`", "", regmatches(told, gregexpr("`[^`]*`", told))[[1]])
  eval(str2lang(grep("^keep", lines, value = TRUE)))
  expect_identical(rowsparse(eval(str2lang("x[, keep]")), "t", k = 2)$n, 18L)
  expect_match(told, "x[, keep]", fixed = TRUE)
  expect_match(conditionMessage(expect_error(css(x, 2))), "x[, keep]", fixed = TRUE)
  told <- conditionMessage(expect_error(rowsparse(x, "u", k = 2), class = "rowsparse_error"))
  expect_match(told, "`x[, !is.na(x[[\"u\"]])]`", fixed = TRUE)
})

test_that("few samples are served; shapes, dimensions and packages are checked before any work", {
  x <- sample_matrix(3, 4)
  expect_lte(max(compare_panels(1:2, x)$kept), 1) # 2 neighbours
  expect_identical(quietly(cv_rowsparse(x, c(2, 9, 4), k = 1))$k, 1L)
  expect_each_refused("range", "from 1 to 2" = compare_panels(1:2, x, neighbours = 15))
  expect_each_refused("size",
    "too few to leave one out" = suppressMessages(cv_rowsparse(x[1:2, ], c(2, 9), k = 1))
  )
  shape <- function(...) simulate_shapes("banana", ...)
  expect_each_refused("choice",
    "`contamination`" = shape(contamination = "rain"),
    "`solver`" = rowsparse_path(x, method = "kmeans_ufs", solver = NA)
  )
  expect_each_refused("range",
    "`n`" = simulate_shapes("diamond9", 8), "`position`" = shape(position = c(9, 10)),
    "`level`" = shape(contamination = "salt_pepper", level = 1.1),
    "`m` must be a whole" = cv_rowsparse(x, method = "fspca", m = 1e10)
  )
  expect_each_refused("package", "no.such.package" = check_installed("no.such.package", "for this"))
})

test_that("constant features are told once in a session", {
  before <- options(rowsparse.warn_constant = NULL)
  on.exit(options(before))
  told <- function(code) length(conditions_heard(code, "rowsparse_warning_constant"))
  one <- cbind(1, cos(outer(1:37, 1:5))) # a size that no other test has
  expect_identical(told(without_constant_warning(bsufs(one, 1))), 0L)
  expect_identical(told(bsufs(one, 1)), 1L)
  expect_identical(told(rowsparse(one, k = 2, method = "css")), 0L)
  expect_identical(told(bsufs(cbind(one[, -2], 2), 1)), 1L) # one more constant feature
})
