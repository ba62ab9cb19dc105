#!/usr/bin/env bash
# Executes the Metal Shading Language: the kernels of all conformance cases, as naga writes them for Metal, run on the CPU as C++.
# ZEROSTRIDE_CASES names a folder with further cases. Needs g++.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! command -v g++ >/dev/null; then
    scripts/install-packages.sh g++ apt-get=g++ dnf=gcc-c++ pacman=gcc
fi
cargo products-test --quiet --test metal -- --nocapture
