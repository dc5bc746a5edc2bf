#!/usr/bin/env bash
# manual.sh DOXYGEN SOURCE FOLDER: makes the manual without a warning. Every function of the interface is in it, and has
# a text.
set -euo pipefail
doxygen=$1 source=$2
export LLM_MANUAL=$3

cd "$source"
mkdir -p "$LLM_MANUAL"
"$doxygen" docs/Doxyfile
while read -r name; do
    grep -q "</span>$name()" "$LLM_MANUAL/html/llm_8h.html" || { echo "$name() is not in the manual"; exit 1; }
done < tests/abi/exports.golden

{ cat docs/Doxyfile && printf 'WARN_IF_UNDOCUMENTED = YES\nWARN_AS_ERROR = NO\n'; } | "$doxygen" - 2>&1 |
    grep -E 'Member llm_\w+\(.*\(function\)' > "$LLM_MANUAL/undocumented" || true
if [ -s "$LLM_MANUAL/undocumented" ]; then
    cat "$LLM_MANUAL/undocumented"
    exit 1
fi
