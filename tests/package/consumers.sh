#!/usr/bin/env bash
# consumers.sh CMAKE GENERATOR PKG_CONFIG CC CXX SOURCE TREE LIBDIR: builds programs against the installed library, in C
# and in C++, shared and (if the tree has libllm.a) static, and runs them.
set -euo pipefail
cmake=$1 generator=$2 pkg_config=$3 cc=$4 cxx=$5 source=$6 tree=$7 libdir=$8

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
static=OFF
[ ! -e "$tree/$libdir/libllm.a" ] || static=ON

# hello PROGRAM: runs the program of hello.c or hello.cpp with a model, if there is one, and with a file that is none.
hello() {
    local output status=0
    output=$("$1" "$work/no-model.gguf" 2>&1) || status=$?
    if [ $status -ne 1 ] || ! grep -q "LLM_ERROR_IO.*no-model.gguf" <<< "$output"; then
        echo "$1: a missing file gives status $status and this text: $output"
        return 1
    fi
    if [ -n "${LLM_TEST_SMOLLM2:-}" ]; then
        output=$("$1" "$LLM_TEST_SMOLLM2" "The capital of France is")
        grep -q "^The capital of France is Paris" <<< "$output" || { echo "$1: $output"; return 1; }
    fi
    echo "$1 works"
}

needs_libllm() { readelf --dynamic "$1" | grep -q 'NEEDED.*libllm'; }

echo "== find_package"
"$cmake" -G "$generator" -S "$source/tests/package/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$tree" \
    -DCMAKE_BUILD_TYPE=Release -DEXAMPLES="$source/examples" -DSTATIC=$static > "$work/log" ||
    { cat "$work/log"; exit 1; }
"$cmake" --build "$work/build" >> "$work/log" || { cat "$work/log"; exit 1; }
hello "$work/build/hello"
hello "$work/build/hello_cpp"
"$work/build/check"
if [ $static = ON ]; then
    hello "$work/build/hello_static"
    hello "$work/build/hello_cpp_static"
    ! needs_libllm "$work/build/hello_static"
fi

echo "== pkg-config"
export PKG_CONFIG_PATH=$tree/$libdir/pkgconfig
strict="-Wall -Wextra -pedantic -Werror"
# The words are separate arguments on purpose.
"$cc" -std=c99 $strict "$source/examples/hello.c" -o "$work/hello" $("$pkg_config" --cflags --libs llm)
"$cxx" -std=c++20 $strict "$source/examples/hello.cpp" -o "$work/hello_cpp" $("$pkg_config" --cflags --libs llm)
LD_LIBRARY_PATH=$tree/$libdir hello "$work/hello"
LD_LIBRARY_PATH=$tree/$libdir hello "$work/hello_cpp"
if [ $static = ON ]; then
    # Where both libraries are installed, -lllm means the shared one.
    libs=$("$pkg_config" --static --libs llm | sed 's/-lllm\b/-l:libllm.a/')
    "$cc" -std=c99 $strict "$source/examples/hello.c" -o "$work/hello_static" $("$pkg_config" --cflags llm) $libs
    "$cxx" -std=c++20 $strict "$source/examples/hello.cpp" -o "$work/hello_cpp_static" \
        $("$pkg_config" --cflags llm) $libs
    for program in hello_static hello_cpp_static; do
        hello "$work/$program"
        ! needs_libllm "$work/$program"
    done
fi

echo "== version"
version=$("$pkg_config" --modversion llm)
"$tree/bin/llm-cli" version | tee "$work/version"
grep -q "libllm  $version," "$work/version"

if [ $static = ON ]; then
    echo "== global symbols of libllm.a"
    others=$(nm --extern-only --defined-only "$tree/$libdir/libllm.a" | awk 'NF == 3 && $3 !~ /^llm_/')
    [ -z "$others" ] || { echo "$others"; exit 1; }
fi
