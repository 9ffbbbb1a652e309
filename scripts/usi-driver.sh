#!/usr/bin/env bash
# Lets cshogi's USI driver play with `senpu usi`, as another program's hands would:
#   scripts/usi-driver.sh [target/release/senpu]
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/python-environment.sh

exec "$python" scripts/usi-driver.py "$(realpath "${1:-${CARGO_TARGET_DIR:-target}/release/senpu}")"
