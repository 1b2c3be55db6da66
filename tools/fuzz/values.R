# What the generated calls are made of. A generator returns an expression, not a
# value, so that a call can be printed and repeated; the expressions use the
# helpers of the first half.

# ---- helpers that appear in generated calls ----------------------------------

# n samples of d features of a kind that is unkind to some solver
dense <- function(n, d, kind = "normal") {
  z <- matrix(stats::rnorm(n * d), n)
  switch(kind,
    normal = z,
    raised = z * rep(c(3, 1), c(min(5, d), d - min(5, d)))[col(z)],
    correlated = z[, rep_len(seq_len(min(3, d)), d), drop = FALSE] + 0.1 * z,
    collinear = z[, rep_len(seq_len(min(2, d)), d), drop = FALSE] + 1e-6 * z,
    duplicated = z[, rep_len(seq_len(ceiling(d / 2)), d), drop = FALSE],
    rank1 = outer(z[, 1], seq_len(d)),
    counts = matrix(stats::rpois(n * d, 3), n),
    binary = (z > 0) + 0,
    rounded = round(z),
    mixed = z * 10^stats::runif(d, -8, 8)[col(z)],
    shifted = z + 1e6,
    far = z + 1e12,
    constant = replace(z, TRUE, 1),
    half_constant = replace(z, col(z) > d / 2, 7),
    two_values = z[, rep(1, d), drop = FALSE] > 0,
    one_sample = z[rep(1, n), , drop = FALSE] + (row(z) == 1),
    zeros = z * (stats::runif(n * d) < 0.1),
    identity = diag(1, n, d)
  )
}

kinds <- names(as.list(body(dense)[[3]]))
kinds <- kinds[nzchar(kinds)]

with_cells <- function(x, value, at = 1) {
  # Matrix itself may end R on one with broken slots
  sound <- !inherits(x, "Matrix") ||
    isTRUE(tryCatch(methods::validObject(x, test = TRUE), error = function(e) FALSE))
  if (!sound) {
    return(x)
  }
  x[at] <- value
  x
}

named <- function(x, names = paste0("g", seq_len(ncol(x)))) {
  colnames(x) <- rep_len(names, ncol(x))
  x
}

stored <- function(x, mode) {
  storage.mode(x) <- mode
  x
}

sparse <- function(x, class = "CsparseMatrix") {
  methods::as(Matrix::Matrix(x * 1, sparse = TRUE), class)
}

# a dgCMatrix with a broken slot, which no constructor would let through
broken_sparse <- function(x, slot, value) {
  m <- methods::as(methods::as(sparse(x), "generalMatrix"), "CsparseMatrix")
  attr(m, slot) <- value
  m
}

experiment <- function(x, ...) {
  SummarizedExperiment::SummarizedExperiment(list(counts = t(x), ...))
}

# a data frame whose columns have some of these kinds, the last of a few samples missing
table_of <- function(x, kinds, missing = 0) {
  n <- nrow(x)
  out <- as.data.frame(x)
  for (at in seq_len(min(length(kinds), ncol(out)))) {
    out[[at]] <- table_column(out[[at]], n, kinds[at])
    if (missing > 0 && n > 0) is.na(out[[at]]) <- sample.int(n, min(n, missing))
  }
  out
}

table_column <- function(z, n, kind) {
  cut <- findInterval(rank(z, ties.method = "first") / max(1, n), c(0.3, 0.6, 0.8))
  switch(kind,
    factor = factor(cut, 0:5, c("a", "b", "", "NA", "unused", "v1")),
    text = c("u", "w", "\u00e9 \u6f22", "z")[cut + 1],
    two = factor(z > stats::median(z)),
    logical = z > 0,
    ordered = ordered(cut),
    date = as.Date("2024-02-29") + round(10 * z),
    time = as.POSIXct("2024-02-29", tz = "UTC") + z,
    wait = as.difftime(z, units = "hours"),
    one = factor(rep("only", n)),
    name = paste0("sample", seq_len(n)),
    rare = factor(replace(rep("most", n), 1, "rare")),
    number = z,
    list = as.list(z),
    matrix = cbind(z, z),
    complex = z * 1i,
    empty = rep(NA, n)
  )
}

# an object with one element replaced, removed, or cut
edited <- function(object, name, value) {
  if (is.null(value)) unclass_list(object, name, list(NULL)) else replace_part(object, name, value)
}

unclass_list <- function(object, name, value) {
  class <- oldClass(object)
  object <- unclass(object)
  object[name] <- value
  structure(object, class = class)
}

replace_part <- function(object, name, value) {
  class <- oldClass(object)
  object <- unclass(object)
  object[[name]] <- value
  structure(object, class = class)
}

without <- function(object, name) {
  class <- oldClass(object)
  object <- unclass(object)
  object[[name]] <- NULL
  structure(object, class = class)
}

cut_short <- function(object, name) {
  replace_part(object, name, utils::head(unclass(object)[[name]], -1))
}

samples_of <- function(x) {
  if (inherits(x, "rowsparse_blocks")) {
    return(if (is.numeric(unclass(x)$rows)) sum(unclass(x)$rows) else 10)
  }
  n <- if (inherits(x, "SummarizedExperiment")) {
    ncol(x)
  } else if (is.list(x) && !is.data.frame(x)) {
    x$n
  } else {
    nrow(x)
  }
  if (length(n) == 1 && is.numeric(n) && is.finite(n) && n > 0 && n < 1e4) n else 10
}

classes <- function(x, count = 2) {
  factor(rep_len(letters[seq_len(count)], samples_of(x)))
}

response <- function(x, columns = 1) {
  matrix(stats::rnorm(samples_of(x) * columns), ncol = columns)
}

# ---- generators --------------------------------------------------------------

pick <- function(choices, weights = NULL) {
  choices[[sample.int(length(choices), 1L, prob = weights)]]
}

chance <- function(probability) stats::runif(1) < probability

size_expression <- function() {
  pick(list(c(20, 10), c(12, 30), c(30, 5), c(2, 3), c(3, 4), c(3, 50), c(1, 4), c(5, 1), c(2, 1),
    c(10, 300), c(60, 12), c(8, 8), c(25, 3), c(0, 3), c(4, 0), c(40, 40)
  ), c(10, 8, 3, 1, 2, 2, 0.3, 0.5, 0.3, 1.5, 2, 2, 2, 0.2, 0.2, 1))
}

matrix_expression <- function(wild = TRUE) {
  if (!wild) {
    return(quote(dense(20, 10)))
  }
  size <- size_expression()
  kind <- if (chance(0.45)) "normal" else pick(kinds)
  e <- if (kind == "normal") {
    call("dense", size[1], size[2])
  } else {
    call("dense", size[1], size[2], kind)
  }
  if (chance(0.25)) {
    e <- call("*", e, pick(c(1e-150, 1e-100, 1e-30, 1e-8, 1e-5, 1e5, 1e8, 1e30, 1e100, 1e150,
      1e154, 1e160, 1e300, 1e-160, 1e-200, 1e-300, 1e-310, 0, -1
    )))
  }
  if (chance(0.15)) {
    value <- pick(c(NA, NaN, Inf, -Inf, 1e300, -1e300, 1e154, 1e-300, 1e200, 1e100, 1e20, 1e10))
    e <- call("with_cells", e, value, pick(c(1, 3, 7)))
  }
  e
}

table_kinds <- c("factor", "text", "two", "logical", "ordered", "date", "time", "wait", "number",
  "rare", "one", "name", "list", "matrix", "complex", "empty"
)

# a table with columns of several kinds, most of them usable
table_expression <- function(e) {
  weights <- c(rep(6, 10), rep(0.3, 6))
  kinds <- table_kinds[sample.int(length(table_kinds), pick(1:5), TRUE, weights)]
  call("table_of", e, as.call(c(quote(c), as.list(kinds))), pick(c(0, 1, 3), c(6, 1, 1)))
}

# data of any class that a function may be given
data_expression <- function(wild = TRUE) {
  e <- matrix_expression(wild)
  form <- pick(c("matrix", "named", "frame", "sparse", "moments", "integer", "logical", "names",
    "other", "broken", "experiment", "sparse_class", "edited_moments", "table"
  ), c(30, 10, 6, 12, 8, 3, 1, 2, 2, if (wild) 7 else 0, 3, 3, if (wild) 3 else 0, 8))
  switch(form,
    matrix = e,
    named = call("named", e),
    frame = call("as.data.frame", e),
    sparse = call("sparse", e),
    moments = call("moments", e),
    integer = call("stored", call("round", call("*", e, 5)), "integer"),
    logical = call(">", e, 0),
    names = call("named", e, pick(list(
      quote("a"), NA_character_, "", quote(strrep("long", 2500)), quote(c("a", NA)),
      quote(paste0("x", 1:1000))
    ))),
    other = anything(),
    broken = broken_sparse_expression(e),
    experiment = call("experiment", call("named", e)),
    table = table_expression(e),
    sparse_class = call("sparse", e, pick(c("TsparseMatrix", "RsparseMatrix", "generalMatrix",
      "lMatrix", "nMatrix"
    ))),
    edited_moments = edited_expression(call("moments", e), moments_parts)
  )
}

moments_parts <- c("n", "mean", "S", "feature_names", "y_mean", "Sxy", "Syy", "levels", "y_type",
  "response_names", "missing"
)

broken_sparse_expression <- function(e) {
  slot <- pick(names(slots))
  as.call(list(quote(broken_sparse), e, slot, pick(slots[[slot]])))
}

response_expression <- function(wild = TRUE) {
  pick(if (wild) responses else responses[c(1, 2, 6, 7)])
}

control_expression <- function(wild = TRUE) pick(controls[[if (wild) "wild" else "plain"]])

# one element of an object, replaced by hand
edited_expression <- function(object, parts) {
  part <- pick(parts)
  switch(pick(c("without", "cut_short", "edited"), c(1, 1, 3)),
    without = call("without", object, part),
    cut_short = call("cut_short", object, part),
    edited = as.call(list(quote(edited), object, part, pick(replacements)))
  )
}
