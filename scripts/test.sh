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
step cargo clippy --workspace --all-targets --all-features -- -D warnings
step cargo check -p zerostride --no-default-features --features vulkan
step cargo check -p zerostride
for feature in ndarray npy stream; do
    step cargo check -p zerostride --features "$feature"
done
# For browsers the library compiles; what does not work there yet is said in its docs.
wasm=wasm32-unknown-unknown
if [[ ! -d $(rustc --print target-libdir --target "$wasm") ]]; then
    if ! command -v rustup >/dev/null; then
        echo "test: the standard library for $wasm is missing; install it beside $(rustc --version), with rustup:" \
            "rustup target add $wasm" >&2
        exit 1
    fi
    step rustup target add "$wasm"
fi
# A browser's devices stay on their thread, behind the Arcs that others share between threads.
browser=(-D warnings -A clippy::arc_with_non_send_sync)
step cargo clippy -p zerostride --target "$wasm" --no-default-features --features webgpu -- "${browser[@]}"
step cargo clippy -p zerostride --target "$wasm" --no-default-features -- "${browser[@]}"
step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features
step scripts/check-package.sh
step cargo test --workspace --all-features
echo "the adapter tests on $(cat "${CARGO_TARGET_DIR:-target}/tmp/pipelines.txt")"
echo "== all checks passed"
