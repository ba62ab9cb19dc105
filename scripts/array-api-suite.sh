#!/usr/bin/env bash
# Runs the array API standard's own suite on the Python package that scripts/test-python.sh installed.
#
#   scripts/array-api-suite.sh FOLDER [PYTEST OPTION...]
#
# FOLDER is a checkout of github.com/data-apis/array-api-tests with its submodule array-api. No code of it is in this
# repository. Without complex types it does not import: two of its lines are changed in a copy. Every failure must be of
# crates/py/tests/suites/array-api.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -lt 1 || ! -d $1/array_api_tests ]]; then
    echo "usage: scripts/array-api-suite.sh FOLDER [PYTEST OPTION...]" >&2
    exit 2
fi
suite=$(realpath "$1")
shift
environment=${CARGO_TARGET_DIR:-target}/python
python=$(realpath "$environment")/bin/python
"$python" -m pip install --disable-pip-version-check --quiet pytest-json-report ndindex
copy=$(realpath -m "${CARGO_TARGET_DIR:-target}/array-api-tests")
rm -rf "$copy"
cp -r "$suite" "$copy"
sed -i -e '/^widest_complex_dtype = max(/,/^)/ s/key=lambda x: x\[1\]$/key=lambda x: x[1], default=(None, 0)/' \
    "$copy/array_api_tests/dtype_helpers.py"

export NODEVICE_SELECT=1 ARRAY_API_TESTS_MODULE=zerostride ARRAY_API_TESTS_VERSION=2024.12
export ARRAY_API_TESTS_SKIP_DTYPES=complex64,complex128
cd "$copy"
report=$copy/report.json
"$python" -m pytest array_api_tests --hypothesis-disable-deadline --max-examples=100 \
    -q -p no:cacheprovider --tb=no --json-report --json-report-file="$report" "$@" || true
exec "$python" "$OLDPWD/crates/py/tests/suites/hold.py" "$report" "$OLDPWD/crates/py/tests/suites/array-api.txt"
