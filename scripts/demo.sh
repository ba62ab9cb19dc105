#!/usr/bin/env bash
# The main job on real data: z-scores of the wine table's columns, with the plan and a check against the reference. It builds
# what scripts/test.sh needs too; `cargo install --path crates/cli` builds for speed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Mesa's device-selection layer complains where there is no desktop.
export NODEVICE_SELECT=1

scripts/setup-adapter.sh
# With a test, dependencies have the features that tests use.
cargo build --bin zerostride --test exit
"${CARGO_TARGET_DIR:-target}/debug/zerostride" eval '(x - x.mean(axis=0)) / x.std(axis=0)' \
    x=data/wine/wine.npy -o target/wine-z.npy --explain --verify
