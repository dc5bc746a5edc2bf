#!/usr/bin/env bash
# consumers.sh CMAKE GENERATOR PKG_CONFIG CC SOURCE TREE LIBDIR: builds programs against the installed library and runs
# them.
set -euo pipefail
cmake=$1 generator=$2 pkg_config=$3 cc=$4 source=$5 tree=$6 libdir=$7

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# hello PROGRAM: runs hello.c's program with a model, if there is one, and with a file that is none.
hello() {
    local output status=0
    output=$("$1" "$work/no-model.gguf" 2>&1) || status=$?
    if [ $status -ne 1 ] || ! grep -q "LLM_ERROR_IO .*no-model.gguf" <<< "$output"; then
        echo "a missing file gives status $status and this text: $output"
        return 1
    fi
    if [ -n "${LLM_TEST_SMOLLM2:-}" ]; then
        output=$("$1" "$LLM_TEST_SMOLLM2" "The capital of France is")
        echo "$output"
        grep -q "^The capital of France is Paris" <<< "$output"
    fi
}

echo "== find_package"
"$cmake" -G "$generator" -S "$source/tests/package/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$tree" \
    -DCMAKE_BUILD_TYPE=Release -DHELLO="$source/examples/hello.c" > "$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/build" >> "$work/log" || { cat "$work/log"; exit 1; }
hello "$work/build/hello"
"$work/build/hello_cpp"

echo "== pkg-config"
export PKG_CONFIG_PATH=$tree/$libdir/pkgconfig
# The words are separate arguments on purpose.
"$cc" -std=c99 -Wall -Wextra -pedantic -Werror "$source/examples/hello.c" -o "$work/hello" \
    $("$pkg_config" --cflags --libs llm)
LD_LIBRARY_PATH=$tree/$libdir hello "$work/hello"

echo "== version"
version=$("$pkg_config" --modversion llm)
"$tree/bin/llm-cli" version | tee "$work/version"
grep -q "libllm  $version," "$work/version"
