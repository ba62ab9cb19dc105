#!/usr/bin/env bash
# Prints the folder that holds every kernel text that the tests reach, or every translation of one:
#
#   scripts/kernel-texts.sh kernels         ZEROSTRIDE_KERNELS, where tests have left them
#   scripts/kernel-texts.sh translations    ZEROSTRIDE_TRANSLATIONS
#
# Where the variable is not set, the tests run and write them to target/texts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-} in
kernels | translations) variable=ZEROSTRIDE_${1^^} ;;
*)
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
    ;;
esac
folder=${!variable:-}
if [[ -z $folder ]]; then
    folder=$PWD/target/texts/$1
    rm -rf "$folder"
    mkdir -p "$folder"
    env "$variable=$folder" cargo products-test --quiet --lib kernel::tests >&2
fi
if [[ -z $(find "$folder" -type f -print -quit) ]]; then
    echo "kernel-texts: $folder holds none" >&2
    exit 1
fi
echo "$folder"
