#!/usr/bin/env bash
# Makes the virtual environment target/python with the packages of scripts/requirements.txt, and nothing where it is there
# already. The last line is its Python; the tools that Rust does not bring are programs beside it.
#
#   scripts/setup-python.sh            what the check of a change needs
#   scripts/setup-python.sh nightly    and what the nightly check needs: scripts/requirements-nightly.txt
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { echo "setup-python: $*" >&2; }

lists=(scripts/requirements.txt)
case ${1:-} in
'') ;;
nightly) lists+=(scripts/requirements-nightly.txt) ;;
*)
    say "usage: scripts/setup-python.sh [nightly]"
    exit 2
    ;;
esac
environment=$PWD/target/python
python=$environment/bin/python
# For each list the sum of what was installed of it.
installed() { [[ $(cat "$environment/$(basename "$1").sum" 2>/dev/null || true) == "$(cksum <"$1")" ]]; }

missing=()
for list in "${lists[@]}"; do
    installed "$list" || missing+=("$list")
done
if [[ ${#missing[@]} -gt 0 ]]; then
    # Debian has the parts of Python that make a virtual environment in a package of their own.
    usable() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }
    if ! usable; then
        scripts/install-packages.sh "Python 3 with venv and ensurepip" \
            apt-get='python3 python3-venv' dnf=python3 pacman=python
        if ! usable; then
            say "python3 still lacks venv or ensurepip; install them with the system's package manager"
            exit 1
        fi
    fi
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        say "$(python3 --version) is too old; 3.11 or newer is needed"
        exit 1
    fi
    if ! installed "${lists[0]}"; then
        rm -rf "$environment"
        python3 -m venv "$environment" >&2
        missing=("${lists[@]}")
    fi
    for list in "${missing[@]}"; do
        "$python" -m pip install --disable-pip-version-check --quiet --no-deps --only-binary :all: -r "$list" >&2
        sum=$(cksum <"$list")
        echo "$sum" >"$environment/$(basename "$list").sum"
    done
fi
echo "$python"
