#!/usr/bin/env bash
# From a fresh Debian machine to an answer: installs packages, builds llm-cli, brings the default model and asks it a
# question. Arguments are passed on to `llm-cli run`, e.g. --seed 7, or --prompt with a question of your own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cli/setup.sh

install_packages "${build_packages[@]}"
install_rust
configure release -DLLM_BUILD_CLI=ON
cmake --build --preset release --target llm-cli >&2
model=$(fetch_smollm2)
say ""
exec build/release/cli/llm-cli run "$model" --verbose --max-tokens 256 \
    --prompt "Write a short story about a fisherman in a small house by the sea." "$@"
