# The step for recipes of tidymodels. In an environment with tune and workflows the step is
# tuned as well: make test-ecosystem.

# what recipes loads asks the machine for its time zone, and containers do not know
if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC")

with_step <- function(data = iris, ..., formula = Species ~ .,
                      of = recipes::all_numeric_predictors()) {
  suppressWarnings(skip_if_not_installed("recipes"))
  step_select_rowsparse(recipes::recipe(formula, data = data), !!rlang::enquo(of), ...)
}

prepared <- function(...) {
  step <- with_step(...) # skips the test where there are no recipes
  recipes::prep(step)
}

table_of <- function(prepared) prepared$steps[[1]]$result

# on the output or as a message, by the version of recipes
printed <- function(step) {
  output <- utils::capture.output(messages <- capture_messages(print(step)))
  paste(c(output, messages), collapse = "")
}

core_ends_here()

test_that("the step keeps what the front door selects and leaves the rest alone", {
  data <- cbind(iris, id = paste0("plant", 1:150))
  for (method in list(NULL, "default", "css")) {
    step <- prepared(data, k = 2, method = method)
    fit <- rowsparse(as.matrix(iris[, 1:4]), iris$Species, k = 2, method = method)
    baked <- recipes::bake(step, data)
    expect_setequal(names(baked), c(selected(fit), "id", "Species"))
    expect_identical(baked[[selected(fit)[1]]], iris[[selected(fit)[1]]])
    table <- getExportedValue("generics", "tidy")(step, 1)
    expect_identical(table$terms[table$selected], selected(fit))
    expect_identical(table$score, unname(fit$scores[fit$ranking]))
  }
})

test_that("the response is the outcome, another column, or none", {
  seeing <- function(...) {
    table_of(prepared(iris[1:4], k = 2, ..., formula = Petal.Width ~ .))$terms[1:2]
  }
  expect_identical(seeing(outcome = FALSE), selected(rowsparse(iris[, 1:3], k = 2)))
  expect_identical(seeing(), selected(rowsparse(iris[, 1:3], iris$Petal.Width, k = 2)))
  expect_identical(seeing(outcome = "Petal.Width"), seeing())
  two <- prepared(k = 1, method = "cdlsr", formula = Petal.Width + Species ~ .,
    outcome = "Petal.Width"
  )
  expect_identical(sum(table_of(two)$selected), 1L)
})

test_that("sizes give way to what is there", {
  expect_identical(sum(table_of(prepared())$selected), 4L)
  expect_warning(prepared(k = 10), class = "rowsparse_warning_fill")
  nothing <- prepared(k = 2, of = recipes::has_role("none"))
  expect_identical(names(recipes::bake(nothing, iris)), names(iris))
})

test_that("columns that are no numbers are kept or removed as they are, factors as a whole", {
  data <- mtcars[c("mpg", "hp", "qsec", "drat")]
  data$cyl <- factor(mtcars$cyl)
  data$day <- as.Date("2020-01-01") + c(40:60, 1:11)
  step <- suppressMessages(
    prepared(data, formula = mpg ~ ., of = recipes::all_predictors(), k = 3, method = "cdlsr")
  )
  fit <- suppressMessages(rowsparse(mpg ~ ., data = data, k = 3, method = "cdlsr"))
  table <- table_of(step)
  expect_setequal(table$terms, setdiff(names(data), "mpg"))
  kept <- table$terms[table$selected]
  expect_identical(kept, selected(fit))
  baked <- recipes::bake(step, data)
  expect_setequal(names(baked), c("mpg", kept))
  for (name in kept) expect_equal(baked[[name]], data[[name]])
})

test_that("a factor with one level in training is a constant", {
  data <- transform(iris, site = factor("here", levels = c("here", "there")))
  step <- suppressWarnings(
    prepared(data, formula = Sepal.Length ~ ., of = recipes::all_predictors(), k = 2)
  )
  expect_identical(utils::tail(table_of(step)$terms, 1), "site")
})

test_that("missing values are refused with what to do", {
  data <- iris
  data$Sepal.Width[3] <- NA
  told <- tryCatch(prepared(data, k = 2), error = function(e) conditionMessage(e$parent))
  expect_match(told, "step_impute_mean")
  kept <- prepared(data, k = 2, options = list(na.action = "na.omit"))
  expect_identical(sum(table_of(kept)$selected), 2L)
})

test_that("case weights are the weights of the method", {
  skip_if_not_installed("recipes")
  weights <- rep(1:3, 50)
  for (kind in c("importance_weights", "frequency_weights")) {
    data <- iris
    data$w <- getExportedValue("hardhat", kind)(as.integer(weights))
    fit <- cdlsr(iris[1:4], iris$Species, 2, weights = weights)
    step <- prepared(data, k = 2, method = "cdlsr")
    expect_identical(table_of(step)$score, unname(fit$scores[fit$ranking]))
    expect_error(prepared(data, k = 2, method = "ftest"), class = "rowsparse_error_argument")
  }
})

test_that("arguments are checked when the step is added, and when it is prepared", {
  expect_each_refused("range", "`k`" = with_step(k = 0))
  expect_each_refused("choice", "`method`" = with_step(method = "none"))
  expect_each_refused("argument", "`options`" = with_step(options = list(3)))
  expect_each_refused("type", "`outcome`" = with_step(outcome = 3),
    "`recipe`" = step_select_rowsparse(iris)
  )
  expect_error(prepared(k = 2, options = list(wrong = 1)), class = "rowsparse_error_argument")
  expect_error(prepared(k = 2, outcome = "nothing"), class = "rowsparse_error_choice")
  expect_error(prepared(k = 2, outcome = "Sepal.Width"), class = "rowsparse_error_choice")
  expect_error(prepared(k = 2, outcome = FALSE, method = "ftest"), class = "rowsparse_error_type")
})

test_that("the step prints, and tells what is needed and what can be tuned", {
  later <- with_step(k = quote(tune()), method = quote(tune("by")))
  expect_match(printed(later$steps[[1]]), "Selection of tune() by tune(\"by\") from", fixed = TRUE)
  step <- prepared(k = 2)
  expect_match(printed(step$steps[[1]]), "Selection of 2 by [a-z]+ from:? Petal")
  expect_true("rowsparse" %in% getExportedValue("generics", "required_pkgs")(step))
  tuned <- getExportedValue("generics", "tunable")(later$steps[[1]])
  expect_identical(tuned$name, c("k", "method"))
  untrained <- getExportedValue("generics", "tidy")(later, 1)
  expect_named(untrained, c("terms", "rank", "score", "selected", "id"))
})

test_that("sparse predictors stay sparse", {
  skip_if_not_installed("sparsevctrs")
  x <- from_seed(5, Matrix::rsparsematrix(40, 6, 0.3, dimnames = list(NULL, paste0("g", 1:6))))
  data <- getExportedValue("sparsevctrs", "coerce_to_sparse_tibble")(x)
  data$y <- gl(2, 20)
  baked <- recipes::bake(prepared(data, formula = y ~ ., k = 2, method = "css"), data)
  expect_setequal(names(baked), c(selected(rowsparse(x, k = 2, method = "css")), "y"))
  is_sparse <- getExportedValue("sparsevctrs", "is_sparse_vector")
  expect_true(all(vapply(baked[setdiff(names(baked), "y")], is_sparse, NA)))
})

test_that("a workflow is tuned over k and method", {
  for (package in c("tune", "workflows", "parsnip", "rsample", "dials", "rpart")) {
    skip_if_not_installed(package)
  }
  from <- getExportedValue
  # workflows finds packages by their names on the search path
  recipe <- with_step(k = quote(tune()), method = quote(tune()))
  tree <- from("parsnip", "decision_tree")("classification", "rpart")
  flow <- from("workflows", "workflow")(recipe, tree)
  parameters <- from("hardhat", "extract_parameter_set_dials")(flow)
  expect_setequal(parameters$name, c("k", "method"))
  set.seed(6)
  folds <- from("rsample", "vfold_cv")(iris, v = 2)
  grid <- expand.grid(k = 1:2, method = c("css", "alignment"), stringsAsFactors = FALSE)
  tuned <- suppressMessages(from("tune", "tune_grid")(flow, folds, grid = grid))
  metrics <- from("tune", "collect_metrics")(tuned)
  expect_setequal(metrics$k, 1:2)
  expect_setequal(metrics$method, c("css", "alignment"))
  best <- from("tune", "select_best")(tuned, metric = "accuracy")
  final <- from("tune", "finalize_workflow")(flow, best)
  fitted <- from("generics", "fit")(final, iris)
  expect_identical(nrow(stats::predict(fitted, iris)), 150L)
})
