#!/usr/bin/env bash
# The whole check: format, spelling, lints of Rust and of these scripts, dependencies, feature combinations, docs, the
# public items, what is packed, and all tests. Stops at the first failure. Takes no arguments.
#
# Tests that need an adapter take the first one they find, or the one whose name contains ZEROSTRIDE_ADAPTER. What is
# missing is installed: a software adapter with the system's package manager where there is no Vulkan driver, Python for
# scripts/setup-python.sh, the tools of scripts/setup-tools.sh under target/tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Mesa's device-selection layer complains where there is no desktop.
export NODEVICE_SELECT=1

step() {
    local begun=$SECONDS
    echo "== $*"
    "$@"
    echo "== $((SECONDS - begun)) s"
}

step scripts/setup-adapter.sh
tools=$(scripts/setup-tools.sh | tail -n 1)
export PATH=$tools:$PATH

step cargo fmt --all --check
step cargo fmt --manifest-path fuzz/Cargo.toml --check
step typos . .ci .github
step shellcheck .ci/run scripts/*.sh scripts/gpu-day/*.sh
step cargo deny --workspace check licenses bans sources
step cargo clippy --workspace --all-targets --all-features -- -D warnings
# Each feature alone, and none; all together are above. Here metal and dx12 would be the same as none: their code is for
# macOS and Windows.
features=$(sed -n '/^\[features\]/,/^\[dependencies\]/ s/^\([a-z0-9_-]*\) = \[.*/\1/p' Cargo.toml)
for feature in '' $features; do
    case $feature in
    default | metal | dx12) ;;
    *) step cargo clippy -p zerostride --no-default-features --features "$feature" -- -D warnings ;;
    esac
done
# Browsers.
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
step cargo clippy -p zerostride-web --target "$wasm" --features cases -- "${browser[@]}"
step env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features
step scripts/check-api.sh
step scripts/check-package.sh
step cargo test --workspace --all-features
# Examples that check what they compute. The tests have built them.
for example in softmax gradient custom_op text async_reads ndarrays npy stream partition onnx_names; do
    step "${CARGO_TARGET_DIR:-target}/debug/examples/$example"
done
echo "the adapter tests on $(cat "${CARGO_TARGET_DIR:-target}/tmp/pipelines.txt")"
echo "== all checks passed"
