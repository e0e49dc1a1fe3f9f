# `just` lists; `just ci` is what CI runs.

default:
    @just --list

# Everything CI checks
ci:
    .ci/run

# All tests of the program as it is built by default: needs nothing but the toolchain
test:
    cargo test --release

# Formatting and lints
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Licences and advisories (needs cargo-deny)
deny:
    cargo deny check

# Install the command line
install:
    cargo install --path crates/okno-cli --locked

# Quality on question sets: `just quality path/to/questions`
quality sets:
    python3 benches/quality.py {{sets}}
