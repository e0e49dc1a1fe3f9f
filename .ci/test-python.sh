#!/usr/bin/env bash
# Builds the wheel, installs it into an empty environment and runs the quick start, the tests of the package and those of the integrations.
# Usage: .ci/test-python.sh TARGET_DIR   Says why, and succeeds, where Python or its packages cannot be had.
set -euo pipefail
target=${1:?usage: .ci/test-python.sh TARGET_DIR}
cd "$(dirname "$0")/.."
skip() { echo "$1: the Python package is not tested" >&2; exit 0; }
command -v python3 >/dev/null || skip "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || skip "python3 is older than 3.10"
mkdir -p "$target"
tools="$target/tools"
[ -x "$tools/bin/maturin" ] || { python3 -m venv "$tools" && "$tools/bin/pip" install -q maturin mypy; } || skip "maturin cannot be installed"
rm -rf "$target/wheels"
wheel=$(PATH="$tools/bin:$PATH" .ci/wheel.sh "$target/wheels")

echo "== the quick start, in an empty environment"
rm -rf "$target/empty"
python3 -m venv "$target/empty"
"$target/empty/bin/pip" install -q --no-index --no-deps "$wheel"
(cd "$target" && "$target/empty/bin/okno" demo >/dev/null 2>&1 && "$target/empty/bin/python" - <<'PYTHON'
import tempfile, okno
with okno.Index.create(tempfile.mkdtemp() + "/notes.okno") as index:
    index.add([{"id": "tea", "text": "Green tea is brewed at 80 °C. Black tea needs boiling water."}])
    assert index.search("How hot should water for black tea be?")[0].document == "tea"
assert len(okno.embed(["without NumPy"])[0]) > 0
PYTHON
)

packages="$target/packages"
[ -x "$packages/bin/pytest" ] || {
  python3 -m venv "$packages" && "$packages/bin/pip" install -q pytest numpy langchain-core langchain-tests
} || skip "the packages of the tests cannot be installed"
"$packages/bin/pip" install -q --no-index --no-deps --force-reinstall "$wheel"
echo "== types";       "$tools/bin/mypy" --strict --python-executable "$packages/bin/python" crates/okno-python/python/okno
pyright="$target/pyright/node_modules/.bin/pyright"
if [ ! -x "$pyright" ] && command -v npm >/dev/null; then
  mkdir -p "$target/pyright" && echo '{"private": true}' > "$target/pyright/package.json"
  npm install --prefix "$target/pyright" --no-audit --no-fund --silent pyright || true
fi
if [ -x "$pyright" ]; then
  "$pyright" --pythonpath "$packages/bin/python" crates/okno-python/python/okno
else
  echo "pyright cannot be installed: types are checked by mypy alone" >&2
fi
echo "== tests of the package"; "$packages/bin/python" -m pytest -q -p no:cacheprovider crates/okno-python/tests
echo "== langchain-tests"
PYTHONPATH=integrations/langchain-okno "$packages/bin/python" -m pytest -q -p no:cacheprovider -o asyncio_mode=auto integrations/langchain-okno/tests
# Large packages: tested where somebody has put them there.
if "$packages/bin/python" -c 'import llama_index.core' 2>/dev/null; then
  PYTHONPATH=integrations/llama-index-retrievers-okno "$packages/bin/python" -m pytest -q -p no:cacheprovider integrations/llama-index-retrievers-okno/tests
else
  echo "llama-index-core is not installed in $packages: its retriever is not tested" >&2
fi
if "$packages/bin/python" -c 'import haystack' 2>/dev/null; then
  PYTHONPATH=integrations/haystack-okno/src "$packages/bin/python" -m pytest -q -p no:cacheprovider integrations/haystack-okno/tests
else
  echo "haystack-ai is not installed in $packages: its components are not tested" >&2
fi
