#!/usr/bin/env bash
# Builds the npm package of crates/web in target/web/package, and the page of web/ with it in target/web/site. Takes no
# arguments.
#
# What is missing is installed: the standard library for wasm32 with rustup, wasm-bindgen's command of the version in
# crates/web/Cargo.toml with cargo, wasm-opt of npm's binaryen; all but the first under target/web/tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binaryen=binaryen@132.0.0
web=$PWD/target/web
tools=$web/tools
package=$web/package

wasm=wasm32-unknown-unknown
if [[ ! -d $(rustc --print target-libdir --target "$wasm") ]]; then
    if ! command -v rustup >/dev/null; then
        echo "build-web: the standard library for $wasm is missing; install it with rustup: rustup target add $wasm" >&2
        exit 1
    fi
    rustup target add "$wasm" >&2
fi
version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"/\1/p' crates/web/Cargo.toml)
bindgen=$tools/bin/wasm-bindgen
if [[ $("$bindgen" --version 2>/dev/null || true) != "wasm-bindgen $version" ]]; then
    echo "build-web: installing wasm-bindgen $version under target/web/tools" >&2
    cargo install --quiet wasm-bindgen-cli --version "$version" --no-default-features --root "$tools" \
        --target-dir "$tools/build" >&2
    rm -rf "$tools/build"
fi
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    scripts/install-packages.sh "Node.js with npm" apt-get='nodejs npm' dnf='nodejs npm' pacman='nodejs npm'
fi
optimiser=$tools/node_modules/.bin/wasm-opt
if [[ $(cat "$tools/binaryen" 2>/dev/null || true) != "$binaryen" ]]; then
    echo "build-web: installing $binaryen under target/web/tools" >&2
    npm install --prefix "$tools" --no-save --no-audit --no-fund --ignore-scripts --loglevel error "$binaryen" >&2
    echo "$binaryen" >"$tools/binaryen"
fi

cargo build --quiet -p zerostride-web --profile web --target "$wasm"
rm -rf "$package"
mkdir -p "$package"
"$bindgen" --target web --no-typescript --remove-producers-section \
    --out-dir "$package" --out-name core "${CARGO_TARGET_DIR:-target}/$wasm/web/zerostride_web.wasm"
# What every browser with WebGPU has.
features=(bulk-memory bulk-memory-opt mutable-globals multivalue nontrapping-float-to-int reference-types sign-ext)
node crates/web/trim.mjs "$tools/node_modules/binaryen" "$package/core_bg.wasm" "$package/core.js"
# Less than -Oz does: what that inlines, and the order that it puts functions in, make the module larger after gzip. The
# alignment of an access is a hint that engines for x86-64 and ARM do not read.
passes=(remove-unused-module-elements vacuum dae-optimizing remove-unused-module-elements duplicate-function-elimination
    dce vacuum merge-blocks remove-unused-brs optimize-instructions precompute vacuum simplify-globals
    remove-unused-names merge-blocks rse vacuum remove-unused-brs remove-unused-names merge-blocks
    optimize-instructions vacuum dae-optimizing duplicate-function-elimination simplify-locals-nostructure vacuum
    remove-unused-brs merge-blocks vacuum dae-optimizing duplicate-function-elimination vacuum
    optimize-added-constants-propagate optimize-instructions code-folding merge-blocks remove-unused-names vacuum
    coalesce-locals reorder-locals vacuum optimize-instructions dealign strip-target-features)
# Below 1024 lies the end of the stack, which no address that is computed from an object's reaches.
"$optimiser" "${features[@]/#/--enable-}" --low-memory-unused "${passes[@]/#/--}" --strip-debug --strip-producers "$package/core_bg.wasm" \
    -o "$package/core_bg.wasm"
cp crates/web/js/*.js crates/web/js/*.d.ts "$package/"
# Apart, and bare of what no compiler reads.
python3 - shaders/soft_double.wgsl shaders/soft_functions.wgsl shaders/soft_product_sums.wgsl >"$package/float64.js" <<'PYTHON'
import json
import re
import sys

lines = [line for path in sys.argv[1:] for line in re.sub(r"//[^\n]*", "", open(path).read()).splitlines() if line.strip()]
bare = "".join(re.sub(r"^ +", " ", line.rstrip()) + "\n" for line in lines)
print(f"// WGSL that computes f64 by integers.\nexport default {json.dumps(bare)};")
PYTHON
python3 scripts/notices.py zerostride-web "$wasm" "$package"
cp crates/web/README.md "$package/README.md"
sed "s/VERSION/$(sed -n '/^\[workspace.package\]/,/^$/ s/^version = "\(.*\)"/\1/p' Cargo.toml)/" crates/web/js/package.json >"$package/package.json"

if [[ -d web ]]; then
    rm -rf "$web/site"
    mkdir -p "$web/site"
    cp -r web/. "$web/site/"
    rm -rf "$web/site/tests"
    cp -r "$package" "$web/site/zerostride"
fi
most=487424
bytes=$(gzip -9 <"$package/core_bg.wasm" | wc -c)
echo "core_bg.wasm: $(wc -c <"$package/core_bg.wasm") bytes, $bytes after gzip;" \
    "JavaScript: $(cat "$package"/*.js | gzip -9 | wc -c) after gzip"
if ((bytes > most)); then
    echo "build-web: core_bg.wasm may have $most bytes after gzip: look for what came in, as with twiggy" >&2
    exit 1
fi
echo "$package"
