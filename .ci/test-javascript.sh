#!/usr/bin/env bash
# Tests the JavaScript client against the real program, under Node, and its types with the compiler of TypeScript.
# Usage: .ci/test-javascript.sh FOLDER PROGRAM   Says why, and succeeds, where Node cannot be had.
set -euo pipefail
folder=${1:?usage: .ci/test-javascript.sh FOLDER PROGRAM}
program=$(realpath "${2:?the program to test with}")
cd "$(dirname "$0")/../integrations/okno-client"
skip() { echo "the JavaScript client is not $2: $1" >&2; exit 0; }
command -v node >/dev/null || skip "node is not installed (20 or later)" tested
OKNO_BIN=$program node --test test/
command -v npm >/dev/null || skip "npm is not installed" type-checked
mkdir -p "$folder" && folder=$(realpath "$folder")
if [ ! -x "$folder/node_modules/.bin/tsc" ]; then
  echo '{"private": true}' > "$folder/package.json"
  npm install --prefix "$folder" --no-audit --no-fund --silent typescript@5.9.3 || skip "npm cannot install typescript" type-checked
fi
# The package as others import it: packed, and by its name.
rm -rf "$folder/use" && mkdir -p "$folder/use/node_modules/okno-client"
tar -xzf "$folder/$(npm pack --silent --pack-destination "$folder")" --strip-components=1 -C "$folder/use/node_modules/okno-client"
cp test/types.ts "$folder/use/"
echo '{"type": "module"}' > "$folder/use/package.json"
(cd "$folder/use" && "$folder/node_modules/.bin/tsc" --strict --noEmit --module nodenext --target es2023 --lib es2023,dom,dom.asynciterable types.ts)
