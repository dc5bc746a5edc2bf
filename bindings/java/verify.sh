#!/usr/bin/env bash
# verify.sh JDK MAVEN SOURCE BUILD VERSION: `mvn verify`, then the examples and the README's program with the jar, on a
# JDK of that version.
set -euo pipefail
export JAVA_HOME=$1
maven=$2 source=$3 build=$4 version=$5
output=$build/bindings/java/target-$version
models=$build/bindings/conformance
export PATH=$JAVA_HOME/bin:$PATH
export LC_ALL=C.UTF-8  # Java prints in the encoding of the locale

echo "== mvn verify"
"$maven" --batch-mode --no-transfer-progress -f "$source/bindings/java/pom.xml" -Dllm.build="$build" \
    -Dllm.output="$output" -Dllm.results="$models/results/java_$version.json" verify

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_CACHE_HOME=$work/cache  # where natives are unpacked
cp "$output/libllm-0.1.0.jar" libllm.jar
fail() { echo "FAILED: $*"; exit 1; }

echo "== jar"
jar --list --file libllm.jar > names
for file in natives/linux-x86_64/{manifest,libllm_java.so,libllm.so.0,libtbb.so.12} \
    META-INF/{LICENSE,THIRD_PARTY_NOTICES.txt} module-info.class org/libllm/Model.class; do
    grep -qxF "$file" names || fail "the jar has no $file"
done
jar --describe-module --file libllm.jar > module
grep -q "^org.libllm@0.1.0 " module || fail "the jar is not the module"
! grep -q "internal" <(grep exports module) || fail "the module exports what is internal"

echo "== examples"
run() { java --enable-native-access=ALL-UNNAMED -cp libllm.jar "$source/examples/java/$1.java" "${@:2}"; }
source "$source/bindings/check_examples.sh"
check_examples "$models" IO

echo "== README"
python3 "$source/bindings/readme_test.py" "$source/bindings/java/README.md" "$work"
python3 "$source/bindings/readme_test.py" "$source/README.md" "$work" java
