#!/usr/bin/env bash
# Unpacks Mesa's Vulkan drivers of real GPUs with its fake kernel drivers: their compilers run without a GPU. Pipelines
# compile, dispatches do nothing, and what is read back is 0. Nothing is installed.
#
#   scripts/setup-compilers.sh [--all] [FOLDER]      default target/compilers
#   FOLDER/on amd|amd-newest|nvidia|apple|adreno COMMAND...
#
# `on` runs a Vulkan program with the driver of a vendor. `amd` is RADV of Debian 12's backports, on the system's own
# libraries. The others come with --all: out of Debian sid, with libraries of their own, started by their own loader.
# AMDGPU_GPU_ID, NOUVEAU_CHIPSET and FD_GPU_ID choose the chip.
set -euo pipefail

say() { echo "setup-compilers: $*" >&2; }

cd "$(dirname "${BASH_SOURCE[0]}")/.."
all=
if [[ ${1:-} == --all ]]; then
    all=yes
    shift
fi
folder=${1:-target/compilers}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
for tool in apt-get dpkg-deb; do
    if ! command -v "$tool" >/dev/null; then
        say "$tool is missing; the drivers are taken out of Debian's packages"
        exit 1
    fi
done
if [[ $(uname -m) != x86_64 || ! -e $keyring ]]; then
    say "the drivers are Debian's for x86-64, and $keyring has to be there"
    exit 1
fi

# The mirror that this machine's own sources name, else Debian's default.
mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true; } |
    grep -v '^[[:space:]]*#' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ' || true)
mirror=${mirror:-http://deb.debian.org/debian}

# Downloads packages of the named suites, with all that they need and this list of installed ones lacks, and unpacks them.
unpack() { # FOLDER STATUS "SUITE..." PACKAGE...
    local into=$1 status=$2 suites=$3 suite deb manifest
    shift 3
    rm -rf "$into"
    mkdir -p "$into"/{lists/partial,cache/archives/partial,root,icd}
    for suite in $suites; do
        echo "deb [signed-by=$keyring] $mirror $suite main"
    done >"$into/sources.list"
    local apt=(apt-get -qq -o Dir::Etc::sourcelist="$into/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::State::lists="$into/lists" -o Dir::Cache="$into/cache" -o Dir::State::status="$status"
        -o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false -o Debug::NoLocking=true)
    "${apt[@]}" update
    # The last suite is that of the named packages.
    "${apt[@]}" -y -t "$suite" -d --reinstall install "$@" >/dev/null
    for deb in "$into"/cache/archives/*.deb; do
        dpkg-deb -x "$deb" "$into/root"
    done
    # The manifests name the libraries by where they are.
    for manifest in "$into"/root/usr/share/vulkan/icd.d/*.json; do
        sed "s|\"library_path\": *\"\(.*/\)\?\([^/\"]*\)\"|\"library_path\": \"$into/root/usr/lib/x86_64-linux-gnu/\2\"|" \
            "$manifest" >"$into/icd/$(basename "$manifest" | sed 's/\..*json/.json/')"
    done
    dpkg-deb -f "$into"/cache/archives/mesa-vulkan-drivers_*.deb Version >"$into/version"
    rm -rf "$into/cache" "$into/lists"
}

if [[ ! -e $folder/amd/version ]]; then
    # shellcheck disable=SC1091
    if [[ $(. /etc/os-release && echo "${ID-}${VERSION_ID-}") != debian12 ]]; then
        say "this is not Debian 12, on whose libraries AMD's driver of its backports runs"
        exit 1
    fi
    unpack "$folder/amd" /var/lib/dpkg/status "bookworm bookworm-backports" mesa-vulkan-drivers mesa-drm-shim libvulkan1
fi
if [[ -n $all && ! -e $folder/newest/version ]]; then
    : >"$folder/nothing-installed"
    unpack "$folder/newest" "$folder/nothing-installed" sid mesa-vulkan-drivers mesa-drm-shim libvulkan1 libgcc-s1
fi

cat >"$folder/on" <<'ON'
#!/usr/bin/env bash
# on amd|amd-newest|nvidia|apple|adreno COMMAND...: runs a Vulkan program with the driver of a GPU that is not there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
vendor=$1
shift
export NODEVICE_SELECT=1 MESA_SHADER_CACHE_DISABLE=true XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/tmp}
newest() { # DRIVER SHIM COMMAND...
    local libraries=$here/newest/root/usr/lib/x86_64-linux-gnu driver=$1 shim=$2
    shift 2
    export VK_DRIVER_FILES=$here/newest/icd/${driver}_icd.json
    exec "$here/newest/root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$libraries" \
        --preload "$libraries/lib${shim}_noop_drm_shim.so" "$(command -v "$1")" "${@:2}"
}
case $vendor in
amd)
    libraries=$here/amd/root/usr/lib/x86_64-linux-gnu
    export AMDGPU_GPU_ID=${AMDGPU_GPU_ID:-navi31} VK_DRIVER_FILES=$here/amd/icd/radeon_icd.json
    export LD_LIBRARY_PATH=$libraries LD_PRELOAD=$libraries/libamdgpu_noop_drm_shim.so
    exec "$@"
    ;;
amd-newest)
    export AMDGPU_GPU_ID=${AMDGPU_GPU_ID:-gfx1201}
    newest radeon amdgpu "$@"
    ;;
nvidia)
    export NOUVEAU_CHIPSET=${NOUVEAU_CHIPSET:-192}
    newest nouveau nouveau "$@"
    ;;
apple) newest asahi asahi "$@" ;;
adreno)
    export FD_GPU_ID=${FD_GPU_ID:-750}
    newest freedreno freedreno "$@"
    ;;
*)
    echo "on: amd, amd-newest, nvidia, apple or adreno" >&2
    exit 2
    ;;
esac
ON
chmod +x "$folder/on"
echo "Mesa for AMD $(cat "$folder/amd/version")$([[ ! -e $folder/newest/version ]] || echo ", for all $(cat "$folder/newest/version")")"
