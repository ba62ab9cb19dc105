# Sourced by .ci/run, .ci/nightly and .ci/gate: the parts that they are made of.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# Mesa's device-selection layer complains where there is no desktop.
export NODEVICE_SELECT=1
# Of the command's and Python's contexts too, not of the tests' own alone.
export ZEROSTRIDE_POISON=1
# Every case of the adapter tests; plain `cargo test` draws some of those that take long.
export ZEROSTRIDE_DRAWS=more
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0
# The tests leave kernels and their translations here for other compilers.
texts=$PWD/target/texts
export ZEROSTRIDE_KERNELS=$texts/kernels ZEROSTRIDE_TRANSLATIONS=$texts/translations
export wasm=wasm32-unknown-unknown
# Repeats draws.
seed=${ZEROSTRIDE_SEED:-$RANDOM}

# Runs a part of a check, and prints its seconds beside its budget.
part() { scripts/budget.py part "$@"; }

# Installs what a Debian machine lacks that has Rust, for all parts.
prepare() {
    if ! command -v cargo >/dev/null && [[ -e ${CARGO_HOME:-$HOME/.cargo}/env ]]; then
        # shellcheck disable=SC1091
        . "${CARGO_HOME:-$HOME/.cargo}/env"
    fi
    if ! command -v cargo >/dev/null; then
        echo "ci: cargo is missing; install Rust $(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml) or newer" >&2
        exit 1
    fi
    local missing=()
    command -v cc >/dev/null || missing+=(gcc libc6-dev)
    # libFuzzer is C++.
    command -v c++ >/dev/null || missing+=(g++)
    command -v git >/dev/null || missing+=(git)
    command -v python3 >/dev/null || missing+=(python3 python3-venv)
    [[ -e /etc/ssl/certs/ca-certificates.crt ]] || missing+=(ca-certificates)
    if [[ ${#missing[@]} -gt 0 ]]; then
        scripts/install-packages.sh "a compiler of C or C++, git or Python" apt-get="${missing[*]}"
    fi
    local component
    for component in rustfmt clippy; do
        "cargo-${component/rustfmt/fmt}" --version >/dev/null 2>&1 || rustup component add "$component"
    done
    if [[ ! -d $(rustc --print target-libdir --target "$wasm") ]]; then
        rustup target add "$wasm"
    fi
    mkdir -p target
    scripts/budget.py start
    echo "== $(rustc --version), $(nproc) cores"
}

# Cases from elsewhere in a folder: ONNX's node suite, and so many random ones with NumPy as the other side.
draw() {
    local folder=$1 count=$2 suite
    shift 2
    suite=$(scripts/setup-onnx-suite.sh | tail -n 1)
    rm -rf "$folder"
    cp -r "$suite" "$folder"
    echo "== $count random cases with --seed $seed $*"
    target/python/bin/python scripts/fuzz.py --cases "$count" --seed "$seed" "$@" "$folder"
}

# A sum of the files that the kernels' texts come from.
sum_of_texts() {
    git ls-files -z -- Cargo.lock src shaders crates tests | LC_ALL=C sort -z | xargs -0 cksum | cksum
}
# Makes room for the kernels' texts that tests leave.
forget_texts() {
    rm -rf "$texts"
    mkdir -p "$ZEROSTRIDE_KERNELS" "$ZEROSTRIDE_TRANSLATIONS"
    sum_of_texts >"$texts/sum"
}
# Writes the texts, if no test wrote them of the files as they are.
need_texts() {
    if [[ $(cat "$texts/sum" 2>/dev/null) != "$(sum_of_texts)" ]]; then
        forget_texts
        part "kernel texts" cargo products-test --quiet --lib kernel::tests
    fi
}

# Format, spelling, what a GPU's day publishes, licences of dependencies, and lines of code.
style() {
    local PATH=$PWD/target/python/bin:$PATH
    cargo fmt --all --check
    cargo fmt --manifest-path fuzz/Cargo.toml --check
    typos . .ci .github
    shellcheck -x -P SCRIPTDIR .ci/parts.sh .ci/run .ci/nightly .ci/gate scripts/*.sh tools/gpu-day/*.sh
    python3 scripts/make_soft_functions.py --check
    local patch
    for patch in tests/planted/*.patch; do
        git apply --check "$patch"
    done
    python3 -B tools/gpu-day/test_summary.py
    scripts/check_soft_doubles.py
    cargo deny --workspace check licenses bans sources
    scripts/budget.py lines
    # Without what the table of operators generates.
    scripts/budget.py check words docs "$(find docs -name '*.md' ! -name operators.md -exec cat {} + | wc -w)"
}

# All features, those of `cargo build`, and none; browsers. A browser's devices stay on their thread, behind the Arcs that
# others share between threads.
clippy() {
    cargo clippy --workspace --all-targets --all-features -- -D warnings
    cargo clippy -p zerostride -p zerostride-cli --all-targets -- -D warnings
    cargo clippy -p zerostride --no-default-features -- -D warnings
    cargo clippy -p zerostride-web --target "$wasm" --features cases -- -D warnings -A clippy::arc_with_non_send_sync
}

# Examples that check what they compute. The tests have built them.
examples() {
    local example
    for example in add fused own_device softmax gradient custom_op text async_reads ndarrays npy stream partition onnx_names; do
        "target/debug/examples/$example" >/dev/null
        echo "$example ends well"
    done
}

export -f style clippy examples
