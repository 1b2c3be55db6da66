# What coef() gives: a matrix in every respect, also where it meets sparse ones of the package
# Matrix, of which only the rows that are not zero are printed.

methods::setClass("rowsparse_coef", contains = "matrix")

methods::setMethod("show", "rowsparse_coef", function(object) print(object))

as_coefficients <- function(values) if (!is.null(values)) methods::new("rowsparse_coef", values)

#' @rdname coef.cdlsr
#' @param x Coefficients.
#' @param digits Number of significant digits printed.
#' @export
print.rowsparse_coef <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  values <- as.matrix(x)
  if (!is.matrix(values)) { # drop() took the dimensions off
    print(values, digits = digits, ...)
    return(invisible(x))
  }
  nonzero <- which(rowSums(values != 0 | is.na(values)) > 0)
  shown <- union(which(rownames(values) == "(Intercept)"), nonzero)
  rows <- values[shown, , drop = FALSE]
  if (is.null(rownames(rows))) rownames(rows) <- sprintf("[%d,]", shown)
  if (length(shown) > 0) print(rows, digits = digits, ...)
  zero <- nrow(values) - length(shown)
  if (zero > 0) cat(sprintf("and %s of zeros\n", count_of(zero, "row")))
  invisible(x)
}

#' @export
as.matrix.rowsparse_coef <- function(x, ...) asS4(unclass(x), FALSE)
