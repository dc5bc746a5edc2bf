#!/usr/bin/env bash
# verify.sh JDK MAVEN SOURCE BUILD VERSION: `mvn verify`, then the examples and the README's program with the jar.
set -euo pipefail
export JAVA_HOME=$1
maven=$2 source=$3 build=$4 output=$4/bindings/java/target-$5
java=$JAVA_HOME/bin/java

"$maven" --batch-mode --no-transfer-progress --quiet -f "$source/bindings/java/pom.xml" -Dllm.build="$build" \
    -Dllm.output="$output" verify
