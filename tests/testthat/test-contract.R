# What every method must do, asked of every descriptor: a new method is tested
# here by existing.
contract_data <- function() {
  set.seed(401)
  x <- sample_matrix(40, 14)
  x[, 1:4] <- x[, 1:4] + matrix(stats::rnorm(16), 4)[rep(1:4, length.out = 40), ]
  list(x = x, y = factor(rep(1:4, length.out = 40)))
}

descriptors <- function() tested_table()

is_supervised <- function(entry) entry$response == "needed"

contract_fit <- function(name, x, y, k = 4, ...) {
  set.seed(402)
  y <- if (is_supervised(descriptors()[[name]])) y
  suppressWarnings(rowsparse(x, y, k = k, method = name, ...))
}

as_kind <- function(x, y, kind) {
  switch(kind,
    dense = x, sparse = methods::as(x, "CsparseMatrix"), moments = moments(x, y),
    blocks = row_blocks(function(i) x[20 * (i - 1) + 1:20, , drop = FALSE], c(20, 20))
  )
}

# the pages of the sources, or of the installed package
documented <- function() {
  sources <- test_path("..", "..", "man")
  pages <- if (dir.exists(sources)) {
    lapply(list.files(sources, full.names = TRUE, pattern = "Rd$"), tools::parse_Rd)
  } else {
    tools::Rd_db("rowsparse")
  }
  unlist(lapply(pages, function(page) {
    unlist(Filter(function(part) identical(attr(part, "Rd_tag"), "\\alias"), page))
  }))
}

test_that("every descriptor is complete, and its method documented", {
  aliases <- documented()
  table <- descriptors()
  for (name in names(table)) {
    entry <- table[[name]]
    expect_true(name %in% aliases, info = name)
    for (text in c("title", "reference", "cost")) expect_type(entry[[text]], "character")
    expect_true(all(entry$input %in% c("dense", "sparse", "moments", "blocks")), info = name)
    expect_true("dense" %in% entry$input, info = name)
    expect_true(entry$family %in% rowsparse:::method_families, info = name)
    expect_true(all(entry$sees %in% rowsparse:::method_views), info = name)
    sizes <- entry$sizes
    expect_true(is.function(sizes) || sizes %in% c("nested", "path", "refit"), info = name)
    for (argument in c(entry$dimension, entry$penalty, entry$lowered, names(entry$defaults))) {
      expect_true(argument %in% names(formals(entry$fit)), info = paste(name, argument))
    }
    expect_identical(is.null(entry$penalty), is.null(entry$largest_penalty), info = name)
    expect_identical(names(formals(entry$fit))[1], "x", info = name)
  }
  expect_true(all(names(table) %in% rowsparse_methods()$method))
})

test_that("every kind of data that a method takes gives the same selection", {
  data <- contract_data()
  table <- descriptors()
  for (name in names(table)) {
    reference <- contract_fit(name, data$x, data$y)
    expect_length(reference$selected, 4)
    for (kind in setdiff(table[[name]]$input, "dense")) {
      given <- as_kind(data$x, data$y, kind)
      y <- if (kind != "moments") data$y
      set.seed(402)
      fit <- suppressWarnings(rowsparse(given, if (is_supervised(table[[name]])) y,
        k = 4, method = name
      ))
      expect_identical(fit$selected, reference$selected, info = paste(name, kind))
      expect_identical(names(fit$scores), colnames(data$x), info = paste(name, kind))
    }
  }
})

test_that("a kind of data that a method does not take is refused, not misread", {
  data <- contract_data()
  table <- descriptors()
  for (name in names(table)) {
    for (kind in setdiff(c("sparse", "moments", "blocks"), table[[name]]$input)) {
      given <- as_kind(data$x, data$y, kind)
      y <- if (is_supervised(table[[name]]) && kind != "moments") data$y
      expect_error(rowsparse(given, y, k = 4, method = name), class = "rowsparse_error",
        info = paste(name, kind)
      )
    }
  }
})

test_that("a method that says it does not draw leaves the generator alone", {
  data <- contract_data()
  table <- descriptors()
  for (name in names(table)) {
    if (table[[name]]$draws) next
    set.seed(403)
    before <- .Random.seed
    y <- if (is_supervised(table[[name]])) data$y
    suppressWarnings(rowsparse(data$x, y, k = 4, method = name))
    expect_identical(.Random.seed, before, info = name)
  }
})

test_that("print, summary, plots, coef, predict and a table exist for every method", {
  data <- contract_data()
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  on.exit({
    grDevices::dev.off()
    unlink(file)
  })
  for (name in names(descriptors())) {
    fit <- contract_fit(name, data$x, data$y)
    expect_match(utils::capture.output(print(fit))[1], name, info = name)
    expect_output(print(summary(fit)), name, info = name)
    for (type in c("scores", "objective")) expect_no_error(plot(fit, type = type))
    if (!is.null(fit$loadings)) expect_no_error(plot(fit, type = "loadings"))
    chosen <- stats::predict(fit, data$x, type = "features")
    expect_identical(colnames(chosen), colnames(data$x)[fit$selected], info = name)
    expect_identical(selected(fit, 4), colnames(data$x)[fit$selected], info = name)
    rows <- as.data.frame(fit)
    expect_identical(rows$index, fit$ranking, info = name)
    expect_identical(sum(rows$selected), 4L, info = name)
    kept <- unserialize(serialize(fit, NULL))
    expect_identical(selected(kept, 4), selected(fit, 4), info = name)
  }
})

test_that("every method has a path over k", {
  data <- contract_data()
  table <- descriptors()
  for (name in names(table)) {
    y <- if (is_supervised(table[[name]])) data$y
    set.seed(404)
    path <- suppressWarnings(rowsparse_path(data$x, y, method = name, k = 2:4))
    expect_identical(lengths(lapply(2:4, function(k) selected(path, k))), 2:4, info = name)
  }
})

test_that("the order of samples and the names of features do not matter", {
  data <- contract_data()
  table <- descriptors()
  shuffled <- c(seq(2, 40, 2), seq(1, 39, 2))
  for (name in names(table)) {
    if (table[[name]]$draws) next
    fit <- contract_fit(name, data$x, data$y)
    again <- contract_fit(name, data$x[shuffled, ], data$y[shuffled])
    expect_identical(again$selected, fit$selected, info = name)
    bare <- contract_fit(name, unname(data$x), data$y)
    expect_identical(bare$selected, fit$selected, info = name)
    expect_null(names(bare$scores), info = name)
  }
})

# ---- ties ------------------------------------------------------------------------

# designs in which features tie, exactly or but for rounding
tied_designs <- function() {
  set.seed(405)
  wave <- stats::rnorm(9)
  main <- as.matrix(expand.grid(rep(list(c(-1, 1)), 4)))
  noise <- matrix(stats::rnorm(120), 20)
  list(
    circulant = t(vapply(0:8, function(i) wave[(0:8 - i) %% 9 + 1], wave)),
    permutation = diag(8)[c(3, 1, 8, 2, 7, 5, 4, 6), ],
    factorial = unname(cbind(main, main[, 1:2] * main[, 3:4])),
    binary = matrix(stats::rbinom(160, 1, 0.5), 16) + 0,
    integer = matrix(sample(-2:2, 160, TRUE), 20) + 0,
    copies = cbind(noise, noise[, 2:3])
  )
}

# the columns themselves, whatever their places
set_of_values <- function(x, columns) {
  sort(apply(x[, columns, drop = FALSE], 2, paste, collapse = " "))
}

tied_response <- function(name, n) {
  set.seed(406)
  if ("class" %in% descriptors()[[name]]$responses) sample(gl(2, n / 2, n)) else stats::rnorm(n)
}

test_that("the order of the columns changes no selection, whatever ties", {
  skip_if(Sys.getenv("ROWSPARSE_QUICK") == "true", "the order of columns under the checkers")
  designs <- tied_designs()
  for (name in names(descriptors())) {
    # a random start is what set.seed() gives for the columns as they stand
    if (name %in% c("rne", "rpfs")) next
    for (design in names(designs)) {
      x <- designs[[design]]
      y <- tied_response(name, nrow(x))
      reference <- contract_fit(name, x, y, 3)
      orders <- list(c(seq(2, ncol(x), 2), seq(1, ncol(x), 2)), rev(seq_len(ncol(x))))
      for (order in if (is_slow()) orders else orders[1]) {
        fit <- contract_fit(name, x[, order], y, 3)
        expect_identical(set_of_values(x[, order], fit$selected),
          set_of_values(x, reference$selected),
          info = paste(name, design)
        )
        expect_identical(fit$unique, reference$unique, info = paste(name, design))
      }
    }
  }
})

test_that("data without ties are not reported", {
  data <- contract_data()
  for (name in names(descriptors())) {
    fit <- contract_fit(name, data$x, data$y)
    expect_true(fit$unique, info = name)
  }
})

test_that("constant data are refused by every method", {
  x <- matrix(rep(1:6, each = 12), 12) + 0
  for (name in names(descriptors())) {
    expect_error(contract_fit(name, x, gl(2, 6)), class = "rowsparse_error_constant", info = name)
  }
})
