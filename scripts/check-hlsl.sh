#!/usr/bin/env bash
# Executes HLSL: every kernel of these adapter tests is translated by naga, compiled by DXC (to SPIR-V, out of a package of
# PyPI) and read as WGSL again, so that the first adapter computes what the HLSL says. f64 is computed by integers, since naga
# writes no bit casts of 64-bit floats. Takes names of tests instead of its own list.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NODEVICE_SELECT=1 GALLIVM_PERF=nopt LP_NATIVE_VECTOR_WIDTH=128 ZEROSTRIDE_HOSTILE=dxc
# Without those of devices, memory and threads.
tests=(cases:: columns:: custom:: doubles:: epilogue:: filled:: floats:: fused:: fusion:: gradients:: guards:: halves:: joined::
    mapping:: moved:: operators:: ops:: product product_batches:: quotients:: ranks:: reductions:: rules:: scans:: schedules::
    searched:: smoke:: sorted:: sweeps:: take:: turns:: wide:: window)

python=$(scripts/setup-python.sh nightly | tail -n 1)
libraries=("$(dirname "$python")"/../lib/python3*/site-packages/compushady/backends/libdxcompiler*.so)
export ZEROSTRIDE_DXC=${libraries[0]}
[[ $# -eq 0 ]] || tests=("$@")
cargo products-test --quiet --test adapter -- "${tests[@]}"
