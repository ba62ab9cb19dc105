#!/usr/bin/env bash
# Whether the check of a change finds faults: applies each patch of tests/planted by itself to a worktree and runs
# scripts/test.sh there until its first failure, or scripts/test-python.sh for a fault of the Python package. Prints a row of
# a table for each: the fault, the test that found it, after how many seconds of compilation and of tests.
#
#   scripts/planted.sh                     all, an hour or two
#   scripts/planted.sh fold-argmin pool    those whose names begin so
#
# Digests and golden kernels are written anew in the worktree, as who changes a kernel writes them: a fault has to be found
# by what it does. All of them are preceded by a run without a fault, which has to pass. Fails where a fault is not found, or its patch no longer applies.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

repository=$PWD
tree=$repository/target/planted/tree
export CARGO_TARGET_DIR=$repository/target/planted/build CARGO_TERM_COLOR=never CARGO_INCREMENTAL=1 ZEROSTRIDE_BLESS=1 ZEROSTRIDE_POISON=1
export RUST_BACKTRACE=0 ZEROSTRIDE_DRAWS=more
# A worktree of the last commit, with the patches that are here.
mkdir -p target/planted
git worktree remove --force "$tree" 2>/dev/null || true
git worktree add --quiet --detach "$tree" HEAD
trap 'git worktree remove --force "$tree"' EXIT

# Runs a command until a line of its output says that a test failed, and prints the name of that test.
first_failure() {
    local log=$1 line
    shift
    setsid "$@" >"$log" 2>&1 &
    local group=$! found=
    while [[ -z $found ]]; do
        line=$(grep -m 1 -E '^test .* \.\.\. FAILED|^FAILED |^ERROR |^error(\[|: could not compile)' "$log" || true)
        if [[ -n $line ]]; then
            found=$line
        elif ! kill -0 "$group" 2>/dev/null; then
            wait "$group" && return 1
            found=$(grep -m 1 -E '^test .* \.\.\. FAILED|^FAILED |panicked at|error' "$log" || echo "its exit status")
        else
            sleep 0.2
        fi
    done
    kill -- "-$group" 2>/dev/null || true
    wait "$group" 2>/dev/null || true
    sed -E 's/^test (.*) \.\.\. FAILED.*/\1/; s/^FAILED ([^ ]*).*/\1/' <<<"$found"
}

# What fails without a fault finds none.
if [[ $# -eq 0 ]] && test=$(cd "$tree" && first_failure "$repository/target/planted/none.log" scripts/test.sh --all-features); then
    echo "planted: $test fails without a fault" >&2
    exit 1
fi
echo "| fault | found by | built in s | then after s |"
echo "|---|---|---|---|"
unfound=()
for patch in tests/planted/*.patch; do
    name=$(basename "$patch" .patch)
    if [[ $# -gt 0 ]]; then
        wanted=
        for prefix in "$@"; do
            [[ $name != "$prefix"* ]] || wanted=1
        done
        [[ -n $wanted ]] || continue
    fi
    git -C "$tree" reset --quiet --hard
    if ! git -C "$tree" apply "$repository/$patch"; then
        echo "| $name | its patch no longer applies | | |"
        unfound+=("$name")
        continue
    fi
    log=$repository/target/planted/$name.log
    # What is built, and what is run of it. The library's own tests come first, as `cargo test` runs them.
    if grep -q '^+++ b/crates/py/' "$patch"; then
        mkdir -p "$tree/target"
        ln -sfn "$repository/target/python" "$tree/target/python"
        stages=("cargo products-build --quiet --all-targets" "scripts/test-python.sh -x")
    else
        stages=("cargo test --quiet --all-features --lib --no-run" "scripts/test.sh --all-features --lib"
            "cargo test --quiet --all-features --no-run" "scripts/test.sh --all-features")
    fi
    built=0 ran=0 test=
    while [[ ${#stages[@]} -gt 0 && -z $test ]]; do
        begun=$SECONDS
        if ! (cd "$tree" && ${stages[0]}) >"$log" 2>&1; then
            test="the compiler"
            break
        fi
        built=$((built + SECONDS - begun))
        begun=$SECONDS
        # shellcheck disable=SC2086 # words
        test=$(cd "$tree" && first_failure "$log" ${stages[1]}) || test=
        ran=$((ran + SECONDS - begun))
        stages=("${stages[@]:2}")
    done
    echo "| $name | ${test:+\`}${test:-nothing}${test:+\`} | $built | $ran |"
    [[ -n $test && $test != "the compiler" ]] || unfound+=("$name")
done
if [[ ${#unfound[@]} -gt 0 ]]; then
    echo "planted: not found: ${unfound[*]}" >&2
    exit 1
fi
