#!/usr/bin/env bash
# Checks that JavaScript, CSS and HTML of the page, and the JavaScript client, are formatted: prettier, installed into
# FOLDER, with the settings of crates/okno-server/page/.prettierrc.json. `.ci/format-page.sh FOLDER --write` formats them.
# Where node or npm cannot be had, it says so and succeeds.
set -euo pipefail
folder=${1:?"usage: .ci/format-page.sh FOLDER [--write]"}
cd "$(dirname "$0")/.."
skipped() { echo "the page's format is not checked: $1" >&2; exit 0; }
command -v node >/dev/null || skipped "node is not installed (20 or later)"
command -v npm >/dev/null || skipped "npm is not installed"
mkdir -p "$folder"
prettier="$folder/node_modules/.bin/prettier"
# One version: another may break lines elsewhere.
if [ ! -x "$prettier" ]; then
  [ -f "$folder/package.json" ] || echo '{"private": true}' > "$folder/package.json"
  npm install --prefix "$folder" --no-audit --no-fund --silent prettier@3.9.10 || skipped "npm cannot install prettier"
fi
"$prettier" "${2:---check}" crates/okno-server/page
"$prettier" "${2:---check}" --config crates/okno-server/page/.prettierrc.json \
  integrations/okno-client/{*.js,*.mjs,okno.d.ts,package.json,test/*}
