#!/usr/bin/env bash
# Packs what a Linux machine with a GPU needs to measure this checkout without network, Rust or a Vulkan loader:
# docs/internals/gpu-day.md.
#
#   scripts/gpu-day.sh FOLDER [TRIALS]               pack FOLDER, and FOLDER.tgz of it; FOLDER/run.sh measures there
#   scripts/gpu-day.sh --dry-run FOLDER [PART...]    run it here, on lavapipe, from a root that holds little else
#   scripts/gpu-day.sh --results RESULTS...          write what came back under benches/results
#
# TRIALS is a folder of further trials, which this repository has none of: fold-*/ with kernels NAME.wgsl of workloads that
# have one by hand, and no-contraction/zerostride, a program whose naga decorates float arithmetic so. Without them those
# steps are not run.
#
# ZEROSTRIDE_PROFILE=dev packs what is built sooner, for a dry run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

# No more than this travels, of what is packed together with the checkout.
most_megabytes=48

pack() {
    local folder=$1 trials=$2 target=${CARGO_TARGET_DIR:-$PWD/target} profile=${ZEROSTRIDE_PROFILE:-release}
    local program name tests loader size built
    if [[ -e $folder && ! -e $folder/run.sh ]] && [[ -n $(ls -A "$folder") ]]; then
        echo "gpu-day: $folder holds something else" >&2
        exit 1
    fi
    built=$target/${profile/#dev/debug}
    cargo build --profile "$profile" --workspace --all-features --bins --example calls
    tests=$(cargo test --profile "$profile" --workspace --all-features --no-run --test adapter 2>&1 | tee /dev/stderr |
        sed -n 's/^ *Executable.*(\(.*\))$/\1/p')
    rm -rf "$folder"
    mkdir -p "$folder"/{bin,lib,tests}
    for program in zerostride zerostride-bench zerostride-compilers; do
        cp "$built/$program" "$folder/bin/"
    done
    cp "$built/examples/calls" "$folder/bin/"
    for program in $tests; do
        name=$(basename "$program")
        cp "$program" "$folder/bin/${name%-*}"
    done
    [[ -x $folder/bin/adapter ]] || { echo "gpu-day: cargo built no test program adapter" >&2 && exit 1; }
    strip "$folder"/bin/*
    cp -r tests/{cases,habits} "$folder/tests/"
    cp tools/gpu-day/{run.sh,summary.py,torch_peer.py} "$folder/"
    python3 tools/gpu-day/trials.py "$folder/trials"
    [[ -z $trials ]] || cp -r "$trials"/. "$folder/trials/"
    # Without a C compiler the step that needs it is passed over.
    if command -v cc >/dev/null; then
        cc -O1 -shared -fPIC -o "$folder/lib/nodlclose.so" tools/gpu-day/nodlclose.c
    fi
    git describe --always --dirty --exclude '*' >"$folder/commit"

    # The loader alone: drivers are the other machine's.
    scripts/setup-adapter.sh
    loader=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's/.*libvulkan\.so\.1 (libc6,x86-64) => //p' | head -n 1)
    [[ -n $loader ]] || { echo "gpu-day: this machine has no libvulkan.so.1 to pack" >&2 && exit 1; }
    cp -L "$loader" "$folder/lib/libvulkan.so.1"
    basename "$(readlink -f "$loader")" >"$folder/lib/version"

    tar -C "$(dirname "$folder")" -czf "$folder.tgz" "$(basename "$folder")"
    size=$(du -m "$folder.tgz" | cut -f 1)
    if ((size > most_megabytes)); then
        echo "gpu-day: $folder.tgz has $size MB, more than $most_megabytes" >&2
        exit 1
    fi
    echo "gpu-day: $folder.tgz has $size MB"
    if ! compgen -G "$folder/trials/fold-*/" >/dev/null; then
        echo "gpu-day: step 4 will not be run: no trial kernels of reductions are packed; TRIALS/fold-NAME/ holds them"
    fi
    if [[ ! -x $folder/trials/no-contraction/zerostride ]]; then
        echo "gpu-day: the second probe of step 1 will not be run: TRIALS/no-contraction/zerostride is not packed"
    fi
}

# charts RESULTS...: those of all workloads at a size that came back.
charts() {
    local folder lines
    for folder in "$@"; do
        for lines in "$folder"/workloads-*.jsonl; do
            [[ -s $lines ]] || continue
            # A step that its time ended may have left half a line.
            cargo run --quiet --release -p zerostride-bench -- --from "$lines" --chart "${lines%.jsonl}.svg" ||
                echo "gpu-day: no chart of $lines" >&2
        done
    done
}

case ${1:-} in
--dry-run)
    [[ $# -ge 2 ]] || usage
    exec tools/gpu-day/dry-run.sh "${@:2}"
    ;;
--results)
    [[ $# -ge 2 ]] || usage
    charts "${@:2}"
    exec python3 tools/gpu-day/summary.py --results benches/results "${@:2}"
    ;;
'' | -*) usage ;;
*)
    [[ $# -le 2 ]] || usage
    [[ -z ${2:-} || -d $2 ]] || { echo "gpu-day: there is no folder $2" >&2 && exit 2; }
    pack "$(realpath -m "$1")" "${2:+$(realpath "$2")}"
    ;;
esac
