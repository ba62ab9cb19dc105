#!/usr/bin/env bash
# Makes a virtual environment with these packages of PyPI, and nothing where it is there already.
#
#   scripts/setup-python.sh FOLDER PACKAGE==VERSION...
set -euo pipefail

say() { echo "setup-python: $*" >&2; }

folder=$1
shift
stamp="$*"
if [[ $(cat "$folder/stamp" 2>/dev/null || true) == "$stamp" ]]; then
    exit 0
fi

# Debian has the parts of Python that make a virtual environment in a package of their own.
usable() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }
if ! usable; then
    "$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "Python 3 with venv and ensurepip" \
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

rm -rf "$folder"
python3 -m venv "$folder" >&2
"$folder/bin/python" -m pip install --disable-pip-version-check --quiet --no-deps --only-binary :all: "$@" >&2
echo "$stamp" >"$folder/stamp"
