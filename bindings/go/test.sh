#!/usr/bin/env bash
# A part of the tests of the Go module: test.sh style|test|race|examples|readme|generated; or test.sh cost PROGRAM,
# which builds the program for bindings/cost. The environment says where things are: see CMakeLists.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
# Only what CMake found, and nothing from the network.
PATH=$(dirname "${LLM_GO:-$(command -v go)}"):$PATH
export PATH GOTOOLCHAIN=local GOWORK=off GOPROXY=off GOFLAGS=-modcacherw
examples=../../examples/go
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# expect TEXT COMMAND...: the command prints that text.
expect() {
    local wanted=$1 found
    shift
    echo "\$ $*"
    found=$("$@")
    [ "$found" = "$wanted" ] || { printf 'expected:\n%s\nfound:\n%s\n' "$wanted" "$found"; exit 1; }
}

run_examples() {
    local folder=$work models=$LLM_CONFORMANCE_MODELS answers
    (cd "$examples" && go build -o "$folder/" ./...)
    # Each token of the chain model says what follows it; an end token comes behind the "!".
    expect ' box:😀!' "$folder/hello" "$models/chain.gguf" A
    expect $'A ->  box:😀!\nZ -> YZYZYZYZYZYZYZYZYZYZYZYZYZYZYZYZ\nA ->  box:😀!' \
        "$folder/requests" "$models/chain.gguf" A Z A
    expect '1.000  the cat sat' first_line "$folder/search" "$models/encoder.gguf" 'the cat sat'
    answers=$(two_turns "$folder/chat" "$models/decoder.gguf" 2>&1) || grep LLM_ERROR_NOT_BUILT <<< "$answers"
    [ "$(wc -l <<< "$answers")" -ge 2 ] || grep -q LLM_ERROR_NOT_BUILT <<< "$answers" ||
        { printf 'the chat gave no two answers:\n%s\n' "$answers"; exit 1; }
}
first_line() { printf 'on the mat\nthe cat sat\nthe rain\n' | "$@" | sed -n 1p; }
two_turns() { printf 'Hello!\nBye\n' | "$@"; }

case $1 in
    style)
        unformatted=$(gofmt -l . "$examples")
        [ -z "$unformatted" ] || { printf 'gofmt would change:\n%s\n' "$unformatted"; exit 1; }
        go vet ./...
        (cd "$examples" && go vet ./...)
        ;;
    test) GODEBUG=cgocheck=1 go test -count=1 ./... ;;
    cost) go build -o "$2" ./internal/cost ;;
    # The collector runs all the time, so that what is released too early shows.
    race) GOGC=2 go test -race -short -count=1 ./... ;;
    examples) run_examples ;;
    readme)
        python3 module_proxy.py "$work/proxy"
        mkdir "$work/story" "$work/main"
        export GOPROXY=file://$work/proxy GOSUMDB=off GOMODCACHE=$work/modules
        python3 "$(realpath ../readme_test.py)" README.md "$work/story"
        python3 "$(realpath ../readme_test.py)" ../../README.md "$work/main" go
        ;;
    generated)
        version=$("${LLM_SWIG:-swig}" -version 2> /dev/null | sed -n 's/^SWIG Version //p' || true)
        [ "$version" = 4.1.0 ] || { echo "SKIPPED: this is no SWIG 4.1.0, which made the files of internal/raw"; exit; }
        bash generate.sh "$work"
        diff -r "$work" internal/raw || { echo "llm.h or bindings/swig changed: run bindings/go/generate.sh"; exit 1; }
        ;;
esac
