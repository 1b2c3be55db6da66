#!/usr/bin/env bash
# Memory errors with code of rowsparse on the stack, found by valgrind:
#   bash tools/valgrind.sh <tarball> calls|tests [filter]
# `calls` repeats the calls kept by tools/record-calls.R (minutes); `tests` runs
# the test suite with ROWSPARSE_QUICK set (an hour or more).
set -euo pipefail
export ROWSPARSE_SYMBOLS=keep ROWSPARSE_TESTING=1
cd "$(dirname "$0")/.."
tarball=$1
scope=$2
filter=${3:-}

case $scope in
calls) script=tools/replay-calls.R ;;
tests) script=tools/test.R ;;
*) echo "unknown scope: $scope" >&2; exit 2 ;;
esac

mkdir -p build/valgrind
echo 'CFLAGS = -g -O1 -fno-omit-frame-pointer' >build/Makevars.valgrind
R_MAKEVARS_USER=$PWD/build/Makevars.valgrind R CMD INSTALL --no-docs \
    --no-test-load --clean --library=build/valgrind "$tarball" \
    >build/valgrind.log 2>&1 || { cat build/valgrind.log; exit 1; }

export R_LIBS=$PWD/build/valgrind:${R_LIBS:-}
export ROWSPARSE_QUICK=true OPENBLAS_NUM_THREADS=1
status=0
R -d "valgrind --num-callers=30 --track-origins=yes --xml=yes --xml-file=$PWD/build/valgrind.xml" \
    --vanilla --no-echo -f "$script" --args ${filter:+"$filter"} || status=$?
Rscript tools/valgrind.R build/valgrind.xml || status=1
exit $status
