#!/usr/bin/env bash
# Every kernel text that the tests reach also compiles with Tint, the WGSL compiler of Chromium: the npm package webgpu
# (Dawn for Node) on SwiftShader. Texts with native 64-bit types are left out, which WebGPU does not have.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NODEVICE_SELECT=1

package=webgpu@0.6.2
folder=$PWD/target/tint

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    scripts/install-packages.sh "Node.js with npm" apt-get='nodejs npm' dnf='nodejs npm' pacman='nodejs npm'
fi

mkdir -p "$folder"
if [[ $(cat "$folder/stamp" 2>/dev/null || true) != "$package" ]]; then
    rm -rf "$folder/node_modules"
    npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts --loglevel error "$package" >&2
    echo "$package" >"$folder/stamp"
fi
scripts/setup-swiftshader.sh >&2

kernels=$(scripts/kernel-texts.sh kernels)
echo "== $(find "$kernels/web" -name '*.wgsl' | wc -l) kernels in Tint of $package"
VK_DRIVER_FILES=$PWD/target/swiftshader/vk_swiftshader_icd.json \
    node scripts/check-tint.mjs "$folder/node_modules/webgpu" "$kernels/web"
