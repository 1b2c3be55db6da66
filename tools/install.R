# Installs what a task needs and the machine lacks:
#   Rscript tools/install.R <run|demo|test|test-bare|fuzz|check|check-minimal|coverage|lint|docs|
#                            spelling|site|valgrind|ecosystem|ci>
#
# R packages come as Debian binaries where R itself is Debian's and we may
# install them, otherwise from the repositories that R is set up with. Optional
# packages may stay missing: what needs them is left out then.

description <- read.dcf("DESCRIPTION")

# Package names in a dependency field, without R itself.
listed_in <- function(field) {
  if (!field %in% colnames(description)) {
    return(character())
  }
  entries <- strsplit(description[, field], ",")[[1]]
  setdiff(trimws(sub("\\(.*", "", entries)), "R")
}

has_vignettes <- function() {
  length(dir("vignettes", pattern = "[.]Rmd$")) > 0
}

needs <- function(task) {
  vignettes <- if (task %in% c("check", "ci", "site") && has_vignettes()) c("knitr", "rmarkdown")
  own <- switch(task,
    test = , `test-bare` = , `check-minimal` = , valgrind = "testthat",
    check = c("testthat", vignettes), ci = c("testthat", "lintr", "spelling", vignettes),
    coverage = "testthat", lint = "lintr", docs = "roxygen2", spelling = "spelling",
    site = c("pkgdown", "xml2", "jsonlite", vignettes),
    ecosystem = c("testthat", ecosystem)
  )
  optional <- switch(task,
    demo = "survival",
    test = , fuzz = , check = , coverage = , valgrind = , site = , ci = listed_in("Suggests")
  )
  programs <- switch(task,
    check = , site = if (has_vignettes()) "pandoc",
    ci = c(if (has_vignettes()) "pandoc", "clang", "clang-format"),
    lint = "clang-format", valgrind = "valgrind", coverage = c("clang", "python3")
  )
  list(
    packages = unique(c(listed_in("Imports"), own)),
    optional = setdiff(optional, own),
    programs = programs,
    libraries = if (task == "ci") blas_libraries
  )
}

# tidymodels and mlr3, newest versions, which take half an hour to build: what their tests use
ecosystem <- c(
  "checkmate", "recipes", "dials", "tune", "workflows", "parsnip", "rsample", "sparsevctrs",
  "mlr3", "mlr3filters", "mlr3cluster", "paradox", "rpart"
)

# where an older one that is installed would not do, and nobody says so
least_versions <- c(checkmate = "2.2.0", recipes = "1.3.0")

# Debian's BLAS and LAPACK, and a file of each
blas_libraries <- c(
  `libopenblas0-pthread` = "/usr/lib/*/openblas-pthread/libblas.so.3",
  libblas3 = "/usr/lib/*/blas/libblas.so.3", liblapack3 = "/usr/lib/*/lapack/liblapack.so.3"
)

missing_libraries <- function(libraries) {
  names(libraries)[!vapply(libraries, function(file) length(Sys.glob(file)) > 0, NA)]
}

missing_packages <- function(packages, least = character()) {
  packages[!vapply(packages, is_installed, NA, least = least)]
}

is_installed <- function(package, least) {
  nzchar(system.file(package = package)) &&
    (!package %in% names(least) || utils::packageVersion(package) >= least[[package]])
}

missing_programs <- function(programs) {
  programs[!nzchar(Sys.which(programs))]
}

has_apt <- function() {
  nzchar(Sys.which("apt-get")) && Sys.info()[["effective_user"]] == "root"
}

# Debian's package names for R packages, both CRAN's and Bioconductor's.
debian_names <- function(packages) {
  c(outer(c("r-cran-", "r-bioc-"), tolower(packages), paste0))
}

apt <- function(...) {
  quick <- c(
    "-qq", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30",
    "-o", "DPkg::Lock::Timeout=120" # another apt-get may be at work
  )
  system2("apt-get", c(quick, ...), stdout = FALSE, stderr = FALSE,
    env = "DEBIAN_FRONTEND=noninteractive")
}

# Installs those of the named Debian packages that the archive has.
apt_install <- function(names) {
  apt("update")
  known <- system2("apt-cache", c("pkgnames"), stdout = TRUE)
  names <- intersect(names, known)
  if (length(names) > 0) {
    message("apt-get install ", paste(names, collapse = " "))
    apt("install", "-y", "--no-install-recommends", names)
  }
}

writable_library <- function() {
  first <- .libPaths()[1]
  if (file.access(first, 2) == 0) {
    return(first)
  }
  own <- Sys.getenv("R_LIBS_USER")
  dir.create(own, recursive = TRUE, showWarnings = FALSE)
  own
}

# The one repository setting we touch: R's own placeholder asks a question,
# and there is nobody here to answer it.
repositories <- function() {
  if ("@CRAN@" %in% getOption("repos")) {
    utils::chooseCRANmirror(graphics = FALSE, ind = 1)
  }
  getOption("repos")
}

# Those of the packages that R's repositories have.
install_from_source <- function(packages) {
  repositories <- repositories()
  known <- suppressWarnings(rownames(available.packages(repos = repositories)))
  if (length(known) == 0) {
    message("No package repository answers: is there a network?")
  }
  packages <- intersect(packages, known)
  if (length(packages) == 0) {
    return(invisible())
  }
  message("install.packages: ", paste(packages, collapse = ", "))
  options(timeout = 600)
  library <- writable_library()
  .libPaths(c(library, .libPaths()))
  try(install.packages(packages, lib = library, repos = repositories, quiet = TRUE,
    Ncpus = max(1L, parallel::detectCores(), na.rm = TRUE)))
}

provide <- function(task) {
  need <- needs(task)
  wanted <- c(need$packages, need$optional)
  least <- if (task == "ecosystem") least_versions
  packages <- missing_packages(wanted, least)
  system <- c(missing_programs(need$programs), missing_libraries(need$libraries))
  if (length(packages) + length(system) > 0 && has_apt()) {
    r_is_debian <- startsWith(R.home(), "/usr/lib/R")
    apt_install(c(system, if (r_is_debian) debian_names(packages)))
  }
  packages <- missing_packages(wanted, least)
  if (length(packages) > 0) {
    install_from_source(packages)
  }
  left_out <- missing_packages(need$optional)
  if (length(left_out) > 0) {
    message("Not available here, left out: ", paste(left_out, collapse = ", "))
  }
  lacking <- c(missing_packages(need$packages, least), missing_programs(need$programs))
  if (length(lacking) > 0) {
    stop("cannot install what this task needs (", task, "): ", paste(lacking, collapse = ", "),
      call. = FALSE
    )
  }
}

provide(commandArgs(trailingOnly = TRUE)[1])
