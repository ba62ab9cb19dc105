#!/usr/bin/env bash
# The packed library holds what it compiles from and nothing else, README's links lead to files of this repository, and cargo
# would publish all crates that are for a registry.
#
#   scripts/check-package.sh            cargo packs them
#   scripts/check-package.sh --build    cargo compiles them from what it packed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failures=0
fail() {
    echo "check-package: $*" >&2
    failures=$((failures + 1))
}

packed=$(cargo package -p zerostride --list --allow-dirty | LC_ALL=C sort)
compiled='(src|shaders|examples)/.*\.(rs|wgsl|txt)|build\.rs'
other='Cargo\.(toml|toml\.orig|lock)|\.cargo_vcs_info\.json|(README|CHANGELOG)\.md|LICENSE-(MIT|APACHE)'
while read -r file; do
    fail "$file is packed, and nobody compiles it"
done < <(grep -vxE "$compiled|$other" <<<"$packed" || true)
while read -r file; do
    fail "$file is not packed"
done < <(git ls-files -co --exclude-standard | grep -xE "$compiled|README.md|CHANGELOG.md|LICENSE-.*" | LC_ALL=C sort |
    LC_ALL=C comm -13 <(echo "$packed") -)

# Pages of registries resolve a relative link by the repository's address, and an image by its own alone.
repository=$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
[[ -n $repository ]] || fail "Cargo.toml names no repository"
if grep -nE '!\[[^]]*\]\([^:)]+\)' README.md; then
    fail "README.md: an image has no address"
fi
while read -r link; do
    path=${link%%#*}
    case $path in
    "$repository"/raw/HEAD/*) path=${path#"$repository"/raw/HEAD/} path=${path%%\?*} ;;
    *://*) continue ;;
    esac
    [[ -z $path || -e $path ]] || fail "README.md: $link leads nowhere"
done < <(grep -oE '\]\([^)]+\)' README.md | sed -E 's/^\]\((.*)\)$/\1/')

build=(--no-verify)
[[ ${1:-} != --build ]] || build=()
for crate in advice cli files onnx; do
    for licence in MIT APACHE; do
        cmp --quiet "LICENSE-$licence" "crates/$crate/LICENSE-$licence" || fail "crates/$crate lacks LICENSE-$licence"
    done
done
# One dry run of all, since each needs those before it.
cargo publish --quiet --dry-run --allow-dirty "${build[@]}" \
    -p zerostride -p zerostride-advice -p zerostride-files -p zerostride-onnx -p zerostride-cli 2> >(grep -v 'ignoring test\|due to dry run' >&2) ||
    fail "cargo would not publish the crates"

[[ $failures -eq 0 ]] && echo "check-package: $(wc -l <<<"$packed") files"
exit $((failures > 0))
