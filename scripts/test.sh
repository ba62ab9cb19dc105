#!/usr/bin/env bash
# All tests of the library and the command on the first adapter, or the one whose name contains ZEROSTRIDE_ADAPTER. Where
# there is no Vulkan driver, a software adapter is installed with the system's package manager. It is `cargo test`, and
# takes what that takes: scripts/test.sh -p zerostride --lib
#
#   scripts/test.sh --products     the Python and npm packages' Rust tests too, with all features
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Mesa's device-selection layer complains where there is no desktop.
export NODEVICE_SELECT=1
# Compiling kernels is most of what the tests do on lavapipe: its LLVM does half as much without its optimiser, on vectors of
# four. Plain `cargo test` and the nightly check let it optimise.
export GALLIVM_PERF=${GALLIVM_PERF-nopt} LP_NATIVE_VECTOR_WIDTH=${LP_NATIVE_VECTOR_WIDTH-128}

scripts/setup-adapter.sh
command="test"
if [[ ${1:-} == --products ]]; then
    command="products-test"
    shift
fi
exec cargo "$command" "$@"
