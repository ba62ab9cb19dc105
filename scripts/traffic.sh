#!/usr/bin/env bash
# What kernels would read and write on a GPU, without one, and whether a limit is exceeded: docs/internals/traffic.md.
#
#   scripts/traffic.sh                     all workloads, and shapes of networks
#   scripts/traffic.sh row_add --hand      some workloads, with the kernels by hand
#   scripts/traffic.sh 'x.T + y; x=f32[4097,4095] y=f32[4095,4097]'
#   scripts/traffic.sh --write             write the table to benches/results/traffic.md
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

arguments=()
for argument in "$@"; do
    case $argument in
    --write) arguments+=(--write benches/results/traffic.md) ;;
    *) arguments+=("$argument") ;;
    esac
done
cargo build --quiet --workspace --all-targets --all-features
target/debug/zerostride-traffic --check "${arguments[@]}"
