#!/usr/bin/env bash
# The suite with testthat, Matrix and what these two need, and no other package:
#   bash tools/bare.sh <tarball> [filter]
# build/bare gets links to these packages and the package itself. Every other package of this
# machine is hidden by an empty one of its name, marked as R CMD check marks those that it hides,
# so that R processes which tests start see no more than the suite does.
set -euo pipefail
cd "$(dirname "$0")/.."
export ROWSPARSE_TESTING=1

rm -rf build/bare
mkdir -p build/bare
Rscript - <<'R'
installed <- installed.packages()
installed <- installed[!duplicated(installed[, "Package"]), ]
roots <- c("testthat", "Matrix")
needed <- tools::package_dependencies(roots, installed, "strong", recursive = TRUE)
needed <- c(roots, unlist(needed), rownames(installed)[installed[, "Priority"] %in% "base"])
place <- function(name) file.path(installed[name, "LibPath"], name)
for (name in intersect(needed, rownames(installed))) {
  stopifnot(file.symlink(place(name), "build/bare"))
}
for (name in setdiff(rownames(installed), c(needed, "rowsparse"))) {
  hidden <- file.path("build/bare", name)
  dir.create(hidden)
  file.copy(file.path(place(name), "DESCRIPTION"), hidden)
  file.create(file.path(hidden, "dummy_for_check"))
}
R
R CMD INSTALL --no-docs --no-test-load --clean --library=build/bare "$1" >build/bare.log 2>&1 ||
    { cat build/bare.log; exit 1; }
R_LIBS=$PWD/build/bare OPENBLAS_NUM_THREADS=1 Rscript tools/test.R ${2:+"$2"}
