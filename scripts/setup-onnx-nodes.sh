#!/usr/bin/env bash
# Writes ONNX's own test suite of operators as model files into target/onnx-nodes, with the package onnx of PyPI: a folder
# for each case, with model.onnx, its inputs and outputs as .pb files, and its tolerance. Does nothing where they are there
# already. The last line is the folder:
#
#   ZEROSTRIDE_ONNX_NODES=$(scripts/setup-onnx-nodes.sh | tail -n 1) cargo test -p zerostride-onnx --test suite -- --nocapture
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$(scripts/setup-python.sh | tail -n 1)
folder=$PWD/target/onnx-nodes
stamp="$(grep '^onnx==' scripts/requirements.txt) $(cksum <tests/oracle/onnx_nodes.py)"

if [[ $(cat "$folder.stamp" 2>/dev/null || true) != "$stamp" ]]; then
    rm -rf "$folder"
    "$python" -B tests/oracle/onnx_nodes.py "$folder"
    echo "$stamp" >"$folder.stamp"
fi

echo "$folder"
