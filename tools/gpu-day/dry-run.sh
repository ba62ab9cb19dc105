#!/usr/bin/env bash
# Runs a packed folder at small sizes on lavapipe, from a root that holds the folder, libc, lavapipe, a shell, Python
# and nothing else: no Vulkan loader, no network, no repository.
#
#   tools/gpu-day/dry-run.sh FOLDER [PART...]
#
# The results are left in target/gpu-day/out/PART. Needs user namespaces, or root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=$(realpath "${1:?the packed folder is missing}")
shift
parts=("$@")
[[ $# -gt 0 ]] || parts=(first second sweeps)

scripts/setup-adapter.sh
manifests=(/usr/share/vulkan/icd.d/lvp_icd*.json)
manifest=${manifests[0]}
driver=$(sed -n 's/.*"library_path"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' "$manifest")
if [[ $driver != /* ]]; then
    driver=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n "s|.*$(basename "$driver") .*=> ||p" | head -n 1)
fi

work=$PWD/target/gpu-day
root=$work/root
rm -rf "$root"
mkdir -p "$root"/{bin,tmp,dev,proc,etc,packed,out,usr/share/vulkan/icd.d}

# Files with the libraries that they need, at their places.
bring() {
    local file library
    for file in "$@"; do
        cp -L --parents --update "$file" "$root"
        while read -r library; do
            # libvulkan must not come along: the folder brings its own.
            [[ $library == */libvulkan.so* ]] || cp -L --parents --update "$library" "$root"
        done < <(ldd "$file" 2>/dev/null | grep -o '/[^ ]*')
    done
}
bring "$driver"
printf '{"ICD":{"api_version":"1.1.0","library_path":"%s"},"file_format_version":"1.0.0"}\n' "$driver" \
    >"$root/usr/share/vulkan/icd.d/lvp_icd.json"
tools=(bash sh env sleep timeout mktemp mkdir rm cat grep head tail wc date dirname basename nproc tee tar gzip cut ls prlimit)
for tool in "${tools[@]}"; do
    path=$(command -v "$tool")
    bring "$path"
    [[ $path == /bin/* ]] || ln -sf "$path" "$root/bin/$tool"
done
python=$(python3 -c 'import sys; print(sys.base_prefix)')
bring "$python/bin/python3"
ln -sf "$python/bin/python3" "$root/bin/python3"
# Libraries of Python by name and number, and the few compiled ones that its standard library loads here.
library=$(python3 -c 'import os; print(os.path.dirname(os.__file__))')
mkdir -p "$root$library"
tar -C "$library" --exclude=site-packages --exclude=dist-packages --exclude=test --exclude=__pycache__ -cf - . | tar -C "$root$library" -xf -
while read -r file; do
    bring "$file"
done < <(find "$library/lib-dynload" -name '_json*.so' -o -name 'math*.so' -o -name '_struct*.so' -o -name '_random*.so')

run=0
for part in "${parts[@]}"; do
    echo "== $part, in $root"
    # shellcheck disable=SC2016 # The inner shell expands it.
    unshare --map-root-user --mount --pid --net --fork bash -euc '
        root=$1 folder=$2 part=$3
        mount --bind "$folder" "$root/packed"
        mount -o remount,bind,ro "$root/packed"
        mount -t proc proc "$root/proc"
        for device in null zero urandom; do
            : >"$root/dev/$device"
            mount --bind "/dev/$device" "$root/dev/$device"
        done
        exec chroot "$root" /bin/env -i PATH=/bin OUT="/out/$part" bash /packed/run.sh "$part" --small
    ' - "$root" "$folder" "$part" || run=1
done
rm -rf "$work/out"
mv "$root/out" "$work/out"
rm -rf "$root"
echo "== the results are in $work/out"
exit $run
