#!/usr/bin/env bash
# What the compilers of real GPUs make of the kernels, without a GPU: docs/internals/compilers.md says what the figures are.
#
#   scripts/compilers.sh                       every kernel text, and all workloads, by AMD's compiler
#   scripts/compilers.sh row_add 'chain_*'     some workloads
#   scripts/compilers.sh --all [WORKLOAD...]   by AMD's, NVIDIA's, Apple's and Qualcomm's
#   scripts/compilers.sh --all --write         write the table to benches/results/compilers.md
#   scripts/compilers.sh --texts-alone         every kernel text, and no workload
#   scripts/compilers.sh --texts FOLDER row_add    keep the WGSL, the SPIR-V and the assembly too
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NODEVICE_SELECT=1

folder=$PWD/target/compilers
vendors=(amd)
setup=()
write=()
texts=
texts_alone=
workloads=()
while [[ $# -gt 0 ]]; do
    case $1 in
    --all)
        vendors+=(nvidia apple adreno)
        setup=(--all)
        ;;
    --texts-alone) texts_alone=1 ;;
    --write) write=(--write benches/results/compilers.md) ;;
    --texts)
        texts=${2:?--texts needs a folder}
        shift
        ;;
    -*)
        sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
    *) workloads+=("$1") ;;
    esac
    shift
done
if [[ ${#write[@]} -gt 0 && ${#workloads[@]} -gt 0 ]]; then
    echo "compilers: the table that --write writes is of all workloads" >&2
    exit 2
fi

scripts/setup-compilers.sh "${setup[@]}" "$folder"
cargo build --quiet --workspace --all-targets --all-features
program=$PWD/target/debug/zerostride-compilers

# Runs a command without what the shims tell of system calls that they do not know, which is no fault.
quiet() {
    { "$@" 2>&1 >&3 3>&- | { grep -v ': unhandled ' >&2 || true; }; } 3>&1
}

if [[ ${#workloads[@]} -eq 0 ]]; then
    kernels=$(scripts/kernel-texts.sh kernels)
    echo "== $(find "$kernels" -name '*.wgsl' | wc -l) kernel texts by AMD's compiler"
    find "$kernels" -name '*.wgsl' -print0 | quiet xargs -0 -n 256 "$folder/on" amd "$program" texts amd
    echo "== all compile, and no value leaves the registers"
    [[ -z $texts_alone ]] || exit 0
fi
files=()
for vendor in "${vendors[@]}"; do
    file=$folder/$vendor.json
    quiet "$folder/on" "$vendor" "$program" measure "$vendor" ${texts:+--texts "$texts/$vendor"} "${workloads[@]}" >"$file"
    files+=("$file")
done
"$program" report "${files[@]}" "${write[@]}"
