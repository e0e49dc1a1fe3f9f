#!/usr/bin/env bash
# Starts the PostgreSQL server that tests run against, on loopback, with an empty database and a password.
#   .ci/serve-postgres.sh FOLDER [PORT]     FOLDER gets the package, where none is installed, the data and the process id
#   kill $(cat FOLDER/*.pid)                stops it
# Prints the address for OKNO_TEST_POSTGRES; the password is `okno`. Where `openssl` is installed the server offers TLS
# for 127.0.0.1, and FOLDER/authority.pem, for OKNO_TEST_POSTGRES_AUTHORITY, is the certificate of its authority. Where
# it cannot be had or started it says why on standard error and prints nothing.
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
# A certificate for the address, by an authority that exists for a month.
certify() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj "/CN=Okno tests" \
    -addext "basicConstraints=critical,CA:TRUE" -keyout "$data/authority.key" -out "$folder/authority.pem" &&
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=127.0.0.1" -keyout "$data/server.key" \
      -out "$data/server.csr" &&
    printf 'subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n' >"$data/extensions" &&
    openssl x509 -req -in "$data/server.csr" -CA "$folder/authority.pem" -CAkey "$data/authority.key" -CAcreateserial \
      -CAserial "$data/serial" -days 30 -extfile "$data/extensions" -out "$data/server.pem" && chmod 600 "$data/server.key"
}
tls=()
rm -f "$folder/authority.pem"
if certify >"$folder/certify.log" 2>&1; then
  tls=(-c ssl=on -c "ssl_cert_file=$data/server.pem" -c "ssl_key_file=$data/server.key")
else
  say "has no certificate, so TLS is not tested; see $folder/certify.log"
fi
[ "$(id -u)" != 0 ] || chown -R nobody:nogroup "$data"
"${as[@]}" "$bin/initdb" -D "$data/data" -U okno -A scram-sha-256 --pwfile="$data/password" -E UTF8 --no-sync >"$folder/log" 2>&1 ||
  { say "cannot be set up; see $folder/log"; exit 0; }
"${as[@]}" "$bin/postgres" -D "$data/data" -p "$port" -h 127.0.0.1 -k "$data" -F "${tls[@]}" >>"$folder/log" 2>&1 </dev/null &
echo $! >"$folder/postgres.pid"
for _ in $(seq 100); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && kill -0 "$(cat "$folder/postgres.pid")" 2>/dev/null; then
    echo "postgres://okno@127.0.0.1:$port/postgres"
    exit 0
  fi
  sleep 0.1
done
say "does not answer on port $port; see $folder/log"
