#!/usr/bin/env bash
# Builds the wheel of the Python package `okno` into FOLDER and prints its path. Shares the target folder and the features of the command
# line, so that little is compiled again. Needs `maturin` (PyPI); other systems' wheels are built by the same command there, untested.
set -euo pipefail
[ $# = 1 ] || { echo "usage: .ci/wheel.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
export CARGO_INCREMENTAL=0
maturin build --release --locked --quiet --manifest-path crates/okno-python/Cargo.toml --out "$folder" >&2
wheel=$(ls -t "$folder"/okno-*.whl | head -1)
size=$(stat -c %s "$wheel" 2>/dev/null || stat -f %z "$wheel")
echo "$(basename "$wheel"): $((size / 1000000)) MB" >&2
[ "$size" -le 40000000 ] || { echo "the wheel is larger than 40 MB" >&2; exit 1; }
echo "$wheel"
