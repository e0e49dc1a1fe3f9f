#!/usr/bin/env bash
# Prints the figures of docs/security.md: the tests of what is promised about documents and clients, at full size, and what permissions
# and checks cost. Takes about an hour. Needs a Rust toolchain and, for the last figure, python3 and a corpus with questions.
# Usage: benches/trust.sh [CORPUS.jsonl QUERIES.jsonl]     OKNO_TEST_PROGRAM tests another build of the program
set -euo pipefail
cd "$(dirname "$0")/.."
ulimit -n "$(ulimit -Hn)"   # a client and a server with 10,000 connections each
full() { echo "== $2"; cargo test --release --locked -q -p "$1" --test "$2" "$3" -- --nocapture; }
export OKNO_TRUST_PLACES=1000 OKNO_TRUST_KILLS=1000 OKNO_TRUST_FLIPS=1000 OKNO_TRUST_CONNECTIONS=10000 OKNO_TRUST_SECONDS=600 OKNO_TRUST_DISK_STEP=4
full okno engine checking
full okno-cli trust a_byte_changed
full okno-cli trust histories
full okno-cli trust many_connections
full okno-cli trust a_load_of
full okno-cli hostile full_disk
[ $# -lt 2 ] || benches/access.py "${OKNO_TEST_PROGRAM:-target/release/okno}" --corpus "$1" --questions "$2"
