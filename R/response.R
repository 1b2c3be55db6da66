# Responses: class labels become indicator columns, numbers stay numbers.
# Returns a list: Y (n x c, double), type ("class" or "numeric"), levels (for
# classes), names (of the columns of Y, or NULL).
as_response <- function(y, n, argument = "y") {
  if (is.factor(y) || is.character(y) || is.logical(y) || (is.integer(y) && is.null(dim(y)))) {
    class_response(y, n, argument)
  } else {
    numeric_response(y, n, argument)
  }
}

class_response <- function(y, n, argument) {
  check_response_length(length(y), n, argument)
  if (anyNA(y)) {
    stop_rowsparse("nonfinite", argument, "must not hold NA", paste(sum(is.na(y)), "of them"))
  }
  y <- droplevels(as.factor(y))
  if (nlevels(y) < 2L) {
    stop_rowsparse("constant", argument, "must have at least two classes", levels(y))
  }
  Y <- matrix(0, n, nlevels(y), dimnames = list(NULL, levels(y)))
  Y[cbind(seq_len(n), as.integer(y))] <- 1
  list(Y = Y, type = "class", levels = levels(y), names = levels(y))
}

numeric_response <- function(y, n, argument) {
  if (is.data.frame(y)) y <- data_frame_matrix(y, argument)
  if (!is.numeric(y)) {
    stop_rowsparse("type", argument,
      "must be a factor, a vector of class labels, or a numeric vector, matrix or data frame",
      describe(y)
    )
  }
  Y <- as.matrix(y)
  storage.mode(Y) <- "double"
  check_response_length(nrow(Y), n, argument)
  if (!all(is.finite(Y))) {
    at <- which(!is.finite(Y), arr.ind = TRUE)[1, ]
    stop_rowsparse("nonfinite", argument, "must not hold NA, NaN or infinite values",
      sprintf("%d of them, the first at row %d, column %d", sum(!is.finite(Y)), at[1], at[2])
    )
  }
  constant <- apply(Y, 2, function(column) max(column) == min(column))
  if (any(constant)) {
    stop_rowsparse("constant", argument, "must vary", "a constant response")
  }
  list(Y = Y, type = "numeric", levels = NULL, names = colnames(Y))
}

check_response_length <- function(length, n, argument) {
  if (length != n) {
    stop_rowsparse("length", argument, sprintf("must have one entry per sample (%d)", n), length)
  }
}
