#!/usr/bin/env bash
# Stands for the tests of a binding whose toolchain is missing or too old, as the arguments say: they are skipped, but
# where CI=true nothing may be missing.
if [ "${CI:-}" = true ]; then
    echo "FAILED, because CI=true: $*"
    exit 1
fi
echo "SKIPPED: $*"
