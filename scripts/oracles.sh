#!/usr/bin/env bash
# Holds the rules against other people's libraries on positions of the day.
set -euo pipefail
cd "$(dirname "$0")/.."

source scripts/oracle-python.sh
exec cargo test --release -p rules --test outside_oracles "$@"
