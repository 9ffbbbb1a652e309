#!/usr/bin/env bash
# Runs every test, in the profile that runs use.
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo test --release --workspace "$@"
