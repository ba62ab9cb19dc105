#!/usr/bin/env bash
# Builds and installs the Python package into an environment under target/python and tests it: its own tests, the examples
# of its documents, numexpr's tests and types. Takes what pytest takes: scripts/test-python.sh -k evaluate
#
# Rust, Python 3.11 or newer and PyPI are needed. Tests run on the adapter that ZEROSTRIDE_ADAPTER names, or the first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NODEVICE_SELECT=1

scripts/setup-adapter.sh
environment=${CARGO_TARGET_DIR:-target}/python
mapfile -t packages < <(grep -v '^#' crates/py/requirements.txt)
scripts/setup-python.sh "$environment" "${packages[@]}"
python=$(realpath "$environment")/bin/python

# Without an environment of its own for the build: what it takes is in this one.
PATH=$(dirname "$python"):$PATH "$python" -m pip install --disable-pip-version-check --quiet --no-deps \
    --no-build-isolation --force-reinstall ./crates/py
"$python" -m mypy --config-file crates/py/pyproject.toml crates/py/python
cd crates/py
"$python" -m pytest --pyargs zerostride tests README.md ../../docs/python.md "$@"
