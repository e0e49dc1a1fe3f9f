#!/usr/bin/env bash
# Puts the official MCP client (PyPI `mcp`) into a virtual environment and prints its python, for OKNO_TEST_MCP_PYTHON.
# Usage: export OKNO_TEST_MCP_PYTHON=$(.ci/fetch-mcp.sh TARGET_DIR)   Prints nothing, and says why, where it cannot be had.
set -uo pipefail
target=${1:?usage: .ci/fetch-mcp.sh TARGET_DIR}
python="$target/bin/python"
if ! "$python" -c 'import mcp' 2>/dev/null; then
  python3 -m venv "$target" >&2 && "$target/bin/pip" install -q mcp >&2 || { echo "the MCP client cannot be installed; its tests are skipped" >&2; exit 0; }
fi
echo "$python"
