#!/usr/bin/env bash
# From a fresh Debian machine to a story: installs packages, builds llm-cli, brings the default model and runs it.
# Arguments are passed on to `llm-cli run`, e.g. --seed 7.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cli/setup.sh

install_packages "${build_packages[@]}"
install_rust
configure release -DLLM_BUILD_CLI=ON
cmake --build --preset release --target llm-cli >&2
model=$(fetch_smollm2)
say ""
# A turn of a conversation, spelled as this model was trained on it.
turn=$'<|im_start|>user\nWrite a short story about a fisherman in a small house by the sea.<|im_end|>\n'
turn+=$'<|im_start|>assistant\n'
exec build/release/cli/llm-cli run "$model" --prompt "$turn" --parse-special --max-tokens 256 --verbose "$@"
