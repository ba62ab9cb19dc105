#!/usr/bin/env bash
# Measures the npm package beside tfjs and onnxruntime-web on WebGPU, in one page of Chromium on SwiftShader, and prints a
# table in Markdown. Takes no arguments; ROUNDS=N for other than 7 rounds.
#
# scripts/test-web.sh must have run: it builds the package and installs the browser. The peers are installed from npm
# under target/web/peers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(@tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-webgpu@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0
    onnxruntime-web@1.30.0 @jax-js/jax@0.1.25)
web=$PWD/target/web
peers=$web/peers

if [[ ! -d $web/package || ! -d $web/tools/tests/node_modules ]]; then
    echo "bench-web: run scripts/test-web.sh first: it builds the package and installs what a page needs" >&2
    exit 1
fi
if [[ $(cat "$peers/stamp" 2>/dev/null || true) != "${packages[*]}" ]]; then
    echo "bench-web: installing ${packages[*]} under target/web/peers" >&2
    mkdir -p "$peers"
    echo '{ "private": true }' >"$peers/package.json"
    npm install --prefix "$peers" --no-save --no-audit --no-fund --loglevel error "${packages[@]}" >&2
    echo "${packages[*]}" >"$peers/stamp"
fi
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
export CHROMIUM
node crates/web/benches/peers.mjs "$web/package" "$web/tools/tests" "$peers" "$web/bench"
