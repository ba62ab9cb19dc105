#!/usr/bin/env bash
# Packs what a Linux machine with a GPU needs to measure this checkout without network, Rust or a Vulkan loader:
# docs/gpu-day.md.
#
#   scripts/gpu-day.sh FOLDER                        pack; FOLDER/run.sh measures there
#   scripts/gpu-day.sh --dry-run FOLDER [PART...]    run it here, on lavapipe, from a root that holds little else
#   scripts/gpu-day.sh --results RESULTS...          write what came back under benches/results
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# No more than this travels.
most_megabytes=60

pack() {
    local folder=$1 target=${CARGO_TARGET_DIR:-$PWD/target} program name tests loader size
    if [[ -e $folder && ! -e $folder/run.sh ]] && [[ -n $(ls -A "$folder") ]]; then
        echo "gpu-day: $folder holds something else" >&2
        exit 1
    fi
    cargo build --release --workspace --all-features --bins
    tests=$(cargo test --release --workspace --all-features --no-run --test adapter 2>&1 | tee /dev/stderr |
        sed -n 's/^ *Executable.*(\(.*\))$/\1/p')
    rm -rf "$folder"
    mkdir -p "$folder"/{bin,lib,tests}
    for program in zerostride zerostride-bench zerostride-compilers; do
        cp "$target/release/$program" "$folder/bin/"
    done
    for program in $tests; do
        name=$(basename "$program")
        cp "$program" "$folder/bin/${name%-*}"
    done
    [[ -x $folder/bin/adapter ]] || { echo "gpu-day: cargo built no test program adapter" >&2 && exit 1; }
    strip "$folder"/bin/*
    cp -r tests/cases "$folder/tests/"
    cp scripts/gpu-day/{run.sh,summary.py,torch_peer.py} "$folder/"
    python3 scripts/gpu-day/trials.py "$folder/trials"
    git describe --always --dirty --exclude '*' >"$folder/commit"

    # The loader alone: drivers are the other machine's.
    scripts/setup-adapter.sh
    loader=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's/.*libvulkan\.so\.1 (libc6,x86-64) => //p' | head -n 1)
    [[ -n $loader ]] || { echo "gpu-day: this machine has no libvulkan.so.1 to pack" >&2 && exit 1; }
    cp -L "$loader" "$folder/lib/libvulkan.so.1"
    basename "$(readlink -f "$loader")" >"$folder/lib/version"

    size=$(du -sm "$folder" | cut -f 1)
    if ((size > most_megabytes)); then
        echo "gpu-day: $folder has $size MB, more than $most_megabytes" >&2
        exit 1
    fi
    echo "gpu-day: $folder has $size MB"
}

case ${1:-} in
--dry-run)
    [[ $# -ge 2 ]] || usage
    exec scripts/gpu-day/dry-run.sh "${@:2}"
    ;;
--results)
    [[ $# -ge 2 ]] || usage
    exec python3 scripts/gpu-day/summary.py --results benches/results "${@:2}"
    ;;
'' | -*) usage ;;
*)
    [[ $# -eq 1 ]] || usage
    pack "$(realpath -m "$1")"
    ;;
esac
