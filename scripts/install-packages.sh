#!/usr/bin/env bash
# Installs packages with the system's package manager, as root or by sudo without a password.
#
#   scripts/install-packages.sh WHAT MANAGER=PACKAGES...
#   scripts/install-packages.sh 'Node.js' apt-get='nodejs npm' dnf='nodejs npm'
#
# WHAT is what the messages call it. Of the managers named, the first that is there is taken. All output goes to stderr.
set -euo pipefail
exec >&2

say() { echo "$(basename "${BASH_SOURCE[0]}" .sh): $*"; }

what=$1
shift
packages=()
for entry in "$@"; do
    manager=${entry%%=*}
    if command -v "$manager" >/dev/null; then
        read -ra packages <<<"${entry#*=}"
        break
    fi
done
if [[ ${#packages[@]} -eq 0 ]]; then
    say "$what is missing; install it with the system's package manager"
    exit 1
fi

refresh=()
case $manager in
apt-get)
    refresh=(apt-get update)
    install=(apt-get install -y --no-install-recommends)
    ;;
dnf) install=(dnf install -y) ;;
pacman) install=(pacman -Sy --noconfirm --needed) ;;
*)
    say "$manager is no package manager that this script knows"
    exit 2
    ;;
esac
install+=("${packages[@]}")

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    if ! { command -v sudo && sudo -n true; } >/dev/null 2>&1; then
        say "$what is missing and there is no right to install it; as root: ${install[*]}"
        exit 1
    fi
    as_root=(sudo -n)
fi

say "$what is missing; installing it: ${install[*]}"
as_root+=(env DEBIAN_FRONTEND=noninteractive)
if ! { { [[ ${#refresh[@]} -eq 0 ]] || "${as_root[@]}" "${refresh[@]}"; } && "${as_root[@]}" "${install[@]}"; }; then
    say "$what could not be installed; as root: ${install[*]}"
    exit 1
fi
