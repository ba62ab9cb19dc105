#!/usr/bin/env bash
# Every translation of a kernel text that the tests reach is one for its own tools: SPIR-V passes spirv-val, GLSL compiles with
# glslang, HLSL with DXC, the compiler of Direct3D 12, out of a package of PyPI. MSL has no compiler outside macOS.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export NODEVICE_SELECT=1

folder=$PWD/target/translations

if ! command -v glslangValidator >/dev/null || ! command -v spirv-val >/dev/null; then
    scripts/install-packages.sh "glslang or spirv-val" \
        apt-get='glslang-tools spirv-tools' dnf='glslang spirv-tools' pacman='glslang spirv-tools'
fi
mkdir -p "$folder"
python=$(scripts/setup-python.sh nightly | tail -n 1)
libraries=("$(dirname "$python")"/../lib/python3*/site-packages/compushady/backends/libdxcompiler*.so)

kernels=$(scripts/kernel-texts.sh translations)

count() { find "$kernels" -name "*.$1" | wc -l; }

# Gives a command the files of a language, so many at a time.
each() {
    local extension=$1 most=$2
    shift 2
    [[ $(count "$extension") -gt 0 ]] || return 0
    find "$kernels" -name "*.$extension" -print0 | xargs -0 -n "$most" -P "$(nproc)" "$@"
}

echo "== $(count spirv) modules in spirv-val"
each spirv 1 spirv-val --target-env vulkan1.1
echo "== $(count glsl) texts in glslang"
# It names every file, and after the name of one what is wrong with it.
if ! each glsl 64 glslangValidator -S comp --quiet >"$folder/glslang.txt"; then
    grep -B 1 ERROR "$folder/glslang.txt" | head -n 60
    exit 1
fi
echo "== $(count hlsl) texts in DXC"
"$python" -B scripts/check_hlsl.py "${libraries[0]}" "$kernels"
