#!/usr/bin/env bash
# Tests the npm package and the page in a real browser, Chromium on SwiftShader: the package's calls, errors and memory, the
# conformance cases and 2,000 random ones with the comparison of the native tests, the package in a bundle, and the page's
# flows. Takes no arguments.
#
# What is missing is installed: what scripts/build-web.sh needs, Chromium with the system's package manager, and
# playwright-core and esbuild of npm under target/web/tools. ZEROSTRIDE_CASES names a folder with other cases than random
# ones.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(playwright-core@1.65.1 esbuild@0.28.2 @webgpu/types@0.1.74 typescript@5.9.3)
web=$PWD/target/web
tools=$web/tools

scripts/build-web.sh
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [[ -z $browser ]]; then
    scripts/install-packages.sh Chromium apt-get=chromium dnf=chromium pacman=chromium
    browser=$(command -v chromium || command -v chromium-browser)
fi
export CHROMIUM=$browser
if [[ $(cat "$tools/tests/stamp" 2>/dev/null || true) != "${packages[*]}" ]]; then
    echo "test-web: installing ${packages[*]} under target/web/tools/tests" >&2
    mkdir -p "$tools/tests"
    echo '{ "private": true }' >"$tools/tests/package.json"
    npm install --prefix "$tools/tests" --no-save --no-audit --no-fund --loglevel error "${packages[@]}" >&2
    echo "${packages[*]}" >"$tools/tests/stamp"
fi

echo "== what the package has to carry"
packed=$(cd "$web/package" && npm pack --dry-run --json 2>/dev/null)
for file in LICENSE-MIT LICENSE-APACHE THIRD-PARTY.txt; do
    if [[ ! -s $web/package/$file ]] || ! grep -q "\"path\": \"$file\"" <<<"$packed"; then
        echo "test-web: the npm package lacks $file" >&2
        exit 1
    fi
done
for crate in wasm-bindgen naga wgpu "The Rust standard library"; do
    grep -q "^$crate" "$web/package/THIRD-PARTY.txt" || { echo "test-web: THIRD-PARTY.txt lacks $crate" >&2 && exit 1; }
done

(cd "$web/package" && npm publish --dry-run --loglevel error)

echo "== the package in $("$browser" --version)"
node crates/web/tests/package.mjs "$web/package" "$tools/tests"
echo "== the package in a bundle, with its types"
node crates/web/tests/bundle.mjs "$web/package" "$tools/tests" "$web/bundle"

cases=${ZEROSTRIDE_CASES:-}
if [[ -z $cases ]]; then
    scripts/setup-onnx-suite.sh >/dev/null
    cases=$web/random
    rm -rf "$cases"
    mkdir -p "$cases"
    seed=${ZEROSTRIDE_SEED:-$RANDOM}
    echo "== 2000 random cases with --seed $seed --no-subnormals --shifts"
    target/python/bin/python scripts/fuzz.py --cases 2000 --seed "$seed" --no-subnormals --shifts "$cases"
fi
echo "== the conformance cases in a page"
cargo build --quiet -p zerostride-web --features cases --profile web --config profile.web.lto=false \
    --config profile.web.codegen-units=16 --target wasm32-unknown-unknown --target-dir "$web/cases-build"
"$tools/bin/wasm-bindgen" --target web --no-typescript --out-dir "$web/cases" --out-name core \
    "$web/cases-build/wasm32-unknown-unknown/web/zerostride_web.wasm"
cp "$web/package/float64.js" "$web/cases/"
node crates/web/tests/cases.mjs "$web/cases" "$tools/tests" tests/cases "$cases"

if [[ -d web/tests ]]; then
    mkdir -p "$web/screenshots"
    for test in web/tests/*.test.mjs; do
        echo "== $test"
        node "$test" "$web/site" "$tools/tests" "$web/screenshots"
    done
fi
