#!/usr/bin/env bash
# Installs the package into build/<name>, compiled otherwise than R would; a warning of the
# compiler fails:
#   bash tools/build-with.sh clang|lto <tarball>
# clang: another compiler, and no OpenMP; lto: the next C standard and link-time
# optimisation by gcc. Settings of the user's own Makevars do not count.
set -euo pipefail
cd "$(dirname "$0")/.."
name=$1
tarball=$2
export ROWSPARSE_TESTING=1

mkdir -p "build/$name"
case $name in
clang)
    cat >build/Makevars.clang <<'MAKEVARS'
CC = clang
CFLAGS = -O2 -Wall -Wextra -pedantic -Wno-unknown-pragmas
SHLIB_OPENMP_CFLAGS =
MAKEVARS
    ;;
lto)
    cat >build/Makevars.lto <<'MAKEVARS'
CC = gcc -std=gnu2x
CFLAGS = -O2 -Wall -Wextra -pedantic -Wno-cast-function-type -flto=auto
LDFLAGS += -flto=auto
MAKEVARS
    ;;
*) echo "unknown build: $name" >&2; exit 2 ;;
esac

R_MAKEVARS_USER=$PWD/build/Makevars.$name MAKEFLAGS=-j${JOBS:-1} R CMD INSTALL --no-docs \
    --clean --library="build/$name" "$tarball" 2>&1 | tee "build/$name.log"
if grep -q 'warning:' "build/$name.log"; then
    echo "The compiler warns" >&2
    exit 1
fi
