# The BLAS under R. The core has products of its own (src/la/tiled.h) for where that is the
# reference implementation, several times slower than any optimised one. It is decided once, when
# the package is loaded, and by the file of the library: products of the two differ in rounding,
# and the same installation is to give the same numbers. Where in doubt the BLAS serves.

# words in the paths of optimised libraries
optimised_blas <- paste0(
  "openblas|goto|mkl|atlas|satlas|tatlas|blis|flexiblas|veclib|accelerate|essl|acml|armpl|",
  "libsci|nvblas|sunperf|nvpl"
)

# the file from which dgemm comes, links resolved; "" where it cannot be told
blas_file <- function() {
  file <- tryCatch(extSoftVersion()[["BLAS"]], error = function(e) "")
  if (!nzchar(file) && .Platform$OS.type == "windows") {
    file <- file.path(R.home("bin"), "Rblas.dll") # R does not name it there
  }
  if (nzchar(file) && file.exists(file)) normalizePath(file, "/", FALSE) else file
}

# Is it the reference implementation? That is a small file named libblas or libRblas: an optimised
# library under these names takes tens of megabytes. options(rowsparse.blas = "tiled") or "blas"
# decides otherwise.
is_plain_blas <- function(file = blas_file(), size = file.size(file),
                          choice = getOption("rowsparse.blas", "auto")) {
  if (identical(choice, "tiled")) return(TRUE)
  if (identical(choice, "blas") || !nzchar(file)) return(FALSE)
  is_named <- grepl("^(lib)?r?blas[^/]*$", basename(file), ignore.case = TRUE)
  is_named && !grepl(optimised_blas, file, ignore.case = TRUE) && isTRUE(size < 2e6)
}
