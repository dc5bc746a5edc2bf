#!/usr/bin/env bash
# pack.sh CPACK BUILD: makes the packages of a build, and uses what is in them.
set -euo pipefail
cpack=$1 build=$2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cpack" --config "$build/CPackConfig.cmake" -B "$work/packages" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
rm -rf "$work/packages/_CPack_Packages"
ls -l "$work/packages"

# works TREE: the command line runs, and with the library of the tree.
works() {
    "$1"/bin/llm-cli version
    if [ -n "${LLM_TEST_SMOLLM2:-}" ]; then
        "$1"/bin/llm-cli run --raw "$LLM_TEST_SMOLLM2" "The capital of France is" --temp 0 -n 2 | tee "$work/text"
        grep -q Paris "$work/text"
    fi
    ldd "$1"/bin/llm-cli | tee "$work/libraries"
    grep -q "libllm.so.* => $(realpath "$1")/" "$work/libraries"
}

echo "== .tar.gz"
mkdir "$work/tree"
tar -xzf "$work"/packages/libllm-*.tar.gz -C "$work/tree" --strip-components=1
works "$work/tree"
grep -q "libtbb.so.12 => $(realpath "$work/tree")/" "$work/libraries"

compgen -G "$work/packages/*.deb" > /dev/null || exit 0
echo "== .deb"
for package in "$work"/packages/*.deb; do
    dpkg-deb --info "$package" | grep -E ' (Package|Version|Depends):'
    dpkg-deb --extract "$package" "$work/root"
done
works "$work/root/usr"
! compgen -G "$work/root/usr/lib*/libtbb*"

# depends PACKAGE WORD
depends() { dpkg-deb --field "$work"/packages/$1_*.deb Depends | grep -q "$2"; }
depends 'libllm[0-9]*' libtbb12
depends libllm-dev 'libllm[0-9]'
depends llm-tools 'libllm[0-9]'
dpkg-deb --control "$work"/packages/libllm[0-9]*.deb "$work/control"
grep -q ldconfig "$work/control/triggers"
