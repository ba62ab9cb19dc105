#!/usr/bin/env bash
# Fuzzes each target of fuzz/ for a while, one on each core, with the nightly toolchain and cargo-fuzz, which is installed
# where it is missing. Usage: scripts/cargo-fuzz.sh [SECONDS-PER-TARGET [TARGET...]], default 60 and all; 0 only builds them.
#
# The committed corpora are only read; new inputs go to fuzz/found/TARGET. A finding is a file in fuzz/artifacts/TARGET.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
shift || true
targets=("$@")
version=0.13.2
tools=$PWD/target/cargo-fuzz

if [[ ${#targets[@]} -eq 0 ]]; then
    targets=(plan_kernel plan_folds rules_layouts text npy npz onnx)
fi
if ! cargo +nightly --version >/dev/null 2>&1; then
    rustup toolchain install nightly --profile minimal
fi
if [[ $("$tools/bin/cargo-fuzz" --version 2>/dev/null || true) != "cargo-fuzz $version" ]]; then
    cargo install cargo-fuzz --version "$version" --locked --root "$tools"
fi
export PATH=$tools/bin:$PATH

started=$SECONDS
cargo +nightly fuzz build
echo "== built in $((SECONDS - started)) s"
if [[ $seconds -eq 0 ]]; then
    exit
fi

# One target; what it says goes to a file. A slow or greedy input is a finding too.
fuzz() {
    local target=$1
    mkdir -p "fuzz/found/$target"
    cargo +nightly fuzz run "$target" "fuzz/found/$target" "fuzz/corpus/$target" -- \
        -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=4096 \
        -verbosity=0 -print_funcs=0 -print_final_stats=1 >"fuzz/found/$target.log" 2>&1
}

echo "== $seconds s each: ${targets[*]}"
mkdir -p fuzz/found
failed=()
cores=$(nproc)
for ((at = 0; at < ${#targets[@]}; at += cores)); do
    batch=("${targets[@]:at:cores}")
    jobs=()
    for target in "${batch[@]}"; do
        fuzz "$target" &
        jobs+=($!)
    done
    for n in "${!batch[@]}"; do
        if wait "${jobs[n]}"; then
            runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "fuzz/found/${batch[n]}.log")
            echo "${batch[n]}: ${runs:-no} runs, nothing found"
        else
            failed+=("${batch[n]}")
            tail -n 60 "fuzz/found/${batch[n]}.log"
        fi
    done
done
if [[ ${#failed[@]} -gt 0 ]]; then
    echo "== findings in: ${failed[*]}; the inputs are in fuzz/artifacts" >&2
    exit 1
fi
