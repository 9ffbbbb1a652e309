#!/usr/bin/env bash
# Holds the rules against other people's libraries on positions of the day.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/python-environment.sh

export SENPU_ORACLE_PYTHON=$python SENPU_REQUIRE_ORACLES=1
exec cargo test --release -p rules --test outside_oracles "$@"
