#!/usr/bin/env bash
# R CMD check of a freshly built package; fails on errors and warnings:
#   bash tools/check.sh [options of R CMD check]
# Vignettes that are not looked at are not built either.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/check
mkdir -p build/check
cd build/check

build=
[[ " $* " != *" --ignore-vignettes "* ]] || build=--no-build-vignettes
R CMD build $build ../..
R CMD check --no-manual "$@" rowsparse_*.tar.gz || {
    grep -q 'be installed.*ERROR' rowsparse.Rcheck/00check.log &&
        cat rowsparse.Rcheck/00install.out
    cat rowsparse.Rcheck/tests/*.fail 2>/dev/null
    exit 1
}
if grep -q '^Status:.*WARNING' rowsparse.Rcheck/00check.log; then
    echo "R CMD check gave warnings" >&2
    exit 1
fi
