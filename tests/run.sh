#!/usr/bin/env bash
# Installs what the tests need, builds in release mode and runs all tests. Arguments are passed on to ctest, e.g.
# -R tokenizer. LLM_TEST_SMOLLM2 and LLM_TEST_GEMMA3, if set, name the real models; else they are downloaded once.
# LLM_WERROR=ON makes warnings errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cli/setup.sh

install_packages "${build_packages[@]}" gcc binutils pkg-config libboost-test-dev abigail-tools doxygen dpkg-dev file \
    fish mandoc tmux zsh
install_packages swig maven openjdk-17-jdk-headless  # for the binding for Java
install_packages mono-mcs nunit-console libnunit-framework2.6.3-cil  # for the binding for C#
install_rust
[ -v LLM_TEST_SMOLLM2 ] || LLM_TEST_SMOLLM2=$(fetch_smollm2)
export LLM_TEST_SMOLLM2
if [ -d "${LLM_TEST_DATA:-../shared}" ]; then  # the second model is worth its size only with its reference data
    [ -v LLM_TEST_GEMMA3 ] || LLM_TEST_GEMMA3=$(fetch_gemma3)
    export LLM_TEST_GEMMA3
fi

export BOOST_TEST_COLOR_OUTPUT=no  # escape sequences are no help in a log
configure release -DLLM_BUILD_CLI=ON -DLLM_BUILD_TESTS=ON -DLLM_BUILD_STATIC=ON -DLLM_BUILD_BINDINGS=ON \
    -DLLM_WERROR="${LLM_WERROR:-OFF}"
cmake --build --preset release --parallel "$(nproc)"
exec ctest --preset release --parallel "$(nproc)" "$@"
