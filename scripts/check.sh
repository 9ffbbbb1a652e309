#!/usr/bin/env bash
# Everything that CI checks: formatting, lints, tests, docs. Run it before every push.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo fmt --all --check
# One profile everywhere: the neural-network dependencies take minutes to build.
cargo clippy --release --workspace --all-targets -- -D warnings
scripts/test.sh
RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --no-deps --document-private-items --quiet
