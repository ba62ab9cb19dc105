#!/usr/bin/env bash
# Tests the Python package in engines that spread work over processes: dask, xarray and cubed, with Zarr on disk. They are
# installed into an environment under target/python-scale. Takes what pytest takes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NODEVICE_SELECT=1

scripts/setup-adapter.sh
environment=${CARGO_TARGET_DIR:-target}/python-scale
mapfile -t packages < <(grep -v '^#' crates/py/requirements-scale.txt)
scripts/setup-python.sh "$environment" "${packages[@]}"
python=$(realpath "$environment")/bin/python
PATH=$(dirname "$python"):$PATH "$python" -m pip install --disable-pip-version-check --quiet --no-deps \
    --no-build-isolation --force-reinstall ./crates/py
cd crates/py/tests_scale
"$python" -m pytest -q -o addopts= -p no:cacheprovider "$@"
