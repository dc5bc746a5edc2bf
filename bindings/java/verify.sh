#!/usr/bin/env bash
# verify.sh JDK MAVEN SOURCE BUILD VERSION: `mvn verify`, then the examples and the README's program with the jar.
set -euo pipefail
export JAVA_HOME=$1
maven=$2 source=$3 build=$4 version=$5
output=$build/bindings/java/target-$version

"$maven" --batch-mode --no-transfer-progress -f "$source/bindings/java/pom.xml" -Dllm.build="$build" \
    -Dllm.output="$output" -Dllm.results="$build/bindings/conformance/results/java_$version.json" verify
