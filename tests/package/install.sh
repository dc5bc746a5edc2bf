#!/usr/bin/env bash
# install.sh CMAKE BUILD TREE: installs a build as a packager does, moves it to TREE, and checks what is in it.
set -euo pipefail
cmake=$1 build=$2 tree=$3

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
# The build folder's own prefix must not matter.
DESTDIR=$stage "$cmake" --install "$build" --prefix /usr > "$stage/log"
rm -rf "$tree"
mv "$stage/usr" "$tree"

cd "$tree"
files=$(find . -type f -o -type l | sort)
printf '%s\n' "$files"
for pattern in bin/llm-cli 'include/llm/llm\.h' 'include/llm/llm\.hpp' 'libllm\.so' 'libllm\.so\.[0-9]+' \
    'cmake/llm/llmConfig\.cmake' 'cmake/llm/llmConfigVersion\.cmake' 'cmake/llm/llmTargets\.cmake' 'pkgconfig/llm\.pc' \
    'man/man1/llm-cli\.1' 'bash-completion/completions/llm-cli' 'zsh/site-functions/_llm-cli' \
    'fish/vendor_completions\.d/llm-cli\.fish' 'doc/llm/LICENSE' 'doc/llm/THIRD_PARTY_NOTICES\.txt'; do
    grep -qE "/$pattern\$" <<< "$files" || { echo "there is no $pattern in the tree"; exit 1; }
done

# Every file belongs to one of the three components.
for component in runtime development tools; do
    DESTDIR=$stage/parts "$cmake" --install "$build" --prefix /usr --component "$component" >> "$stage/log"
done
diff <(printf '%s\n' "$files") <(cd "$stage/parts/usr" && find . -type f -o -type l | sort)

if grep -rIl -e "$build" -e "$stage" .; then
    echo "files above name the folder in which they were built"
    exit 1
fi
