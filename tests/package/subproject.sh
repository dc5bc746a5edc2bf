#!/usr/bin/env bash
# subproject.sh CMAKE SOURCE: as a part of another project, libllm is the library and nothing else. The steps of the
# build are looked at, not taken.
set -euo pipefail
cmake=$1 source=$2

command -v ninja > /dev/null || { echo "SKIPPED: there is no ninja"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" -G Ninja -S "$source/tests/package/subproject" -B "$work" -DLLM_SOURCE="$source" > "$work/log" ||
    { cat "$work/log"; exit 1; }
ninja -C "$work" -n > "$work/steps"
grep -q 'Linking CXX shared library .*libllm\.so' "$work/steps"
grep -q 'Linking .* executable hello$' "$work/steps"
[ "$(grep -c 'Linking' "$work/steps")" -eq 2 ] || { grep Linking "$work/steps"; exit 1; }
if grep -E 'llm-cli|_test|boost' "$work/steps"; then exit 1; fi
# Nor is anything of it installed with the project.
if grep -rq 'file(INSTALL' --include=cmake_install.cmake "$work"; then exit 1; fi
