#!/usr/bin/env bash
# The library's public items are those of tests/public-api.txt, one line an item with its signature. A change of that file
# is a change of what users rely on: it belongs into CHANGELOG.md. Warnings of rustdoc are errors.
#
#   scripts/check-api.sh            compares
#   scripts/check-api.sh --bless    writes the file
#
# The list comes from rustdoc's JSON, which no stable Rust promises; so it is made with one version of Rust, and nothing
# is compared with another.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "check-api: $*" >&2; }

rust=1.95
list=tests/public-api.txt
bless=${1:-}
if [[ $# -gt 1 || (-n $bless && $bless != --bless) ]]; then
    say "usage: scripts/check-api.sh [--bless]"
    exit 2
fi
found=$(rustc --version)
if [[ $found != "rustc $rust."* ]]; then
    say "$list is made with Rust $rust, and this is $found: nothing was compared"
    [[ -z $bless ]]
    RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --lib --no-deps --all-features
    exit
fi

target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/api"
# Unstable options for rustdoc alone: in the environment of cargo they would have dependencies compiled anew.
cat >"$target/api/rustdoc" <<'WRAPPER'
#!/bin/sh
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
WRAPPER
chmod +x "$target/api/rustdoc"
RUSTDOC=$(realpath "$target/api/rustdoc") RUSTDOCFLAGS="-D warnings -Z unstable-options --output-format json" \
    cargo doc --quiet --workspace --lib --no-deps --all-features
cargo run --quiet -p zerostride-api -- "$target/doc/zerostride.json" >"$target/api/public-api.txt"

if [[ -n $bless ]]; then
    cp "$target/api/public-api.txt" "$list"
    say "$list: $(wc -l <"$list") lines"
elif [[ ! -e $list ]]; then
    say "$list is missing; scripts/check-api.sh --bless writes it"
    exit 1
elif ! diff -U 0 "$list" "$target/api/public-api.txt"; then
    say "the public items are not those of $list; if that is meant: scripts/check-api.sh --bless"
    exit 1
fi
