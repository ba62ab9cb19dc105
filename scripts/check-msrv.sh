#!/usr/bin/env bash
# The library and the command compile with the oldest supported Rust, which is rust-version in Cargo.toml. Needs rustup,
# which installs that toolchain where it is missing. Usage: scripts/check-msrv.sh [VERSION]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "check-msrv: $*" >&2; }

version=${1:-$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)}
if [[ -z $version ]]; then
    say "Cargo.toml names no rust-version"
    exit 1
fi
if ! command -v rustup >/dev/null; then
    say "rustup is missing; it installs Rust $version beside $(rustc --version)"
    exit 1
fi
if ! rustup run "$version" rustc --version >/dev/null 2>&1; then
    if ! rustup toolchain install "$version" --profile minimal; then
        say "Rust $version could not be installed: rustup toolchain install $version"
        exit 1
    fi
fi

# A folder of its own: what one compiler built is of no use to another.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/msrv
echo "== $(rustup run "$version" rustc --version)"
rustup run "$version" cargo check --locked -p zerostride -p zerostride-cli --all-features
