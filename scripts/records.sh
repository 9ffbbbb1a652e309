#!/usr/bin/env bash
# Holds game records against other people's readers and writers on games of the day: cshogi and pyffish (Python), tsshogi (Node).
set -euo pipefail
cd "$(dirname "$0")/.."

source scripts/python-environment.sh

node_packages=(tsshogi@2.2.0)
node_environment=${CARGO_TARGET_DIR:-target}/oracles-node

install_node() {
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "records: Node 18 or newer with npm is needed (Debian: apt-get install nodejs npm)" >&2
        return 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y nodejs npm >/dev/null
}

install_node_packages() {
    npm install --silent --no-audit --no-fund --prefix "$node_environment" "${node_packages[@]}"
}

command -v npm >/dev/null || install_node
if [ "$(cat "$node_environment/installed" 2>/dev/null)" != "${node_packages[*]}" ]; then
    mkdir -p "$node_environment"
    # A registry may fail for a moment.
    install_node_packages || { sleep 10 && install_node_packages; }
    echo "${node_packages[*]}" >"$node_environment/installed"
fi

SENPU_ORACLE_NODE_PATH=$(realpath "$node_environment")/node_modules
export SENPU_ORACLE_NODE_PATH SENPU_ORACLE_PYTHON=$python SENPU_REQUIRE_ORACLES=1
exec cargo test --release -p selfplay --test outside_records "$@"
