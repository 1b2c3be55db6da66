# The data that questions are asked of: parts of twelve data sets, one small table that comes as
# every kind of data, and tables of R's own.

# Whoever cannot ask says why; the record keeps the reason.
leave_out <- function(reason) {
  stop(structure(class = c("left_out", "error", "condition"), list(message = reason, call = NULL)))
}

needed <- function(package) {
  quiet <- function(code) suppressWarnings(suppressMessages(code))
  if (!quiet(requireNamespace(package, quietly = TRUE))) {
    leave_out(paste("the package", package, "is not installed"))
  }
}

# A function of a name that makes what `make` gives for it once
remembered <- function(make) {
  known <- list()
  function(name) {
    if (is.null(known[[name]])) known[[name]] <<- make(name)
    known[[name]]
  }
}

# ---- parts of twelve data sets -----------------------------------------------------------

sets <- c(
  "lung_discrete", "GLIOMA", "SRBCT", "ALLAML", "COIL20", "Isolet", "UMIST", "USPS_1000",
  "warpPIE10P", "orlraws10P", "west", "mECS"
)

shared_file <- function(...) {
  file <- file.path(Sys.getenv("ROWSPARSE_SHARED", file.path("..", "shared")), ...)
  if (!file.exists(file)) leave_out("ROWSPARSE_SHARED names no folder with the data sets")
  file
}

whole_set <- remembered(function(name) {
  set <- readRDS(shared_file("data", paste0(name, ".rds")))
  x <- unname(as.matrix(set$x))
  storage.mode(x) <- "double"
  list(x = x, y = factor(set$y))
})

# 120 samples, evenly spaced, and the 200 most variable of the features
part_of_set <- remembered(function(name) {
  set <- whole_set(name)
  x <- set$x
  rows <- unique(round(seq(1, nrow(x), length.out = 120)))
  x <- x[rows, , drop = FALSE]
  variances <- apply(x, 2, stats::var)
  columns <- sort(utils::head(order(-variances), 200))
  columns <- columns[variances[columns] > 0]
  x <- x[, columns, drop = FALSE]
  colnames(x) <- paste0("f", columns)
  list(x = x, y = droplevels(set$y[rows]))
})

# ---- one small table, as every kind of data ----------------------------------------------

# 60 samples of three types in two batches, 30 features, a third of the entries 0
cells <- local({
  set.seed(20)
  type <- gl(3, 20, labels = c("a", "b", "c"))
  x <- matrix(stats::rnorm(60 * 30), 60) * rep(stats::runif(30, 0.5, 2), each = 60)
  x[, 1:6] <- x[, 1:6] + outer(as.integer(type), c(1, -1, 2, -2, 1.5, 0.5))
  x[stats::runif(60 * 30) < 0.3] <- 0
  colnames(x) <- paste0("g", 1:30)
  dose <- drop(x[, c(2, 5, 9)] %*% c(1, -0.5, 0.7)) + stats::rnorm(60) / 2
  list(
    x = x, classes = type, numbers = dose, two = cbind(dose = dose, age = x[, 12] - x[, 4]),
    batch = factor(rep(c("u", "v"), 30)), weight = rep(c(1, 2, 0.5), 20), new = seq(3, 60, 3),
    counts = matrix(stats::rpois(60 * 30, exp(x / 2)), 60, dimnames = list(NULL, colnames(x)))
  )
})

experiment <- function(values, assay, make) {
  values <- Matrix::t(values)
  colnames(values) <- paste0("s", seq_len(ncol(values)))
  make(stats::setNames(list(values), assay))
}

# x as one kind of data; moments hold the response
as_kind <- function(kind, y = NULL) {
  x <- cells$x
  sparse <- function(x) methods::as(Matrix::Matrix(x, sparse = TRUE), "generalMatrix")
  part <- function(rows) moments(x[rows, ], if (!is.null(y)) y[rows])
  needs <- c(
    experiment = "SummarizedExperiment", cells = "SingleCellExperiment",
    counts = "SingleCellExperiment", delayed = "DelayedArray"
  )
  if (kind %in% names(needs)) needed(needs[[kind]])
  switch(kind,
    matrix = x, frame = as.data.frame(x), sparse = sparse(x), moments = part(1:60),
    sum = part(seq(1, 60, 2)) + part(seq(2, 60, 2)), blocks = row_blocks(x, rows = 7),
    weighted = moments(x, y, weights = cells$weight), sketch = moments(x, y, rank = 10),
    sparse_blocks = row_blocks(sparse(x), rows = 10), delayed = DelayedArray::DelayedArray(x),
    reader = row_blocks(function(block) x[(block - 1) * 20 + 1:20, ], rows = rep(20, 3)),
    experiment = experiment(x, "logcounts", SummarizedExperiment::SummarizedExperiment),
    cells = experiment(sparse(x), "logcounts", SingleCellExperiment::SingleCellExperiment),
    counts = experiment(sparse(cells$counts), "counts", SingleCellExperiment::SingleCellExperiment)
  )
}
second_moments <- c("moments", "sum", "weighted", "sketch")
kinds <- c(
  "matrix", "frame", "sparse", second_moments, "blocks", "sparse_blocks", "reader", "delayed",
  "experiment", "cells", "counts"
)

# a tenth of the entries missing
with_gaps <- local({
  set.seed(21)
  x <- cells$x
  x[stats::runif(length(x)) < 0.1] <- NA
  x
})

# ---- tables of R, with formulas -----------------------------------------------------------

tables <- list(
  classes = list(
    formula = factor(case) ~ education + age + parity + induced + spontaneous, data = infert
  ),
  numbers = list(
    formula = mpg ~ factor(cyl) + factor(gear) + log(disp) + poly(hp, 2) + wt:am + qsec,
    data = mtcars
  ),
  dot = list(formula = uptake ~ ., data = as.data.frame(CO2)),
  unlabelled = list(formula = ~ Type + Treatment + conc + log(uptake), data = as.data.frame(CO2)),
  gaps = list(formula = Ozone ~ ., data = airquality, na.action = stats::na.omit)
)
