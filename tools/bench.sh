#!/usr/bin/env bash
# Runs the benchmarks, each on one thread: bash tools/bench.sh [method]
set -euo pipefail
cd "$(dirname "$0")/.."
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

for script in bench/${1:-*}.R; do
    [ "$script" != bench/common.R ] || continue
    echo "== $script"
    Rscript "$script"
done
