#!/usr/bin/env bash
# The whole check: format, lints, feature combinations, docs and all tests. Stops at the first failure.
#
# Tests that need an adapter take the first one they find, or the one whose name contains ZEROSTRIDE_ADAPTER.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Mesa's device-selection layer complains where there is no desktop.
export NODEVICE_SELECT=1

step() {
    echo "== $*"
    "$@"
}

step scripts/setup-adapter.sh
step cargo fmt --all --check
step cargo clippy --all-targets --all-features -- -D warnings
step cargo check --no-default-features --features vulkan
step cargo check
step cargo check --features ndarray
step cargo check --features npy
step env RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --all-features
step cargo test --all-features
echo "the adapter tests on $(cat "${CARGO_TARGET_DIR:-target}/tmp/pipelines.txt")"
echo "== all checks passed"
