# The step for recipes of tidymodels. In an environment with tune and workflows the step is
# tuned as well: make test-ecosystem.

# what recipes loads asks the machine for its time zone, and containers do not know
has_recipes <- function() {
  if (!nzchar(Sys.getenv("TZ"))) Sys.setenv(TZ = "UTC")
  suppressWarnings(skip_if_not_installed("recipes"))
}

with_step <- function(data = iris, ..., formula = Species ~ .) {
  has_recipes()
  step_select_rowsparse(recipes::recipe(formula, data = data),
    recipes::all_numeric_predictors(), ...
  )
}

# on the output or as a message, by the version of recipes
printed <- function(step) {
  output <- utils::capture.output(messages <- capture_messages(print(step)))
  paste(c(output, messages), collapse = "")
}

core_ends_here()

test_that("the step keeps what the front door selects and leaves the rest alone", {
  has_recipes()
  data <- cbind(iris, id = paste0("plant", 1:150))
  x <- as.matrix(iris[, 1:4])
  for (method in list(NULL, "css")) {
    prepared <- recipes::prep(with_step(data, k = 2, method = method))
    fit <- rowsparse(x, iris$Species, k = 2, method = method)
    baked <- recipes::bake(prepared, data)
    expect_setequal(names(baked), c(selected(fit), "id", "Species"))
    expect_identical(baked[[selected(fit)[1]]], iris[[selected(fit)[1]]])
    table <- getExportedValue("generics", "tidy")(prepared, 1)
    expect_identical(table$terms[table$selected], selected(fit))
    expect_identical(table$score, unname(fit$scores[fit$ranking]))
  }
})

test_that("the response is the outcome, another column, or none", {
  has_recipes()
  blind <- rowsparse(iris[, 1:3], k = 2)
  seeing <- function(...) {
    prepared <- recipes::prep(with_step(iris[1:4], k = 2, ..., formula = Petal.Width ~ .))
    prepared$steps[[1]]$result$terms[1:2]
  }
  expect_identical(seeing(outcome = FALSE), selected(blind))
  expect_identical(seeing(), selected(rowsparse(iris[, 1:3], iris$Petal.Width, k = 2)))
  expect_identical(seeing(outcome = "Petal.Width"), seeing())
  two <- recipes::prep(with_step(k = 1, method = "cdlsr", formula = Petal.Width + Species ~ .,
    data = iris, outcome = "Petal.Width"
  ))
  expect_identical(sum(two$steps[[1]]$result$selected), 1L)
  expect_error(recipes::prep(with_step(k = 2, outcome = "nothing")),
    class = "rowsparse_error_choice"
  )
  expect_error(recipes::prep(with_step(k = 2, outcome = "Sepal.Width")),
    class = "rowsparse_error_choice"
  )
  expect_error(recipes::prep(with_step(k = 2, outcome = FALSE, method = "cdlsr")),
    class = "rowsparse_error_type"
  )
})

test_that("sizes give way to what is there", {
  has_recipes()
  default <- recipes::prep(with_step())
  expect_identical(sum(default$steps[[1]]$result$selected), 4L)
  expect_warning(recipes::prep(with_step(k = 10)), class = "rowsparse_warning_fill")
  nothing <- step_select_rowsparse(recipes::recipe(Species ~ ., iris),
    recipes::has_role("none"), k = 2
  )
  expect_identical(names(recipes::bake(recipes::prep(nothing), iris)), names(iris))
})

test_that("columns that are no numbers are kept or removed as they are, factors as a whole", {
  has_recipes()
  data <- mtcars[c("mpg", "hp", "qsec", "drat")]
  data$cyl <- factor(mtcars$cyl)
  data$gear <- as.character(mtcars$gear)
  data$day <- as.Date("2020-01-01") + c(40:60, 1:11)
  step <- step_select_rowsparse(recipes::recipe(mpg ~ ., data), recipes::all_predictors(),
    k = 3, method = "cdlsr"
  )
  # deprecated since recipes 1.3.0, whose replacement is not in versions before
  prepared <- suppressMessages(suppressWarnings(recipes::prep(step, strings_as_factors = FALSE)))
  fit <- suppressMessages(rowsparse(mpg ~ ., data = data, k = 3, method = "cdlsr"))
  table <- getExportedValue("generics", "tidy")(prepared, 1)
  expect_setequal(table$terms, setdiff(names(data), "mpg"))
  kept <- table$terms[table$selected]
  expect_identical(kept, selected(fit, groups = TRUE))
  baked <- recipes::bake(prepared, data)
  expect_setequal(names(baked), c("mpg", kept))
  for (name in kept) expect_equal(baked[[name]], data[[name]])
})

test_that("lists and missing values are refused with what to do", {
  has_recipes()
  told <- function(data) {
    roles <- c("predictor", "outcome")[1 + (names(data) == "Petal.Width")]
    mixed <- step_select_rowsparse(recipes::recipe(data, vars = names(data), roles = roles),
      recipes::all_predictors(), k = 2
    )
    tryCatch(recipes::prep(mixed), error = function(e) conditionMessage(e$parent))
  }
  data <- tibble::as_tibble(iris)
  data$list <- as.list(1:150)
  expect_match(told(data), "a list of length 150 in \"list\"")
  data <- iris
  data$Sepal.Width[3] <- NA
  expect_match(told(data), "step_impute_mean")
  kept <- recipes::prep(with_step(data, k = 2, options = list(na.action = "na.omit")))
  expect_identical(sum(kept$steps[[1]]$result$selected), 2L)
})

test_that("case weights are the weights of the method", {
  has_recipes()
  weights <- rep(1:3, 50)
  for (kind in c("importance_weights", "frequency_weights")) {
    data <- iris
    data$w <- getExportedValue("hardhat", kind)(as.integer(weights))
    prepared <- recipes::prep(with_step(data, k = 2, method = "cdlsr"))
    fit <- cdlsr(iris[1:4], iris$Species, 2, weights = weights)
    expect_identical(prepared$steps[[1]]$result$score, unname(fit$scores[fit$ranking]))
    expect_error(recipes::prep(with_step(data, k = 2, method = "ftest")),
      class = "rowsparse_error_argument"
    )
  }
})

test_that("arguments are checked when the step is added", {
  expect_error(with_step(k = 0), class = "rowsparse_error_range")
  expect_error(with_step(method = "none"), class = "rowsparse_error_choice")
  expect_error(with_step(options = 3), class = "rowsparse_error_argument")
  expect_error(with_step(options = list(3)), class = "rowsparse_error_argument")
  expect_error(with_step(outcome = 3), class = "rowsparse_error_type")
  expect_error(step_select_rowsparse(iris), class = "rowsparse_error_type")
  expect_error(recipes::prep(with_step(k = 2, options = list(wrong = 1))),
    class = "rowsparse_error_argument"
  )
})

test_that("the step prints, and tells what is needed and what can be tuned", {
  later <- with_step(k = quote(tune()), method = quote(tune("by")))
  expect_match(printed(later$steps[[1]]), "Selection of tune() by tune(\"by\") from", fixed = TRUE)
  prepared <- recipes::prep(with_step(k = 2))
  expect_match(printed(prepared$steps[[1]]), "Selection of 2 by [a-z]+ from Petal")
  expect_true("rowsparse" %in% getExportedValue("generics", "required_pkgs")(prepared))
  tuned <- getExportedValue("generics", "tunable")(later$steps[[1]])
  expect_identical(tuned$name, c("k", "method"))
  untrained <- getExportedValue("generics", "tidy")(later, 1)
  expect_named(untrained, c("terms", "rank", "score", "selected", "id"))
})

test_that("sparse predictors stay sparse", {
  has_recipes()
  skip_if_not_installed("sparsevctrs")
  set.seed(5)
  x <- Matrix::rsparsematrix(40, 6, 0.3, dimnames = list(NULL, paste0("g", 1:6)))
  data <- getExportedValue("sparsevctrs", "coerce_to_sparse_tibble")(x)
  data$y <- gl(2, 20)
  prepared <- recipes::prep(with_step(data, formula = y ~ ., k = 2, method = "css"))
  baked <- recipes::bake(prepared, data)
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
