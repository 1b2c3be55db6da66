#!/usr/bin/env bash
# Runs the benchmarks, each on one thread: bash tools/bench.sh [method [NAME=value ...]]
set -euo pipefail
cd "$(dirname "$0")/.."
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

name=${1:-*}
[ $# -eq 0 ] || shift
for script in bench/$name.R; do
    [ "$script" != bench/common.R ] || continue
    echo "== $script"
    Rscript "$script" "$@"
done
