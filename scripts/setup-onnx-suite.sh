#!/usr/bin/env bash
# Writes ONNX's own test suite of operators as case files into target/onnx-suite, with the package onnx of PyPI. Does
# nothing where they are there already. The last line is the folder:
#
#   ZEROSTRIDE_CASES=$(scripts/setup-onnx-suite.sh | tail -n 1) cargo test --test adapter cases::
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$(scripts/setup-python.sh | tail -n 1)
folder=$PWD/target/onnx-suite
stamp="$(grep '^onnx==' scripts/requirements.txt) $(cksum <tests/oracle/onnx_suite.py)"

if [[ $(cat "$folder/stamp" 2>/dev/null || true) != "$stamp" ]]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    "$python" -B tests/oracle/onnx_suite.py "$folder" >"$folder/report.txt"
    echo "$stamp" >"$folder/stamp"
fi

cat "$folder/report.txt"
echo "$folder"
