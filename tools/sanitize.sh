#!/usr/bin/env bash
# The test suite, or hostile calls, on a package compiled with GCC's address and
# undefined-behaviour sanitizers. A finding ends the run of the tests; the hostile
# calls go on after it:
#   bash tools/sanitize.sh <tarball> tests|fuzz [filter]
set -euo pipefail
export ROWSPARSE_SYMBOLS=keep ROWSPARSE_TESTING=1
cd "$(dirname "$0")/.."
tarball=$1
filter=${3:-}

case $2 in
tests) script=tools/test.R ;;
fuzz) script=tools/fuzz/campaign.R ;;
*) echo "unknown scope: $2" >&2; exit 2 ;;
esac

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

# R keeps its memory to the end: leaks are not looked for. What is too large
# fails as it would on a small machine. The sanitizers' own address space is not
# limited.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4000
export UBSAN_OPTIONS=print_stacktrace=1 MEMORY=0
export R_LIBS=$PWD/build/sanitize:${R_LIBS:-}
LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)" \
    R --vanilla --no-echo -f "$script" --args ${filter:+"$filter"}
