#!/usr/bin/env bash
# What is examined before a release and takes too long for .ci/run, one part after the other:
#   bash tools/release.sh              all parts
#   bash tools/release.sh <part> ...   these parts; docs/release.md lists them
# Every part that has run replaces its row of docs/release.md.
set -uo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export CI=true OMP_NUM_THREADS=2 ROWSPARSE_TESTING=1
. tools/parts.sh
page=docs/release.md

# <part> | <what it is>
list=$(cat <<'LIST'
submission | what only a maintainer can fill in, and what must agree
slow | the suite with its slow tests, OpenBLAS on one thread
2-threads | the suite with OpenBLAS on two threads
reference-blas | the suite with the reference BLAS
clang | the suite, compiled by clang without OpenMP
lto | the suite, compiled by gcc as C23 with link-time optimisation
bare | the suite with no package but testthat, Matrix and what they need (`make test-bare`)
minimal | `R CMD check` without suggested packages (`make check-minimal`)
newest | `R CMD check` and the suite under R and compilers of Debian sid (`make check-newest`)
ecosystem | what works with tidymodels and mlr3 (`make test-ecosystem`)
fuzz | 20 000 hostile calls (`make fuzz`)
sanitize | the suite under the address and undefined-behaviour sanitizers (`make sanitize`)
fuzz-sanitize | 2 000 hostile calls under these sanitizers (`make fuzz-sanitize`)
valgrind | calls of every entry point under valgrind (`make valgrind`)
gctorture | the same calls with a garbage collection at every allocation (`make gctorture`)
mutants | 200 changes of the code, of which the tests must notice 90 in 100 (`make mutants`)
certificates | proofs and bounds against independent oracles (`make bench METHOD=certificates`)
cliffs | does a call larger by half take more than three times as long? (`make bench METHOD=cliffs`)
families | sets by likelihoods beside other programs, proofs, samples left out (`make bench METHOD=families`)
LIST
)

# suite <part>: with the library that a run with this BLAS takes
suite() {
    case $1 in
    slow) tests "$1" library 1 slow "${openblas[@]}" ;;
    2-threads) tests "$1" library 2 whole "${openblas[@]}" ;;
    reference-blas)
        ! has_blas reference libblas3 || tests "$1" library 1 whole bash tools/with-blas.sh reference
        ;;
    clang | lto) compiled "$1" whole "${openblas[@]}" ;;
    esac
}

run_part() {
    case $1 in
    submission) part "$1" Rscript tools/lint-project.R release || fail ;;
    slow | 2-threads | reference-blas | clang | lto)
        if part install Rscript tools/install.R ci && part library make library; then
            openblas=(env)
            ! has_blas openblas libopenblas0-pthread || openblas=(bash tools/with-blas.sh openblas)
            suite "$1"
        else
            fail
        fi
        ;;
    bare) part "$1" make JOBS=1 test-bare || fail_tests "$1" ;;
    minimal | newest) part "$1" make JOBS=1 "check-$1" || fail ;;
    ecosystem) part "$1" make JOBS=1 test-ecosystem || fail_tests "$1" ;;
    fuzz) part "$1" make JOBS=1 CALLS=20000 fuzz || fail ;;
    certificates | cliffs | families) part "$1" make JOBS=1 METHOD="$1" bench || fail ;;
    *) part "$1" make JOBS=1 "$1" || fail ;;
    esac
}

commit() {
    echo "$(git rev-parse --short HEAD)$(git diff --quiet HEAD -- . ":!$page" || echo ' and changes')"
}

# row <part> <what it is> <commit>: of the run that has just ended, whose last log says what came out
row() {
    local outcome minutes
    outcome=$(grep 'LEFT OUT' "$logs/report" ||
        grep -v '^make' "$(ls -t "$logs"/*.log | head -n 1)" | tail -n 1)
    [ "$(failures)" -eq 0 ] || outcome="**failed**: $outcome"
    minutes=$(awk -F '[ms ]+' 'NR == 2 { printf "%.1f", $1 + $2 / 60 + $3 + $4 / 60 }' "$logs/times")
    echo "| $1 | $2 | $(date -u +%F) | $3 | ${outcome//|/\/} | $minutes |"
}

# write_page <part> <its row>: the other rows stay as they are
write_page() {
    local name what
    cat <<'HEAD'
# What was examined before a release

`make release` runs all of these parts, `make release PART=valgrind` one of them, and writes this page:
a row is replaced when its part has run. `.ci/run` examines every change in less time, see
`CONTRIBUTING.md`. A part that ran on a commit before the last says nothing of what came after it.
Minutes are of the processor, without processes that run on their own (the workers of hostile calls).

| part | what it is | last run | commit | outcome | minutes |
|---|---|---|---|---|---:|
HEAD
    while IFS='|' read -r name what; do
        name=${name% }
        if [ "$name" = "$1" ]; then
            echo "$2"
        else
            grep "^| $name |" "$page" 2>/dev/null || echo "| $name |$what | never | | | |"
        fi
    done <<<"$list"
}

[ $# -gt 0 ] || set -- $(cut -d ' ' -f 1 <<<"$list")
status=0
for name in "$@"; do
    what=$(sed -n "s/^$name | //p" <<<"$list")
    [ -n "$what" ] || { echo "unknown part: $name" >&2; exit 2; }
    start_parts "build/release/$name"
    began_on=$(commit)
    (run_part "$name"; times >"$logs/times") # those of the children of this shell
    [ "$(failures)" -eq 0 ] || status=1
    write_page "$name" "$(row "$name" "$what" "$began_on")" >"$logs/page"
    mv "$logs/page" "$page"
done
exit $status
