# Parts of an examination, for .ci/run and tools/release.sh, which source this file at the
# project's root. A part runs a command, keeps its output in $logs/<name>.log, and leaves a line
# with its seconds and outcome; fail() counts what failed. Two lanes share the parts
# of a list out between the cores of a machine.

# start_parts <folder of the logs>
start_parts() {
    logs=$1
    rm -rf "$logs"
    mkdir -p "$logs/taken"
    touch "$logs/report" "$logs/failed"
}

report() { printf '%s\n' "$*" >>"$logs/report"; }
fail() { echo "${1:-1}" >>"$logs/failed"; }
failures() { awk '{ sum += $1 } END { print sum + 0 }' "$logs/failed"; }

# part <name> <command> ...
part() {
    local name=$1 started=$SECONDS status
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$logs/$name.log"
    status=${PIPESTATUS[0]}
    report "$(printf '%5d s  %s%s' $((SECONDS - started)) "$name" \
        "$([ "$status" -eq 0 ] || echo ': FAILED')")"
    return "$status"
}

# count_of <name>: the last line of a part that ran tests
count_of() {
    grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$logs/$1.log" | tail -n 1
}

# fail_tests <name>: as many failures as the tests of that part had, one at least
fail_tests() {
    local count
    count=$(count_of "$1" | sed -E 's/.* ([0-9]+) failed.*/\1/')
    [ "${count:-0}" -gt 0 ] || count=1
    fail "$count"
}

# tests <name> <library> <threads> <suite> <command before Rscript> ...
# suite: core, whole, slow (the whole with slow tests) or published, see tools/test.R
tests() {
    local name=$1 library=$2 threads=$3 suite=$4
    shift 4
    part "$name" env R_LIBS="$PWD/build/$library:${R_LIBS:-}" OPENBLAS_NUM_THREADS="$threads" \
        SUITE="$suite" "$@" Rscript tools/test.R || fail_tests "$name"
}

# compiled <name> <suite> <command before Rscript> ...: the suite with the package compiled by
# clang, or by gcc as the next C standard with link-time optimisation (lto)
compiled() {
    local name=$1 suite=$2
    shift 2
    if part "build-$name" bash tools/build-with.sh "$name" build/rowsparse_*.tar.gz; then
        tests "tests-$name" "$name" 1 "$suite" "$@"
    else
        fail
    fi
}

# has_blas <name> <Debian package>: a library that Debian's R could have and has
# not is a failure, any other absence a remark
has_blas() {
    bash tools/with-blas.sh "$1" true && return
    if [[ $(R RHOME) == /usr/lib/R* ]] && apt-cache policy "$2" 2>/dev/null |
        grep -q 'Candidate: [0-9]'; then
        report "         no $1 BLAS: FAILED"
        fail
    else
        report "         no $1 BLAS on this machine: its tests are LEFT OUT"
    fi
    return 1
}

# hostile_calls <number>
hostile_calls() {
    env R_LIBS="$PWD/build/library:${R_LIBS:-}" OPENBLAS_NUM_THREADS=1 SEED=1 CALLS="$1" JOBS=1 \
        Rscript tools/fuzz/campaign.R
}

# in_lanes <name> ...: calls run_part <name> for each, two at a time, in the order given
in_lanes() {
    lane "$@" >"$logs/second-lane.log" 2>&1 &
    lane "$@"
    wait
    cat "$logs/second-lane.log"
}

# takes parts until none is left
lane() {
    local name
    for name in "$@"; do
        mkdir "$logs/taken/$name" 2>/dev/null && run_part "$name"
    done
}
