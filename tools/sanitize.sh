#!/usr/bin/env bash
# The test suite on a package compiled with GCC's address and undefined-
# behaviour sanitizers; any finding aborts the run:
#   bash tools/sanitize.sh <tarball> [filter]
set -euo pipefail
cd "$(dirname "$0")/.."
tarball=$1
filter=${2:-}

mkdir -p build/sanitize
cat >build/Makevars.sanitize <<'MAKEVARS'
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=all
CFLAGS = -g -O1 -fno-omit-frame-pointer -Wall -Wextra -pedantic -Wno-cast-function-type $(SANITIZE)
LDFLAGS += $(SANITIZE)
MAKEVARS

echo "Installing with the sanitizers"
R_MAKEVARS_USER=$PWD/build/Makevars.sanitize R CMD INSTALL --no-docs \
    --no-test-load --clean --library=build/sanitize "$tarball" \
    >build/sanitize.log 2>&1 || { cat build/sanitize.log; exit 1; }
grep -E 'warning:' build/sanitize.log || true

# R keeps its memory to the end: leaks are not looked for.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
export R_LIBS=$PWD/build/sanitize:${R_LIBS:-}
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
    R --vanilla --no-echo -f tools/test.R --args ${filter:+"$filter"}
