#!/usr/bin/env bash
# Starts the PostgreSQL server that tests run against, on loopback, with an empty database and a password.
#   .ci/serve-postgres.sh FOLDER [PORT]     FOLDER gets the package, where none is installed, the data and the process id
#   kill $(cat FOLDER/*.pid)                stops it
# Prints the address for OKNO_TEST_POSTGRES; the password is `okno`. Where it cannot be had or started it says why on
# standard error and prints nothing.
set -uo pipefail
folder=${1:?the folder to install into}
port=${2:-54329}
say() { echo "postgres: $*" >&2; }
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 0

# Debian's package where it is installed; else the programs that a Python package carries.
programs() {
  local installed
  for installed in /usr/lib/postgresql/*/bin "$folder"/python/lib/python*/site-packages/pgserver/pginstall/bin; do
    [ -x "$installed/initdb" ] && { echo "$installed"; return; }
  done
  return 1
}
fetch() { python3 -m venv "$folder/python" && timeout 50 "$folder/python/bin/pip" -q install pgserver==0.1.4; }
bin=$(programs) || { fetch >&2 && bin=$(programs); } ||
  { say "cannot be had; the tests that need it will be skipped"; exit 0; }

# The server does not run as root.
as=(env)
[ "$(id -u)" != 0 ] || as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
data=$(mktemp -d /tmp/okno-postgres.XXXXXX)
echo okno >"$data/password"
[ "$(id -u)" != 0 ] || chown -R nobody:nogroup "$data"
"${as[@]}" "$bin/initdb" -D "$data/data" -U okno -A scram-sha-256 --pwfile="$data/password" -E UTF8 --no-sync >"$folder/log" 2>&1 ||
  { say "cannot be set up; see $folder/log"; exit 0; }
"${as[@]}" "$bin/postgres" -D "$data/data" -p "$port" -h 127.0.0.1 -k "$data" -F >>"$folder/log" 2>&1 </dev/null &
echo $! >"$folder/postgres.pid"
for _ in $(seq 100); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && kill -0 "$(cat "$folder/postgres.pid")" 2>/dev/null; then
    echo "postgres://okno@127.0.0.1:$port/postgres"
    exit 0
  fi
  sleep 0.1
done
say "does not answer on port $port; see $folder/log"
