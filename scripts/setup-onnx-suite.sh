#!/usr/bin/env bash
# Writes ONNX's own test suite of operators as case files into target/onnx-suite, with the package onnx from PyPI in a
# virtual environment under target/. Does nothing where they are there already. The last line is the folder:
#
#   ZEROSTRIDE_CASES=$(scripts/setup-onnx-suite.sh | tail -n 1) cargo test --test cases -- --nocapture
set -euo pipefail

say() { echo "setup-onnx-suite: $*" >&2; }

cd "$(dirname "${BASH_SOURCE[0]}")/.."
packages=(onnx==1.23.2 numpy==2.4.6 ml_dtypes==0.6.0 protobuf==7.36.2 typing_extensions==4.16.0)
environment=$PWD/target/onnx-environment
folder=$PWD/target/onnx-suite
stamp="${packages[*]} $(cksum <scripts/onnx_suite.py)"

if [[ $(cat "$folder/stamp" 2>/dev/null || true) != "$stamp" ]]; then
    # Debian has the parts of Python that make a virtual environment in a package of their own.
    usable() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }
    if ! usable; then
        scripts/install-packages.sh "Python 3 with venv and ensurepip" apt-get='python3 python3-venv' dnf=python3 pacman=python
        if ! usable; then
            say "python3 still lacks venv or ensurepip; install them with the system's package manager"
            exit 1
        fi
    fi
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        say "$(python3 --version) is too old; ${packages[1]} needs 3.11 or newer"
        exit 1
    fi

    rm -rf "$environment" "$folder"
    mkdir -p "$folder"
    python3 -m venv "$environment" >&2
    "$environment/bin/python" -m pip install --disable-pip-version-check --quiet --no-deps --only-binary :all: \
        "${packages[@]}" >&2
    "$environment/bin/python" -B scripts/onnx_suite.py "$folder" >"$folder/report.txt"
    echo "$stamp" >"$folder/stamp"
fi

cat "$folder/report.txt"
echo "$folder"
