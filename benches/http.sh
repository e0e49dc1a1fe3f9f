#!/usr/bin/env bash
# How many searches a second the server answers, and how late the latest are: wrk, 16 connections, the questions of a set over its
# own corpus. Prints the first round (every question new to the server), then SECONDS of load with the memory before and after.
# Usage: benches/http.sh OKNO SET [SECONDS]     SET has corpus.jsonl and queries.jsonl; needs wrk and python3
set -euo pipefail
okno=$(realpath "$1"); set=$(realpath "$2"); seconds=${3:-30}
work=$(mktemp -d); server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
python3 - "$set/queries.jsonl" > questions <<'PY'
import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    print(json.dumps({"question": json.loads(line)["question"]}, ensure_ascii=False))
PY
cat > search.lua <<'LUA'
local questions, threads = {}, 0
for line in io.lines("questions") do questions[#questions + 1] = line end
function setup(thread) thread:set("at", threads * 37); threads = threads + 1 end
function request()
  at = at + 1
  return wrk.format("POST", "/api/v1/search", {["Content-Type"] = "application/json"}, questions[at % #questions + 1])
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format("%.0f requests/s, p50 %.2f ms, p99 %.2f ms, max %.2f ms, %d not 2xx, %d socket errors\n",
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3,
    e.status, e.connect + e.read + e.write + e.timeout))
end
LUA
"$okno" index --index index "$set/corpus.jsonl" 2>/dev/null
OKNO_LOG=error "$okno" serve --json --port 0 --index set=index > address 2>/dev/null &
server=$!
for _ in $(seq 200); do [ -s address ] && break; sleep 0.05; done
url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' address)
resident() { awk '/VmRSS/ { print $2 " kB" }' "/proc/$server/status"; }
python3 - "$url" <<'PY'
import http.client, sys, time
host = sys.argv[1].removeprefix("http://")
wire, times = http.client.HTTPConnection(host), []
for line in open("questions", encoding="utf-8"):
    begun = time.perf_counter()
    wire.request("POST", "/api/v1/search", line.strip().encode(), {"Content-Type": "application/json"})
    answer = wire.getresponse(); answer.read()
    assert answer.status == 200, answer.status
    times.append((time.perf_counter() - begun) * 1e3)
times.sort()
print(f"each question once, one after the other: p50 {times[len(times) // 2]:.2f} ms, p99 {times[int(len(times) * 0.99)]:.2f} ms")
PY
before=$(resident)
wrk -t2 -c16 -d"${seconds}s" -s search.lua "$url" | tail -n 1
echo "resident before $before, after $(resident)"
