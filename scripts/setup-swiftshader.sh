#!/usr/bin/env bash
# Takes SwiftShader, a Vulkan driver without optional features, out of Debian's package chromium-common.
# Nothing is installed. Usage: scripts/setup-swiftshader.sh [FOLDER], default target/swiftshader.
set -euo pipefail

say() { echo "setup-swiftshader: $*" >&2; }

cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-target/swiftshader}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
manifest=$folder/vk_swiftshader_icd.json

if [[ ! -e $folder/libvk_swiftshader.so || ! -e $manifest || ! -e $folder/version ]]; then
    for tool in apt-get dpkg-deb tar; do
        if ! command -v "$tool" >/dev/null; then
            say "$tool is missing; SwiftShader is taken out of a Debian package"
            exit 1
        fi
    done
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    fetch() { (cd "$work" && apt-get -o APT::Sandbox::User="$(id -un)" download chromium-common); }
    # Without package lists, or with old ones, the package is not found.
    if ! fetch 2>/dev/null; then
        as_root=()
        [[ $(id -u) -eq 0 ]] || as_root=(sudo -n)
        "${as_root[@]}" apt-get update
        fetch
    fi
    package=("$work"/chromium-common_*.deb)
    inside=./usr/lib/chromium
    dpkg-deb --fsys-tarfile "${package[0]}" |
        tar -x -C "$work" "$inside/libvk_swiftshader.so" "$inside/vk_swiftshader_icd.json"
    # The manifest names the library beside it.
    sed 's|"library_path"[[:space:]]*:[[:space:]]*"[^"]*"|"library_path": "./libvk_swiftshader.so"|' \
        "$work/$inside/vk_swiftshader_icd.json" >"$manifest"
    mv "$work/$inside/libvk_swiftshader.so" "$folder/"
    dpkg-deb --field "${package[0]}" Version >"$folder/version"
fi

echo "SwiftShader of chromium $(cat "$folder/version")"
echo "export VK_DRIVER_FILES=$manifest"
