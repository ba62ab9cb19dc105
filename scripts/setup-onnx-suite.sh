#!/usr/bin/env bash
# Writes ONNX's own test suite of operators as case files into target/onnx-suite, with the package onnx from PyPI in a
# virtual environment under target/. Does nothing where they are there already. The last line is the folder:
#
#   ZEROSTRIDE_CASES=$(scripts/setup-onnx-suite.sh | tail -n 1) cargo test --test cases -- --nocapture
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
packages=(onnx==1.23.2 numpy==2.4.6 ml_dtypes==0.6.0 protobuf==7.36.2 typing_extensions==4.16.0)
environment=$PWD/target/onnx-environment
folder=$PWD/target/onnx-suite
stamp="${packages[*]} $(cksum <tests/oracle/onnx_suite.py)"

if [[ $(cat "$folder/stamp" 2>/dev/null || true) != "$stamp" ]]; then
    scripts/setup-python.sh "$environment" "${packages[@]}"
    rm -rf "$folder"
    mkdir -p "$folder"
    "$environment/bin/python" -B tests/oracle/onnx_suite.py "$folder" >"$folder/report.txt"
    echo "$stamp" >"$folder/stamp"
fi

cat "$folder/report.txt"
echo "$folder"
