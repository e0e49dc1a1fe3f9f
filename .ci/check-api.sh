#!/usr/bin/env bash
# Checks the running API against its own description with schemathesis: every documented route gets generated requests, and every
# answer must have a documented status, content type and shape. Needs Python; says so and passes where schemathesis cannot be had.
# Usage: .ci/check-api.sh [PATH-OF-OKNO]   (default: target/release/okno)
set -euo pipefail
cd "$(dirname "$0")/.."
okno=$(realpath "${1:-target/release/okno}")
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
st=$(command -v st || command -v schemathesis || true)
if [ -z "$st" ]; then
  python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q schemathesis || { echo "skipped: schemathesis cannot be installed"; exit 0; }
  st="$work/venv/bin/schemathesis"
fi
mkdir "$work/notes"
printf -- '---\nkind: drink\n---\n# Tea\n\nGreen tea is brewed at 80 °C. Black tea needs boiling water.\n' > "$work/notes/tea.md"
printf '# 红烧肉\n\n先把肉切块。再加酱油炖一小时。\n' > "$work/notes/红烧.md"
"$okno" index --index "$work/.okno" "$work/notes"
serve() {
  : > "$work/address"
  OKNO_LOG=error "$okno" serve --json --port 0 --index "notes=$work/.okno" > "$work/address" &
  server=$!
  for _ in $(seq 100); do [ -s "$work/address" ] && break; sleep 0.1; done
  url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/address")
}
end() { kill -TERM "$server"; wait "$server"; server=; }
# A job is followed for as long as it runs, which no generated request waits for: a test of the server (`http.rs`) holds its events to
# their description.
check() {
  "$st" run "$url/api/v1/openapi.json" --generation-deterministic --exclude-path-regex 'events' \
    --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance "$@"
}
serve
check --max-examples "${EXAMPLES:-15}"
end
# The same with a key of each role: what a role may not do is refused as described.
for role in search add administer; do
  "$okno" --index "$work/.okno" keys make "$role" --role "$role" > "$work/$role.key"
done
serve
for role in search add administer; do
  check --max-examples "${ROLE_EXAMPLES:-5}" -H "Authorization: Bearer $(cat "$work/$role.key")"
done
end
echo "the API keeps to its description, without keys and with a key of each role"
