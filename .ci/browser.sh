#!/usr/bin/env bash
# Makes what the tests of the page need: playwright-core and axe-core in FOLDER, and Chromium where it is absent.
# Then: OKNO_TEST_BROWSER=FOLDER cargo test -p okno-cli --test page
# Says what is missing and ends with 1 where something cannot be had; nothing else depends on it.
set -euo pipefail
folder=${1:?"usage: .ci/browser.sh FOLDER"}
lacks() { echo "browser tests are not possible: $1" >&2; exit 1; }
command -v node >/dev/null || lacks "node is not installed (20 or later)"
command -v npm >/dev/null || lacks "npm is not installed"
mkdir -p "$folder"
cd "$folder"
[ -f package.json ] || echo '{"private": true}' > package.json
[ -d node_modules/playwright-core ] && [ -d node_modules/axe-core ] ||
  npm install --no-audit --no-fund --silent playwright-core@1 axe-core@4 || lacks "npm cannot install playwright-core and axe-core"
chromium=${OKNO_TEST_CHROMIUM:-/usr/bin/chromium}
[ -x "$chromium" ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; } ||
  lacks "$chromium is not there and apt-get cannot install it (OKNO_TEST_CHROMIUM names another)"
echo "browser tests are possible: OKNO_TEST_BROWSER=$PWD"
