#' rowsparse: feature selection by row-sparse matrix optimisation
#'
#' Ranks and selects features (genes, markers, pixels) of wide data, without
#' labels or with them. Every method returns an object of class `rowsparse`
#' with a ranking, scores, the objective at each iteration and a first-order
#' residual; see [bsufs()] for the elements that all methods share.
#'
#' @section Data:
#' Every fitting function takes `x` with **samples in rows and features in
#' columns**: a numeric matrix, a data frame of numeric columns, a sparse
#' `dgCMatrix` (never made dense), or a [moments()] object.
#' `SummarizedExperiment` and `SingleCellExperiment` objects, which hold
#' features in rows, are transposed.
#'
#' @section Errors and warnings:
#' All errors about arguments have class `rowsparse_error` and a subclass that
#' names the rule (for instance `rowsparse_error_nonfinite`); all warnings have
#' class `rowsparse_warning`.
#'
#' @useDynLib rowsparse, .registration = TRUE
#' @importClassesFrom Matrix dgCMatrix
#' @aliases NULL rowsparse-package
#' @keywords internal
#' @docType package
#' @name rowsparse-package
NULL
