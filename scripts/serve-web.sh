#!/usr/bin/env bash
# Builds the page and serves it on this machine, at http://localhost:8000 or another port: scripts/serve-web.sh [PORT].
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

port=${1:-8000}
if ! [[ $port =~ ^[0-9]+$ ]]; then
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" | sed '$d' >&2
    exit 2
fi
scripts/build-web.sh >&2
echo "serve-web: http://localhost:$port"
exec node crates/web/tests/serve.mjs target/web/site "$port"
