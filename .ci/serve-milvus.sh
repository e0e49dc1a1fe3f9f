#!/usr/bin/env bash
# Starts the small Milvus server that tests run against, on loopback, and prints its address for OKNO_TEST_MILVUS.
#   .ci/serve-milvus.sh FOLDER [PORT]     FOLDER gets a Python environment, the server's data and its process id
#   kill "$(cat FOLDER/milvus.pid)"       stops it
# Where it cannot be installed or started it says why on standard error and prints nothing.
set -uo pipefail
folder=${1:?the folder to install into}
port=${2:-19530}
say() { echo "milvus-lite: $*" >&2; }
mkdir -p "$folder" || exit 0
server="$folder/python/bin/milvus-lite"
if ! "$folder/python/bin/python" -c "import milvus_lite, pymilvus" 2>/dev/null; then
  python3 -m venv "$folder/python" || { say "python3 with venv is needed"; exit 0; }
  timeout 110 "$folder/python/bin/pip" install --quiet --disable-pip-version-check 'milvus-lite>=3.2,<4' pymilvus >&2 \
    || { say "cannot be installed; the tests that need it will be skipped"; exit 0; }
fi
"$server" server --host 127.0.0.1 --port "$port" --data-dir "$folder/data" >"$folder/milvus.log" 2>&1 &
echo $! >"$folder/milvus.pid"
for _ in $(seq 100); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
    echo "http://127.0.0.1:$port"
    exit 0
  fi
  kill -0 "$(cat "$folder/milvus.pid")" 2>/dev/null || break
  sleep 0.2
done
say "does not answer on port $port; see $folder/milvus.log"
