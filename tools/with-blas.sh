#!/usr/bin/env bash
# Runs a command with one of Debian's BLAS and LAPACK libraries under R, and
# prints which R has really loaded:
#   bash tools/with-blas.sh openblas|reference <command> ...
# Exit status 3: that library is not here, or R does not take it.
set -euo pipefail

# the folder of a library in a multi-architecture tree
folder_of() {
    local found
    for found in /usr/lib/*/"$1"; do
        [ ! -e "$found" ] || { dirname "$found"; return; }
    done
}

case $1 in
openblas) folders=$(folder_of openblas-pthread/libblas.so.3) ;;
reference)
    folders=$(folder_of blas/libblas.so.3)
    [ -z "$folders" ] || folders=$folders:$(folder_of lapack/liblapack.so.3)
    ;;
*) echo "unknown library: $1" >&2; exit 2 ;;
esac
blas=$1
shift

[ -n "$folders" ] || { echo "BLAS $blas: not installed"; exit 3; }
export R_LD_LIBRARY_PATH=$folders:$(R RHOME)/lib
loaded=$(Rscript --vanilla -e 'cat(extSoftVersion()[["BLAS"]], La_library())')
echo "BLAS $blas: $loaded, OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-not set}"
case $loaded in
"${folders%%:*}"/*) ;;
*) echo "R does not take ${folders%%:*}"; exit 3 ;;
esac
"$@"
