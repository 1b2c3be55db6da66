# Every method with every kind of data and every option that goes across methods: what the
# plain matrix gives, or an error with a class that says what to do instead. What a method
# takes is read from its descriptor. Each method meets every second kind, with the options in turn;
# the slow tests cross all three.

grid_data <- function(n = 24, d = 8) {
  set.seed(20)
  type <- gl(3, 8, labels = c("a", "b", "c"))
  x <- matrix(stats::rnorm(n * d), n) * rep(stats::runif(d, 0.5, 2), each = n)
  x[, 1:3] <- x[, 1:3] + outer(as.integer(type), c(1, -1, 2))
  x[stats::runif(n * d) < 0.3] <- 0
  colnames(x) <- paste0("g", seq_len(d))
  list(
    x = x, type = type, batch = factor(rep(c("u", "v"), 12)), weight = rep(c(1, 2, 0.5), 8),
    kept = c(1:7, 9:15, 17:23)
  )
}

# what a call with the option gets beside the data, and the samples that are left
grid_options <- list(
  none = list(), block = list(block = "batch"), diverse = list(diverse = TRUE),
  include = list(include = 7), exclude = list(exclude = c(2, 5)), scale = list(scale = TRUE),
  weights = list(weights = "weight"), subset = list(subset = "kept")
)

general <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")

table_of <- function(...) methods::as(data.frame(...), "DataFrame")

# An experiment with tables of its features and its samples
grid_experiment <- function(values, data, names, make) {
  out <- make(list(logcounts = unname(values)),
    rowData = table_of(symbol = rep_len(c("A", "B"), nrow(values)), index = 1),
    colData = table_of(type = data$type, batch = data$batch, weight = data$weight)
  )
  rownames(out) <- names
  out
}

# the kinds: a list of `of`, the class of data that descriptors speak of, and `x`
grid_kinds <- function(data, folder) {
  x <- data$x
  kind <- function(of, x, experiment = FALSE) list(of = of, x = x, experiment = experiment)
  sparse <- general(x)
  plain <- unname(x)
  kinds <- list(
    frame = kind("dense", as.data.frame(x)),
    dgC = kind("sparse", sparse),
    dgR = kind("sparse", methods::as(sparse, "RsparseMatrix")),
    dgT = kind("sparse", methods::as(sparse, "TsparseMatrix")),
    blocks = kind("blocks", row_blocks(x, rows = 7)),
    sparse_blocks = kind("blocks", row_blocks(sparse, rows = 10)),
    files = kind("blocks", row_blocks(rds_files(x, c(9, 15), folder))),
    reader = kind("blocks",
      row_blocks(function(block) x[(block - 1) * 8 + 1:8, ], rows = rep(8, 3))
    )
  )
  if (requireNamespace("tibble", quietly = TRUE)) {
    kinds$tibble <- kind("dense", tibble::as_tibble(x))
  }
  if (requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    plainly <- SummarizedExperiment::SummarizedExperiment
    kinds$experiment <- kind("dense", grid_experiment(t(x), data, colnames(x), plainly), TRUE)
    kinds$experiment_blocks <- kind("blocks", row_blocks(kinds$experiment$x, rows = 9))
    kinds$unnamed <- kind("dense", grid_experiment(t(x), data, NULL, plainly), TRUE)
    kinds$sparse_experiment <- kind("sparse",
      grid_experiment(Matrix::t(sparse), data, colnames(x), plainly), TRUE
    )
  }
  if (requireNamespace("SingleCellExperiment", quietly = TRUE)) {
    twice <- c("g1", "g1", colnames(x)[-(1:2)])
    kinds$cells <- kind("dense",
      grid_experiment(t(x), data, twice, SingleCellExperiment::SingleCellExperiment), TRUE
    )
    kinds$sparse_cells <- kind("sparse", grid_experiment(Matrix::t(sparse), data, twice,
      SingleCellExperiment::SingleCellExperiment), TRUE)
  }
  if (requireNamespace("HDF5Array", quietly = TRUE)) {
    kinds$hdf5 <- kind("dense", hdf5_matrix(x, file.path(folder, "x.h5")))
    kinds$hdf5_blocks <- kind("blocks", row_blocks(kinds$hdf5$x, rows = 10))
    turned <- hdf5_matrix(t(plain), file.path(folder, "t.h5"))
    named <- t(hdf5_matrix(t(x), file.path(folder, "n.h5")))
    kinds$hdf5_turned <- kind("dense", named)
    kinds$hdf5_turned_blocks <- kind("blocks", row_blocks(named, rows = 10))
    kinds$hdf5_experiment <- kind("dense",
      grid_experiment(turned, data, colnames(x), SummarizedExperiment::SummarizedExperiment), TRUE
    )
  }
  kinds$moments <- kind("moments", NULL)
  kinds
}

# ---- calls ------------------------------------------------------------------------------

# its own warnings are no matter here, others are
outcome_of_call <- function(call) {
  set.seed(3)
  tryCatch(
    withCallingHandlers(suppressMessages(call()),
      rowsparse_warning = function(w) tryInvokeRestart("muffleWarning")
    ),
    rowsparse_error = identity
  )
}

# the options of a call as this kind of data takes them: names of columns, or the columns
option_values <- function(data, option, by_name) {
  given <- grid_options[[option]]
  for (name in intersect(names(given), c("block", "weights", "subset"))) {
    if (name == "subset" || !by_name) given[[name]] <- data[[given[[name]]]]
  }
  given
}

matrix_call <- function(data, method, option) {
  entry <- method_entry(method)
  given <- option_values(data, option, FALSE)
  rows <- or_default(given$subset, seq_len(nrow(data$x)))
  given$subset <- NULL
  given$x <- data$x[rows, ]
  if (needs_response(entry)) given$y <- data$type[rows]
  function() do.call(rowsparse, c(given, list(k = 3, method = method)))
}

kind_call <- function(data, kind, method, option) {
  entry <- method_entry(method)
  given <- option_values(data, option, kind$experiment)
  given$x <- kind$x
  if (kind$of == "moments") {
    own <- list(x = data$x, block = given$block, weights = given$weights)
    if (needs_response(entry)) own$y <- data$type
    given[c("block", "weights")] <- NULL
    given$x <- do.call(moments, own)
  } else if (needs_response(entry)) {
    given$y <- if (kind$experiment) "type" else data$type
  }
  function() do.call(rowsparse, c(given, list(k = 3, method = method)))
}

# may this method refuse this kind of data with this option?
may_refuse <- function(method, kind, option) {
  entry <- method_entry(method)
  !kind$of %in% entry$input || (option == "subset" && !kind$experiment) ||
    (option == "weights" && kind$of == "blocks")
}

# says what to do: more than the rule and what was found
names_way_out <- function(error) {
  text <- conditionMessage(error)
  grepl("[.] [A-Z`]", text) || grepl("; (pass|use|give|these are|take)|must be left out|take them",
    text
  )
}

is_refused <- function(outcome) inherits(outcome, "rowsparse_error")

# where one or both of them are refused
compared_refusals <- function(found, wanted, kind, method, option) {
  if (is_refused(wanted)) {
    # weights that only moments carry
    may_take <- is_refused(found) || (option == "weights" && kind$of == "moments")
    return(if (!may_take) "taken, where the matrix is refused")
  }
  if (!may_refuse(method, kind, option)) {
    return(paste("refused:", conditionMessage(found)))
  }
  if (!names_way_out(found)) paste("no way out:", conditionMessage(found))
}

# NULL where all is well, else what is not
compared <- function(found, wanted, kind, method, option) {
  if (is_refused(found) || is_refused(wanted)) {
    return(compared_refusals(found, wanted, kind, method, option))
  }
  # moments may tell less of features that serve as well
  if (kind$of == "moments" && isFALSE(wanted$unique)) {
    return(NULL)
  }
  if (!identical(found$selected, wanted$selected)) {
    return(sprintf("selects %s, not %s", toString(found$selected), toString(wanted$selected)))
  }
  if (!isTRUE(all.equal(unname(found$scores), unname(wanted$scores), tolerance = 1e-5))) {
    return(sprintf("scores %s, not %s", toString(signif(found$scores, 4)),
      toString(signif(wanted$scores, 4))
    ))
  }
  NULL
}

run_grid <- function(data, kinds, methods, pairs) {
  wrong <- character()
  wanted <- list()
  for (at in seq_len(nrow(pairs))) {
    method <- pairs$method[at]
    option <- pairs$option[at]
    kind <- kinds[[pairs$kind[at]]]
    cell <- paste(method, option)
    if (is.null(wanted[[cell]])) {
      wanted[[cell]] <- outcome_of_call(matrix_call(data, method, option))
    }
    found <- outcome_of_call(kind_call(data, kind, method, option))
    told <- compared(found, wanted[[cell]], kind, method, option)
    if (!is.null(told)) wrong <- c(wrong, sprintf("%s, %s: %s", pairs$kind[at], cell, told))
  }
  wrong
}

core_ends_here()

test_that("every method gives of every kind of data what it gives of the matrix", {
  data <- grid_data()
  folder <- tempfile("grid")
  dir.create(folder)
  kinds <- grid_kinds(data, folder)
  on.exit({
    unlink(folder, recursive = TRUE)
  })
  methods <- names(method_table())
  pairs <- expand.grid(method = methods, kind = names(kinds), option = names(grid_options),
    stringsAsFactors = FALSE
  )
  if (!is_slow()) {
    turn <- match(pairs$method, methods) + match(pairs$kind, names(kinds))
    option <- match(pairs$option, names(grid_options)) - 1L
    pairs <- pairs[turn %% 2L == 0L & (turn %/% 2L) %% length(grid_options) == option, ]
  }
  expect_identical(run_grid(data, kinds, methods, pairs), character())
})

test_that("symmetric and logical sparse matrices are the matrices that they stand for", {
  data <- grid_data()
  square <- crossprod(data$x)
  flags <- general(data$x) != 0
  for (method in names(method_table())) {
    entry <- method_entry(method)
    same <- function(x, plain, y, ...) {
      given <- list(k = 3, method = method, ...)
      if (needs_response(entry)) given$y <- y
      found <- outcome_of_call(function() do.call(rowsparse, c(list(x = x), given)))
      wanted <- outcome_of_call(function() do.call(rowsparse, c(list(x = plain), given)))
      kind <- list(of = "sparse", experiment = FALSE)
      expect_null(compared(found, wanted, kind, method, "none"), info = method)
    }
    # on eight samples the steps of rne() take rounding to other local minima
    if (method != "rne") same(Matrix::Matrix(square, sparse = TRUE), square, gl(2, 4))
    same(methods::as(flags, "lMatrix"), as.matrix(flags) + 0, data$type, scale = FALSE)
  }
})
