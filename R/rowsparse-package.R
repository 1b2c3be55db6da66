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
#' @section BLAS and threads:
#' Most of the time is spent on matrix products, which the BLAS of the R installation computes
#' (`La_library()` and `extSoftVersion()["BLAS"]` show which BLAS). The reference BLAS, which R
#' includes on Windows and macOS, is slow; if it is found, the package uses its own products
#' instead, and methods take about twice as long as with OpenBLAS on one thread rather than several
#' times (`bench/results/blas.md`). Results of the two agree up to rounding. The choice is made when
#' the package is loaded, by the file of the library; `options(rowsparse.blas = "tiled")` or
#' `"blas"`, set before loading, overrides it.
#'
#' A BLAS has its own threads: `OPENBLAS_NUM_THREADS`, `MKL_NUM_THREADS` or `OMP_NUM_THREADS`, set
#' before R starts, limit them. With OpenBLAS (except its build with OpenMP) small products always
#' run on one thread. With any other BLAS set the number to 1 if other processes keep the
#' processors busy: the threads wait for each other at every product, and a fit may take many
#' times as long. See [rowsparse_control()] for the threads of the package.
#'
#' @useDynLib rowsparse, .registration = TRUE
#' @importClassesFrom Matrix dgCMatrix
#' @aliases NULL rowsparse-package
#' @keywords internal
#' @docType package
#' @name rowsparse-package
NULL
