#!/usr/bin/env bash
# Tests the Python package: its own tests, the examples of its documents, numexpr's tests and types. Takes what pytest
# takes: scripts/test-python.sh -k evaluate
#
#   scripts/test-python.sh             on the module of the development build, put beside the package's files
#   scripts/test-python.sh --wheel     on a wheel that pip builds and installs, and in dask, xarray and cubed too
#
# Rust, Python 3.11 or newer and PyPI are needed. Tests run on the adapter that ZEROSTRIDE_ADAPTER names, or the first;
# their buffers are poisoned.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NODEVICE_SELECT=1 ZEROSTRIDE_POISON=1

scripts/setup-adapter.sh
target=${CARGO_TARGET_DIR:-target}
if [[ ${1:-} == --wheel ]]; then
    shift
    python=$(scripts/setup-python.sh nightly | tail -n 1)
    # Without an environment of its own for the build: what it takes is in this one.
    wheels=$target/wheels
    rm -rf "$wheels"
    PATH=$(dirname "$python"):$PATH "$python" -m pip wheel --disable-pip-version-check --quiet --no-deps \
        --no-build-isolation --wheel-dir "$wheels" ./crates/py
    "$python" -m twine check --strict "$wheels"/*.whl
    "$python" -m pip install --disable-pip-version-check --quiet --no-deps --force-reinstall "$wheels"/*.whl
    trap '"$python" -m pip uninstall --quiet --yes zerostride' EXIT
    (cd crates/py/tests_scale && "$python" -m pytest -q -o addopts= -p no:cacheprovider)
else
    python=$(scripts/setup-python.sh | tail -n 1)
    # All of it, so that dependencies have the features that they have in the tests' build.
    cargo products-build --quiet --all-targets
    module=$target/python-module
    rm -rf "$module"
    mkdir -p "$module"
    cp -r crates/py/python/zerostride "$module/"
    cp "$target/debug/lib_core.so" "$module/zerostride/_core.abi3.so"
    PYTHONPATH=$(realpath "$module")
    export PYTHONPATH
fi
"$python" -m mypy --config-file crates/py/pyproject.toml crates/py/python
cd crates/py
"$python" -m pytest --pyargs zerostride tests README.md ../../docs/python.md ../../docs/from-numpy.md "$@"
