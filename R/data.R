# One coercion path for every kind of input. as_data() returns a list of class
# "rowsparse_data" that the C code reads:
#   kind     "dense" (x: matrix), "sparse" (i, p, x: slots), "moments" (S)
#   n, d     samples, features
#   mean     column means; weight: 1/scale per feature, or NULL
#   square   centred sums of squares per feature, weight included
#   names    feature names or NULL; constant: features without variance

as_data <- function(x, scale = FALSE, assay = NULL, argument = "x") {
  scale <- check_flag(scale, "scale")
  if (inherits(x, "rowsparse_data")) {
    return(x)
  }
  raw <- read_input(x, assay, argument)
  check_shape(raw, argument)
  check_names(raw$names, argument)
  finish_data(raw, scale, argument)
}

read_input <- function(x, assay, argument) {
  if (inherits(x, "rowsparse_moments")) {
    moments_input(x)
  } else if (inherits(x, "SummarizedExperiment")) {
    experiment_input(x, assay, argument)
  } else if (is.data.frame(x)) {
    dense_input(data_frame_matrix(x, argument), argument)
  } else if (inherits(x, "sparseMatrix")) {
    sparse_input(x)
  } else if (inherits(x, "Matrix") || inherits(x, "DelayedMatrix")) {
    dense_input(as.matrix(x), argument)
  } else {
    dense_input(x, argument)
  }
}

dense_input <- function(x, argument) {
  if (!is.matrix(x) || !(is.numeric(x) || is.logical(x))) {
    stop_rowsparse("type", argument,
      paste(
        "must be a numeric matrix, a data frame of numeric columns, a sparse Matrix,",
        "a moments object or a SummarizedExperiment"
      ),
      describe(x)
    )
  }
  if (is.logical(x)) storage.mode(x) <- "integer"
  list(kind = "dense", n = nrow(x), d = ncol(x), x = x, names = colnames(x))
}

sparse_input <- function(x) {
  if (!inherits(x, "dgCMatrix")) {
    x <- methods::as(methods::as(methods::as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
  }
  list(kind = "sparse", n = nrow(x), d = ncol(x), i = x@i, p = x@p, x = x@x, names = colnames(x))
}

data_frame_matrix <- function(x, argument) {
  numeric <- vapply(x, function(column) is.numeric(column) || is.logical(column), logical(1))
  if (!all(numeric)) {
    bad <- names(x)[!numeric]
    stop_rowsparse("type", argument, "must have numeric columns only",
      paste0(sum(!numeric), " that are not (first: ", bad[1], ")")
    )
  }
  as.matrix(x)
}

# features are rows there
experiment_input <- function(x, assay, argument) {
  if (!requireNamespace("SummarizedExperiment", quietly = TRUE)) {
    stop_rowsparse("package", argument, "needs the package SummarizedExperiment to be read")
  }
  known <- SummarizedExperiment::assayNames(x)
  if (is.null(assay)) {
    assay <- if ("logcounts" %in% known) "logcounts" else 1L
  } else if (is.character(assay) && !assay %in% known) {
    stop_rowsparse("choice", "assay", paste0("must be one of ", paste(known, collapse = ", ")),
      describe(assay)
    )
  }
  values <- SummarizedExperiment::assay(x, assay)
  if (inherits(values, "sparseMatrix")) {
    sparse_input(Matrix::t(values))
  } else {
    dense_input(t(as.matrix(values)), argument)
  }
}

moments_input <- function(x) {
  list(
    kind = "moments", n = x$n, d = ncol(x$S), S = x$S, mean = unname(x$mean),
    square = unname(diag(x$S)), names = x$feature_names
  )
}

check_shape <- function(raw, argument) {
  if (raw$d < 1L) {
    stop_rowsparse("size", argument, "must have at least one feature (column)", "none")
  }
  if (raw$n < 2L) {
    stop_rowsparse("size", argument, "must have at least 2 samples (rows)", raw$n)
  }
}

check_names <- function(names, argument) {
  if (anyDuplicated(names)) {
    first <- names[anyDuplicated(names)]
    stop_rowsparse("names", argument, "must have distinct feature names",
      paste0(sum(duplicated(names)), " repeated (first: \"", first, "\")")
    )
  }
}

finish_data <- function(raw, scale, argument) {
  if (raw$kind != "moments") {
    # rooms for one centred copy beside the data
    check_memory(if (raw$kind == "dense") 8 * raw$n * raw$d else 0, argument,
      "pass it as a sparse matrix or as moments of blocks of rows"
    )
    stats <- .Call(C_column_stats, raw$x, raw$p, raw$n)
    check_finite(stats, raw, argument)
    raw$mean <- stats$mean
    raw$square <- stats$square
  }
  raw$constant <- is_constant(raw)
  check_constant(raw, argument)
  if (scale) raw <- add_weights(raw)
  structure(raw, class = "rowsparse_data")
}

# variance at the rounding level of the mean counts as none
is_constant <- function(raw) {
  raw$square <= raw$n * (8 * .Machine$double.eps * pmax(abs(raw$mean), .Machine$double.xmin))^2
}

check_finite <- function(stats, raw, argument) {
  if (stats$bad > 0) {
    row <- if (raw$kind == "sparse") raw$i[stats$first_entry + 1] else stats$first_entry %% raw$n
    stop_rowsparse("nonfinite", argument, "must not hold NA, NaN or infinite values",
      sprintf("%.0f of them, the first at row %.0f, column %.0f", stats$bad, row + 1,
        stats$first_column + 1
      )
    )
  }
}

check_constant <- function(raw, argument) {
  count <- sum(raw$constant)
  if (count == raw$d) {
    stop_rowsparse("constant", argument, "must have a feature that varies", "constant columns only")
  }
  if (count > 0) {
    warn_rowsparse("constant", sprintf(
      "%d constant feature%s: score 0, ranked last.", count, if (count > 1) "s" else ""
    ))
  }
}

# scale by the standard deviation; constant features keep weight 1
add_weights <- function(raw) {
  deviation <- sqrt(raw$square / (raw$n - 1))
  raw$weight <- ifelse(raw$constant, 1, 1 / deviation)
  raw$square <- raw$square * raw$weight^2
  raw
}

# the trace of S = Xc'Xc
data_trace <- function(data) {
  sum(data$square)
}

# Data as the covariance operator wants them: explicit S where that is cheaper
# for about `iterations` products with m columns, the data themselves elsewhere.
as_operator <- function(data, m, iterations = 50) {
  if (!is.null(data$operator)) {
    return(data$operator)
  }
  cheaper <- data$kind == "dense" &&
    .Call(C_prefers_explicit, data$n, data$d, m, iterations)
  if (!cheaper || 8 * data$d^2 > memory_bytes() / 4) {
    return(data)
  }
  data$S <- .Call(C_gram, unclass(data))
  data$kind <- "moments"
  data$x <- data$weight <- NULL # the weights are in S
  data
}

# the m leading eigenvectors of S and their values
leading_eigenvectors <- function(operator, m) {
  known <- operator$leading
  if (is.null(known) || length(known$values) < m) {
    return(.Call(C_leading, unclass(operator), m))
  }
  first <- seq_len(m)
  list(values = known$values[first], vectors = known$vectors[, first, drop = FALSE])
}

# Data that several fits share: read, checked and scaled once, and with the
# operator and its m leading eigenvectors in them when m is given. Every method
# takes them in place of x, and then does not scale again.
prepare_data <- function(x, scale = FALSE, assay = NULL, m = NULL, iterations = 50) {
  data <- as_data(x, scale, assay)
  if (!is.null(m)) {
    operator <- as_operator(data, m, iterations)
    operator$leading <- leading_eigenvectors(operator, m)
    data$operator <- operator
  }
  data
}

# largest m for which a d x m orthonormal basis of scores makes sense
largest_dimension <- function(data) {
  max(1L, min(data$n - 1L, sum(!data$constant)))
}

check_dimension <- function(m, data, argument = "m") {
  check_count(m, argument, 1L, largest_dimension(data))
}
