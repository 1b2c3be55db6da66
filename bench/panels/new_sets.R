# Cells with known types from packages of CRAN and Debian, read from their sources without
# installing them and kept in build/panels; macro.R tells the sets that were known before.

# the folder of a package in build/panels, or of the Debian package that holds it
unpacked <- function(package, debian = NULL) {
  folder <- file.path("build", "panels")
  found <- file.path(folder, package)
  if (!is.null(debian)) found <- file.path(folder, debian, "usr/lib/R/site-library", package)
  if (dir.exists(found)) return(found)
  dir.create(folder, recursive = TRUE, showWarnings = FALSE)
  if (is.null(debian)) {
    source <- utils::download.packages(package, folder, type = "source", quiet = TRUE)
    utils::untar(source[, 2], exdir = folder)
  } else {
    system(sprintf("cd %s && apt-get download -qq %s && dpkg -x %s_*.deb %s",
      folder, debian, debian, debian
    ))
  }
  found
}

held <- function(package, ..., debian = NULL) {
  data <- new.env()
  files <- file.path(unpacked(package, debian), "data", paste0(c(...), ".rda"))
  for (file in files) load(file, data)
  data
}

# each gives list(x, type): logarithms, cells in rows
new_sets <- list(
  HSMM = function() {
    data <- held("HSMMSingleCell", "HSMM_expr_matrix", "HSMM_sample_sheet",
      debian = "r-bioc-hsmmsinglecell"
    )
    list(x = log2(1 + t(data$HSMM_expr_matrix)), type = data$HSMM_sample_sheet$Hours)
  },
  cell_lines = function() {
    data <- held("SuperCell", "cell_lines")$cell_lines
    list(x = Matrix::t(data$GE), type = data$meta)
  },
  HumanDC = function() {
    data <- held("SCIBER", "HumanDC")$HumanDC
    list(x = t(do.call(cbind, data$exp)), type = do.call(rbind, data$metadata)$cell_type)
  },
  SCFlu = function() { # shares of the molecules; the smallest share of a cell is about one of them
    data <- held("scBio", "SCFlu", "SCLabels")
    x <- t(as.matrix(data$SCFlu))
    one <- apply(x, 1, function(cell) min(cell[cell > 0]))
    list(x = log2(1 + x / stats::median(one)), type = data$SCLabels)
  }
)

# genes seen in ten cells or more
new_set <- function(name) {
  set <- new_sets[[name]]()
  x <- set$x[, Matrix::colSums(set$x > 0) >= 10]
  dimnames(x) <- list(paste0("c", seq_len(nrow(x))), paste0("g", seq_len(ncol(x))))
  list(name = name, x = x, type = factor(set$type), batch = NULL)
}
