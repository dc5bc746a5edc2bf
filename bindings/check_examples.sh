# check_examples MODELS IO: runs a language's four examples with the conformance models, whose texts are known. To be
# sourced by bash; run EXAMPLE ARGUMENT... and fail TEXT come from those who do. IO is what the language calls the
# status of a file that cannot be opened.
check_examples() {
    local models=$1 io=$2 found answer status example output
    expect() { [ "$2" = "$1" ] || fail "not '$1' but '$2'"; }
    expect " box:😀!" "$(run Hello "$models/chain.gguf" A)"
    expect $'A| box:😀!\nK|kv' "$(run Requests "$models/chain.gguf" A K)"
    found=$(printf '%s\n' "the dog" "a cat sat" "spain" | run Search "$models/encoder.gguf" "a cat sat")
    expect " 1.000  a cat sat" "$(head -n 1 <<< "$found")"
    expect 3 "$(wc -l <<< "$found")"
    chat() { printf 'hello\n"more" \\ \t\n' | run Chat "$models/decoder.gguf" 7 2>&1; }
    status=0
    answer=$(chat) || status=$?
    if grep -q NOT_BUILT <<< "$answer"; then  # without templates
        expect 1 $status
    else
        expect 0 $status
        expect 2 "$(grep -c . <<< "$answer")"
        expect "$answer" "$(chat)"
    fi
    for example in "Chat none.gguf" "Search none.gguf a" "Requests none.gguf a"; do
        status=0
        output=$(run $example 2>&1 < /dev/null) || status=$?  # the words are separate arguments on purpose
        [ $status -eq 1 ] && grep -q "none.gguf: $io: cannot open" <<< "$output" ||
            fail "$example gives status $status and: $output"
    done
}
