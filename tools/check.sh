#!/usr/bin/env bash
# R CMD check --as-cran of a freshly built package; fails on errors, warnings and
# notes:
#   bash tools/check.sh [options of R CMD check]
# The package is compiled as users have it: the tests of the entry points of src/testing are
# skipped. Vignettes that are not looked at are not built either. What a check asks of
# the network (is this a new submission? what time is it?) is left out, and qpdf
# is not asked for, as there is no PDF that it could compress. Packages that this one
# enhances may be missing: `make test-ecosystem` has them. Without TZ some packages ask the
# system for its time zone, and what that says when it has none would be a note.
set -euo pipefail
cd "$(dirname "$0")/.."

rm -rf build/check
mkdir -p build/check
cd build/check

build=
if [[ " $* " == *" --ignore-vignettes "* ]]; then
    build=--no-build-vignettes
    export _R_CHECK_CRAN_INCOMING_=false # an index of vignettes is wanted there
fi
export TZ=${TZ:-UTC}
unset ROWSPARSE_TESTING
export _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false
export _R_CHECK_PACKAGE_DEPENDS_IGNORE_MISSING_ENHANCES_=true
R_QPDF=$(command -v qpdf || command -v true)
export R_QPDF
R CMD build $build ../..
R CMD check --as-cran --no-manual "$@" rowsparse_*.tar.gz || {
    grep -q 'be installed.*ERROR' rowsparse.Rcheck/00check.log &&
        cat rowsparse.Rcheck/00install.out
    cat rowsparse.Rcheck/tests/*.fail 2>/dev/null
    exit 1
}
if ! grep -q '^Status: OK' rowsparse.Rcheck/00check.log; then
    echo "R CMD check gave warnings or notes" >&2
    exit 1
fi
