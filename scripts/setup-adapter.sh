#!/usr/bin/env bash
# Looks for a Vulkan driver and, where there is none, installs Mesa's software adapter (lavapipe).
# Exit 0: a driver is there. Exit 1: there is none; the last line tells what to install.
# With the argument `gl` the same for OpenGL, by way of EGL (llvmpipe).
set -euo pipefail

say() { echo "setup-adapter: $*" >&2; }

# macOS has Metal and Windows has Direct3D 12, each with a software adapter of its own.
case "$(uname -s)" in
Linux) ;;
*) exit 0 ;;
esac

# Whether the dynamic linker finds a library of this name.
loadable() {
    local list
    list=$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null || true)
    if grep -qF "$1 " <<<"$list"; then
        return 0
    fi
    local folder
    for folder in ${LD_LIBRARY_PATH:+${LD_LIBRARY_PATH//:/ }} /run/opengl-driver/lib; do
        [[ -e $folder/$1 ]] && return 0
    done
    return 1
}

# Whether a driver's manifest exists and names a library that exists.
usable() {
    local manifest=$1 library
    [[ -r $manifest ]] || return 1
    library=$(sed -n 's/.*"library_path"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$manifest" | head -n 1)
    case "$library" in
    '') return 1 ;;
    /*) [[ -e $library ]] ;;
    */*) [[ -e $(dirname "$manifest")/$library ]] ;;
    *) loadable "$library" ;;
    esac
}

# Whether the Vulkan loader and at least one driver are there, in the places where the loader looks.
found() {
    loadable libvulkan.so.1 || return 1
    local entry manifest named=${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}}
    local -a entries
    if [[ -n $named ]]; then
        IFS=: read -ra entries <<<"$named"
    else
        local data=${XDG_DATA_HOME:-${HOME:-}/.local/share}:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}
        local config=${XDG_CONFIG_HOME:-${HOME:-}/.config}:${XDG_CONFIG_DIRS:-/etc/xdg}
        local folders
        IFS=: read -ra folders <<<"$config:/etc:$data:/run/opengl-driver/share"
        entries=("${folders[@]/%//vulkan/icd.d}")
        [[ -n ${VK_ADD_DRIVER_FILES:-} ]] && entries+=("$VK_ADD_DRIVER_FILES")
    fi
    for entry in "${entries[@]}"; do
        if [[ -d $entry ]]; then
            for manifest in "$entry"/*.json; do
                usable "$manifest" && return 0
            done
        else
            usable "$entry" && return 0
        fi
    done
    return 1
}

what=Vulkan
if [[ ${1:-} == gl ]]; then
    what=OpenGL
    # Mesa's vendor library of EGL, and the driver that it loads.
    found() {
        loadable libEGL.so.1 && loadable libEGL_mesa.so.0 || return 1
        local driver
        for driver in /usr/lib{,64}{,/*}/dri/swrast_dri.so /usr/lib{,64}{,/*}/libgallium-*.so; do
            [[ -e $driver ]] && return 0
        done
        return 1
    }
fi

if found; then
    exit 0
fi
if [[ $what == Vulkan && -n ${VK_DRIVER_FILES:-${VK_ICD_FILENAMES:-}} ]]; then
    say "VK_DRIVER_FILES or VK_ICD_FILENAMES names no usable Vulkan driver, or libvulkan.so.1 is missing; correct or unset it"
    exit 1
fi

driver="a $what driver (Mesa's needs no GPU)"
if [[ $what == Vulkan ]]; then
    packages=(apt-get='mesa-vulkan-drivers libvulkan1' dnf='mesa-vulkan-drivers vulkan-loader'
        pacman='vulkan-swrast vulkan-icd-loader')
else
    packages=(apt-get='libegl1 libegl-mesa0 libgl1-mesa-dri' dnf='mesa-libEGL mesa-dri-drivers' pacman='mesa libglvnd')
fi
"$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "$driver" "${packages[@]}"
if ! found; then
    say "Mesa's packages are installed, but $driver is still missing"
    exit 1
fi
say "Mesa's software adapter is installed"
