#' rowsparse: feature selection by row-sparse matrix optimisation
#'
#' Ranks and selects features (genes, markers, pixels) of wide data, without labels or with them:
#' see [rowsparse()] to begin with, [rowsparse_data] for the data that every function takes, and
#' [rowsparse_conditions] for its errors, warnings and messages.
#'
#' @section BLAS and threads:
#' Most of the time is spent on matrix products, which the BLAS of the R installation computes
#' (`extSoftVersion()["BLAS"]` shows which). The reference BLAS, which R includes on Windows and
#' macOS, is slow; if it is found when the package is loaded, the package uses its own products
#' instead, and methods take about twice as long as with OpenBLAS on one thread rather than several
#' times (`bench/results/blas.md`). Results of the two agree up to rounding.
#' `options(rowsparse.blas = "tiled")` or `"blas"`, set before loading, overrides the choice.
#'
#' A BLAS has its own threads: `OPENBLAS_NUM_THREADS`, `MKL_NUM_THREADS` or `OMP_NUM_THREADS`, set
#' before R starts, limit them. With OpenBLAS (except its build with OpenMP) small products always
#' run on one thread. With any other BLAS set the number to 1 if other processes keep the processors
#' busy: the threads wait for each other at every product, and a fit may take many times as long.
#'
#' @includeRmd man/rmd/papers.Rmd
#'
#' @useDynLib rowsparse, .registration = TRUE
#' @aliases NULL rowsparse-package
#' @keywords internal
#' @docType package
#' @name rowsparse-package
NULL
