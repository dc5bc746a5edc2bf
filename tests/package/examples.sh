#!/usr/bin/env bash
# examples.sh PKG_CONFIG CC CXX SOURCE TREE LIBDIR MODELS: builds the examples in C and in C++ against the installed
# library and runs them with the conformance models, whose texts are known, and with SmolLM2 if there is one.
set -euo pipefail
pkg_config=$1 cc=$2 cxx=$3 source=$4 tree=$5 libdir=$6 models=$7

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PKG_CONFIG_PATH=$tree/$libdir/pkgconfig LD_LIBRARY_PATH=$tree/$libdir
strict="-Wall -Wextra -pedantic -Werror -pthread"

# expect WHAT EXPECTED FOUND
expect() {
    [ "$2" = "$3" ] || { printf '%s\nexpected:\n%s\nfound:\n%s\n' "$1" "$2" "$3"; exit 1; }
    echo "$1: as expected"
}

for example in chat search requests; do
    # The words are separate arguments on purpose.
    "$cc" -std=c99 $strict "$source/examples/$example.c" -o "$work/$example" $("$pkg_config" --cflags --libs llm)
    "$cxx" -std=c++20 $strict "$source/examples/$example.cpp" -o "$work/${example}_cpp" \
        $("$pkg_config" --cflags --libs llm)
done

has_chat=false
! "$tree/bin/llm-cli" version --json | grep -q '"chat_templates": true' || has_chat=true

emoji=$'\xF0\x9F\x98\x80' no_character=$'\xEF\xBF\xBD'
answers=$(printf '%s\n' "A| box:$emoji!" "K|kv" "Q|$no_character" "Z|YZYZYZYZYZYZYZYZ" "A| box:$emoji!")
for suffix in "" _cpp; do
    expect "requests$suffix" "$answers" "$("$work/requests$suffix" "$models/chain.gguf" A K Q Z A)"
    found=$(printf 'dog\nthe cat\na b c\n' | "$work/search$suffix" "$models/encoder.gguf" "the cat")
    expect "search$suffix" " 1.000  the cat" "$(head -1 <<< "$found")"
    expect "search$suffix, lines" 3 "$(wc -l <<< "$found")"
    if $has_chat; then
        printf 'hello\n"quoted" \\ \ttext\n' | "$work/chat$suffix" "$models/decoder.gguf" 7 > "$work/chat$suffix.txt"
        expect "chat$suffix, answers" 2 "$(grep -c . "$work/chat$suffix.txt")"
    fi
    for example in chat search requests; do
        status=0
        text=$("$work/$example$suffix" "$work/none.gguf" a 2>&1 < /dev/null) || status=$?
        expect "$example$suffix, no file" 1 $status
        grep -q "none.gguf" <<< "$text" || { echo "$text"; exit 1; }
    done
done
if ! $has_chat; then
    echo "this library was built without chat templates"
    exit
fi
expect "chat in C and C++" "$(cat "$work/chat.txt")" "$(cat "$work/chat_cpp.txt")"

if [ -n "${LLM_TEST_SMOLLM2:-}" ]; then
    answer=$(echo "What is 2+2?" | "$work/chat" "$LLM_TEST_SMOLLM2" 7)
    grep -q 4 <<< "$answer" || { echo "SmolLM2 says: $answer"; exit 1; }
fi
